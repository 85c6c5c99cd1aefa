"""Trend: whether a series goes up or down."""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.ess import iact
from loadrig.stats.sen import sen_line
from loadrig.stats.t_tests import of_one

MOST = 900
"""Largest number of readings. More are averaged in batches first: Sen's slope asks all pairs, and of the
14,400 seconds of four hours these are a hundred million, in gigabytes; of a quarter of a minute each they are
half a million."""

QUICK_LOOK = 2.0
"""Standard deviations of the statistic within which no test at 0.01 finds a trend: by the normal it takes
2.58, and the exact distribution of few readings needs no fewer than 2.2."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A monotone trend. slope: change a step, median of all pairs. p: two-sided p.

    n: readings (batches) that the p rests on.
    """

    slope: float
    p: float
    n: int


def mann_kendall(values: ArrayLike) -> Trend:
    """Return the Mann-Kendall test with Sen's slope, fit for a series whose neighbours resemble each other.

    Kendall's tau of value against step is the Mann-Kendall statistic (scipy has it, with ties). The test
    supposes independent values: with a correlated series it finds trends everywhere. So where the detrended
    series is correlated, batches as long as twice its autocorrelation time are averaged first. Fewer than
    four readings: p = 1.
    Source: Mann 1945, Econometrica 13, 245-259; Sen 1968, J. Am. Stat. Assoc. 63, 1379-1389; batching against
    autocorrelation: Law & Kelton, Simulation Modeling and Analysis, ch. 9.
    """
    y = as_floats(values)
    if y.size < 4 or np.all(y == y[0]):
        return Trend(0.0, 1.0, int(y.size))
    slope, y, t = _independent(y)
    if y.size < 4 or np.all(y == y[0]):
        return Trend(slope, 1.0, int(y.size))
    return Trend(sen_line(t, y).slope, float(scipy.stats.kendalltau(t, y).pvalue), int(y.size))


def sen_slope(values: ArrayLike) -> float:
    """Return the slope, per step, that `mann_kendall` of these values has, without importing scipy.stats.

    0 for fewer than four readings.
    """
    y = as_floats(values)
    if y.size < 4 or np.all(y == y[0]):
        return 0.0
    slope, y, t = _independent(y)
    return slope if y.size < 4 or np.all(y == y[0]) else sen_line(t, y).slope


def may_rise_or_fall(values: ArrayLike) -> bool:
    """Return whether the Mann-Kendall test of these values may find a trend at p below 0.01.

    A quick look without importing scipy.stats: False only where the statistic lies within two standard
    deviations of what no trend makes, of which the test itself makes p above 0.04. Source: Mann 1945; the
    variance without ties, which make it smaller, n (n - 1) (2 n + 5) / 18.
    """
    y = as_floats(values)
    if y.size < 4 or np.all(y == y[0]):
        return False
    _, y, _ = _independent(y)
    n = y.size
    rows, columns = np.triu_indices(n, 1)
    pairs = np.sign(y[columns] - y[rows])
    # Ties leave fewer pairs that count, and a smaller variance.
    variance = n * (n - 1) * (2 * n + 5) / 18 * float(np.mean(pairs != 0))
    return abs(float(pairs.sum())) >= QUICK_LOOK * math.sqrt(variance)


def _independent(y: Floats) -> tuple[float, Floats, Floats]:
    """Return the slope of a series, and means and steps of batches long enough to be independent."""
    t: Floats = np.arange(y.size, dtype=np.float64)
    if y.size > MOST:
        y, t = _batched(y, t, -(-y.size // MOST))
    slope = sen_line(t, y).slope
    intercept = float(np.median(y) - slope * np.median(t))
    length = _batch_length(y - intercept - slope * t)
    return (slope, *(_batched(y, t, length) if length > 1 else (y, t)))


def _batched(y: Floats, t: Floats, length: int) -> tuple[Floats, Floats]:
    """Return means of batches; a remainder at the beginning is left out."""
    count = y.size // length
    rows = [part[-count * length :].reshape(count, length).mean(axis=1) for part in (y, t)] if count else []
    return (rows[0], rows[1]) if rows else (y[:0], t[:0])


def climbs(values: ArrayLike) -> float:
    """Return the p, one-sided, of a mean step above zero.

    The series is a sum of independent steps, such as a queue that is full. What came in less what went out is
    a walk: its neighbours resemble each other so much that `mann_kendall` has no batches left in a short run,
    while its steps are fit for a t test. A queue that only wanders ends near where it began, so that its mean
    step is nearer to zero than the test supposes. Fewer than four readings: 1. Source: Student 1908,
    Biometrika 6, 1-25; the walk: Asmussen, Applied Probability and Queues, ch. III.6.
    """
    steps = np.diff(as_floats(values))
    if steps.size < 3 or np.all(steps == steps[0]):
        return 0.0 if steps.size >= 3 and steps[0] > 0 else 1.0
    return of_one(steps).p_greater


def _batch_length(residuals: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
    time = iact(residuals)
    # Up to here the test's own error of a few percent is larger than the correlation's.
    return 1 if time < 1.5 else int(np.ceil(2 * time))
