"""Tests of what the generator's frames say to a search."""

from typing import Any

from loadrig.base.clock import NS
from loadrig.recording.frame import Frame
from loadrig.study.capacity.frames import tick
from loadrig.study.capacity.goals import Goals, ShareGoal
from loadrig.study.capacity.tick import Count
from loadrig.testing.engine_frames import engine_frame, histogram_of, row

GOALS = Goals(
    (
        ShareGoal("p99 < 200ms", 0.01, 0.2),
        ShareGoal("p95{order} < 1s", 0.05, 1.0, "order"),
        ShareGoal("errors < 1%", 0.01),
    ),
)


def a_frame(**more: Any) -> Frame:
    rows = [
        row("ok", [0.1, 0.15, 0.3, 0.4]),
        row("ok", [0.5, 1.5], route="order"),
        row("http_5xx", [0.001], route="order"),
        row("ok", [5.0], route="token", route_class="login"),
    ]
    return Frame.live(engine_frame(0, NS, NS // 4, rows, in_flight=7, **more))


def test_late_answers_are_counted_for_each_goal_and_its_route() -> None:
    second = tick(a_frame(), GOALS)
    assert (second.seconds, second.done, second.good, second.failed, second.in_flight) == (0.25, 7, 6, 1, 7)
    # Four of six service answers take longer than 200 ms; one of two orders longer than 1 s; one of seven
    # failed.
    assert second.counts == (Count(4, 6), Count(1, 2), Count(1, 7))
    assert not second.is_held_back


def test_what_was_never_sent_has_failed() -> None:
    second = tick(a_frame(unsent=3), GOALS)
    assert (second.done, second.failed) == (10, 4)
    assert second.counts[2] == Count(4, 10)


def test_a_generator_that_is_late_itself_says_nothing_of_the_server() -> None:
    assert tick(a_frame(lag=histogram_of([0.05] * 30)), GOALS).is_held_back
    # One or two late requests are no such generator.
    assert not tick(a_frame(lag=histogram_of([0.05] * 3)), GOALS).is_held_back


def test_a_generator_without_a_free_moment_says_nothing_of_the_server() -> None:
    busy = {"cpu_ns": NS // 4, "run_delay_ns": 0, "busy_share": 0.99}
    assert tick(a_frame(threads=[busy]), GOALS).is_held_back
