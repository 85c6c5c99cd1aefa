"""Goals over stretches: exactly what the merged histograms of each stretch say."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig._native import Histogram
from loadrig.judgement.soak.stretches import StretchGoal, below, of_greatest, of_quantile, of_ratio

NS = 1_000_000_000
STEPS = st.lists(st.lists(st.integers(1, 3 * NS), max_size=12), min_size=1, max_size=12)


def histogram(values: list[int]) -> Histogram:
    counted = Histogram()
    for value in values:
        counted.record(value)
    return counted


def merged(steps: list[Histogram], low: int, high: int) -> Histogram:
    total = Histogram()
    for step in steps[low:high]:
        total.add(step)
    return total


@given(
    rows=STEPS,
    over=st.integers(1, 5),
    quantile=st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999]),
    limit_ns=st.integers(1_000, 3 * NS),
)
def test_a_stretch_misses_exactly_if_its_merged_histogram_does(
    rows: list[list[int]], over: int, quantile: float, limit_ns: int
) -> None:
    steps, limit_s = [histogram(row) for row in rows], limit_ns / NS

    def value_of(low: int, high: int) -> float:
        return merged(steps, low, high).quantile_ns(quantile) / NS

    counts = [step.count for step in steps]
    goal = StretchGoal("", np.ones(len(rows)), over, limit_s)
    verdict = of_quantile(goal, [below(step, limit_s) for step in steps], counts, quantile, value_of)
    stretches = [merged(steps, end - over, end) for end in range(over, len(rows) + 1)]
    filled = [stretch for stretch in stretches if stretch.count]
    assert verdict.stretches == len(filled)
    assert verdict.unknown == len(stretches) - len(filled)
    assert verdict.missed == sum(stretch.quantile_ns(quantile) >= round(limit_s * NS) for stretch in filled)
    assert verdict.met == (None if not filled else verdict.missed == 0)


def test_a_stall_of_a_few_seconds_misses_every_stretch_that_holds_enough_of_it() -> None:
    slow, fast = histogram([int(0.9 * NS)] * 100), histogram([int(0.01 * NS)] * 100)
    steps = [fast] * 100 + [slow] * 2 + [fast] * 100
    counts = [step.count for step in steps]
    lows = [below(step, 0.5) for step in steps]

    def value_of(low: int, high: int) -> float:
        return merged(steps, low, high).quantile_ns(0.95) / NS

    verdict = of_quantile(StretchGoal("", np.ones(202), 30.0, 0.5), lows, counts, 0.95, value_of)
    assert len(verdict.misses) == 1
    # 2 of 30 seconds are above a twentieth: 29 stretches hold both of them, and one alone is no twentieth.
    assert verdict.missed == 29
    assert verdict.longest is not None
    assert (verdict.longest.from_s, verdict.longest.to_s) == (72.0, 130.0)
    assert verdict.worst == pytest.approx(0.9, rel=0.002)
    whole = of_quantile(StretchGoal("", np.ones(202), 202.0, 0.5), lows, counts, 0.95, value_of)
    assert whole.met


@given(
    counts=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=30),
    over=st.integers(1, 6),
    limit=st.floats(0.01, 0.99),
)
def test_a_ratio_is_that_of_the_sums(counts: list[tuple[int, int]], over: int, limit: float) -> None:
    failed = [min(a, b) for a, b in counts]
    ended = [max(a, b) for a, b in counts]
    verdict = of_ratio(StretchGoal("", np.ones(len(counts)), over, limit), failed, ended)
    a, b = [0, *accumulate(failed)], [0, *accumulate(ended)]
    pairs = [(a[end] - a[end - over], b[end] - b[end - over]) for end in range(over, len(counts) + 1)]
    assert verdict.missed == sum(y > 0 and x / y >= limit for x, y in pairs)
    assert verdict.unknown == sum(y == 0 for _, y in pairs)


def test_a_goal_from_below_is_missed_where_too_little_was_done() -> None:
    rate = np.full(60, 100.0)
    rate[20:30] = 50.0
    verdict = of_ratio(StretchGoal("", np.ones(60), 10.0, 90.0, is_below=False), rate, np.ones(60))
    assert verdict.met is False
    assert verdict.worst == 50.0
    assert of_ratio(StretchGoal("", np.ones(60), 60.0, 90.0, is_below=False), rate, np.ones(60)).met


def test_the_greatest_of_a_stretch_is_that_of_its_steps() -> None:
    greatest, counts = [0.1, 2.0, 0.1, 9.9], [5, 5, 5, 0]
    verdict = of_greatest(StretchGoal("", np.ones(4), 2.0, 1.0), greatest, counts)
    assert (verdict.stretches, verdict.missed, verdict.worst) == (3, 2, 2.0)


def test_a_recording_shorter_than_a_stretch_decides_nothing() -> None:
    verdict = of_ratio(StretchGoal("", np.ones(5), 10.0, 0.5), np.ones(5), np.ones(5))
    assert verdict.met is None
    assert verdict.share is None


def test_frames_that_are_a_little_short_still_fill_a_stretch() -> None:
    verdict = of_ratio(StretchGoal("", np.full(60, 0.9999), 30.0, 2.0), np.ones(60), np.ones(60))
    assert verdict.stretches == 31


def test_a_stretch_of_no_length_is_refused() -> None:
    with pytest.raises(ValueError, match="longer than nothing"):
        StretchGoal("", np.ones(5), 0.0, 0.5)
