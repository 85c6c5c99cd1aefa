"""A trial whose goal is lost is ended; one that may still meet it goes on."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import SERVER, Component
from loadrig.base.running import Address, RunningTarget
from loadrig.recording.frame import Frame
from loadrig.study.capacity.goals import Goals, ShareGoal
from loadrig.study.doomed import Doomed
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.trial.spec import MEASURING, Stage

LATE = ShareGoal("p99 < 100ms", 0.01, 0.1)
ERRORS = ShareGoal("errors < 1%", 0.01)
SECOND = 1_000_000_000


def frame(good: int, late: int = 0, failed: int = 0) -> Frame:
    """Return one second of load."""
    rows = [row("ok", [0.02] * good + [0.3] * late)]
    if failed:
        rows.append(row("http_5xx", [0.005] * failed))
    return Frame.live(engine_frame(0, 0, SECOND, rows))


def stage(phase: str = MEASURING) -> Stage:
    target = RunningTarget(Address("127.0.0.1", 1, "http", None))
    parts = (Component(SERVER, "program"),)
    return Stage(target, lambda: parts, lambda _: None, (0,), 0, lambda _: 0, phase=lambda: phase)


def ended_after(goals: Goals, measure_s: float, *frames: Frame, phase: str = MEASURING) -> int | None:
    """After how many frames it ends the trial; None if never."""
    doomed = Doomed(goals, measure_s)
    doomed.begin(stage(phase))
    for number, frame in enumerate(frames, start=1):
        doomed.see(frame)
        if doomed.why_over():
            return number
    return None


def test_a_goal_that_is_lost_ends_it_as_soon_as_that_is_sure() -> None:
    # Of 30 s at 100 a second, with half as many more, 45 may fail.
    assert ended_after(Goals((ERRORS,)), 30.0, *[frame(90, failed=10)] * 10) == 5
    assert ended_after(Goals((LATE,)), 30.0, *[frame(50, late=50)] * 10) == 3


def test_what_may_still_be_met_goes_on() -> None:
    goals = Goals((LATE, ERRORS))
    assert ended_after(goals, 30.0, *[frame(100)] * 30) is None
    assert ended_after(goals, 30.0, *[frame(98, late=1, failed=1)] * 20) is None


def test_the_warm_up_does_not_count() -> None:
    assert ended_after(Goals((ERRORS,)), 30.0, *[frame(10, failed=90)] * 20, phase="warm_up") is None


def test_it_says_which_goal_is_lost_and_how_far(snapshot: SnapshotAssertion) -> None:
    doomed = Doomed(Goals((ERRORS,), beside=("memory < 1MB",)), 4.0)
    doomed.begin(stage())
    for _ in range(3):
        doomed.see(frame(60, failed=40))
    assert doomed.why_over().startswith("errors < 1%")
    assert "40 %" in doomed.why_over()
    assert doomed.why_over() == snapshot
    assert doomed.estimates() == {}
    doomed.close()


@pytest.mark.parametrize("hits", [1, 5])
def test_a_few_failures_of_few_requests_are_not_enough(hits: int) -> None:
    assert ended_after(Goals((ERRORS,)), 3.0, *[frame(10, failed=hits)] * 3) is None
