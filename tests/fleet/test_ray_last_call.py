"""Silence as an actor counts it: from when a call was made, by whosever clock, and through a merger."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.fleet import _ray_actor
from loadrig.fleet._ray_actor import FORGOTTEN_AFTER_S, LEAST_OVER_S, LastCall

SHORTEST_WAY_S = 0.05

TOLERANCE_S = 1e-6
"""Error of sums of readings of clocks, in seconds."""


class MadeUpClock:
    """Clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MadeUpClock:
    made_up = MadeUpClock()
    monkeypatch.setattr(_ray_actor, "time", made_up)
    return made_up


def test_a_call_that_was_long_on_its_way_counts_from_when_it_was_made(clock: MadeUpClock) -> None:
    call = LastCall()
    assert call.idle_s == 0.0
    call.note(0.0, 0.0)
    clock.now_s = FORGOTTEN_AFTER_S - 1.0
    call.note(1.0, 0.0)
    assert call.idle_s == pytest.approx(FORGOTTEN_AFTER_S - 2.0)
    clock.now_s = 1.0 + FORGOTTEN_AFTER_S
    assert not call.is_forgotten
    clock.now_s += 0.1
    assert call.is_forgotten
    call.rest()
    assert not call.is_forgotten


def test_a_caller_that_is_forgotten_keeps_nobody(clock: MadeUpClock) -> None:
    call = LastCall()
    for second in range(10):
        clock.now_s = float(second)
        call.note(clock.now_s, clock.now_s)
    assert call.is_forgotten


@given(
    ahead_s=st.floats(-1e6, 1e6),
    drift=st.floats(-1e-4, 1e-4),
    ways_s=st.lists(st.floats(0.0, 7.0), min_size=3, max_size=30),
)
def test_whoever_counts_from_the_making_of_the_last_call_never_ends_before_the_actor(
    ahead_s: float, drift: float, ways_s: list[float]
) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        clock = MadeUpClock()
        monkeypatch.setattr(_ray_actor, "time", clock)
        call = LastCall()
        made_s = here_s = 0.0
        # A first call that took the shortest way, and others that did not.
        for way_s in (0.0, *ways_s):
            made_s, came_s = here_s, here_s + SHORTEST_WAY_S + way_s
            clock.now_s = ahead_s + came_s * (1 + drift)
            call.note(made_s, 0.0)
            here_s = came_s
        # What is wrong is the shortest way, and what the clocks drift while the least is kept.
        error_s = SHORTEST_WAY_S + 3 * LEAST_OVER_S * abs(drift) + TOLERANCE_S
        assert call.idle_s == pytest.approx((here_s - made_s) - SHORTEST_WAY_S, abs=error_s)


def test_clocks_that_drift_for_hours_keep_an_actor(clock: MadeUpClock) -> None:
    call = LastCall()
    drift = 1e-4
    for second in range(0, 100_000, 2):
        clock.now_s = second * (1 + drift)
        call.note(float(second), 0.0)
        assert call.idle_s < 3 * LEAST_OVER_S * drift
