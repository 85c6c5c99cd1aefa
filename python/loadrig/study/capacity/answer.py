"""Answer of a search for a capacity: plain data, made by the search alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from loadrig.base.documents import Document, Says
from loadrig.base.estimate import Estimate
from loadrig.stats.intervals import Interval
from loadrig.stats.knee import Knee, knee
from loadrig.stats.usl import FEWEST, Usl, fit
from loadrig.study.capacity.beyond import Beyond
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.probe import DoneProbe

Why = Literal["sure", "budget", "generator_limited", "no_level_meets", "all_levels_meet"]
"""Reason why a search ended. sure: the interval is narrow enough; budget: the time was up first."""

Unit = Literal["1/s", "users"]

CONFIRMS_BELOW, CONFIRMS_ABOVE = 0.97, 1.05
"""Levels as factors of the capacity: the first must meet the goals, the second must not."""


class Confirmed(Document, frozen=True):
    """Longer looks at a level right below the capacity, and at one right above it."""

    below: Annotated[
        bool | None, Says("whether the goals were met right below it; null: not seen, or not surely enough")
    ]
    above: Annotated[
        bool | None, Says("whether a goal was missed right above it; null: not seen, or not surely enough")
    ]


class NearestLevel(Document, frozen=True):
    """Level that misses the goals least, where no level meets them."""

    level: Annotated[float, Says("the level")]
    text: Annotated[str, Says("the goal that it misses most")]
    value: Annotated[float | None, Says("share of the requests that broke that goal, or its reading")]


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of a search. why: it ended. capacity: None where no level or every level meets the goals.

    capacity is None, too, where too little was seen.

    at_least, at_most: the highest level that surely met every goal, and the lowest that surely missed one.
    binding: the goal that limits. saturation: most good answers a second. beyond: of an overload on purpose.
    needed: what the generator would have to offer. took_s: of the whole search.
    warnings: sentences for a person.
    """

    why: Why
    unit: Unit
    capacity: Estimate | None
    at_least: float | None
    at_most: float | None
    binding: str
    confirmed: Confirmed
    saturation: Estimate | None
    knee: Knee | None
    usl: Usl | None
    beyond: Beyond | None
    nearest: NearestLevel | None
    needed: float | None
    probes: tuple[DoneProbe, ...]
    took_s: float
    warnings: tuple[str, ...]


def sides(probes: Sequence[DoneProbe]) -> tuple[float | None, float | None]:
    """Return the highest level that surely met every goal, and the lowest above it that surely missed one."""
    judged = [probe for probe in probes if probe.kind not in ("saturation", "overload", "recovery")]
    met = max((probe.level for probe in judged if probe.verdict == "meets"), default=None)
    above = [
        probe.level for probe in judged if probe.verdict == "fails" and (met is None or probe.level > met)
    ]
    return met, min(above, default=None)


def nearest(probes: Sequence[DoneProbe], goals: Goals) -> NearestLevel | None:
    """Return the level at which the worst goal is missed by the least factor."""
    limits = {goal.text: goal.most for goal in goals.shares}
    misses: list[tuple[float, NearestLevel]] = []
    for probe in probes:
        misses_here = []
        for at_level in probe.goals:
            limit = limits[at_level.text]
            if at_level.value is None or limit == 0:
                continue
            nearest = NearestLevel(probe.level, at_level.text, at_level.value)
            misses_here.append((at_level.value / limit, nearest))
        if misses_here:
            misses.append(max(misses_here, key=lambda miss: miss[0]))
    return min(misses, key=lambda miss: miss[0])[1] if misses else None


def knee_of(probes: Sequence[DoneProbe]) -> Knee | None:
    """Estimate the knee from all levels that were seen long enough, probes of one level taken together."""
    points = _points(probes)
    if not points:
        return None
    return knee(
        [point[0] for point in points], [point[1] for point in points], [point[2] for point in points]
    )


def usl_of(probes: Sequence[DoneProbe], seed: int) -> Usl | None:
    """Estimate the scalability law of a closed load; None for fewer loads than it needs."""
    points = _points(probes)
    if len({point[0] for point in points}) < FEWEST:
        return None
    return fit(
        [point[0] for point in points],
        [point[1] for point in points],
        [point[3] for point in points],
        seed=seed,
    )


def estimate_of(interval: Interval | None, unit: str) -> Estimate | None:
    """Return an interval as an estimate. unit: of its values."""
    if interval is None:
        return None
    return Estimate(
        interval.value, unit, interval.low, interval.high, interval.n, "frames", interval.confidence
    )


def _points(probes: Sequence[DoneProbe]) -> list[tuple[float, float, float, float]]:
    """Return level, throughput, mean response time and standard error of the throughput; by level."""
    sums: dict[float, list[float]] = {}
    for probe in probes:
        window = probe.window
        if not window.done or probe.diverged or probe.kind in ("overload", "recovery", "saturation"):
            continue
        row = sums.setdefault(probe.level, [0.0, 0.0, 0.0, 0.0])
        for place, value in enumerate(
            (window.good, window.seconds, window.in_flight * window.seconds, window.done)
        ):
            row[place] += value
    return [
        (level, good / seconds, area / done, max(good, 1.0) ** 0.5 / seconds)
        for level, (good, seconds, area, done) in sorted(sums.items())
        if good > 0 and area > 0
    ]
