"""Drift of latency and throughput through a soak, route by route: steps, slopes, or neither.

Fifty routes are a hundred tests, so their p are adjusted together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from loadrig.base.units import show_duration, show_share
from loadrig.stats.arrays import Floats
from loadrig.stats.coincidence import discovery_rates
from loadrig.stats.drift import Drift, drift
from loadrig.stats.limits import SURE_OF_DRIFT

MATTERS: Mapping[str, float] = {"latency": 0.05, "tail": 0.10, "throughput": 0.03}
"""Least change that is reported, as a share of the value before, by measure: the margins of comparisons."""

LEAST_LATENCY_CHANGE_S = 0.001
"""Least change of a latency that is reported, in seconds: nobody feels less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteDrift(Drift):
    """Change of one course.

    route: empty for all routes together. measure: "latency" (median), "tail" (p95) or "throughput". word:
    "steady" also where the change is too small to be reported. p: adjusted for the number of courses.
    """

    route: str
    measure: str

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
class RouteCourse:
    """Course of a measure, to be tested for drift.

    t_s: instants in seconds. values: float64[n] at these instants, above zero; nan where unknown.
    """

    route: str
    measure: str
    t_s: Floats
    values: Floats


def drifts(courses: Sequence[RouteCourse]) -> list[RouteDrift]:
    """Return how each course changed, the largest changes first.

    A course with too few known values is left out.
    """
    fitted = [
        RouteDrift(route=course.route, measure=course.measure, **asdict(fit))
        for course in courses
        if (fit := drift(course.t_s, course.values)) is not None
    ]
    rates = discovery_rates([fit.p for fit in fitted])
    judged = [
        replace(fit, p=q, word=fit.word if q <= SURE_OF_DRIFT and _matters(fit) else "steady")
        for fit, q in zip(fitted, rates, strict=True)
    ]
    return sorted(judged, key=lambda fit: (fit.word == "steady", -abs(math.log(max(fit.ratio, 1e-9)))))


def _matters(fit: RouteDrift) -> bool:
    """Return whether a change is large enough to be reported."""
    return abs(fit.ratio - 1) >= MATTERS[fit.measure] and (
        fit.measure == "throughput" or abs(fit.after - fit.before) >= LEAST_LATENCY_CHANGE_S
    )
