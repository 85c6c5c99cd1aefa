import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.stats.stopping import (
    is_look_due,
    look_confidence,
    look_time,
    relative_half_width,
)
from loadrig.stats.trend import mann_kendall
from loadrig.stats.warmup import mser5
from tests.lengths import length, most

# --- warm-up --------------------------------------------------------------------------------------


def test_a_warm_up_is_cut_off_where_it_ends() -> None:
    rng = np.random.default_rng(1)
    rise = 1000 * (1 - np.exp(-np.arange(100) / 4))
    cuts = [mser5(rise + rng.normal(0, 10, 100)) for _ in range(300)]
    assert np.mean([cut.is_steady for cut in cuts]) > 0.7
    # After 10 readings 8 % is missing, after 20 0.7 %: as small as the noise.
    assert all(cut.drop >= 10 for cut in cuts)
    assert np.median([cut.drop for cut in cuts if cut.is_steady]) <= 25


def test_a_steady_series_loses_little() -> None:
    rng = np.random.default_rng(2)
    drops = [mser5(rng.normal(1000, 10, 100)) for _ in range(500)]
    assert np.mean([cut.is_steady for cut in drops]) > 0.85
    assert np.median([cut.drop for cut in drops]) <= 10


@pytest.mark.parametrize("n", [20, 25, 40, 100])
def test_a_straight_ramp_is_never_steady(n: int) -> None:
    assert not mser5(np.arange(n, dtype=float)).is_steady


def test_a_step_in_the_second_half_is_not_steady() -> None:
    assert not mser5([100.0] * 30 + [200.0] * 20).is_steady


def test_too_short_a_series_is_not_steady() -> None:
    assert not mser5(np.ones(19)).is_steady
    assert mser5(np.ones(20)).is_steady


def test_the_statistic_is_that_of_the_paper() -> None:
    # By hand, ten batches, at least four retained. d = 0: 14.565/100, d = 1: 0.0450/81, d = 2: 0.0447/64,
    # d = 3: 0.0443/49, d = 4: 0.04375/36, d = 5: 0.0430/25, d = 6: 0.0369/16: the least is at d = 1.
    means = [0.0, 4.0, 4.0, 4.0, 4.0, 4.1, 3.9, 4.05, 3.95, 4.15]
    cut = mser5(np.repeat(means, 5))
    assert (cut.drop, cut.is_steady, cut.n) == (5, True, 50)


def test_a_series_that_only_settles_at_its_end_is_not_steady() -> None:
    rng = np.random.default_rng(3)
    late = [100 * (1 - np.exp(-np.arange(60) / 20)) + rng.normal(size=60) for _ in range(200)]
    assert np.mean([mser5(series).is_steady for series in late]) < 0.1


@given(st.lists(st.floats(-1e3, 1e3), min_size=20, max_size=100), st.floats(0.5, 100))
def test_the_cut_is_a_whole_batch_and_does_not_depend_on_the_unit(values: list[float], scale: float) -> None:
    cut = mser5(values)
    assert cut.drop % 5 == 0
    assert cut.drop <= cut.n - 10
    rounded = np.round(np.array(values), 3)
    assert mser5(rounded).drop == mser5(rounded * 2.0 ** round(np.log2(scale))).drop


# --- trend ----------------------------------------------------------------------------------------


def test_the_trend_agrees_with_a_worked_example() -> None:
    # Sen's slope of 1, 3, 2, 5, 4, 6 by hand: the median of its 15 pairwise slopes is 1. The Mann-Kendall
    # sum is 13 - 2 = 11; p = 0.028 a side (Kendall 1970, appendix table 1).
    trend = mann_kendall([1, 3, 2, 5, 4, 6])
    assert trend.slope == pytest.approx(1.0)
    assert trend.p == pytest.approx(0.056, abs=5e-4)


@pytest.mark.parametrize("r", [0.0, 0.7])
def test_a_trend_is_seldom_seen_where_there_is_none(r: float) -> None:
    rng = np.random.default_rng(9)
    alarms, runs = 0, length(200, 400)
    for _ in range(runs):
        noise = rng.normal(size=160)
        for i in range(1, 160):
            noise[i] += r * noise[i - 1]
        alarms += mann_kendall(noise[40:]).p < 0.05
    assert alarms <= most(runs, 0.05)


def test_without_batches_a_correlated_series_would_alarm() -> None:
    from scipy import stats

    rng = np.random.default_rng(9)
    alarms = 0.0
    for _ in range(200):
        noise = rng.normal(size=160)
        for i in range(1, 160):
            noise[i] += 0.7 * noise[i - 1]
        alarms += stats.kendalltau(np.arange(120), noise[40:]).pvalue < 0.05
    assert alarms / 200 > 0.2


def test_a_clear_trend_is_seen_with_its_slope() -> None:
    rng = np.random.default_rng(10)
    trend = mann_kendall(0.5 * np.arange(100) + rng.normal(size=100))
    assert trend.p < 1e-6
    assert trend.slope == pytest.approx(0.5, abs=0.02)


@given(st.lists(st.integers(-100, 100), min_size=4, max_size=40))
def test_a_series_told_backwards_has_the_opposite_trend(values: list[int]) -> None:
    if np.ptp(values) == 0:
        assert mann_kendall(values).p == 1.0
        return
    there, back = mann_kendall(values), mann_kendall(values[::-1])
    if there.n == len(values) == back.n:
        assert there.slope == pytest.approx(-back.slope)
        assert there.p == pytest.approx(back.p)


# --- stopping, dispersion -------------------------------------------------------------------------


def test_looks_come_at_half_as_much_again() -> None:
    assert [round(look_time(10, look)) for look in range(7)] == [10, 15, 22, 34, 51, 76, 114]
    assert is_look_due(15.0, first_s=10, looks_done=1)
    assert not is_look_due(14.9, first_s=10, looks_done=1)


def test_all_looks_together_spend_the_error_once() -> None:
    spent = sum(1 - look_confidence(look) for look in range(1, 2000))
    assert 0.0499 < spent < 0.05


def test_peeking_with_spending_keeps_the_error_and_naive_peeking_does_not() -> None:
    # The mean is 100: a look errs when its interval leaves it out. Five looks a run.
    rng = np.random.default_rng(12)
    naive = spending = 0
    runs = length(400, 1500)
    for _ in range(runs):
        values = rng.normal(100, 10, 76)
        ends = [15, 22, 34, 51, 76]
        off = [abs(values[:end].mean() / 100 - 1) for end in ends]
        plain = [relative_half_width(values[:end], look=1, confidence=0.90) for end in ends]  # spends 5 %
        careful = [relative_half_width(values[:end], look=k) for k, end in enumerate(ends, 1)]
        naive += any(o > w for o, w in zip(off, plain, strict=True) if w is not None)
        spending += any(o > w for o, w in zip(off, careful, strict=True) if w is not None)
    assert naive > most(runs, 0.05)
    assert spending <= most(runs, 0.05)


def test_a_series_too_short_to_judge_has_no_width() -> None:
    assert relative_half_width([1.0] * 7) is None
    assert relative_half_width([0.0] * 20) is None
    assert relative_half_width([5.0] * 20) == 0.0
