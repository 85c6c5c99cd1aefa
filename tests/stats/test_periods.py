import numpy as np
import pytest

from loadrig.stats.dips import falls
from loadrig.stats.periods import CYCLES, autocorrelation, period
from tests.stats.noises import KINDS, autoregression, noise, pulses


def test_hardly_any_of_240_series_without_a_period_has_one() -> None:
    have_period = []
    for seed in range(240):
        rng = np.random.default_rng(seed)
        values = noise(KINDS[seed % len(KINDS)], int(rng.choice([40, 60, 90, 120, 240])), rng)
        have_period.append(period(falls(values).residual) is not None)
    assert sum(have_period) <= 2  # 1 % of 240


def test_dips_at_random_moments_have_no_period() -> None:
    with_period = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        values = rng.normal(1000, 30, 90)
        for at in rng.choice(88, 8, replace=False):
            values[at : at + 2] -= 350
        with_period += period(falls(values).residual) is not None
    assert with_period <= 4  # a handful of dips is regular by chance now and then


@pytest.mark.parametrize("every", [5.0, 7.3, 10.5, 12.0, 14.0])
@pytest.mark.parametrize("width", [1, 2])
def test_periodic_dips_are_found_with_their_period(every: float, width: int) -> None:
    missed = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n = max(60, int(5.5 * every))
        values = 1000 * (1 + autoregression(n, 0.3, 0.03, rng))
        values[pulses(n, every, width, rng.uniform(0, every))] *= 0.6
        rhythm = period(falls(values).residual)
        missed += rhythm is None or abs(rhythm.steps / every - 1) > 0.06
    assert missed <= 1


def test_a_period_that_was_not_seen_four_times_is_none() -> None:
    values = np.full(60, 1000.0)
    values[pulses(60, 20, 2, 3)] = 500.0
    assert CYCLES > 60 / 20
    assert period(values) is None


def test_a_long_series_is_averaged_and_its_period_kept() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(1000, 30, 3600)
    values[pulses(3600, 300, 15, 40)] *= 0.6
    rhythm = period(values)
    assert rhythm is not None
    assert rhythm.steps == pytest.approx(300, rel=0.02)
    assert rhythm.cycles == pytest.approx(12, rel=0.02)


@pytest.mark.parametrize("values", [np.zeros(60), np.ones(10), np.full(100, 3.0)])
def test_a_constant_or_short_series_has_no_period(values: np.ndarray) -> None:
    assert period(values) is None


def test_autocorrelation_of_a_wave_is_that_of_the_wave() -> None:
    wave = np.sin(2 * np.pi * np.arange(400) / 20)
    assert autocorrelation(wave, 20)[[0, 10, 20]] == pytest.approx([1.0, -1.0, 1.0], abs=0.02)
