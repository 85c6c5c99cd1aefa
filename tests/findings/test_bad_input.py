"""What can still be said of a run that was not seen whole, and what cannot."""

import numpy as np
import pytest

from loadrig.findings.diagnose import diagnose
from loadrig.testing.cases import ACase

UNSEEN = "the server's process was not seen: run loadrig on its machine"


def full_core() -> ACase:
    """A server in C that fills its core."""
    case = ACase(seconds=30, users=20, ok=200.0, latency_s=0.1)
    case.tier("server", kind="program", runtime="native", cpus=(1,))
    return case.host_cpu([0.2, 0.99])


def test_of_a_server_that_nobody_saw_it_says_what_is_wrong_and_what_would_show_why() -> None:
    case = ACase(seconds=30, rate=100.0, ok=60.0, failed={"timeout": 40.0}, latency_s=3.0)
    found = diagnose(case.not_seen("server", "process", UNSEEN).build())
    assert all(one.verdict == "possible" for one in found.findings)
    assert found.harms
    if not found.findings:
        assert UNSEEN in found.sentence
    assert [one.why for one in found.unseen] == [UNSEEN]


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
    found = diagnose(case.not_seen("server", "python", "no right to trace process 12").build())
    assert found.findings[0].cause == "host_cpu"
    assert [one.what for one in found.unseen] == ["python"]


@pytest.mark.parametrize("check", ["G2", "G4"])
def test_of_a_void_trial_nothing_is_said_of_the_server(check: str) -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    found = diagnose(case.remark(check, "void", "the generator was 300 ms late (p99)").build())
    assert [one.component for one in found.findings] == ["generator"]


def test_where_the_load_itself_was_wrong_the_server_is_not_spoken_of() -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    found = diagnose(case.remark("G7", "void", "the gaps are not exponential").build())
    assert found.findings == ()


def test_a_little_trouble_of_the_rig_accuses_nobody() -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    case.remark("G4", "suspect", "generator threads waited for a core 2 % of the time")
    assert [one.cause for one in diagnose(case.build()).findings] == ["host_cpu"]


def test_two_causes_at_once_are_both_told() -> None:
    case = full_core().counter("server", "process.cpu_s", "tree", 0.98)
    case.remark("G3", "suspect", "the busiest generator thread used 60 % of a core in its worst second")
    assert [one.cause for one in diagnose(case.build()).findings] == ["host_cpu", "generator_limited"]
