"""Tests of where a series of results changes its level."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loadrig.stats.changes import change_points
from loadrig.stats.limits import LEAST_SIDE
from tests.stats.noises import autoregression

STEP = (
    100.2, 99.7, 100.4, 99.9, 100.1, 100.3, 99.6, 100.0, 99.8, 100.2,
    94.9, 95.3, 95.1, 94.8, 95.2, 95.0, 95.4, 94.7, 95.1, 95.0,
)  # fmt: skip


def test_twenty_numbers_with_a_step_of_five_percent_change_at_the_eleventh() -> None:
    (change,) = change_points(STEP)
    assert change.index == 10
    assert change.before == pytest.approx(100.02)
    assert change.after == pytest.approx(95.05)
    assert change.low < -4.97 < change.high < 0
    assert change.p < 1e-9


def test_up_and_down_again_are_two_changes() -> None:
    changes = change_points([*STEP, *STEP[:10]])
    assert [change.index for change in changes] == [10, 20]
    assert changes[0].difference < 0 < changes[1].difference


def test_a_change_shows_when_three_runs_have_the_new_level() -> None:
    assert change_points(STEP[:12]) == ()
    assert [change.index for change in change_points(STEP[:13])] == [10]


def test_one_odd_run_is_no_change() -> None:
    assert change_points([*STEP[:10], 60.0, *STEP[:10]]) == ()


def test_too_few_runs_have_no_change() -> None:
    assert change_points([1.0] * (LEAST_SIDE - 1) + [9.0] * LEAST_SIDE) == ()
    assert change_points([]) == ()


def test_a_constant_series_changes_nowhere_and_an_exact_step_once() -> None:
    assert change_points([5.0] * 40) == ()
    (change,) = change_points([5.0] * 20 + [6.0] * 20)
    assert (change.index, change.p) == (20, 0.0)


def test_a_long_series_is_looked_at_in_windows_and_its_changes_are_all_found() -> None:
    rng = np.random.default_rng(3)
    series = np.concatenate([rng.normal(level, 1.0, 90) for level in (100, 110, 100, 90)])
    indices = [change.index for change in change_points(series)]
    assert len(indices) == 3
    assert all(abs(a - b) <= 2 for a, b in zip(indices, (90, 180, 270), strict=True))


def test_steady_series_change_in_few_of_five_hundred() -> None:
    rng = np.random.default_rng(7)
    alarms = sum(bool(change_points(rng.normal(100, 2, 30))) for _ in range(500))
    assert alarms <= 0.03 * 500


def test_series_whose_neighbours_resemble_each_other_change_more_often_but_not_most_of_the_time() -> None:
    rng = np.random.default_rng(8)
    alarms = sum(bool(change_points(100 + autoregression(30, 0.2, 2, rng))) for _ in range(300))
    assert alarms <= 0.12 * 300


def test_a_step_of_three_standard_deviations_is_mostly_found_after_six_runs() -> None:
    rng = np.random.default_rng(9)
    found_in = 0
    for _ in range(200):
        series = np.concatenate([rng.normal(100, 1.5, 20), rng.normal(95.5, 1.5, 6)])
        found_in += any(abs(change.index - 20) <= 1 for change in change_points(series))
    assert found_in >= 0.9 * 200


@given(st.lists(st.floats(1, 1000), max_size=40), st.floats(0.01, 100))
@example([1.0, 1.0, 1.0, 1.0, 1.0, 2.0], 1.0)
def test_changes_do_not_depend_on_the_unit_and_cut_the_series_into_its_levels(
    values: list[float], scale: float
) -> None:
    changes = change_points(values)
    parts = np.split(np.array(values), [change.index for change in changes])
    assert sum(part.size for part in parts) == len(values)
    assert len(parts) == len(changes) + 1
    assert all(part.size >= LEAST_SIDE for part in parts) or not changes
    for change, before, after in zip(changes, parts[:-1], parts[1:], strict=True):
        assert change.before == pytest.approx(float(before.mean()))
        assert change.after == pytest.approx(float(after.mean()))
        assert change.p < 0.001
    # A power of two leaves every digit as it is.
    power = 2.0 ** round(np.log2(scale))
    assert [c.index for c in change_points(np.array(values) * power)] == [c.index for c in changes]


def test_a_level_that_came_back_after_four_runs_is_two_changes() -> None:
    # Half the values before and behind are alike: no single cut of the whole is strong.
    series = [*STEP[:6], *STEP[10:14], *STEP[:4]]
    assert [change.index for change in change_points(series)] == [6, 10]
    assert [change.index for change in change_points([*STEP[:10], *STEP[10:13], *STEP[:10]])] == [10, 13]
