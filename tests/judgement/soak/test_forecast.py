"""Forecast of when a limit is reached, and how sure that is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.soak.forecast import GrowthLimit, forecast
from loadrig.stats.slope import Slope
from tests.wording import numbers

LIMIT = GrowthLimit(1e9, "its memory limit")


def a_second(value: float, low: float, high: float) -> Slope:
    return Slope(value, low, high, (high - low) / 4, 0.95, 0.0, 40)


def test_the_rest_over_the_slope_is_the_time_that_is_left(snapshot: SnapshotAssertion) -> None:
    ahead = forecast(LIMIT, 4e8, a_second(1e5, 0.9e5, 1.1e5))
    assert ahead.in_s == pytest.approx(6_000)
    assert ahead.soonest_s == pytest.approx(5_454.5, rel=1e-3)
    assert ahead.latest_s == pytest.approx(6_666.7, rel=1e-3)
    assert numbers(ahead.text) == [1, 1, 40, 95, 1, 31, 1, 51]
    assert ahead.text == snapshot


def test_what_may_not_grow_may_never_reach_it(snapshot: SnapshotAssertion) -> None:
    ahead = forecast(LIMIT, 4e8, a_second(10, -5, 40))
    assert math.isinf(ahead.latest_s)
    assert ahead.is_never
    assert numbers(ahead.text) == [1, 30, 174]
    assert ahead.text == snapshot


def test_what_shrinks_is_not_reached() -> None:
    ahead = forecast(LIMIT, 4e8, a_second(-10, -20, -5))
    assert math.isinf(ahead.in_s)
    assert ahead.is_never


def test_a_limit_that_is_reached_is_reached_now(snapshot: SnapshotAssertion) -> None:
    ahead = forecast(LIMIT, 2e9, a_second(0, -1, 1))
    assert ahead.in_s == 0
    assert ahead.text == snapshot


@given(st.floats(0, 1e9), st.floats(1, 1e6), st.floats(0, 0.9))
def test_the_interval_holds_the_forecast(level: float, slope: float, half: float) -> None:
    ahead = forecast(LIMIT, level, a_second(slope, slope * (1 - half), slope * (1 + half)))
    assert ahead.soonest_s <= ahead.in_s <= ahead.latest_s


def test_no_number_is_no_limit() -> None:
    with pytest.raises(ValueError, match="numbers"):
        forecast(GrowthLimit(math.nan, "?"), 1.0, a_second(1, 1, 1))
