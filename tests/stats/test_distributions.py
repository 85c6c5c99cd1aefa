"""The distributions say what scipy.stats says."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loadrig.stats import distributions
from loadrig.stats.intervals import wilson_share

PROBABILITIES = st.floats(1e-9, 1 - 1e-9)
FREEDOMS = st.floats(0.5, 1e6)
SCORES = st.floats(-8, 8)


@given(PROBABILITIES, FREEDOMS)
def test_quantiles_of_t_are_those_of_scipy_stats(p: float, df: float) -> None:
    assert distributions.t_quantile(p, df) == pytest.approx(float(stats.t.ppf(p, df)))


@given(SCORES, FREEDOMS)
def test_tails_of_t_are_those_of_scipy_stats(t: float, df: float) -> None:
    assert distributions.t_above(t, df) == pytest.approx(float(stats.t.sf(t, df)))


@given(PROBABILITIES, SCORES)
def test_the_normal_distribution_is_that_of_scipy_stats(p: float, z: float) -> None:
    assert distributions.normal_quantile(p) == pytest.approx(float(stats.norm.ppf(p)))
    assert distributions.normal_above(z) == pytest.approx(float(stats.norm.sf(z)))


@given(PROBABILITIES, st.floats(0.5, 1e6))
def test_quantiles_of_gamma_are_those_of_scipy_stats(p: float, shape: float) -> None:
    assert distributions.gamma_quantile(p, shape) == pytest.approx(float(stats.gamma.ppf(p, shape)))


@given(st.floats(0.001, 0.999), st.integers(1, 100_000), st.floats(0.01, 0.999))
def test_quantiles_of_hits_are_the_least_that_reach_the_probability(p: float, n: int, share: float) -> None:
    hits = distributions.binomial_quantile(p, n, share)
    # scipy.stats computes the sum another way; where p is hit exactly, rounding decides.
    assert float(stats.binom.cdf(hits, n, share)) >= p - 1e-9
    assert hits == 0 or float(stats.binom.cdf(hits - 1, n, share)) < p + 1e-9


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_is_that_of_scipy_stats(counts: tuple[int, int]) -> None:
    interval = wilson_share(*counts)
    expected = stats.binomtest(*counts).proportion_ci(0.95, method="wilson")
    assert math.isclose(interval.low, float(expected.low), rel_tol=1e-9, abs_tol=1e-12)
    assert math.isclose(interval.high, float(expected.high), rel_tol=1e-9)
