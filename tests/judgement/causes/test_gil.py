"""The interpreter lock of CPython: one process with threads that fills one core while others are free."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.evidence import EventSource
from loadrig.testing.cases import ACase
from tests.judgement.causes._workers import accused, roots, server


def threaded(held: float | None = 0.97, waiting: float = 6.0, **facts: object) -> ACase:
    """Return one gunicorn of eight threads that compute; as seen on two cores: 160/s, 0.97 cores."""
    usual: dict[str, object] = {
        "ok": 160.0, "users": 16.0, "alone_s": 0.012, "cpu": 0.97, "threads": 9.0, "cpus": (0, 1),
        "beside": 0.2,
        "settings": {"--workers": "1", "--threads": "8"},
    }  # fmt: skip
    case = server(**(usual | facts))  # type: ignore[arg-type]
    if held is not None:
        case.gauge("server", "python.gil_share", "", held)
        case.gauge("server", "python.waiting_threads", "", waiting)
    return case


def test_threads_that_wait_for_the_lock_of_a_full_process_are_the_cause(snapshot: SnapshotAssertion) -> None:
    case = threaded()
    case.event(5, "gil_top", "server", frames=[{"frame": "burn (app.py:8)", "share": 0.9}], looks=39)
    first = roots(case)[0]
    assert (first.cause, first.component, first.verdict) == ("gil", "server", "likely")
    assert first.mend == snapshot
    assert EventSource("server", "gil_top", 1) in [evidence.source for evidence in first.evidence]
    assert [evidence.text for evidence in first.evidence] == snapshot


def test_it_explains_slots_that_are_all_taken() -> None:
    case = threaded(settings={"--workers": "1", "--threads": "4"})
    assert [root.cause for root in roots(case)] == ["gil"]


def test_every_worker_full_of_its_own_lock_is_the_lock_too() -> None:
    each = {"pid:101": 0.96, "pid:102": 0.95, "pid:100": 0.01}
    case = threaded(cpu=1.92, each=each, workers=2, cpus=(0, 1, 2, 3), ok=320.0)
    assert roots(case)[0].cause == "gil"


def test_one_thread_waits_for_nobody() -> None:
    case = threaded(threads=1.0, waiting=0.0, settings={"--workers": "1"})
    assert "gil" not in accused(case)


def test_extensions_that_let_the_lock_go_are_not_accused() -> None:
    case = threaded(held=0.3, waiting=0.1, cpu=1.6)
    assert "gil" not in accused(case)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.85])
def test_a_healthy_server_whose_lock_is_often_held_is_not_accused(share: float) -> None:
    case = threaded(
        held=share, waiting=share, cpu=share, rate=140.0 * share, ok=140.0 * share, alone_s=0.007, users=0.0
    )
    assert accused(case) == set()
