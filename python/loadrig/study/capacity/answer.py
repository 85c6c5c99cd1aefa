"""What a search for a capacity found: plain data, made by the search alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loadrig.base.estimate import Estimate
from loadrig.stats.intervals import Interval
from loadrig.stats.knee import Knee, knee
from loadrig.stats.usl import FEWEST, Usl, fit
from loadrig.study.capacity.beyond import Beyond
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.probe import DoneProbe

Why = Literal["sure", "budget", "generator_limited", "no_level_meets", "all_levels_meet"]
"""sure: the interval is as narrow as was asked. budget: the time was up first."""

Unit = Literal["1/s", "users"]

CONFIRMS_BELOW, CONFIRMS_ABOVE = 0.97, 1.05
"""Times the capacity: the first must meet the goals, the second must not."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What was seen right below the capacity, and right above it; None where there was no time for it.

    True: as it should be. False: it was not. None within: it leaned to no side surely enough.
    """

    below: bool | None
    above: bool | None


@dataclass(frozen=True, slots=True)
class Nearest:
    """Where no level meets the goals: the level that misses them least, and the goal that it misses most."""

    level: float
    text: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """why: it ended. capacity: None where no level, or every level, meets the goals, or too little was seen.

    at_least, at_most: the highest level that surely met every goal, and the lowest that surely missed one.
    binding: the goal that limits. saturation: most good answers a second. beyond: of an overload on purpose.
    needed: what the generator would have to offer. took_s: of all. warnings: sentences for a person.
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
    nearest: Nearest | None
    needed: float | None
    probes: tuple[DoneProbe, ...]
    took_s: float
    warnings: tuple[str, ...]


def sides(probes: Sequence[DoneProbe]) -> tuple[float | None, float | None]:
    """The highest level that surely met every goal, and the lowest above it that surely missed one."""
    judged = [one for one in probes if one.kind not in ("saturation", "overload", "recovery")]
    met = max((one.level for one in judged if one.verdict == "meets"), default=None)
    above = [one.level for one in judged if one.verdict == "fails" and (met is None or one.level > met)]
    return met, min(above, default=None)


def nearest(probes: Sequence[DoneProbe], goals: Goals) -> Nearest | None:
    """The level at which the worst goal is missed by the least factor."""
    limits = {goal.text: goal.most for goal in goals.shares}
    limits |= {goal.text: goal.limit for goal in goals.readings}
    below = {goal.text: goal.below for goal in goals.readings}
    found: list[tuple[float, Nearest]] = []
    for probe in probes:
        told = []
        for one in probe.goals:
            limit = limits[one.text]
            if one.value is None or limit == 0:
                continue
            is_below = below.get(one.text, True)
            factor = one.value / limit if is_below else limit / max(one.value, 1e-12)
            told.append((factor, Nearest(probe.level, one.text, one.value)))
        if told:
            found.append(max(told, key=lambda one: one[0]))
    return min(found, key=lambda one: one[0])[1] if found else None


def knee_of(probes: Sequence[DoneProbe]) -> Knee | None:
    """The knee of all levels that were seen long enough, those of one level taken together."""
    points = _points(probes)
    if not points:
        return None
    return knee([one[0] for one in points], [one[1] for one in points], [one[2] for one in points])


def usl_of(probes: Sequence[DoneProbe], seed: int) -> Usl | None:
    """The scalability law of a closed load; None for fewer loads than it needs."""
    points = _points(probes)
    if len({one[0] for one in points}) < FEWEST:
        return None
    return fit([one[0] for one in points], [one[1] for one in points], [one[3] for one in points], seed=seed)


def estimate_of(found: Interval | None, unit: str) -> Estimate | None:
    """The same as an estimate."""
    if found is None:
        return None
    return Estimate(found.value, unit, found.low, found.high, found.n, "frames", found.confidence)


def _points(probes: Sequence[DoneProbe]) -> list[tuple[float, float, float, float]]:
    """Level, throughput, mean response time, standard error of the throughput; by level."""
    sums: dict[float, list[float]] = {}
    for one in probes:
        window = one.window
        if not window.done or one.diverged or one.kind in ("overload", "recovery", "saturation"):
            continue
        row = sums.setdefault(one.level, [0.0, 0.0, 0.0, 0.0])
        for place, value in enumerate(
            (window.good, window.seconds, window.in_flight * window.seconds, window.done)
        ):
            row[place] += value
    return [
        (level, good / seconds, area / done, max(good, 1.0) ** 0.5 / seconds)
        for level, (good, seconds, area, done) in sorted(sums.items())
        if good > 0 and area > 0
    ]
