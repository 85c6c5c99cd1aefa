import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal

from loadrig.stats.ess import iact
from loadrig.stats.intervals import (
    block_weights,
    mean_interval,
    order_statistic_shares,
    quantile_shares,
    rate_interval,
    resampled_sums,
    wilson_share,
)


def autoregression(rng: np.random.Generator, n: int, r: float, mean: float = 100.0) -> np.ndarray:
    """Return a steady first-order autoregression with unit noise; 200 steps of run-in are dropped."""
    noise = rng.normal(size=n + 200)
    return mean + np.asarray(signal.lfilter([1.0], [1.0, -r], noise))[200:]


# --- shares ---------------------------------------------------------------------------------------


def test_wilson_agrees_with_the_published_example() -> None:
    # Newcombe 1998, Stat. Med. 17, 857-872, table I: 81/263 and 15/148, 1/29 (method 3).
    for hits, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (1, 29, 0.0061, 0.1718)):
        interval = wilson_share(hits, n)
        assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_a_share_of_nothing_may_be_anything() -> None:
    assert (wilson_share(0, 0).low, wilson_share(0, 0).high) == (0.0, 1.0)


def test_more_hits_than_observations_are_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        wilson_share(4, 3)


@given(st.integers(0, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_stays_within_its_bounds_and_they_within_0_and_1(counts: tuple[int, int]) -> None:
    interval = wilson_share(*counts)
    assert -1e-12 <= interval.low <= interval.value + 1e-12
    assert interval.value - 1e-12 <= interval.high <= 1 + 1e-12


# --- autocorrelation ------------------------------------------------------------------------------


@pytest.mark.parametrize("r", [0.0, 0.5, 0.8, 0.9])
def test_the_autocorrelation_time_of_an_autoregression_is_found(r: float) -> None:
    rng = np.random.default_rng(7)
    mean = np.mean([iact(autoregression(rng, 5000, r)) for _ in range(20)])
    assert mean == pytest.approx((1 + r) / (1 - r), rel=0.12)


def test_a_constant_and_a_short_series_count_as_independent() -> None:
    assert iact(np.full(50, 0.1)) == 1.0
    assert iact([1, 2, 3]) == 1.0


# --- means ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "r", "least"), [(60, 0.0, 0.93), (300, 0.5, 0.92), (1000, 0.8, 0.92)])
def test_a_95_percent_interval_of_a_mean_covers_it(n: int, r: float, least: float) -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(2000):
        interval = mean_interval(autoregression(rng, n, r))
        hits += interval.low <= 100.0 <= interval.high
    # A correlated series of finite length is always covered a little short; never by much.
    assert least <= hits / 2000 <= 0.975


def test_the_naive_interval_would_cover_far_less() -> None:
    rng = np.random.default_rng(3)
    naive = 0
    for _ in range(500):
        series = autoregression(rng, 300, 0.8)
        naive += abs(series.mean() - 100.0) <= 1.96 * series.std(ddof=1) / math.sqrt(series.size)
    assert naive / 500 < 0.6


def test_one_value_has_no_finite_interval() -> None:
    interval = mean_interval([5.0])
    assert (interval.low, interval.high) == (-math.inf, math.inf)


def test_values_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_interval([1.0, math.nan])


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=80), st.floats(0.1, 10), st.floats(-100, 100))
def test_a_mean_s_interval_moves_and_stretches_with_its_values(
    values: list[float], scale: float, shift: float
) -> None:
    plain = mean_interval(values)
    moved = mean_interval([value * scale + shift for value in values])
    assert moved.value == pytest.approx(plain.value * scale + shift, rel=1e-6, abs=1e-6)
    assert moved.half_width == pytest.approx(plain.half_width * scale, rel=1e-3, abs=1e-6)


# --- rates ----------------------------------------------------------------------------------------


def test_a_short_run_has_the_exact_poisson_interval() -> None:
    # Garwood's table: 10 events, 95 %: 4.795 to 18.39.
    interval = rate_interval([10], [1.0])
    assert (round(interval.low, 3), round(interval.high, 2)) == (4.795, 18.39)
    assert rate_interval([0], [2.0]).low == 0.0


def test_intervals_of_unequal_length_give_the_same_rate_as_equal_ones() -> None:
    rng = np.random.default_rng(2)
    lengths = rng.uniform(0.2, 1.8, size=200)
    counts = rng.poisson(50 * lengths)
    interval = rate_interval(counts, lengths)
    assert interval.low < 50 < interval.high
    assert interval.half_width / interval.value == pytest.approx(1.96 / math.sqrt(counts.sum()), rel=0.25)


def test_a_metronome_is_known_better_than_a_poisson_stream() -> None:
    rng = np.random.default_rng(4)
    assert (
        rate_interval(np.full(60, 100), 1.0).half_width < rate_interval(rng.poisson(100, 60), 1.0).half_width
    )


def test_a_95_percent_interval_of_a_rate_covers_it() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(2000):
        interval = rate_interval(rng.poisson(40, size=30), 1.0)
        hits += interval.low <= 40 <= interval.high
    assert 0.93 <= hits / 2000 <= 0.97


# --- quantiles ------------------------------------------------------------------------------------


def test_order_statistics_agree_with_the_textbook() -> None:
    # Median of 20, 95 %: the 6th and the 15th (Conover 1999, table A3).
    low, high = order_statistic_shares(20, 0.5)
    assert (round(low * 20), round(high * 20)) == (6, 15)


@given(st.integers(1, 100_000), st.floats(0.01, 0.999))
def test_the_shares_of_a_quantile_bracket_it(n: int, quantile: float) -> None:
    low, high = order_statistic_shares(n, quantile)
    assert 0 <= low <= quantile + 1 / n
    assert quantile - 1 / n <= high <= 1


def test_the_shares_widen_when_slow_seconds_come_together() -> None:
    # The same observations; in the second run the slow ones fall into the same few seconds.
    spread = quantile_shares(np.full(40, 100), np.full(40, 95), 0.95)
    lumps = np.array([100] * 32 + [75] * 8)
    lumped = quantile_shares(np.full(40, 100), lumps, 0.95)
    assert lumped[1] - lumped[0] > 2 * (spread[1] - spread[0])


@given(st.lists(st.integers(0, 10**6), min_size=8, max_size=60), st.integers(1, 7), st.integers(1, 250))
def test_sums_of_resamples_are_those_of_their_weights(counts: list[int], length: int, resamples: int) -> None:
    rows = np.array([counts, counts[::-1]], dtype=np.float64)
    weights = block_weights(len(counts), length, resamples=resamples, seed=3)
    sums = resampled_sums(rows, length, resamples=resamples, seed=3)
    assert np.array_equal(sums, rows @ weights.T)
