"""Drift of latency and throughput through a soak, route by route: steps, slopes, or neither.

Each course is taken as the medians of some forty blocks; seconds resemble their neighbours, blocks hardly do.
A step and a slope are fitted, and each is tested with what likeness of neighbours is left taken into account.
If one is sure, the better fit is named. Fifty routes are a hundred tests, so their p are adjusted together.
Sources: a step at an unknown place: Hawkins 1977, J. Am. Stat. Assoc. 72, 180-186; the loss of the number of
independent values: Bayley & Hammersley 1946, J. R. Stat. Soc. Suppl. 8, 184-197.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from loadrig.base.units import show_duration, show_share
from loadrig.stats.arrays import Floats
from loadrig.stats.coincidence import discovery_rates
from loadrig.stats.distributions import t_above, t_quantile
from loadrig.stats.slope import MOST_ALIKE

Word = Literal["steady", "step", "slope"]
"""Verdict on a course."""

BLOCKS, FEWEST_BLOCKS_OF_DRIFT = 40, 12
"""Greatest and least number of blocks of a course."""
SHORTEST = 4
"""Least number of blocks on each side of a step: a shorter part is a dip or a beginning."""

SURE_OF_DRIFT = 0.01
"""Greatest share of false discoveries among all routes and measures of a soak."""

MATTERS: Mapping[str, float] = {"latency": 0.05, "tail": 0.10, "throughput": 0.03}
"""Least change that is reported, as a share of the value before, by measure: the margins of comparisons."""

LEAST_LATENCY_CHANGE_S = 0.001
"""Least change of a latency that is reported, in seconds: nobody feels less."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Change of one course.

    route: empty for all routes together. measure: "latency" (median), "tail" (p95) or "throughput". word:
    "steady" also where the change is too small to be reported. before, after: values at the begin and at the
    end, by the fit. low, high: interval of after over before. p: adjusted for the number of courses. at_s:
    place of a step; from_s, to_s: between which instants it lies; nan without a step.
    """

    route: str
    measure: str
    word: Word
    before: float
    after: float
    low: float
    high: float
    p: float
    at_s: float = math.nan
    from_s: float = math.nan
    to_s: float = math.nan

    @property
    def ratio(self) -> float:
        """Return the value at the end over the value at the begin; 1 where that was 0."""
        return self.after / self.before if self.before else 1.0

    @property
    def text(self) -> str:
        """Return the drift as one sentence."""
        what = {"latency": "median latency", "tail": "p95", "throughput": "throughput"}[self.measure]
        of_route = f" of {self.route}" if self.route else ""
        if self.word == "steady":
            return f"{what}{of_route} was steady"
        rose = "rose" if self.after > self.before else "fell"
        ends = f"{_change(self.low)} to {_change(self.high)}"
        by = f"{_change(self.ratio)} (95 % {ends})"
        if self.word == "slope":
            return f"{what}{of_route} {rose} steadily from begin to end: {by}"
        return f"{what}{of_route} {rose} at {show_duration(round(self.at_s))} and stayed there: {by}"


def _change(ratio: float) -> str:
    """Return a ratio as a change with its sign: 1.3 -> "+30 %", 0.96 -> "−4 %"."""
    sign = "+" if ratio > 1 else "−" if ratio < 1 else ""
    return f"{sign}{show_share(abs(ratio - 1))}"


@dataclass(frozen=True, eq=False)
class Course:
    """Course of a measure, to be tested for drift.

    t_s: instants in seconds. values: float64[n] at these instants, above zero; nan where unknown.
    """

    route: str
    measure: str
    t_s: Floats
    values: Floats


def drifts(courses: Sequence[Course]) -> list[Drift]:
    """Return how each course changed, the largest changes first.

    A course with too few known values is left out.
    """
    fitted = [drift for course in courses if (drift := _drift(course)) is not None]
    rates = discovery_rates([drift.p for drift in fitted])
    judged = []
    for drift, q in zip(fitted, rates, strict=True):
        least = MATTERS[drift.measure]
        matters = abs(drift.ratio - 1) >= least and (
            drift.measure == "throughput" or abs(drift.after - drift.before) >= LEAST_LATENCY_CHANGE_S
        )
        word: Word = drift.word if q <= SURE_OF_DRIFT and matters else "steady"
        judged.append(replace(drift, p=q, word=word))
    return sorted(judged, key=lambda drift: (drift.word == "steady", -abs(math.log(max(drift.ratio, 1e-9)))))


def _drift(course: Course) -> Drift | None:
    good = np.isfinite(course.values) & (course.values > 0)
    if good.sum() < FEWEST_BLOCKS_OF_DRIFT:
        return None
    t, y = _blocks(course.t_s[good], course.values[good])
    logs = np.log(y)
    step, line = _step(logs), _line(t, logs)
    # Of equally good fits the line is taken, as a step has one more parameter, its place.
    is_step = (
        step.rest < line.rest * math.exp(-math.log(logs.size) / logs.size) if step is not None else False
    )
    best = step if step is not None and is_step else line
    p = min(1.0, 2 * min(best.p, (line if best is step else step or line).p))
    half = t_quantile(0.975, best.df) * best.error
    place = best.place
    return Drift(
        route=course.route,
        measure=course.measure,
        word="step" if place is not None else "slope",
        before=math.exp(best.begin),
        after=math.exp(best.begin + best.change),
        low=math.exp(best.change - half),
        high=math.exp(best.change + half),
        p=p,
        at_s=float((t[place - 1] + t[place]) / 2) if place is not None else math.nan,
        from_s=float(t[place - 1]) if place is not None else math.nan,
        to_s=float(t[place]) if place is not None else math.nan,
    )


def _blocks(t: Floats, values: Floats) -> tuple[Floats, Floats]:
    edges = np.linspace(0, t.size, min(BLOCKS, t.size) + 1).astype(int)
    pairs = list(pairwise(edges.tolist()))
    return (
        np.array([t[low:high].mean() for low, high in pairs]),
        np.array([np.median(values[low:high]) for low, high in pairs]),
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """A step or a line fitted to a course.

    begin: level at the begin, by the fit. change: change to the end. error: standard error of the change. df:
    degrees of freedom. rest: sum of squares of the residuals. place: number of values before a step; None for
    a line.
    """

    begin: float
    change: float
    error: float
    df: float
    p: float
    rest: float
    place: int | None = None


def _step(y: Floats) -> _Fit | None:
    n = y.size
    places = np.arange(SHORTEST, n - SHORTEST + 1)
    if not places.size:
        return None
    total = np.concatenate(([0.0], np.cumsum(y)))
    before, after = total[places] / places, (total[-1] - total[places]) / (n - places)
    gains = places * (n - places) / n * (after - before) ** 2
    best = int(np.argmax(gains))
    place = int(places[best])
    rest = y - np.where(np.arange(n) < place, before[best], after[best])
    worth = _worth(rest)
    squares = float(rest @ rest)
    # Degrees of freedom of as many independent values as the correlated ones are worth.
    df = max(2.0, n * worth - 2)
    error = math.sqrt(squares / max(1.0, n - 2) * (1 / place + 1 / (n - place)) / worth) + 1e-12
    change = float(after[best] - before[best])
    p = min(1.0, 2 * t_above(abs(change) / error, df) * places.size)
    return _Fit(float(before[best]), change, error, df, p, squares + 1e-300, place)


def _line(t: Floats, y: Floats) -> _Fit:
    u = (t - t[0]) / (t[-1] - t[0])
    du = u - u.mean()
    change = float(du @ y) / float(du @ du)
    rest = y - y.mean() - change * du
    worth = _worth(rest)
    squares = float(rest @ rest)
    df = max(2.0, y.size * worth - 2)
    error = math.sqrt(squares / max(1.0, y.size - 2) / float(du @ du) / worth) + 1e-12
    p = 2 * t_above(abs(change) / error, df)
    return _Fit(float(y.mean() - change * u.mean()), change, error, df, p, squares + 1e-300)


def _worth(rest: Floats) -> float:
    """Return the share of values that are independent, where noise keeps a share of what it was before."""
    n, total = rest.size, float(rest @ rest)
    r = float(rest[1:] @ rest[:-1]) / total if total > 0 else 0.0
    alike = min(MOST_ALIKE, max(0.0, (n * r + 2) / (n - 4)))
    return (1 - alike) / (1 + alike)
