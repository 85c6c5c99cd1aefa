"""The mean of few values, of which one or the other is odd."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loadrig.stats.trimmed import LEAST, trimmed_mean

ODD = [0.051, 0.047, 0.055, 0.049, 0.053, 0.046, -0.052, 0.050, 0.052, 0.048]
"""Nine pairs about 5 % apart, and one in which a neighbour took a tenth."""


@pytest.mark.parametrize("n", [8, 10, 19, 20, 35])
def test_its_error_is_that_of_yuens_test(n: int) -> None:
    values = np.random.default_rng(n).normal(0.02, 0.03, n)
    share = (max(1, n // 10) + 1e-9) / n
    # Against its own mirror image: twice the mean, with the error of two.
    yuen = stats.ttest_ind(values, -values, equal_var=False, trim=share)
    trimmed = trimmed_mean(values)
    assert math.sqrt(2) * trimmed.centre / trimmed.standard_error == pytest.approx(yuen.statistic)
    assert trimmed.df == pytest.approx(yuen.df / 2)
    assert trimmed.centre == pytest.approx(stats.trim_mean(values, share))
    t = stats.t.ppf(0.975, trimmed.df)
    assert trimmed.high - trimmed.centre == pytest.approx(t * trimmed.standard_error)


def test_of_few_values_it_is_students_t() -> None:
    values = np.random.default_rng(1).normal(0.02, 0.03, LEAST - 1)
    trimmed = trimmed_mean(values)
    assert trimmed.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert trimmed.df == LEAST - 2


def test_one_odd_pair_spoils_students_t_and_not_this() -> None:
    assert stats.ttest_1samp(ODD, 0).pvalue > 0.001
    trimmed = trimmed_mean(ODD)
    assert trimmed.p < 1e-5
    assert trimmed.low < 0.05 < trimmed.high


def test_it_errs_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    for n in (8, 10, 16):
        trimmed = [trimmed_mean(rng.normal(0, 1, n)) for _ in range(2_000)]
        assert 0.93 <= np.mean([mean.low <= 0 <= mean.high for mean in trimmed]) <= 0.97
        assert np.mean([mean.p < 0.01 for mean in trimmed]) <= 0.017


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_the_interval_holds_the_estimate_and_turns_with_the_sign(values: list[float]) -> None:
    trimmed, other = trimmed_mean(values), trimmed_mean([-value for value in values])
    assert trimmed.low <= trimmed.narrow_low <= trimmed.centre <= trimmed.narrow_high <= trimmed.high
    assert trimmed.centre == pytest.approx(-other.centre, abs=1e-12)
    assert trimmed.high == pytest.approx(-other.low, abs=1e-9)
    assert math.isfinite(trimmed.standard_error)
