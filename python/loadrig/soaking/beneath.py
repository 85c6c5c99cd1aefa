"""A steady growth beneath something that fills: how much better it fits with it than without, and how much.

A cache, a table, the arenas of an allocator and compiled code fill as the requests come, fast at first and
ever slower. A level that does so and leaks besides is straight only when all that is full, which may take
longer than a soak. So curves that fill are laid under the course, one at a time, and it is asked whether a
line beside each of them makes it fit clearly better.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import t_quantile
from loadrig.stats.slope import MOST_ALIKE, Slope

Table = NDArray[np.float64]

FILLS = np.geomspace(0.04, 1.0, 26)
"""Times of curves 1 - exp(-u/t), u from 0 at the begin to 1 at the end. With the longest the end is 63 % of
what it fills; one of twice that is nearly a line, and hides a leak beneath a cache of half its size."""

SPREADS = np.geomspace(0.005, 1.0, 14)
"""Of curves ln(1 + u/s): keys of which few are popular, memory that an allocator cannot give back."""

POWERS = (0.35, 0.5)
ENDS = np.arange(0.15, 0.86, 0.025)
"""Where what fills evenly is full."""

SOON = (0.01, 0.02, 0.04, 0.07)
"""Times of a start that is over soon, which comes beside any of those, up or down."""

NEARLY_FULL = 0.6
"""Times up to which a curve is taken for the size of the growth beneath: the end is 81 % of what it fills."""

ROUGH = 0.004
"""Of all that a course rose: no server fills by a formula, and what is left of a fit is no less than that."""

JUMPS, FAR = 6, 6.0
"""Rises that are something made at once: how many at most, and how many robust standard deviations above
the rest."""

FEWEST = 24
"""Blocks: a dozen fit anything."""


@dataclass(frozen=True, slots=True)
class Beneath:
    """The line beneath what fills.

    gain: log likelihood ratio, doubled, of a line beside what fills against none. grown: by the line, from
    begin to end. slope: of that line, where what fills is nearly full at the end.
    """

    gain: float
    grown: float
    slope: Slope


def beneath(x: Floats, y: Floats, confidence: float = 0.95) -> Beneath | None:
    """The steady growth beneath a course of blocks; None for fewer than FEWEST.

    Neighbours may resemble each other: what is left of a fit keeps a share of what it was before, and all
    is compared after that share is taken off. The interval holds all slopes with which the course fits
    nearly as well, whatever fills beside (a profile of the likelihood).
    Sources: Cochrane & Orcutt 1949, J. Am. Stat. Assoc. 44, 32-61; Venzon & Moolgavkar 1988, Appl. Stat.
    37, 87-94 (profiles).
    """
    at, level = as_floats(x), as_floats(y)
    n = at.size
    if n < FEWEST or at[-1] <= at[0] or np.ptp(level) <= 0:
        return None
    half = (at[-1] - at[0]) / (n - 1) / 2
    span = float(at[-1] - at[0] + 2 * half)
    u = (at - at[0] + half) / span
    jumps = [(np.arange(n) > place).astype(float) for place in _jumps(level)]
    level = level - level[0]
    alike, parts = 0.0, _Parts(u, level, 0.0, jumps)
    for _ in range(2):
        alike = _alike(parts.rest())
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
    usual = 1.4826 * float(np.median(np.abs(steps))) + 1e-6 * float(np.ptp(y))
    return sorted(int(place) for place in np.argsort(-steps)[:JUMPS] if steps[place] > FAR * usual)


def _alike(rest: Floats) -> float:
    """Correlation of neighbours, its bias taken off, as in stats.slope."""
    n, total = rest.size, float(rest @ rest)
    r = float(rest[1:] @ rest[:-1]) / total if total > 0 else 0.0
    return min(MOST_ALIKE, max(0.0, (n * r + 2) / (n - 4)))


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
        def less(values: Table) -> Table:
            found = np.array(values, dtype=np.float64)
            found[1:] = values[1:] - alike * values[:-1]
            found[0] = values[0] * math.sqrt(1 - alike**2)
            return found

        self._u, self._y, self._alike = u, y, alike
        self._curves = _curves(u, most)
        self._floor = float(np.ptp(y) * ROUGH) ** 2 * u.size + 1e-300
        self._bases: list[Table] = []
        self._found: list[tuple[Floats, Floats, Table, Floats]] = []
        for t in SOON:
            base = np.column_stack([np.ones(u.size), 1 - np.exp(-u / t), *jumps])
            q, _ = np.linalg.qr(less(base))
            py, pu, pf = (part - q @ (q.T @ part) for part in (less(y), less(u), less(self._curves)))
            self._bases.append(base)
            self._found.append((py, pu, pf, (pf * pf).sum(axis=0) + 1e-12))

    def squares(self, line: float) -> float:
        """What is left with this line and the curve that fits best beside it."""
        least = math.inf
        for py, pu, pf, ff in self._found:
            rest = py - line * pu
            taken = np.maximum(pf.T @ rest, 0.0) ** 2 / ff
            least = min(least, float(rest @ rest - taken.max()))
        return max(least, 0.0) + self._floor

    def best(self) -> tuple[float, float]:
        """The line that fits best beside any curve, and its standard error beside that curve."""
        line, error, *_ = self._best()
        return line, error

    def _best(self) -> tuple[float, float, int, int, float]:
        found = (math.inf, 0.0, 0.0, 0, 0, 0.0)
        for number, (py, pu, pf, ff) in enumerate(self._found):
            fu, fy, uu, uy = pf.T @ pu, pf.T @ py, float(pu @ pu), float(pu @ py)
            det = np.maximum(uu * ff - fu**2, 1e-9 * uu * ff)
            lines, curves = (ff * uy - fu * fy) / det, (uu * fy - fu * uy) / det
            alone = curves < 0
            lines, curves = np.where(alone, uy / uu, lines), np.maximum(curves, 0.0)
            rests = float(py @ py) - lines * uy - curves * fy
            place = int(np.argmin(rests))
            if rests[place] < found[0]:
                rest = max(float(rests[place]), 0.0) + self._floor
                inverse = 1 / uu if alone[place] else float(ff[place] / det[place])
                error = math.sqrt(rest / max(1, py.size - 5) * inverse)
                found = (float(rests[place]), float(lines[place]), error, number, place, float(curves[place]))
        return found[1:]

    def rest(self) -> Floats:
        """What the best fit leaves, step by step."""
        line, _, number, place, curve = self._best()
        rest = self._y - line * self._u - curve * self._curves[:, place]
        base = self._bases[number]
        found: Floats = rest - base @ np.linalg.lstsq(base, rest, rcond=None)[0]
        return found

    def ends(self, line: float, room: float) -> tuple[float, float]:
        """The least and the greatest line that fit nearly as well: up to exp(room) times the squares."""
        most = self.squares(line) * math.exp(room)
        found = []
        for sign in (-1.0, 1.0):
            step = max(float(np.ptp(self._y)), 1e-12) * 0.01
            inner, outer = line, line + sign * step
            while self.squares(outer) <= most and step < 1e6 * float(np.ptp(self._y)):
                inner, step = outer, step * 2
                outer = line + sign * step
            for _ in range(16):
                middle = (inner + outer) / 2
                inner, outer = (middle, outer) if self.squares(middle) <= most else (inner, middle)
            found.append((inner + outer) / 2)
        return found[0], found[1]
