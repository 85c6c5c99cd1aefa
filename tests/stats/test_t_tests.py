"""The t tests are those of scipy, which is not imported for them."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from loadrig.stats.t_tests import TTest, of_any_spread, of_equal_spread, of_one

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 12)


def agrees(ours: TTest, theirs: object, p: float) -> None:
    assert p == pytest.approx(theirs.pvalue, rel=1e-9)  # type: ignore[attr-defined]
    assert ours.t == pytest.approx(theirs.statistic)  # type: ignore[attr-defined]
    assert ours.df == pytest.approx(theirs.df)  # type: ignore[attr-defined]
    span = theirs.confidence_interval(0.9)  # type: ignore[attr-defined]
    if math.isfinite(span.low) and math.isfinite(span.high):
        assert ours.interval(0.9) == pytest.approx((span.low, span.high))


@given(sizes, sizes, seeds, st.floats(-2, 2), st.floats(0.1, 5))
def test_two_samples_are_compared_as_scipy_does(
    a: int, b: int, seed: int, shift: float, spread: float
) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=a), shift + spread * rng.normal(size=b)
    any_, equal = of_any_spread(first, second), of_equal_spread(first, second)
    agrees(any_, stats.ttest_ind(second, first, equal_var=False), any_.p)
    agrees(equal, stats.ttest_ind(second, first, equal_var=True), equal.p)


@given(sizes, seeds, st.floats(-2, 2))
def test_a_mean_is_held_against_zero_as_scipy_does(n: int, seed: int, shift: float) -> None:
    values = shift + np.random.default_rng(seed).normal(size=n)
    ours = of_one(values)
    assume(ours.error > 0)
    agrees(ours, stats.ttest_1samp(values, 0.0, alternative="greater"), ours.p_greater)
    agrees(ours, stats.ttest_1samp(values, 0.0), ours.p)


def test_a_difference_without_any_spread_is_sure_and_none_is_no_number() -> None:
    apart = of_any_spread(np.array([1.0, 1.0]), np.array([2.0, 2.0]))
    assert (apart.t, apart.p) == (math.inf, 0.0)
    assert math.isnan(of_equal_spread(np.array([1.0, 1.0]), np.array([1.0, 1.0])).p)
