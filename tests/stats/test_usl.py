"""The universal scalability law: known curves come back, and a peak is claimed only where it is proved."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadrig.stats.usl import fit, law

LOADS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


def measured(rng: np.random.Generator, gamma: float, sigma: float, kappa: float, noise: float) -> np.ndarray:
    throughputs: np.ndarray = law(LOADS, gamma, sigma, kappa) * np.exp(
        noise * rng.standard_normal(LOADS.size)
    )
    return throughputs


def test_the_law_is_gunthers() -> None:
    # No contention: linear. Contention alone is Amdahl's law, whose limit is gamma / sigma.
    assert law(np.array([7.0]), 10.0, 0.0, 0.0)[0] == pytest.approx(70.0)
    assert law(np.array([1e9]), 10.0, 0.05, 0.0)[0] == pytest.approx(200.0)
    at = math.sqrt((1 - 0.03) / 0.0005)
    around = law(np.array([at * 0.9, at, at * 1.1]), 10.0, 0.03, 0.0005)
    assert around[1] > around[0]
    assert around[1] > around[2]


@settings(max_examples=15, deadline=None)
@given(st.floats(1.0, 1e4), st.floats(0.0, 0.4), st.floats(1e-5, 0.01))
def test_what_was_made_by_the_law_comes_back(gamma: float, sigma: float, kappa: float) -> None:
    law_fit = fit(LOADS, law(LOADS, gamma, sigma, kappa))
    np.testing.assert_allclose(law(LOADS, law_fit.gamma.value, law_fit.sigma.value, law_fit.kappa.value),
                               law(LOADS, gamma, sigma, kappa), rtol=1e-3)  # fmt: skip
    assert law_fit.sigma.low - 1e-9 <= law_fit.sigma.value <= law_fit.sigma.high + 1e-9


def test_a_proved_peak_is_found_where_it_is() -> None:
    law_fit = fit(LOADS, measured(np.random.default_rng(1), 100.0, 0.03, 0.002, 0.01))
    assert law_fit.is_retrograde
    assert law_fit.peak is not None
    assert law_fit.peak.low <= math.sqrt(0.97 / 0.002) <= law_fit.peak.high
    assert law_fit.most == pytest.approx(
        float(law(np.array([math.sqrt(0.97 / 0.002)]), 100.0, 0.03, 0.002)[0]), rel=0.05
    )


def test_where_throughput_only_flattens_retrograde_is_rarely_claimed() -> None:
    rng = np.random.default_rng(2)
    claimed = sum(
        fit(LOADS, measured(rng, 100.0, 0.08, 0.0, 0.03), seed=run).is_retrograde for run in range(40)
    )
    assert claimed <= 3


def test_a_peak_beyond_the_loads_is_not_called_retrograde() -> None:
    law_fit = fit(LOADS, measured(np.random.default_rng(3), 100.0, 0.02, 0.0001, 0.005))
    assert not law_fit.is_retrograde


def test_intervals_hold_the_contention_mostly() -> None:
    rng = np.random.default_rng(4)
    held = 0
    for run in range(40):
        law_fit = fit(LOADS, measured(rng, 100.0, 0.05, 0.001, 0.02), seed=run)
        held += law_fit.sigma.low <= 0.05 <= law_fit.sigma.high
    # Seven points and three parameters: the residuals tell the noise badly, and it is said to be 95 %.
    assert held >= 32


def test_fewer_than_six_loads_are_refused_however_often_each_was_measured() -> None:
    with pytest.raises(ValueError, match="5 loads"):
        fit([1, 1, 2, 4, 8, 16], [10, 10, 19, 35, 60, 80])


def test_what_is_no_throughput_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        fit(LOADS, np.zeros(7))
    with pytest.raises(ValueError, match="pairs"):
        fit(LOADS, [1.0, 2.0])
