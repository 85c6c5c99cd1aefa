"""Bits that a measurement is expected to tell about some claims."""

import numpy as np
import pytest

from loadrig.stats.information import expected_bits, normal_density

GRID = np.arange(-12.0, 12.0, 0.01)
HALVES = np.array([0.5, 0.5])


def of_means(*means: float) -> float:
    return expected_bits(HALVES, normal_density(GRID, np.array(means)[:, None], 1.0), GRID)


def test_claims_far_apart_are_told_by_one_bit_and_equal_ones_not_at_all() -> None:
    assert of_means(-5.0, 5.0) == pytest.approx(1.0, abs=1e-4)
    assert of_means(1.0, 1.0) == pytest.approx(0.0, abs=1e-9)


def test_the_further_apart_the_more_is_told() -> None:
    assert of_means(0.0, 0.5) < of_means(0.0, 1.0) < of_means(0.0, 2.0)


def test_a_binary_channel_of_normal_noise_has_the_known_capacity() -> None:
    # Means of -1 and 1 with a deviation of 1: 0.4859 bits (Proakis 2001, Digital Communications, ch. 7).
    assert of_means(-1.0, 1.0) == pytest.approx(0.4859, abs=5e-4)


def test_a_density_integrates_to_one() -> None:
    assert float(np.trapezoid(normal_density(GRID, 0.3, 0.7), GRID)) == pytest.approx(1.0)
