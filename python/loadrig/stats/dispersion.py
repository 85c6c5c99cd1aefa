"""Scatter of counts, and how long one must count."""

import math

from numpy.typing import ArrayLike

from loadrig.stats.arrays import as_floats
from loadrig.stats.distributions import normal_quantile


def index_of_dispersion(counts: ArrayLike) -> float:
    """Return variance over mean of the counts of equal intervals: 1 for Poisson, 0 for a metronome.

    nan for fewer than two intervals or when nothing was counted.
    """
    values = as_floats(counts)
    if values.size < 2 or values.mean() <= 0:
        return math.nan
    return float(values.var(ddof=1) / values.mean())


def coefficient_of_variation(values: ArrayLike) -> float:
    """Return standard deviation over mean; nan for fewer than two values or a mean of zero."""
    array = as_floats(values)
    if array.size < 2 or array.mean() == 0:
        return math.nan
    return float(array.std(ddof=1) / abs(array.mean()))


def counts_for_width(half_width: float, dispersion: float = 1.0, confidence: float = 0.95) -> int:
    """Return how many events must be counted to know their rate to ± a share of itself.

    half_width: the share, above 0. dispersion: index of dispersion of the counts.
    From half_width = z * sqrt(I / n): 9,604 Poisson events for ±2 %, 38,416 for ±1 %.
    """
    z = _z(confidence)
    return math.ceil(dispersion * (z / half_width) ** 2 - 1e-9)


def observations_for_quantile(
    quantile: float, half_width: float, confidence: float = 0.95, iact: float = 1.0
) -> int:
    """Return how many observations know a quantile of an exponential tail to ± a share of itself.

    From the variance q(1-q) / (n f²) of a sample quantile, with the exponential density:
    n = q/(1-q) * (z / (e * ln(1/(1-q))))². 1,800 for p99 to ±10 %. iact: integrated
    autocorrelation time of the observations, which multiplies the count.
    """
    z = _z(confidence)
    independent = quantile / (1 - quantile) * (z / (half_width * math.log(1 / (1 - quantile)))) ** 2
    return math.ceil(independent * max(1.0, iact) - 1e-9)


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
