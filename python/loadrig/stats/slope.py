"""The slope of a series whose neighbours resemble each other, with an interval that minds that they do."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import t_above, t_quantile
from loadrig.stats.limits import FEWEST_BLOCKS, MOST_ALIKE
from loadrig.stats.sen import sen_line

FEWEST_DF = 4.0
"""Least degrees of freedom: points that are worth next to nothing are still more than none."""

MOST_POINTS = 400
"""Largest number of points for Sen's estimate, which looks at all pairs: of more points the means of
neighbours are taken."""


@dataclass(frozen=True, slots=True)
class Slope:
    """Units of y a unit of x. low, high: the interval at `confidence`. error: standard error.

    alike: correlation of the residuals of neighbours, 0 to 1. n: points that it rests on.
    """

    value: float
    low: float
    high: float
    error: float
    confidence: float
    alike: float
    n: int

    @property
    def df(self) -> float:
        """Degrees of freedom of as many independent points as these points are worth."""
        return max(FEWEST_DF, self.n * (1 - self.alike) / (1 + self.alike) - 2)

    @property
    def p(self) -> float:
        """Two-sided p of a slope of zero."""
        return (
            2 * t_above(abs(self.value) / self.error, self.df) if self.error > 0 else float(self.value == 0)
        )

    @property
    def relative_half_width(self) -> float:
        """Half the interval over the value; infinite at zero."""
        return (self.high - self.low) / 2 / abs(self.value) if self.value else math.inf

    def at(self, confidence: float) -> "Slope":
        """Return the slope with an interval of another confidence.

        By t, as Sen's own interval is not kept.
        """
        half = t_quantile((1 + confidence) / 2, self.df) * self.error
        return replace(self, low=self.value - half, high=self.value + half, confidence=confidence)

    def times(self, factor: float) -> "Slope":
        """Return the slope in another unit, or of several that are alike. factor: above zero."""
        value, low, high, error = (part * factor for part in (self.value, self.low, self.high, self.error))
        return replace(self, value=value, low=low, high=high, error=error)


def slope(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Slope | None:
    """Return the slope of y over x, which increases.

    None for fewer than FEWEST_BLOCKS points or an x that stands still. The estimate is Sen's, so single wild
    points do not carry it away. Its interval is Sen's own where neighbours do not resemble each other; else
    that of a least-squares line through noise of which each value keeps a share of the one before. That share
    is estimated too low from a detrended series, by about (2 + 4 r) / n, which is added. Raises ValueError if
    x and y differ in length.

    Sources: Sen 1968, J. Am. Stat. Assoc. 63, 1379-1389; Kendall 1954, Biometrika 41, 403-404, and Roy &
    Fuller 2001, J. Bus. Econ. Stat. 19, 482-493 (the bias with a trend); Anderson 1971, The Statistical
    Analysis of Time Series, 10.2 (a trend's variance in correlated noise).
    """
    at, level = as_floats(x), as_floats(y)
    if at.size != level.size:
        raise ValueError(f"{at.size} places, but {level.size} values")
    at, level = _thinned(at), _thinned(level)
    n = at.size
    if n < FEWEST_BLOCKS or float(at[-1] - at[0]) <= 0:
        return None
    sen = sen_line(at, level, confidence)
    value, height = sen.slope, float(np.median(level - sen.slope * at))
    rest = level - height - value * at
    rest = rest - rest.mean()
    alike = likeness(rest)
    error = _error(at, rest, alike)
    line = Slope(value, value, value, error, confidence, alike, n).at(confidence)
    if not (math.isfinite(sen.low) and math.isfinite(sen.high)):
        return line
    return replace(line, low=min(line.low, sen.low), high=max(line.high, sen.high))


def _thinned(values: Floats) -> Floats:
    joined = -(-values.size // MOST_POINTS)
    if joined <= 1:
        return values
    whole = values.size // joined * joined
    thinned: Floats = values[:whole].reshape(-1, joined).mean(axis=1)
    return thinned


def likeness(rest: Floats) -> float:
    """Return the correlation of neighbouring residuals, its bias taken off, 0 to MOST_ALIKE."""
    n = rest.size
    total = float(rest @ rest)
    if total <= 0:
        return 0.0
    r = float(rest[1:] @ rest[:-1]) / total
    return min(MOST_ALIKE, max(0.0, (n * r + 2) / (n - 4)))


def _error(x: Floats, rest: Floats, alike: float) -> float:
    """Standard error of a least-squares slope through noise that keeps a share of what it was before."""
    n = x.size
    new = rest[1:] - alike * rest[:-1]
    variance = float(new @ new) / max(1, n - 3) / (1 - alike**2)
    weights = (x - x.mean()) / float(((x - x.mean()) ** 2).sum())
    lags = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return math.sqrt(max(0.0, variance * float(weights @ (alike**lags) @ weights)))
