"""Reading of a recording's histograms for a soak: one pass for all that its answer needs.

A soak of four hours has a million histograms, and decoding them is what takes the time; so goals over
stretches, latency by route and the mix are all counted in one pass.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadrig._native import Histogram
from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording
from loadrig.soaking import windows
from loadrig.soaking.drift import RouteCourse
from loadrig.soaking.windows import GoalKept
from loadrig.stats.arrays import Floats

NS = 1_000_000_000

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

Goal = Mapping[str, Any]
"""A goal as the manifest has it: text, measure, below, limit, unit, route, over_s."""


@dataclass(eq=False)
class _Counts:
    """Amounts and totals by which one goal is judged, step by step."""

    amounts: list[float] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Read:
    """Counts of the histograms of a recording.

    kept: each goal that has stretches, by its text. courses: latency and tail of each route and of all.
    counts, means_s: answers and mean time of each route, in the same steps as the courses, for the mix.
    """

    kept: Mapping[str, GoalKept]
    courses: tuple[RouteCourse, ...]
    counts: Mapping[str, Floats]
    means_s: Mapping[str, Floats]


def read(recording: Recording, goals: Sequence[Goal] = ()) -> Read:
    """Count the measured part of a recording. goals: those without stretches are left out."""
    frames = recording.inside
    if not frames:
        return Read({}, (), {}, {})
    kept_goals = {goal["text"]: kept(recording, goal) for goal in goals if goal.get("over_s")}
    return Read(kept_goals, *_by_route(recording, frames))


def kept(recording: Recording, goal: Goal) -> GoalKept:
    """Return whether a goal held in every stretch of the measured part; computed once for each recording."""
    return recording.remembered((__name__, goal["text"]), lambda: _judged(recording, goal))


def _judged(recording: Recording, goal: Goal) -> GoalKept:
    frames = recording.inside
    edges = [frames[0].end_ns - 1 if frames else 0, *(frame.end_ns for frame in frames)]
    counts = _Counts()
    _count(recording, frames, edges, goal, counts)
    seconds = np.array([frame.len_ns for frame in frames]) / NS
    return _kept(recording, edges, seconds, goal, counts)


def _count(
    recording: Recording, frames: Sequence[Frame], edges: Sequence[int], goal: Goal, into: _Counts
) -> None:
    name, route, limit = goal["measure"], goal["route"], float(goal["limit"])
    if name in _OF_TIMES:
        kind, outcome = _OF_TIMES[name]
        classes = _classes(route)
        for step in recording.histograms(edges, route, outcome, kind, classes):
            into.totals.append(step.count)
            into.amounts.append(_amount(name, step, limit))
        return
    for frame in frames:
        rows = [
            row for row in frame.routes if (row.route == route if route else row.route_class == "service")
        ]
        if name == "errors":
            into.amounts.append(sum(row.count for row in rows if row.outcome != "ok"))
            into.totals.append(sum(row.count for row in rows))
        else:
            good = sum(row.count for row in rows if row.outcome == "ok")
            into.amounts.append(frame.due if name == "offered" else good)
            into.totals.append(frame.len_ns / NS)


def _amount(name: str, step: Histogram, limit_s: float) -> float:
    if name in QUANTILES:
        return windows.below(step, limit_s)
    return step.max_ns / NS if name == "max" else step.mean_ns * step.count / NS


def _kept(
    recording: Recording, edges: Sequence[int], seconds: Floats, goal: Goal, counts: _Counts
) -> GoalKept:
    name, over_s, limit = goal["measure"], float(goal["over_s"]), float(goal["limit"])
    if name in QUANTILES:
        quantile, kind, outcome = QUANTILES[name]
        value_of = _quantile_of(recording, edges, goal["route"], quantile, kind, outcome)
        return windows.of_quantile(seconds, counts.amounts, counts.totals, quantile, over_s, limit, value_of)
    if name == "max":
        return windows.of_greatest(seconds, counts.amounts, counts.totals, over_s, limit)
    return windows.of_ratio(
        seconds, counts.amounts, counts.totals, over_s, limit, is_below=bool(goal["below"])
    )


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
    few = [name for name in ("", *routes) if not (len(routes) == 1 and name)]
    courses = tuple(
        RouteCourse(name, measure, t_s, values[name])
        for name in few
        for measure, values in (("latency", median), ("tail", tail))
    )
    return courses, counts, means
