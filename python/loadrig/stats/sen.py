"""Sen's slope of a line through readings, and its interval, without what `import scipy.stats` imports.

scipy has the same as `scipy.stats.theilslopes`, at 70 MB and half a second of a core for the import, which
every trial would pay that is longer than some seconds. The tests hold it against scipy's.
"""

import math
from dataclasses import dataclass

import numpy as np

from loadrig.stats.arrays import Floats
from loadrig.stats.distributions import normal_quantile


@dataclass(frozen=True, slots=True)
class SenLine:
    """A line through readings. slope: median of all pairs; low, high: its interval, NaN where all are ties.

    height: height of the line at x = 0, by the medians.
    """

    slope: float
    height: float
    low: float
    high: float


def sen_line(x: Floats, y: Floats, confidence: float = 0.95) -> SenLine:
    """Return Sen's line through at least two readings of which two have different x.

    Raises ValueError where no two have different x.
    Source: Sen 1968, J. Am. Stat. Assoc. 63, 1379-1389; scipy.stats.theilslopes.
    """
    rows, columns = np.triu_indices(x.size, 1)
    dx, dy = x[columns] - x[rows], y[columns] - y[rows]
    apart = dx != 0
    slopes = np.sort(dy[apart] / dx[apart])
    if not slopes.size:
        raise ValueError("a line needs readings at two different places")
    slope = float(np.median(slopes))
    height = float(np.median(y)) - slope * float(np.median(x))
    n = x.size
    variance = (n * (n - 1) * (2 * n + 5) - _of_ties(x) - _of_ties(y)) / 18
    if variance < 0:
        return SenLine(slope, height, math.nan, math.nan)
    wide = normal_quantile((1 + confidence) / 2) * math.sqrt(variance)
    upper = min(round((slopes.size + wide) / 2), slopes.size - 1)
    lower = max(round((slopes.size - wide) / 2) - 1, 0)
    return SenLine(slope, height, float(slopes[lower]), float(slopes[upper]))


def ranks(values: Floats) -> Floats:
    """Return the place of each value in order, from 1; equal values share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_ranks: Floats = (last - (counts - 1) / 2)[places]
    return mean_ranks


def _of_ties(values: Floats) -> float:
    """Return what groups of equal values take from the variance."""
    _, counts = np.unique(values, return_counts=True)
    return float((counts * (counts - 1) * (2 * counts + 5)).sum())
