"""Queues that grow without end are seen in a short run; those that only wander are not accused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.stats.arrays import Floats
from loadrig.stats.trend import MOST, climbs, mann_kendall, may_rise_or_fall, sen_slope
from tests.lengths import fewest, length, most

PER_SECOND = 100
RUNS = length(40, 100)


def queue(seed: int, load: float, seconds: int, warm_up: int = 0) -> Floats:
    """Mean length of a queue in each second, with `load` arrivals (Poisson) for each one that is served."""
    arrivals = np.random.default_rng(seed).poisson(load, (warm_up + seconds) * PER_SECOND)
    lengths, length = np.empty(arrivals.size), 0
    for slot, came in enumerate(arrivals):
        length = max(length - 1, 0) + came
        lengths[slot] = length
    queue_lengths: Floats = lengths.reshape(-1, PER_SECOND).mean(axis=1)[warm_up:]
    return queue_lengths


@pytest.mark.parametrize(("load", "seconds"), [(1.5, 12), (1.1, 30)])
def test_a_queue_without_end_is_seen(load: float, seconds: int) -> None:
    falling = sum(climbs(queue(seed, load, seconds)) < 0.01 for seed in range(RUNS))
    assert falling >= fewest(RUNS, 0.97)


@pytest.mark.parametrize(("load", "seconds"), [(0.8, 30), (0.95, 30), (0.9, 12)])
def test_a_queue_that_wanders_is_not(load: float, seconds: int) -> None:
    climbing = sum(climbs(queue(seed, load, seconds, warm_up=60)) < 0.01 for seed in range(RUNS))
    assert climbing <= most(RUNS, 0.01)


def test_few_or_equal_steps_are_answered_too() -> None:
    assert climbs([1.0, 2.0, 3.0]) == 1.0
    assert climbs([1.0, 2.0, 3.0, 4.0]) == 0.0
    assert climbs([2.0, 2.0, 2.0, 2.0]) == 1.0
    assert climbs([4.0, 3.0, 2.0, 1.0]) == 1.0


def test_a_long_series_is_averaged_first_and_has_the_same_slope() -> None:
    rng = np.random.default_rng(8)
    steps = np.arange(6_017)
    trend = mann_kendall(3.0 + 1e-3 * steps + rng.normal(0, 1.0, steps.size))
    assert trend.n <= MOST
    assert trend.slope == pytest.approx(1e-3, rel=0.02)
    assert trend.p < 1e-6
    level = mann_kendall(3.0 + rng.normal(0, 1.0, steps.size))
    assert level.p > 0.01


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.booleans())
def test_the_slope_alone_is_that_of_the_whole_test(values: list[float], summed: bool) -> None:
    series = np.cumsum(values) if summed else np.array(values)  # a walk is averaged in batches first
    assert sen_slope(series) == pytest.approx(mann_kendall(series).slope, abs=1e-9)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.booleans())
def test_what_the_quick_look_leaves_out_the_whole_test_does_not_find(values: list[int], summed: bool) -> None:
    series = np.cumsum(values) if summed else np.array(values)
    if not may_rise_or_fall(series):
        assert mann_kendall(series).p >= 0.01


def test_the_quick_look_leaves_out_most_of_what_has_no_trend() -> None:
    rng = np.random.default_rng(5)
    passed = sum(may_rise_or_fall(rng.normal(size=20)) for _ in range(400))
    # 4.6 % of 400 are 18; more than 40 have a probability below one in 100,000.
    assert passed <= 40
    assert may_rise_or_fall(np.arange(10.0))
