"""Runs that were not seen whole: what can still be said of them, and what cannot."""

from dataclasses import replace

import numpy as np
import pytest

from loadrig.judgement.diagnose import diagnose
from loadrig.testing.cases import ACase

UNSEEN = "the server's process was not seen: run loadrig on its machine"


def full_core() -> ACase:
    """Return a server in C that fills its core."""
    case = ACase(seconds=30, users=20, ok=200.0, latency_s=0.1)
    case.tier("server", kind="program", runtime="native", cpus=(1,))
    return case.host_cpu([0.2, 0.99])


def test_of_a_server_that_nobody_saw_it_says_what_is_wrong_and_what_would_show_why() -> None:
    case = ACase(seconds=30, rate=100.0, ok=60.0, failed={"timeout": 40.0}, latency_s=3.0)
    diagnosis = diagnose(case.not_seen("server", "process", UNSEEN).build())
    assert all(finding.verdict == "possible" for finding in diagnosis.findings)
    assert diagnosis.harms
    if not diagnosis.findings:
        assert UNSEEN in diagnosis.sentence
    assert [unseen.why for unseen in diagnosis.unseen] == [UNSEEN]


def test_a_gap_in_a_series_does_not_hide_the_rest() -> None:
    case = full_core()
    used = np.full(31, np.nan)
    used[:12] = np.arange(12) * 0.98
    used[18:] = np.arange(18, 31) * 0.98
    case._add("server", "process.cpu_s", "tree", range(31), used, "s", "counter")
    first = diagnose(case.build()).findings[0]
    assert (first.cause, first.verdict) == ("host_cpu", "likely")


def test_a_probe_without_rights_leaves_what_others_show() -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    diagnosis = diagnose(case.not_seen("server", "python", "no right to trace process 12").build())
    assert diagnosis.findings[0].cause == "host_cpu"
    assert [unseen.what for unseen in diagnosis.unseen] == ["python"]


def test_where_the_books_are_wrong_nothing_is_said() -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    diagnosis = diagnose(case.remark("G9", "void", "the two sides disagree by 5 %").build())
    assert diagnosis.findings == ()


@pytest.mark.parametrize("level", ["disturbed", "grave"])
@pytest.mark.parametrize("check", ["G2", "G4", "G13", "G14"])
def test_a_noisy_machine_accuses_nobody_and_hides_nothing(check: str, level: str) -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    case.remark(check, level, "generator threads waited for a core 20 % of the time")
    for claim in ("rates", "times", "tails"):
        case.weaken(claim, "wider", 0.2)
    findings = diagnose(case.build()).findings
    assert [(finding.cause, finding.verdict) for finding in findings] == [("host_cpu", "likely")]


@pytest.mark.parametrize("check", ["G1", "G3", "G5", "G7", "G10"])
def test_a_generator_at_its_end_is_told_beside_the_server(check: str) -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    case.remark(check, "grave", "it fell short")
    verdicts = {finding.cause: finding.verdict for finding in diagnose(case.build()).findings}
    assert verdicts == {"host_cpu": "likely", "generator_limited": "likely"}


def at_its_cap(alone_s: float) -> ACase:
    """Return 1,000 requests a second of which 200 are answered over 100 connections, all always in use."""
    case = ACase(seconds=30, rate=1000.0, ok=200.0, in_flight=400.0, latency_s=2.0, sent=200.0)
    case.tier("server", kind="program", cpus=(1,)).counter("server", "process.cpu_s", "tree", 0.4)
    case.remark("G1", "grave", "80 % of the requests due were not sent")
    case.weaken("load", "lost", 0.8)
    case.load = replace(
        case.load,
        latency_of_route=lambda _, _q: alone_s,
        latency_by_step=lambda _: np.full(30, alone_s),
        capped=np.full(30, 900.0),
        connections=np.full(30, 100.0),
    )
    return case.host_cpu([0.2, 0.4])


@pytest.mark.parametrize(("alone_s", "is_accused"), [(0.05, False), (0.45, True)])
def test_connections_that_the_server_keeps_busy_are_no_lack_of_the_generator(
    alone_s: float, is_accused: bool
) -> None:
    """A request alone takes 50 ms, and here half a second; where it takes that alone, there are too few."""
    case = at_its_cap(alone_s).build()
    assert ("generator_limited" in {finding.cause for finding in diagnose(case).findings}) is is_accused
    assert ("saturated" in case.harms) is not is_accused


def test_a_second_for_each_request_is_the_servers_doing_where_hardly_any_is_answered_well() -> None:
    case = at_its_cap(0.05)
    case.load = replace(
        case.load, ok=np.full(30, 0.1), failed=np.full(30, 90.0), outcomes={"http_5xx": np.full(30, 90.0)}
    )
    assert "generator_limited" not in {finding.cause for finding in diagnose(case.build()).findings}


def test_two_causes_at_once_are_both_told() -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    case.remark("G3", "disturbed", "the busiest generator thread used 60 % of a core in its worst second")
    assert [finding.cause for finding in diagnose(case.build()).findings] == ["host_cpu", "generator_limited"]
