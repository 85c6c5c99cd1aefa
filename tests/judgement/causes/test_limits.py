"""Limits of descriptors and of tasks that were reached, against those that only were near."""

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import Cleared, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.recording.steps import Floats
from loadrig.testing.cases import ACase


def turned_away() -> ACase:
    """Return 200 users most of whom are never answered; those that are keep the core busy."""
    case = ACase(seconds=30, users=200, ok=300.0, failed={"connect_timeout": 40.0}, in_flight=200.0)
    case.host_cpu([0.3, 0.97]).tier(
        "server",
        kind="program",
        runtime="go",
        cpus=(1,),
        address="127.0.0.1:8000",
        limits={"descriptors": 64},
    )
    case.gauge("host", "tcp_sockets.accept_queue", "in:8000", 120.0)
    case.gauge("host", "tcp_sockets.established", "in:8000", 60.0)
    return case.counter("server", "process.cpu_s", "tree", 0.95)


def causes(case: Case) -> list[tuple[str, str, str]]:
    return [(finding.verdict, finding.cause, finding.component) for finding in diagnose(case).findings]


def cleared(case: Case) -> dict[str, Cleared]:
    return {clearance.cause: clearance for clearance in diagnose(case).cleared}


def test_descriptors_near_the_limit_are_cleared(snapshot: SnapshotAssertion) -> None:
    case = turned_away().gauge("server", "process.fds_share", "tree", 0.9)
    clearance = cleared(case.build())["descriptor_limit"]
    assert clearance.source == SeriesSource("server", "process.fds_share", "tree")
    assert clearance.why == snapshot


def test_descriptors_at_the_limit_of_a_server_that_does_all_are_no_harm() -> None:
    case = ACase(seconds=30, rate=100.0, ok=100.0).tier("server", kind="nginx", cpus=(1,))
    case.counter("server", "process.cpu_s", "tree", 0.2).gauge("server", "process.fds_share", "tree", 0.98)
    assert causes(case.build()) == [("likely", "healthy", "server")]


def test_descriptors_of_another_users_process_are_only_guessed_from_connections() -> None:
    assert ("possible", "descriptor_limit", "server") in causes(turned_away().build())


def test_a_limit_that_is_reached_at_the_peaks_counts() -> None:
    share = np.where(np.arange(30) % 3 == 0, 1.0, 0.7)
    case = turned_away().gauge("server", "process.fds_share", "tree", share)
    assert ("likely", "descriptor_limit", "server") in causes(case.build())


@pytest.mark.parametrize(
    ("opened", "is_leak"),
    [(np.minimum(60.0, 4.0 + 4.0 * np.arange(30)), True), (np.where(np.arange(30) % 2, 60.0, 30.0), False)],
    ids=["more and more", "up and down"],
)
def test_what_is_opened_and_never_closed_is_no_small_limit(opened: Floats, is_leak: bool) -> None:
    case = turned_away().gauge("host", "tcp_sockets.established", "in:8000", 2.0)
    case.gauge("server", "process.fds", "tree", opened)
    case.gauge("server", "process.fds_share", "tree", opened / 60.0)
    finding = next(each for each in diagnose(case.build()).findings if each.cause == "descriptor_limit")
    assert ("close" in finding.mend) is is_leak


def with_tasks(tasks: float) -> ACase:
    case = turned_away().gauge("server", "cgroup.pids", "/docker/3f2a", tasks)
    case.gauge("server", "process.fds_share", "tree", 0.1)
    case.gauge("server", "process.threads", "tree", tasks)
    return case.gauge("server", "cgroup.pids_limit", "/docker/3f2a", 40.0)


def test_tasks_at_the_limit_of_the_group_come_first() -> None:
    case = with_tasks(40.0).build()
    assert causes(case)[0] == ("likely", "process_limit", "server")
    assert diagnose(case).findings[0].weight >= 3


def test_tasks_near_the_limit_are_cleared(snapshot: SnapshotAssertion) -> None:
    clearance = cleared(with_tasks(36.0).build())["process_limit"]
    assert clearance.source == SeriesSource("server", "cgroup.pids", "/docker/3f2a")
    assert clearance.why == snapshot


def test_far_from_a_limit_nothing_is_said() -> None:
    case = with_tasks(10.0).build()
    assert "process_limit" not in cleared(case)
    assert "descriptor_limit" not in cleared(case)
