"""Times to look at a growing series, and whether it is known well enough."""

import math
from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats import special
from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import normal_above
from loadrig.stats.intervals import mean_interval
from loadrig.stats.roots import zero_between

LOOK_FACTOR = 1.5
"""Ratio of the time of a look to that of the look before: looks at 10, 15, 22, 34, 51, 76, 114 s each add
half as much again, so few looks are wasted."""

GRID = 401
"""Number of points of a density between two looks: the confidence is right to 0.000002."""


def look_time(first_s: float, look: int) -> float:
    """Return when look number 0, 1, 2, … is due, in seconds from the start."""
    return first_s * LOOK_FACTOR**look


def is_look_due(elapsed_s: float, *, first_s: float, looks_done: int) -> bool:
    """Return whether it is time for the next look."""
    return elapsed_s >= look_time(first_s, looks_done)


def look_confidence(look: int, confidence: float = 0.95) -> float:
    """Return the confidence of look number 1, 2, 3, … so that all looks together keep `confidence`.

    Look k may err with alpha / (k (k + 1)); these sum to alpha however many looks there are.
    Five looks at plain 95 % intervals would err in up to a quarter of all runs, not in 5 %.
    Source: alpha spending, Lan & DeMets 1983, Biometrika 70, 659-663; the series 1/(k(k+1)) sums to 1.
    """
    if look < 1:
        raise ValueError("looks count from 1")
    return 1 - (1 - confidence) / (look * (look + 1))


def repeated_confidence(looks: Sequence[float], confidence: float = 0.95) -> float:
    """Return the confidence of the last of these looks, so that all of them together keep `confidence`.

    looks: times of the looks, as shares of what may be measured at most; increasing, and 1 where no other
    look follows. Raises ValueError if they are no such shares.

    Where the end is known the looks need not be paid for as if there could be any number of them, and as they
    are of the same growing data they err together. Until a share t has been measured alpha * t may be spent,
    and the last look spends what is left. Looks at 3, 5, 8 and at last 9 of 9 blocks use 98.3, 98.3, 97.5 and
    97.8 %; `look_confidence` would use 97.5, 99.2, 99.6 and 99.8 %. The error of the first look that errs is
    a sum over Gaussian steps: the density of those that have not erred is carried from look to look on a
    grid. With few degrees of freedom, its level is used with t.

    Sources: Armitage, McPherson & Rowe 1969, J. R. Stat. Soc. A 132, 235-244 (the recursion); Lan & DeMets
    1983, Biometrika 70, 659-663, and Kim & DeMets 1987, Biometrika 74, 149-154 (the spending); Jennison &
    Turnbull 1989, J. R. Stat. Soc. B 51, 305-361 (intervals that hold at every look).
    """
    shares = tuple(float(share) for share in looks)
    if not shares or any(b <= a for a, b in zip((0.0, *shares), shares, strict=False)) or shares[-1] > 1:
        raise ValueError(f"looks are increasing shares above 0 and at most 1, not {shares}")
    return _repeated_confidence(shares, confidence)


@lru_cache(maxsize=256)
def _repeated_confidence(shares: tuple[float, ...], confidence: float) -> float:
    alpha, before = 1 - confidence, 0.0
    sums, weights = np.zeros(1), np.ones(1)  # before the first look the sum of all steps is 0
    tail = 0.0
    for share in shares:
        sd, spends = math.sqrt(share - before), alpha * (share - before)

        def errs_beyond(reach: float, sums: Floats, weights: Floats, sd: float, spends: float) -> float:
            beyond = special.ndtr((sums - reach) / sd) + special.ndtr((-sums - reach) / sd)
            return float(weights @ beyond) - spends

        too_many = partial(errs_beyond, sums=sums, weights=weights, sd=sd, spends=spends)
        reach = zero_between(too_many, 0.0, 10 * math.sqrt(share))
        tail = 2 * normal_above(reach / math.sqrt(share))
        grid = np.linspace(-reach, reach, GRID)
        density = (
            np.exp(-(((grid[:, None] - sums[None, :]) / sd) ** 2) / 2)
            @ weights
            / (sd * math.sqrt(2 * math.pi))
        )
        density[[0, -1]] /= 2  # the trapezoidal rule
        sums, weights, before = grid, density * (grid[1] - grid[0]), share
    return 1 - tail


def relative_half_width(values: ArrayLike, *, look: int = 1, confidence: float = 0.95) -> float | None:
    """Return half the interval of the mean over the mean, at the confidence that this look may spend.

    None where it is unknown: fewer than 8 values, or a mean of zero.
    """
    series = as_floats(values)
    if series.size < 8 or series.mean() == 0:
        return None
    interval = mean_interval(series, look_confidence(look, confidence))
    return interval.half_width / abs(interval.value)
