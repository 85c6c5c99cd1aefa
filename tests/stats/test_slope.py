"""A slope and its interval, also where neighbours resemble each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.stats.limits import FEWEST_BLOCKS
from loadrig.stats.slope import slope
from tests.stats.noises import autoregression


@given(st.floats(-1e6, 1e6), st.floats(-1e3, 1e3), st.integers(FEWEST_BLOCKS, 60))
def test_a_line_has_its_own_slope_and_nearly_no_interval(height: float, steep: float, n: int) -> None:
    x = np.arange(n, dtype=np.float64)
    fit = slope(x, height + steep * x)
    assert fit is not None
    assert fit.value == pytest.approx(steep, abs=1e-6 * (1 + abs(steep) + abs(height)))
    assert fit.high - fit.low <= 1e-5 * (1 + abs(steep) + abs(height))


def test_too_few_points_and_an_x_that_stands_still_say_nothing() -> None:
    assert slope(np.arange(FEWEST_BLOCKS - 1), np.arange(FEWEST_BLOCKS - 1)) is None
    assert slope(np.ones(20), np.arange(20)) is None
    with pytest.raises(ValueError, match="places"):
        slope(np.arange(20), np.arange(19))


@pytest.mark.parametrize(("inherits", "least"), [(0.0, 0.93), (0.5, 0.90), (0.8, 0.87)])
def test_its_interval_holds_the_truth_though_neighbours_resemble_each_other(
    inherits: float, least: float
) -> None:
    held, x = 0, np.arange(40, dtype=np.float64)
    for seed in range(400):
        rng = np.random.default_rng(seed)
        start = autoregression(60, inherits, 1.0, rng)[20:]
        fit = slope(x, 0.3 * x + start)
        assert fit is not None
        held += fit.low <= 0.3 <= fit.high
    assert least <= held / 400 <= 0.995


def test_one_wild_point_does_not_carry_it_away() -> None:
    x = np.arange(40, dtype=np.float64)
    y = 2 * x + np.random.default_rng(1).normal(0, 0.5, 40)
    y[30] += 1_000
    fit = slope(x, y)
    assert fit is not None
    assert fit.value == pytest.approx(2, abs=0.05)


@given(st.floats(0.01, 1e6))
def test_another_unit_changes_all_of_it_alike(factor: float) -> None:
    x = np.arange(30, dtype=np.float64)
    fit = slope(x, x + np.sin(x))
    assert fit is not None
    scaled = fit.times(factor)
    assert scaled.relative_half_width == pytest.approx(fit.relative_half_width)
    assert scaled.value == pytest.approx(fit.value * factor)


def test_more_confidence_is_a_wider_interval() -> None:
    x = np.arange(30, dtype=np.float64)
    fit = slope(x, x + np.sin(x))
    assert fit is not None
    wide, narrow = fit.at(0.999), fit.at(0.8)
    assert wide.low < narrow.low < fit.value < narrow.high < wide.high
