"""Growth of a level without end: steady, and not as something that fills up or is set once."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import normal_above
from loadrig.stats.periods import autocorrelation
from loadrig.stats.sen import ranks, sen_line

FEWEST = 8
"""Least number of readings: with fewer the slope's interval spans zero on most growing series too."""

BLOCKS = 40
"""Number of blocks. A longer series is taken as the least of each block: what is freed soon is left out."""

LASTING = 0.6
"""Ratio of the slope of the last third to that of the first: 0.51 for a level that fills up as 1 - exp(-x)
and is 63 % full."""

BETTER_BIC = 6.0
"""Difference in BIC between a curve that fills up and a line: "strong evidence" for the line (Raftery 1995,
Sociol. Methodol. 25, 111-163)."""

LATER = 0.7
LATER_LASTING = 0.9
"""Ratio of slopes within the last 70 %: a level that fills up as 1 - exp(-x) has 0.79 there where it is 63 %
full at the end."""

SURE = 0.001
MOST_IN_ONE = 0.18
"""Largest share of the growth in one block, beyond its even part: a larger one was made once (a table, an
arena, code) and does not leak."""

MOST_SHORT = 0.1
"""Largest share of the growth by which the end may lie below the line: a level that has stopped to grow lies
there soon."""

FEWEST_RISES = 0.6
"""Least share of the blocks that end higher than the one before."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Growth of a level with x. slope: units a unit of x; low, high: its 95 % interval.

    z, p: of Mann and Kendall's test, corrected for neighbours that resemble each other; p is of growth,
    one-sided. lasting: slope of the last third over that of the first. bic: by how much a line is better than
    a curve that fills up. rises: share of the readings above the one before; largest: share of the growth in
    one of them, beyond its even part; short: by what share of the growth the end lies below the line. span:
    span of x. level: level at the end, by the line. n: number of readings (blocks).
    """

    slope: float
    low: float
    high: float
    z: float
    p: float
    lasting: float
    bic: float
    rises: float
    largest: float
    short: float
    span: float
    level: float
    n: int

    @property
    def grown(self) -> float:
        """Growth of the level in all, by the line."""
        return self.slope * self.span

    def is_endless(self, lasting: float = LASTING) -> bool:
        """Return whether the level grew steadily to the end, and shows no sign that it will stop."""
        return (
            self.low > 0
            and self.p <= SURE
            and self.lasting >= lasting
            and self.bic >= BETTER_BIC
            and self.rises >= FEWEST_RISES
            and self.short <= MOST_SHORT
            and self.largest <= MOST_IN_ONE
        )


def growth(x: ArrayLike, y: ArrayLike, fewest: int = FEWEST) -> Growth | None:
    """Return the growth of y with x, which increases; None for fewer than `fewest` readings.

    Source: Sen 1968, J. Am. Stat. Assoc. 63, 1379-1389; Hamed & Rao 1998, J. Hydrol. 204, 182-196.
    """
    at, level = as_floats(x), as_floats(y)
    if at.size != level.size:
        raise ValueError(f"{at.size} places, but {level.size} levels")
    last = float(at[-1]) if at.size else 0.0
    at, level = _least_of_blocks(at, level)
    n = at.size
    span = float(at[-1] - at[0]) if n else 0.0
    if n < fewest or span <= 0:
        return None
    slope, intercept, low, high = _sen(at, level)
    z = hamed_rao(level, level - slope * at)
    steps = np.diff(level)
    grown = slope * span
    return Growth(
        slope=slope,
        low=low,
        high=high,
        z=z,
        p=normal_above(z),
        lasting=_lasting(at, level),
        bic=_bic_of_line(at, level),
        rises=float(np.mean(steps > 0)),
        largest=float((steps - slope * np.diff(at)).max() / grown) if grown > 0 else math.inf,
        short=_short(at, level, slope, intercept),
        span=span,
        level=intercept + slope * last,
        n=int(n),
    )


def endless(x: ArrayLike, y: ArrayLike, fewest: int = FEWEST) -> Growth | None:
    """Return the growth of a level that grows without end, by its whole course or by most of it.

    A level that first fills something and leaks besides bends at first, and is straight from then on: so
    where the whole does not look endless, its last LATER counts, if that is straighter still. Where neither
    looks endless it is the growth of the whole; None for fewer than `fewest` readings. One rise out of line
    is forgiven, if all that is left is straighter still.
    """
    at, level = as_floats(x), as_floats(y)
    whole = growth(at, level, fewest)
    if whole is None or whole.is_endless():
        return whole
    late = at >= at[0] + (1 - LATER) * (at[-1] - at[0])
    rest = growth(at[late], level[late], fewest)
    if rest is not None and rest.is_endless(LATER_LASTING):
        return rest
    even = growth(at, _without_largest(level), fewest)
    return even if even is not None and even.is_endless(LATER_LASTING) else whole


def _without_largest(level: Floats) -> Floats:
    """Return a level without its largest rise.

    The rise may have happened once, such as an end of sharing pages.
    """
    steps = np.diff(level)
    place = int(np.argmax(steps))
    lowered = level.copy()
    lowered[place + 1 :] -= steps[place] - float(np.median(steps))
    return lowered


def _least_of_blocks(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    if x.size <= BLOCKS:
        return x, y
    edges = np.linspace(0, x.size, BLOCKS + 1).astype(int)
    places = [low + int(np.argmin(y[low:high])) for low, high in pairwise(edges)]
    return x[places], y[places]


def hamed_rao(values: ArrayLike, detrended: ArrayLike | None = None) -> float:
    """Return Mann and Kendall's statistic as a standard normal one, above zero for growth.

    Its variance is made wider by the autocorrelation of the detrended ranks, as far as that is significant;
    never narrower, which would let noise that alternates make a trend sure. (trend.mann_kendall averages
    batches instead, for which the readings of a minute are too few.) detrended: the values less
    their trend; by default the values.
    """
    y = as_floats(values)
    n = y.size
    if n < 4 or np.ptp(y) == 0:
        return 0.0
    s = float(np.sign(y[None, :] - y[:, None])[np.triu_indices(n, 1)].sum())
    _, ties = np.unique(y, return_counts=True)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    places = ranks(y if detrended is None else as_floats(detrended))
    wider = 1.0
    if np.ptp(places) > 0:
        lag = np.arange(1, n // 2)
        r = autocorrelation(places, n // 2)[1 : n // 2]
        r = np.where(np.abs(r) > 1.96 / math.sqrt(n), r, 0.0)
        wider = max(
            1.0,
            1 + 2 / (n * (n - 1) * (n - 2)) * float(((n - lag) * (n - lag - 1) * (n - lag - 2) * r).sum()),
        )
    return (s - math.copysign(1, s)) / math.sqrt(variance * wider) if s and variance > 0 else 0.0


def _short(x: Floats, y: Floats, slope: float, height: float) -> float:
    """Return how far the last two readings lie below the line, over the growth; infinite without growth."""
    grown = slope * float(x[-1] - x[0])
    below = float(np.mean(height + slope * x[-2:] - y[-2:]))
    return below / grown if grown > 0 else math.inf


def _sen(x: Floats, y: Floats) -> tuple[float, float, float, float]:
    """Return Sen's slope, the height of its line at zero, and both ends of the slope's 95 % interval."""
    line = sen_line(x, y)
    return line.slope, line.height, line.low, line.high


def _lasting(x: Floats, y: Floats) -> float:
    """Return the slope of the last third over that of the first, by Sen's estimate.

    0 where the first third does not rise.
    """
    third = x[0] + (x[-1] - x[0]) / 3, x[0] + 2 * (x[-1] - x[0]) / 3
    slopes = []
    for part in (x <= third[0], x >= third[1]):
        if part.sum() < 2 or np.ptp(x[part]) <= 0:
            return 0.0
        slopes.append(_sen(x[part], y[part])[0])
    first, last = slopes
    if first <= 0:
        return 1.0 if last > 0 else 0.0
    return last / first


def _bic_of_line(x: Floats, y: Floats) -> float:
    """Return the BIC of the best curve that fills up, less that of a line.

    The curve is a + b (1 - exp(-x/t)), b > 0, and bends within the series: t is up to the length of the
    series, as beyond it the curve is a line, and cannot be worse than one.
    """
    n, span = x.size, float(x[-1] - x[0])
    u = (x - x[0]) / span
    line = _squares(u, y)
    curves = []
    for t in np.geomspace(0.05, 1.0, 16):
        curve = 1 - np.exp(-u / t)
        curves.append(_squares(curve, y))
    least = float(np.ptp(y)) ** 2 * 1e-12 + 1e-300
    curve_bic = n * math.log(max(min(curves), least) / n) + 3 * math.log(n)
    return float(curve_bic - (n * math.log(max(line, least) / n) + 2 * math.log(n)))


def _squares(u: Floats, y: Floats) -> float:
    """Return the sum of the squares that a line over u leaves; of the whole where the line falls."""
    du, dy = u - u.mean(), y - y.mean()
    slope = max(0.0, float(du @ dy) / max(float(du @ du), 1e-300))
    rest = dy - slope * du
    return float(rest @ rest)
