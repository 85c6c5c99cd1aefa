"""Information, in bits, that a measurement is expected to give about which of some claims is true.

Source: Lindley 1956, Annals of Mathematical Statistics 27, 986-1005.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]


def expected_bits(chances: Floats, density: Floats, values: Floats) -> float:
    """Return the mutual information of claim and measurement, in bits, at least 0.

    chances: float64[claims], which add up to 1. values: float64[values], the grid of measurements,
    increasing. density: float64[claims, values] above 0, of each value if the claim is true.
    """
    bits = density * np.log2(density / (chances @ density))
    return max(0.0, float(chances @ np.trapezoid(bits, values, axis=1)))


def normal_density(values: Floats, mean: Floats | float, deviation: Floats | float) -> Floats:
    """Return the density of a normal distribution at some values, in the shape of all three together."""
    density: Floats = np.exp(-0.5 * ((values - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
    return density
