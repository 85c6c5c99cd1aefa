"""Drift of latency and throughput through a soak, route by route: steps, slopes, or neither.

Fifty routes are a hundred tests, so their p are adjusted together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.documents import finite
from loadrig.base.units import show_duration, show_share
from loadrig.judgement.soak.document import DriftDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.soak import JudgementSoakDriftTexts
from loadrig.stats.arrays import Floats
from loadrig.stats.coincidence import discovery_rates
from loadrig.stats.drift import Drift, drift
from loadrig.stats.limits import SURE_OF_DRIFT

TEXTS = texts_of(JudgementSoakDriftTexts)

MATTERS: Mapping[str, float] = {"latency": 0.05, "tail": 0.10, "throughput": 0.03}
"""Least change that is reported, as a share of the value before, by measure: the margins of comparisons."""

LEAST_LATENCY_CHANGE_S = 0.001
"""Least change of a latency that is reported, in seconds: nobody feels less."""

NAMES: Mapping[str, str] = {"latency": TEXTS.name_latency, "tail": "p95", "throughput": TEXTS.name_throughput}
"""Measures in words."""


@dataclass(frozen=True, eq=False)
class RouteCourse:
    """Course of a measure, to be tested for drift.

    route: empty for all routes together. measure: "latency" (median), "tail" (p95) or "throughput". t_s:
    instants in seconds. values: float64[n] at these instants, above zero; nan where unknown.
    """

    route: str
    measure: str
    t_s: Floats
    values: Floats


def drifts(courses: Sequence[RouteCourse]) -> list[DriftDocument]:
    """Return how each course changed, the largest changes first.

    A course with too few known values is left out. A change that is too small to be reported, or not sure
    enough for the number of courses, is steady.
    """
    fitted = [(course, fit) for course in courses if (fit := drift(course.t_s, course.values)) is not None]
    rates = discovery_rates([fit.p for _, fit in fitted])
    judged = [_judged(course, fit, float(p)) for (course, fit), p in zip(fitted, rates, strict=True)]
    return sorted(
        judged, key=lambda trend: (trend.verdict == "steady", -abs(math.log(max(trend.ratio, 1e-9))))
    )


def _judged(course: RouteCourse, fit: Drift, p: float) -> DriftDocument:
    """Return the verdict on a course. p: of no change, adjusted for the number of courses."""
    is_large = abs(fit.ratio - 1) >= MATTERS[course.measure] and (
        course.measure == "throughput" or abs(fit.after - fit.before) >= LEAST_LATENCY_CHANGE_S
    )
    is_steady = p > SURE_OF_DRIFT or not is_large
    return DriftDocument(
        route=course.route or None,
        measure=course.measure,
        verdict="steady" if is_steady else fit.word,
        text=_text(course, fit, is_steady=is_steady),
        before=fit.before,
        after=fit.after,
        ratio=fit.ratio,
        low=finite(fit.low),
        high=finite(fit.high),
        p=p,
        at_s=finite(fit.at_s),
    )


def _text(course: RouteCourse, fit: Drift, *, is_steady: bool) -> str:
    """Return the drift as one sentence."""
    what = NAMES[course.measure] + (TEXTS.route_of(course.route) if course.route else "")
    if is_steady:
        return TEXTS.was_steady(what)
    is_rise = fit.after > fit.before
    by = TEXTS.to(_change(fit.ratio), _change(fit.low), _change(fit.high))
    if fit.word == "slope":
        return TEXTS.steadily_from_begin(what, is_rise, by)
    return TEXTS.stayed_there(what, is_rise, show_duration(round(fit.at_s)), by)


def _change(ratio: float) -> str:
    """Return a ratio as a change with its sign: 1.3 -> "+30 %", 0.96 -> "−4 %"."""
    sign = "+" if ratio > 1 else "−" if ratio < 1 else ""
    return f"{sign}{show_share(abs(ratio - 1))}"
