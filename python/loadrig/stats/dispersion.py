"""Scatter of counts, and how long one must count."""

import math

from numpy.typing import ArrayLike

from loadrig.stats.arrays import as_floats
from loadrig.stats.distributions import normal_quantile


def pooled_sd(groups: list[ArrayLike]) -> tuple[float, int]:
    """Return standard deviation within groups, and its degrees of freedom; (nan, 0) without replicates."""
    arrays = [as_floats(group) for group in groups]
    freedom = sum(array.size - 1 for array in arrays if array.size)
    if freedom < 1:
        return math.nan, 0
    squares = sum(float(((array - array.mean()) ** 2).sum()) for array in arrays if array.size)
    return math.sqrt(squares / freedom), freedom


def _z(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
    return normal_quantile((1 + confidence) / 2)
