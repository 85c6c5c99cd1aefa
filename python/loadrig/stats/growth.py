"""Tests of growth: how steadily a level grows with x, and whether it bends, stops, or rose at once."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats import limits
from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import normal_above
from loadrig.stats.periods import autocorrelation
from loadrig.stats.sen import ranks, sen_line


@dataclass(frozen=True, slots=True)
class GrowthTest:
    """Tests of a level that grows with x.

    slope: units a unit of x (Sen); low: lower end of its 95 % interval. p: one-sided, of Mann and Kendall's
    test, corrected for neighbours that resemble each other. lasting: slope of the last third over that of the
    first. bic: by how much a line is better than a curve that fills up. rises: share of the values above the
    value before; largest: share of the growth in one of them, beyond its even part; short: by what share of
    the growth the end lies below the line. span: span of x.
    """

    slope: float
    low: float
    p: float
    lasting: float
    bic: float
    rises: float
    largest: float
    short: float
    span: float

    @property
    def grown(self) -> float:
        """Growth of the level in all, by the line."""
        return self.slope * self.span

    def is_endless(self, lasting: float = limits.LASTING) -> bool:
        """Return whether the level grew steadily to the end, and shows no sign that it will stop."""
        return (
            self.low > 0
            and self.p <= limits.SURE
            and self.lasting >= lasting
            and self.bic >= limits.BETTER_BIC
            and self.rises >= limits.FEWEST_RISES
            and self.short <= limits.MOST_SHORT
            and self.largest <= limits.MOST_IN_ONE
        )


def growth(x: ArrayLike, y: ArrayLike, fewest: int = limits.FEWEST_BLOCKS) -> GrowthTest | None:
    """Return the tests of growth of y with x, which increases; None for fewer than `fewest` values.

    Source: Sen 1968, J. Am. Stat. Assoc. 63, 1379-1389; Hamed & Rao 1998, J. Hydrol. 204, 182-196.
    """
    at, level = as_floats(x), as_floats(y)
    if at.size != level.size:
        raise ValueError(f"{at.size} places, but {level.size} levels")
    n = at.size
    span = float(at[-1] - at[0]) if n else 0.0
    if n < fewest or span <= 0:
        return None
    line = sen_line(at, level)
    steps = np.diff(level)
    grown = line.slope * span
    below = float(np.mean(line.height + line.slope * at[-2:] - level[-2:]))
    return GrowthTest(
        slope=line.slope,
        low=line.low,
        p=normal_above(hamed_rao(level, level - line.slope * at)),
        lasting=_lasting(at, level),
        bic=_bic_of_line(at, level),
        rises=float(np.mean(steps > 0)),
        largest=float((steps - line.slope * np.diff(at)).max() / grown) if grown > 0 else math.inf,
        short=below / grown if grown > 0 else math.inf,
        span=span,
    )


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


def _lasting(x: Floats, y: Floats) -> float:
    """Return the slope of the last third over that of the first, by Sen's estimate.

    0 where the first third does not rise.
    """
    third = x[0] + (x[-1] - x[0]) / 3, x[0] + 2 * (x[-1] - x[0]) / 3
    slopes = []
    for part in (x <= third[0], x >= third[1]):
        if part.sum() < 2 or np.ptp(x[part]) <= 0:
            return 0.0
        slopes.append(sen_line(x[part], y[part]).slope)
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
