"""Reading of a recording's histograms for a soak: one pass for all that its answer needs.

A soak of four hours has a million histograms, and decoding them is what takes the time; so goals over
stretches, latency by route and the mix are all counted in one pass.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.judgement.soak import stretches
from loadrig.judgement.soak.document import GoalOverStretches
from loadrig.judgement.soak.drift import RouteCourse
from loadrig.judgement.soak.stretches import StretchGoal
from loadrig.judgement.soak.verdict import SoakCounts
from loadrig.recording.frame import Frame
from loadrig.recording.manifest_document import AskedGoal
from loadrig.recording.reader import Recording
from loadrig.stats.arrays import Floats

STEPS = 240
"""Greatest number of steps of latency by route: in a soak of four hours each is a minute."""

QUANTILES: Mapping[str, tuple[float, str, str]] = {
    "p50": (0.5, "response", "ok"), "p90": (0.9, "response", "ok"), "p95": (0.95, "response", "ok"),
    "p99": (0.99, "response", "ok"), "p99.9": (0.999, "response", "ok"),
    "service_p50": (0.5, "service", "ok"), "service_p95": (0.95, "service", "ok"),
    "service_p99": (0.99, "service", "ok"), "failed_p95": (0.95, "response", "failed"),
}  # fmt: skip
"""Measures that are quantiles: the quantile, the kind of times and the outcome of each."""

_OF_TIMES: Mapping[str, tuple[str, str]] = {
    **{name: (kind, outcome) for name, (_, kind, outcome) in QUANTILES.items()},
    "mean": ("response", "ok"),
    "max": ("response", "ok"),
}
"""Measures of times: the kind of times and the outcome of each."""


def read(recording: Recording, goals: Sequence[AskedGoal] = ()) -> SoakCounts:
    """Count the measured part of a recording. goals: those without stretches are left out."""
    frames = recording.inside
    if not frames:
        return SoakCounts()
    judged = tuple(goal_in_stretches(recording, goal) for goal in goals if goal.over_s)
    return SoakCounts(judged, *_by_route(recording, frames))


def goal_in_stretches(recording: Recording, goal: AskedGoal) -> GoalOverStretches:
    """Return whether a goal held in every stretch of the measured part; computed once for each recording."""
    return recording.remembered((__name__, goal.text), lambda: _judged(recording, goal))


def _judged(recording: Recording, goal: AskedGoal) -> GoalOverStretches:
    name, route, limit = goal.measure, goal.route, goal.limit
    frames = recording.inside
    seconds = np.array([frame.len_ns for frame in frames]) / NS
    asked = StretchGoal(goal.text, seconds, goal.over_s or 0.0, limit, goal.below)
    if name not in _OF_TIMES:
        return stretches.of_ratio(asked, *_counted(frames, name, route))
    kind, outcome = _OF_TIMES[name]
    edges = [frames[0].end_ns - 1 if frames else 0, *(frame.end_ns for frame in frames)]
    amounts, counts = [], []
    # A histogram is read and let go: those of all steps at once would take hundreds of megabytes.
    for step in recording.histograms(edges, route, outcome, kind, _classes(route)):
        counts.append(step.count)
        amounts.append(_amount(name, step, limit))
    if name in QUANTILES:
        value_of = _quantile_of(recording, edges, route, *QUANTILES[name])
        return stretches.of_quantile(asked, amounts, counts, QUANTILES[name][0], value_of)
    return (stretches.of_greatest if name == "max" else stretches.of_ratio)(asked, amounts, counts)


def _counted(frames: Sequence[Frame], name: str, route: str | None) -> tuple[list[float], list[float]]:
    """Return the amount and the total of each frame, of a measure that is a ratio of counts."""
    amounts: list[float] = []
    totals: list[float] = []
    for frame in frames:
        rows = [
            row for row in frame.routes if (row.route == route if route else row.route_class == "service")
        ]
        ended, good = sum(row.count for row in rows), sum(row.count for row in rows if row.outcome == "ok")
        if name == "errors":
            amounts.append(ended - good)
            totals.append(ended)
        else:
            amounts.append(frame.due if name == "offered" else good)
            totals.append(frame.len_ns / NS)
    return amounts, totals


def _amount(name: str, step: Histogram, limit_s: float) -> float:
    """Return what a measure adds up of a step: answers below the limit, the greatest time or all times."""
    if name in QUANTILES:
        return stretches.below(step, limit_s)
    return step.max_ns / NS if name == "max" else step.mean_ns * step.count / NS


def _quantile_of(
    recording: Recording, edges: Sequence[int], route: str | None, quantile: float, kind: str, outcome: str
) -> Callable[[int, int], float]:
    def value_of(low: int, high: int) -> float:
        merged = recording.histogram(
            route, outcome, kind, from_ns=edges[low], to_ns=edges[high], classes=_classes(route)
        )
        return merged.quantile_ns(quantile) / NS if merged.count else math.nan

    return value_of


def _classes(route: str | None) -> tuple[str, ...]:
    return ("service",) if route is None else ("service", "login")


def _by_route(
    recording: Recording, frames: Sequence[Frame]
) -> tuple[tuple[RouteCourse, ...], dict[str, Floats], dict[str, Floats]]:
    frames_a_step = max(1, -(-len(frames) // STEPS))
    ends = [frame.end_ns for frame in frames][frames_a_step - 1 :: frames_a_step]
    edges = [frames[0].end_ns - 1, *ends]
    # A last part that is shorter than the others would be noisier than they are.
    t_s = (np.array(ends, dtype=np.float64) - frames[0].t_ns) / NS
    routes = [name for name, route_class in recording.classes.items() if route_class == "service"]
    counts = {name: np.zeros(len(ends)) for name in routes}
    means = {name: np.full(len(ends), np.nan) for name in routes}
    median, tail = ({name: np.full(len(ends), np.nan) for name in (*routes, "")} for _ in ("latency", "tail"))
    of_routes = {name: recording.histograms(edges, name, "ok") for name in routes}
    # Part by part, not route by route: the sums of all parts at once would take tens of megabytes.
    for place in range(len(ends)):
        total = Histogram()
        for name, parts in of_routes.items():
            step = next(parts)
            if step.count:
                counts[name][place] = step.count
                means[name][place] = step.mean_ns / NS
                median[name][place] = step.quantile_ns(0.5) / NS
                tail[name][place] = step.quantile_ns(0.95) / NS
                total.add(step)
        if total.count:
            median[""][place], tail[""][place] = total.quantile_ns(0.5) / NS, total.quantile_ns(0.95) / NS
    shown_names = [name for name in ("", *routes) if not (len(routes) == 1 and name)]
    courses = tuple(
        RouteCourse(name, measure, t_s, values[name])
        for name in shown_names
        for measure, values in (("latency", median), ("tail", tail))
    )
    return courses, counts, means
