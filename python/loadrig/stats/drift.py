"""Drift of a course that should be steady: a step at an instant, a slope from begin to end, or neither.

The course is taken as the medians of some forty blocks; seconds resemble their neighbours, blocks hardly do.
A step and a line are fitted to the logarithms, and each is tested with what likeness of neighbours is left
taken into account. Source: a step at an unknown place: Hawkins 1977, J. Am. Stat. Assoc. 72, 180-186.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from loadrig.stats.arrays import Floats
from loadrig.stats.changes import best_place, level_change
from loadrig.stats.limits import BLOCKS, FEWEST_BLOCKS, LEAST_SIDE
from loadrig.stats.slope import likeness, slope

DriftWord = Literal["steady", "step", "slope"]
"""Verdict on a course."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """Change of a course, by a step or a line, whichever fits better.

    before, after: values at the begin and at the end, by the fit. low, high: 95 % interval of after over
    before. p: two-sided, of no change. from_s, to_s: instants between which a step lies; nan without a step.
    """

    word: DriftWord
    before: float
    after: float
    low: float
    high: float
    p: float
    from_s: float = math.nan
    to_s: float = math.nan

    @property
    def at_s(self) -> float:
        """Instant of a step; nan without a step."""
        return (self.from_s + self.to_s) / 2

    @property
    def ratio(self) -> float:
        """Value at the end over the value at the begin; 1 where that was 0."""
        return self.after / self.before if self.before else 1.0


def drift(t_s: Floats, values: Floats) -> Drift | None:
    """Return how a course changed, be it sure or not; None for fewer than FEWEST_BLOCKS known values.

    values: at the instants t_s; nan, and what is not above zero, counts as unknown. The p is of both fits
    together: it is twice the smaller one.
    """
    is_usable = np.isfinite(values) & (values > 0)
    if is_usable.sum() < FEWEST_BLOCKS:
        return None
    t, y = _medians(t_s[is_usable], np.log(values[is_usable]))
    line = slope(t, y)
    if line is None:
        return None
    n, span = y.size, float(t[-1] - t[0])
    begin = float(np.median(y - line.value * t)) + line.value * float(t[0])
    squares = float(((y - begin - line.value * (t - t[0])) ** 2).sum())
    place = best_place(y)
    p, step = line.p, None
    if place is not None:
        rest = np.concatenate([part - part.mean() for part in (y[:place], y[place:])])
        step = level_change(y, place, likeness(rest))
        p = min(p, step.p * (n + 1 - 2 * LEAST_SIDE))
        # Of equally good fits the line is taken, as a step has one more parameter, its place.
        if float(rest @ rest) >= squares * math.exp(-math.log(n) / n):
            step = None
    p = min(1.0, 2 * p)
    if step is None or place is None:
        low, high = line.low * span, line.high * span
        return Drift(
            word="slope", before=math.exp(begin), after=math.exp(begin + line.value * span),
            low=math.exp(low), high=math.exp(high), p=p,
        )  # fmt: skip
    return Drift(
        word="step", before=math.exp(step.before), after=math.exp(step.after),
        low=math.exp(step.low), high=math.exp(step.high), p=p,
        from_s=float(t[place - 1]), to_s=float(t[place]),
    )  # fmt: skip


def _medians(t: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return the means of t and the medians of values in blocks."""
    edges = np.linspace(0, t.size, min(BLOCKS, t.size) + 1).astype(int)
    pairs = list(pairwise(edges.tolist()))
    return (
        np.array([t[low:high].mean() for low, high in pairs]),
        np.array([np.median(values[low:high]) for low, high in pairs]),
    )
