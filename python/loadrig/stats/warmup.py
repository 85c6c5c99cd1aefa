"""End of the warm-up of a series."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import as_floats

BATCH = 5
"""Number of values in a batch of MSER-5; it keeps single lucky values from deciding."""


@dataclass(frozen=True, slots=True)
class Truncation:
    """Length of the start of a series that is left out.

    drop: how many values, a multiple of 5. is_steady: whether the rest may be believed to be
    steady. n: how many values were looked at (whole batches only).
    """

    drop: int
    is_steady: bool
    n: int


def mser5(values: ArrayLike) -> Truncation:
    """Return the truncation that makes the mean of the rest best known (marginal standard error rule).

    Averages batches of five and takes the d that minimises sum((Y_i - mean)²) / (m - d)² over the
    m - d batches retained. Trailing values that fill no batch are ignored. Five batches are always
    retained, fewer of a short series: the spread of a few batches at the end is small by chance,
    and on a quarter of all steady series they would win.

    Not steady when the minimum lies at half of the series or later: then the series may still be
    on its way, and more of it is needed. The published rule rejects d > m/2; here d = m/2 is
    rejected too, because on four batches that is the last d looked at, and a straight ramp would
    pass. Fewer than four batches are never steady.
    Source: White 1997, Simulation 69, 323-334; White, Cobb & Spratt 2000, Proc. Winter Sim. Conf.
    """
    series = as_floats(values)
    batches = series.size // BATCH
    if batches < 4:
        return Truncation(0, False, batches * BATCH)
    means = series[: batches * BATCH].reshape(batches, BATCH).mean(axis=1)
    # Sums from the end, about the overall mean so that squares do not swallow small differences.
    centred = (means - means.mean())[::-1]
    count = np.arange(1, batches + 1)
    squares = np.cumsum(centred**2) - np.cumsum(centred) ** 2 / count
    retained = max(2, min(5, 2 * batches // 5))
    statistic = (np.maximum(squares, 0.0) / count**2)[::-1][: batches - retained + 1]
    # Among equals the earliest: a flat series loses nothing.
    least = float(statistic.min())
    drop = int(np.flatnonzero(statistic <= least + 1e-12 * max(float(statistic[0]), 1e-300))[0])
    return Truncation(drop * BATCH, 2 * drop < batches, batches * BATCH)
