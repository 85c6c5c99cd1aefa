"""Steady growth beneath something that fills: how large it is, and how much better a fit is with it.

A cache, a table, the arenas of an allocator and compiled code fill as the requests come, fast at first and
ever slower. A level that does so and leaks besides is straight only when all that is full, which may take
longer than a soak. So curves that fill are laid under the course, one at a time, and a line beside each of
them is tested: does the course fit clearly better with it?
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import t_quantile
from loadrig.stats.limits import MAD_TO_SD
from loadrig.stats.slope import Slope, likeness

Table = NDArray[np.float64]

FILLS = np.geomspace(0.04, 1.0, 26)
"""Time constants t of curves 1 - exp(-u/t), u from 0 at the begin to 1 at the end. With the longest one
the course ends at 63 % of what it fills; a curve of twice that time constant is nearly a line, and hides a
leak beneath a cache of half its size."""

SPREADS = np.geomspace(0.005, 1.0, 14)
"""Constants s of curves ln(1 + u/s), which describe keys of which few are popular, and memory that an
allocator cannot give back."""

POWERS = (0.35, 0.5)
"""Exponents p of curves u**p."""
ENDS = np.arange(0.15, 0.86, 0.025)
"""Times, as a share of the course, at which something that fills evenly is full."""

SOON = (0.01, 0.02, 0.04, 0.07)
"""Time constants of a start that is over soon. It may go up or down, and is fitted beside each of the
curves."""

NEARLY_FULL = 0.6
"""Greatest time constant of the curves by which the slope of the line beneath is estimated: with it the
course ends at 81 % of what it fills."""

ROUGH = 0.004
"""Least scatter of a fit, as a share of the whole rise: no server fills exactly by a formula."""

JUMPS, FAR = 6, 6.0
"""JUMPS: greatest number of rises that are taken for something made at once. FAR: how many robust standard
deviations such a rise lies above the others."""

FEWEST_BLOCKS_BENEATH = 24
"""Least number of blocks: any curve fits a dozen."""


@dataclass(frozen=True, slots=True)
class Beneath:
    """The steady growth (line) beneath what fills.

    gain: log likelihood ratio, doubled, of a line beside what fills against no line. grown: growth by the
    line, from begin to end. slope: slope of the line, by the curves that are nearly full at the end.
    """

    gain: float
    grown: float
    slope: Slope


def beneath(x: Floats, y: Floats, confidence: float = 0.95) -> Beneath | None:
    """Return the steady growth beneath a course of blocks; None for fewer than FEWEST_BLOCKS_BENEATH blocks.

    Neighbouring blocks may resemble each other: the residuals of a fit keep a share of what they were before,
    and all is compared after that share is taken off. The interval holds all slopes with which the course
    fits nearly as well, whatever fills beside it (a profile of the likelihood).
    Sources: Cochrane & Orcutt 1949, J. Am. Stat. Assoc. 44, 32-61; Venzon & Moolgavkar 1988, Appl. Stat. 37,
    87-94 (profiles).
    """
    at, level = as_floats(x), as_floats(y)
    n = at.size
    if n < FEWEST_BLOCKS_BENEATH or at[-1] <= at[0] or np.ptp(level) <= 0:
        return None
    half = (at[-1] - at[0]) / (n - 1) / 2
    span = float(at[-1] - at[0] + 2 * half)
    u = (at - at[0] + half) / span
    jumps = [(np.arange(n) > place).astype(float) for place in _jumps(level)]
    level = level - level[0]
    alike, parts = 0.0, _Parts(u, level, 0.0, jumps)
    for _ in range(2):
        alike = likeness(parts.rest())
        parts = _Parts(u, level, alike, jumps)
    df = max(4, n - 4 - len(jumps))
    best, _ = parts.best()
    gain = df * math.log(parts.squares(0.0) / parts.squares(best)) if best > 0 else 0.0
    few = _Parts(u, level, alike, jumps, most=NEARLY_FULL)
    line, error = few.best()
    low, high = few.ends(line, t_quantile((1 + confidence) / 2, df) ** 2 / df)
    slope = Slope(line / span, low / span, high / span, error / span, confidence, alike, n)
    return Beneath(gain, best * (at[-1] - at[0]) / span, slope)


def _jumps(y: Floats) -> list[int]:
    steps = np.diff(y) - float(np.median(np.diff(y)))
    usual = MAD_TO_SD * float(np.median(np.abs(steps))) + 1e-6 * float(np.ptp(y))
    return sorted(int(place) for place in np.argsort(-steps)[:JUMPS] if steps[place] > FAR * usual)


def _curves(u: Floats, most: float) -> Table:
    return np.column_stack(
        [
            *(1 - np.exp(-u / t) for t in FILLS if t <= most),
            *(np.log1p(u / s) / math.log1p(1 / s) for s in SPREADS if s <= most / 2),
            *(u**p for p in POWERS if most >= 1),
            *(np.minimum(u / h, 1.0) for h in ENDS if h <= 2 * most),
        ]
    )


class _Parts:
    """A course less all that is fitted beside line and curve, once for each start that is over soon."""

    def __init__(
        self, u: Floats, y: Floats, alike: float, jumps: list[Floats], most: float = math.inf
    ) -> None:
        def whitened_by(values: Table) -> Table:
            whitened = np.array(values, dtype=np.float64)
            whitened[1:] = values[1:] - alike * values[:-1]
            whitened[0] = values[0] * math.sqrt(1 - alike**2)
            return whitened

        self._u, self._y = u, y
        self._curves = _curves(u, most)
        self._floor = float(np.ptp(y) * ROUGH) ** 2 * u.size + 1e-300
        self._bases: list[Table] = []
        self._starts: list[tuple[Floats, Floats, Table, Floats]] = []
        for t in SOON:
            base = np.column_stack([np.ones(u.size), 1 - np.exp(-u / t), *jumps])
            q, _ = np.linalg.qr(whitened_by(base))
            py, pu, pf = (
                part - q @ (q.T @ part)
                for part in (whitened_by(y), whitened_by(u), whitened_by(self._curves))
            )
            self._bases.append(base)
            self._starts.append((py, pu, pf, (pf * pf).sum(axis=0) + 1e-12))

    def squares(self, line: float) -> float:
        """Return the sum of squares that a line and the curve that fits best beside it leave."""
        least = math.inf
        for py, pu, pf, ff in self._starts:
            rest = py - line * pu
            explained = np.maximum(pf.T @ rest, 0.0) ** 2 / ff
            least = min(least, float(rest @ rest - explained.max()))
        return max(least, 0.0) + self._floor

    def best(self) -> tuple[float, float]:
        """Return the line that fits best beside any curve, and its standard error beside that curve."""
        line, error, *_ = self._best()
        return line, error

    def _best(self) -> tuple[float, float, int, int, float]:
        best = (math.inf, 0.0, 0.0, 0, 0, 0.0)
        for number, (py, pu, pf, ff) in enumerate(self._starts):
            fu, fy, uu, uy = pf.T @ pu, pf.T @ py, float(pu @ pu), float(pu @ py)
            det = np.maximum(uu * ff - fu**2, 1e-9 * uu * ff)
            lines, curves = (ff * uy - fu * fy) / det, (uu * fy - fu * uy) / det
            alone = curves < 0
            lines, curves = np.where(alone, uy / uu, lines), np.maximum(curves, 0.0)
            rests = float(py @ py) - lines * uy - curves * fy
            place = int(np.argmin(rests))
            if rests[place] < best[0]:
                rest = max(float(rests[place]), 0.0) + self._floor
                inverse = 1 / uu if alone[place] else float(ff[place] / det[place])
                error = math.sqrt(rest / max(1, py.size - 5) * inverse)
                best = (float(rests[place]), float(lines[place]), error, number, place, float(curves[place]))
        return best[1:]

    def rest(self) -> Floats:
        """Return the residuals of the best fit, step by step."""
        line, _, number, place, curve = self._best()
        rest = self._y - line * self._u - curve * self._curves[:, place]
        base = self._bases[number]
        residuals: Floats = rest - base @ np.linalg.lstsq(base, rest, rcond=None)[0]
        return residuals

    def ends(self, line: float, room: float) -> tuple[float, float]:
        """Return the least and the greatest line that fit nearly as well.

        room: logarithm of the ratio by which their sum of squares may be larger.
        """
        most = self.squares(line) * math.exp(room)
        bounds = []
        for sign in (-1.0, 1.0):
            step = max(float(np.ptp(self._y)), 1e-12) * 0.01
            inner, outer = line, line + sign * step
            while self.squares(outer) <= most and step < 1e6 * float(np.ptp(self._y)):
                inner, step = outer, step * 2
                outer = line + sign * step
            for _ in range(16):
                middle = (inner + outer) / 2
                inner, outer = (middle, outer) if self.squares(middle) <= most else (inner, middle)
            bounds.append((inner + outer) / 2)
        return bounds[0], bounds[1]
