"""Short falls of a series below its own level, and how deep and how long they are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats, runs
from loadrig.stats.limits import BAND_DEVIATIONS, BAND_SHARE, MAD_TO_SD

WINDOW = 61
"""Number of steps of the running median: a dip may be a third of it and the level still passes it by."""

SHORTEST_WINDOW = 21

ALONE = 1.5
"""Factor by which a dip of a single step must be deeper: noise has long tails, but seldom twice in a row."""


DEEP_SHARE = 0.7
"""Share of the level, 0 to 1: a fall as deep as this is a dip, however noisy the series is otherwise."""

STILL_SHARE, MOST_STILL_SHARE, OFTEN = 0.35, 0.8, 2
"""Least and largest share of the time that a series is below (1 - DEEP_SHARE) of its other level, and the
least number of falls, for a series that often stands still."""

BURST_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Dip:
    """Fall of a series. first, last: its steps, both within it.

    depth: depth of its deepest step, as a share of the level.

    missing: what lacks to the level, summed over its steps.
    """

    first: int
    last: int
    depth: float
    missing: float

    @property
    def steps(self) -> int:
        """Number of steps that the dip lasted."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True, eq=False)
class Falls:
    """A series compared with its level.

    level, residual: float64[n]. noise: robust standard deviation of the residual, dips left out. dips: in
    order of time.
    """

    level: Floats
    residual: Floats
    noise: float
    dips: tuple[Dip, ...]


def running_median(values: ArrayLike, window: int = WINDOW) -> Floats:
    """Return the median of each step's neighbourhood, which is cut off at both ends of the series.

    window: steps, made odd; of a short series at most half of it, but SHORTEST_WINDOW at least.
    """
    series = as_floats(values)
    reach = min(window, max(SHORTEST_WINDOW, series.size // 2)) // 2
    padded = np.full(series.size + 2 * reach, np.nan)
    padded[reach : reach + series.size] = series
    # Sorting puts what lies beyond the ends last, so the median of the rest is at the middle of its count.
    ordered = np.sort(np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1), axis=1)
    counts = np.isfinite(ordered).sum(axis=1)
    rows = np.arange(series.size)
    medians: Floats = (ordered[rows, (counts - 1) // 2] + ordered[rows, counts // 2]) / 2
    return medians


def falls(values: ArrayLike, least_noise: ArrayLike = 0.0, alone: float = ALONE) -> Falls:
    """Return the dips of a series of values above zero, one a step.

    least_noise: standard deviation that the values have at least by themselves, for each step or for all
    (of counts, the root of the count): a series of few distinct values can show a spread of zero.

    A dip has a step further below the level than BAND_DEVIATIONS of the noise (or DEEP_SHARE of the level, if
    that is less) and than BAND_SHARE of the level, and goes on to both sides as long as it is half as far
    below. It lasts two steps, or is ALONE times as deep.
    Source: Hampel 1974, J. Am. Stat. Assoc. 69, 383-393 (median and MAD against outliers).
    """
    series = as_floats(values)
    if series.size < 2:
        return Falls(series.copy(), np.zeros(series.size), 0.0, ())
    level = _level(series)
    residual = series - level
    # What lies above the level has no part in any dip, however many there are.
    above = residual[residual > 0]
    noise = MAD_TO_SD * float(np.median(above)) if above.size else 0.0
    own = np.broadcast_to(np.asarray(least_noise, dtype=np.float64), series.shape)
    noisy = np.minimum(BAND_DEVIATIONS * noise, DEEP_SHARE * level)
    limit = np.maximum(np.maximum(noisy, 2 * own), BAND_SHARE * level)
    is_low = residual < -limit / 2
    dips = []
    for first, last in runs(is_low):
        part = slice(first, last + 1)
        excess = float(np.max(-residual[part] / np.maximum(limit[part], 1e-300)))
        if excess < (1.0 if last > first else alone):
            continue
        depth = float(np.max(-residual[part] / np.maximum(level[part], 1e-300)))
        dips.append(Dip(first, last, min(depth, 1.0), float(-residual[part].sum())))
    return Falls(level, residual, noise, tuple(dips))


def _level(series: Floats) -> Floats:
    """Return the level of a series when it does not dip: its running median.

    Where it stands still so long and so often that its median may lie in a dip, it is the median of the rest.
    """
    is_up = series > (1 - DEEP_SHARE) * np.quantile(series, 0.9)
    falls_between = len(runs(~is_up[np.argmax(is_up) : is_up.size - np.argmax(is_up[::-1])]))
    if falls_between >= OFTEN and STILL_SHARE <= 1 - is_up.mean() <= MOST_STILL_SHARE:
        return np.full(series.size, float(np.median(series[is_up])))
    return running_median(series)


def bursts(amounts: ArrayLike) -> list[tuple[int, int]]:
    """Return the first and last step of each rise of a series to a good part of its greatest amount.

    A quarter of the way from its median to its greatest (of those that are not single exceptions: the mean of
    the three greatest): a rise that a stall stretches over several steps is still seen. Empty where the
    series is the same everywhere.
    """
    series = as_floats(amounts)
    top = float(np.sort(series)[-3:].mean()) if series.size else 0.0
    usual = float(np.median(series)) if series.size else 0.0
    if top <= usual:
        return []
    return runs(series > usual + BURST_SHARE * (top - usual))
