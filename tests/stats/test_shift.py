"""Tests of how much each quantile moved."""

import numpy as np
import pytest

from loadrig.stats.shift import QUANTILES, Table, shift_function
from tests.lengths import fewest, length

EDGES = np.geomspace(1e-3, 10.0, 1_200)


def table(
    rng: np.random.Generator, seconds: int = 30, each: int = 200, level: float = 0.0, tail: float = 1.0
) -> Table:
    """Log-normal times, counted; the slower half stretched by `tail` (on logs)."""
    logs = (
        np.log(0.05) + level + 0.5 * (z := rng.standard_normal((seconds, each))) * np.where(z > 0, tail, 1.0)
    )
    return np.array(
        [np.histogram(np.exp(row), np.append(EDGES, np.inf))[0] for row in logs], dtype=np.float64
    )


def test_all_slower_by_a_tenth_is_a_flat_line() -> None:
    rng = np.random.default_rng(1)
    a = [table(rng) for _ in range(4)]
    b = [table(rng, level=np.log(1.1)) for _ in range(4)]
    for point in shift_function(a, b, EDGES):
        assert point.low <= 1.1 <= point.high, point
        assert point.b / point.a == pytest.approx(point.ratio)
        assert abs(point.ratio - 1.1) < 0.1


def test_a_longer_tail_moves_only_the_slow_answers() -> None:
    rng = np.random.default_rng(2)
    points = shift_function([table(rng) for _ in range(4)], [table(rng, tail=1.5) for _ in range(4)], EDGES)
    by = {point.quantile: point for point in points}
    assert by[0.1].low <= 1 <= by[0.1].high
    assert by[0.9].low > 1.15
    assert by[0.99].ratio > by[0.9].ratio > by[0.7].ratio


def test_quantiles_are_those_of_the_law_to_the_width_of_a_bin() -> None:
    rng = np.random.default_rng(3)
    side = [table(rng, seconds=60, each=2_000)]
    (median,) = shift_function(side, side, EDGES, quantiles=(0.5,))
    assert median.a == pytest.approx(0.05, rel=0.01)
    assert (median.ratio, median.low <= 1 <= median.high) == (1.0, True)


def test_paired_trials_drop_what_their_blocks_share() -> None:
    rng = np.random.default_rng(4)
    blocks = rng.normal(0, 0.2, 6)
    a = [table(rng, level=level) for level in blocks]
    b = [table(rng, level=level + 0.05) for level in blocks]
    paired, apart = (shift_function(a, b, EDGES, is_paired=way, quantiles=(0.5,))[0] for way in (True, False))
    assert paired.low > 1
    assert np.log(paired.high / paired.low) < 0.5 * np.log(apart.high / apart.low)


def test_two_trials_know_less_than_eight() -> None:
    rng = np.random.default_rng(5)
    sides = [[table(rng, level=level) for level in rng.normal(0, 0.05, 8)] for _ in range(2)]
    few, many = (shift_function(sides[0][:n], sides[1][:n], EDGES, quantiles=(0.5,))[0] for n in (2, 8))
    # Of four times as many the error is half; the two estimates of it have errors of their own.
    assert np.log(few.high / few.low) > 1.5 * np.log(many.high / many.low)


def test_intervals_of_eight_trials_hold_a_true_shift_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(6)
    held, runs = 0, length(8, 60)
    for run in range(runs):
        a = [table(rng, 8, 60, level) for level in rng.normal(0, 0.05, 8)]
        b = [table(rng, 8, 60, level + np.log(1.05)) for level in rng.normal(0, 0.05, 8)]
        (point,) = shift_function(a, b, EDGES, quantiles=(0.5,), seed=run)
        held += point.low <= 1.05 <= point.high
    assert held >= fewest(runs, 0.95)


def test_the_same_counts_give_the_same_answer() -> None:
    rng = np.random.default_rng(7)
    a, b = [table(rng)], [table(rng)]
    assert shift_function(a, b, EDGES) == shift_function(a, b, EDGES)
    assert len(shift_function(a, b, EDGES)) == len(QUANTILES)


def test_a_side_that_counted_nothing_is_refused() -> None:
    nothing = np.zeros((5, EDGES.size))
    with pytest.raises(ValueError, match="nothing"):
        shift_function([nothing], [nothing], EDGES)
