"""The level at which a share crosses a limit, from counts around it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.stats.threshold import Look, log_spaced, posterior, weighted_quantile
from tests.lengths import fewest, length

LEVELS = log_spaced(700.0, 1_400.0, 300)


def share_at(level: float, limit: float, steepness: float, share: float = 0.01) -> float:
    odds = math.log(share / (1 - share)) + steepness * math.log(level / limit)
    return 1 / (1 + math.exp(-odds))


def looked(rng: np.random.Generator, limit: float, steepness: float, wobble: float = 0.0) -> list[Look]:
    """Ten looks of 5,000 within 5 % of the limit, of which each may differ a little from the others."""
    looks = []
    for level in limit * np.exp(np.linspace(-0.05, 0.05, 10)):
        own = limit * math.exp(wobble * rng.standard_normal())
        looks.append(Look(float(level), int(rng.binomial(5_000, share_at(level, own, steepness))), 5_000))
    return looks


@pytest.mark.parametrize(("truly", "supposed"), [(20.0, 20.0), (12.0, 20.0), (35.0, 20.0)])
def test_intervals_hold_the_limit_also_where_the_curve_is_steeper_or_flatter(
    truly: float, supposed: float
) -> None:
    rng = np.random.default_rng(1)
    held, widths = 0, []
    runs = length(60, 150)
    for _ in range(runs):
        limit = float(rng.uniform(900, 1_100))
        weights = posterior(LEVELS, looked(rng, limit, truly), 0.01, np.full(LEVELS.size, supposed))
        low, high = (weighted_quantile(LEVELS, weights, share) for share in (0.025, 0.975))
        held += low <= limit <= high
        widths.append(math.log(high / low) / 2)
    assert held >= fewest(runs, 0.95)
    assert np.median(widths) < 0.04


def test_a_limit_that_wobbles_widens_the_interval_and_is_held() -> None:
    rng = np.random.default_rng(2)
    held = 0
    calm: list[float] = []
    wild: list[float] = []
    runs = length(40, 100)
    for _ in range(runs):
        for wobble, widths in ((0.0, calm), (0.02, wild)):
            weights = posterior(LEVELS, looked(rng, 1_000.0, 80.0, wobble), 0.01, np.full(LEVELS.size, 80.0))
            low, high = (weighted_quantile(LEVELS, weights, share) for share in (0.025, 0.975))
            widths.append(high / low - 1)
            held += wobble > 0 and low <= 1_000.0 <= high
    assert np.median(wild) > 2 * np.median(calm)
    assert held >= fewest(runs, 0.95)


@given(st.lists(st.tuples(st.floats(750, 1_300), st.integers(0, 400), st.integers(1, 2_000)), max_size=8))
def test_it_is_a_probability_whatever_was_counted(rows: list[tuple[float, int, int]]) -> None:
    looks = [Look(level, hits, hits + misses, 3.0) for level, hits, misses in rows]
    weights = posterior(LEVELS, looks, 0.01, np.full(LEVELS.size, 30.0))
    assert weights.sum() == pytest.approx(1.0)
    assert np.all(weights >= 0)


@given(st.integers(0, 60))
def test_more_hits_never_raise_the_limit(hits: int) -> None:
    steep = np.full(LEVELS.size, 30.0)
    fewer, more = (
        posterior(LEVELS, [Look(1_000.0, count, 2_000)], 0.01, steep) for count in (hits, hits + 5)
    )
    assert weighted_quantile(LEVELS, more, 0.5) <= weighted_quantile(LEVELS, fewer, 0.5) + 1e-6


def test_clusters_make_it_less_sure() -> None:
    steep = np.full(LEVELS.size, 30.0)
    widths = []
    for worth in (1.0, 20.0):
        weights = posterior(LEVELS, [Look(1_000.0, 50, 5_000, worth)] * 3, 0.01, steep)
        widths.append(weighted_quantile(LEVELS, weights, 0.975) / weighted_quantile(LEVELS, weights, 0.025))
    assert widths[1] > widths[0] ** 1.5


def test_one_look_that_says_nothing_is_outvoted() -> None:
    rng = np.random.default_rng(3)
    looks = [*looked(rng, 1_000.0, 40.0), Look(900.0, 5_000, 5_000)]
    weights = posterior(LEVELS, looks, 0.01, np.full(LEVELS.size, 40.0))
    assert weighted_quantile(LEVELS, weights, 0.5) == pytest.approx(1_000.0, rel=0.02)


def test_sides_alone_bound_it() -> None:
    looks = [Look(900.0, 0, 0, only_beyond=False), Look(1_100.0, 0, 0, only_beyond=True)]
    weights = posterior(LEVELS, looks, 0.01, np.full(LEVELS.size, 10.0))
    inside = (LEVELS > 900) & (LEVELS < 1_100)
    assert weights[inside].sum() > 0.9


def test_a_share_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="0 and 1"):
        posterior(LEVELS, [], 0.0, np.ones(LEVELS.size))


def test_levels_are_even_in_their_logarithm() -> None:
    levels = log_spaced(100.0, 1_000.0, 101)
    np.testing.assert_allclose(np.diff(np.log(levels)), math.log(10) / 100)


@pytest.mark.parametrize(("low", "high", "count"), [(0.0, 1.0, 5), (2.0, 1.0, 5), (1.0, 2.0, 1)])
def test_no_range_is_refused(low: float, high: float, count: int) -> None:
    with pytest.raises(ValueError, match="range"):
        log_spaced(low, high, count)
