import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.stats.dips import bursts, falls, running_median
from tests.stats.noises import KINDS, noise, pulses


def test_the_running_median_passes_a_dip_by_and_follows_a_step() -> None:
    level = np.concatenate((np.full(60, 100.0), np.full(60, 200.0)))
    dipped = level.copy()
    dipped[20:25] = 10.0
    assert np.array_equal(running_median(dipped, 31), level)


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=200))
def test_the_level_lies_within_the_values(values: list[float]) -> None:
    level = running_median(values)
    assert min(values) <= level.min()
    assert level.max() <= max(values)


def test_dips_are_found_with_their_width_depth_and_loss() -> None:
    values = np.random.default_rng(1).normal(1000, 20, 120)
    values[30:33] = 600.0
    values[80:82] = 500.0
    dips = falls(values).dips
    assert [(dip.first, dip.last, dip.steps) for dip in dips] == [(30, 32, 3), (80, 81, 2)]
    assert dips[0].depth == pytest.approx(0.4, abs=0.02)
    assert dips[0].missing == pytest.approx(1200, rel=0.05)


def test_a_server_that_stands_still_more_than_half_of_the_time_has_dips() -> None:
    values = np.full(44, 380.0)
    for first in (5, 18, 30):
        values[first : first + 8] = 0.0
    assert [(dip.first, dip.last) for dip in falls(values).dips] == [(5, 12), (18, 25), (30, 37)]
    # Once low and once high is no course of dips.
    once = np.concatenate((np.zeros(24), np.full(20, 380.0)))
    assert len(falls(once).dips) <= 1


def test_half_deep_neighbours_belong_to_a_dip() -> None:
    values = np.full(60, 1000.0)
    values[20:24] = [900.0, 400.0, 800.0, 960.0]
    assert [(dip.first, dip.last) for dip in falls(values).dips] == [(20, 22)]


def test_what_falls_by_less_than_a_tenth_is_no_dip_however_quiet_the_series() -> None:
    values = np.full(60, 1000.0)
    values[20:25] = 930.0
    assert falls(values).dips == ()


def test_who_falls_to_nothing_has_dipped_however_noisy_the_series() -> None:
    values = np.random.default_rng(3).normal(1500, 450, 60)
    values[[14, 15, 40, 41]] = 20.0
    course_parts = falls(values)
    assert 4 * course_parts.noise > 1_000  # by its noise alone nothing could be a dip
    low = {step for dip in course_parts.dips for step in range(dip.first, dip.last + 1)}
    assert {14, 15, 40, 41} <= low


def test_counts_of_a_few_have_no_dips_of_one() -> None:
    values = np.full(60, 5.0)
    values[[10, 11, 30, 31]] = 4.0
    assert falls(values, np.sqrt(5.0)).dips == ()


def test_steady_noise_has_hardly_any_dips() -> None:
    rng = np.random.default_rng(7)
    dips = {kind: sum(len(falls(noise(kind, 120, rng)).dips) for _ in range(30)) for kind in KINDS}
    assert dips.pop("long tails") <= 25  # 0.7 % of 3,600 steps: single seconds far off are in its nature
    assert sum(dips.values()) <= 6  # of 18,000 steps


def test_a_burst_that_a_stall_stretches_is_one() -> None:
    amounts = np.zeros(60)
    amounts[5:7], amounts[20:25], amounts[40:42] = [82, 114], [29, 35, 34, 45, 57], [66, 79]
    assert bursts(amounts) == [(5, 6), (20, 24), (40, 41)]


def test_bursts_are_what_stands_out_of_the_usual() -> None:
    amounts = np.full(60, 2.0)
    amounts[pulses(60, 15, 2, 5)] = 50.0
    assert bursts(amounts) == [(5, 6), (20, 21), (35, 36), (50, 51)]
    assert bursts(np.full(60, 2.0)) == []
