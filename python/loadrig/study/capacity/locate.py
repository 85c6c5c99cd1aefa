"""From all probes to the capacity: how probable each level is as the highest that meets every goal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadrig.stats.arrays import Floats
from loadrig.stats.bisection import log_spaced, weighted_quantile
from loadrig.stats.threshold import GROSS, Look, posterior
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.probe import DoneProbe, GoalSeen
from loadrig.study.capacity.waits import Line

CANDIDATES = 400

NEAR = 0.16
"""In ln(level): counts within it tell where the limit lies, those beyond only on which side. The logistic
curve is an approximation that need not hold far away."""

EARLY_S, EARLY_GROSS = 20.0, 0.1
"""A server that has only just been loaded is colder than it will be."""

USERS_STEEPNESS, ERRORS_STEEPNESS = 20.0, 50.0
"""With users: 23 and 42 of simulated ones. Of errors, and of a server that breaks down before it is
saturated: 40 where who would wait is refused, hundreds where attempts that time out are made again."""

FLATTEST, STEEPEST = 3.0, 300.0
"""Of d logit(share) / d ln(level)."""

UNSURE = 0.2
"""How often the side is wrong to which an undecided probe leans, at least."""

RAMP_UNSURE = 0.1

CUT_WRONG = 0.1
"""How often what fails within a few seconds would not in the long run."""

CUT_OFF = 2.0
"""Clusters that begin in a drain or end after a window are not seen whole: counts of late answers are worth
so many times less than those of a long run."""
BREAKS_CUT_OFF = 8.0
"""Where a server breaks down for good, one long queue is enough: that none came within some seconds says
little of the hours for which it must not."""

EDGE = 0.02
"""Of the probability: more of it at an end of the bracket, and the bracket was too narrow."""


@dataclass(frozen=True, slots=True)
class Located:
    """How probable each level is as the capacity.

    levels, weights: of the candidates. steepness: d logit(share) / d ln(level) supposed at the median.
    binding: the goal that is most probably missed first; "" where there is none on a share.
    """

    levels: Floats
    weights: Floats
    steepness: float
    binding: str

    @property
    def median(self) -> float:
        """The capacity."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """The level below which the capacity lies with this probability."""
        return weighted_quantile(self.levels, self.weights, share)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Between which levels it lies."""
        return self.quantile((1 - confidence) / 2), self.quantile((1 + confidence) / 2)

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval, in ln(level)."""
        low, high = self.interval()
        return math.log(high / low) / 2


def bracket(probes: Sequence[DoneProbe], saturation: float | None) -> tuple[float, float]:
    """Between which levels to look: generously around what was met and what was not."""
    failed = [one.level for one in probes if one.verdict == "fails"]
    met = [
        one.level for one in probes if one.verdict == "meets" or (one.kind == "ramp" and one.leans == "meets")
    ]
    high = min([*failed, *([saturation] if saturation else [])], default=max(one.level for one in probes) * 2)
    below = [level for level in met if level < high]
    low = max(below, default=min(one.level for one in probes) / 4)
    return low * 0.6, high * 1.3


def locate(
    probes: Sequence[DoneProbe],
    goals: Goals,
    saturation: float | None,
    line: Line | None = None,
    ceiling: float = math.inf,
    is_closed: bool = False,
) -> Located:
    """The capacity from all probes.

    saturation: good answers a second at most (of users and of what breaks down before: None). line: what
    was seen of requests that wait, where that tells something. ceiling: level above which no answer may lie.
    is_closed: whether levels are users.
    """
    low, high = bracket(probes, saturation)
    high = min(high, ceiling)
    low = min(low, high / 2)
    while True:
        found = _within(low, high, probes, goals, saturation, line, is_closed)
        ends = float(found.weights[:8].sum()), float(found.weights[-8:].sum())
        is_low, is_high = ends[0] >= EDGE, ends[1] >= EDGE and high < ceiling
        # Never so wide that neighbours are a percent apart.
        if not (is_low or is_high) or high / low > 60:
            return found
        low, high = (low / 1.6 if is_low else low), (min(high * 1.6, ceiling) if is_high else high)


def _within(
    low: float,
    high: float,
    probes: Sequence[DoneProbe],
    goals: Goals,
    saturation: float | None,
    line: Line | None,
    is_closed: bool,
) -> Located:
    levels = log_spaced(low, high, CANDIDATES)
    latency = [goal.text for goal in goals.shares if goal.limit_s is not None]
    survives = np.ones(levels.size)
    steepness, binding, soonest = 1.0, "", math.inf
    cut_off = BREAKS_CUT_OFF if saturation is None and not is_closed else CUT_OFF
    heard = [place for place, goal in enumerate(goals.shares) if _is_heard(probes, goal.text)]
    for place in heard or range(len(goals.shares)):
        goal = goals.shares[place]
        if is_closed:
            supposed = np.full(levels.size, USERS_STEEPNESS)
        elif goal.limit_s is None or saturation is None:
            supposed = np.full(levels.size, ERRORS_STEEPNESS)
        else:
            supposed = steepnesses(levels, goal.most, saturation)
        own = [(one, _seen(one, goal.text)) for one in probes]
        diverges = goal.text in latency or not latency
        middle = _middle(levels, own, goal.most, supposed, diverges)
        looks = [_look(one, seen, middle, diverges, cut_off) for one, seen in own]
        weights = posterior(levels, [look for look in looks if look is not None], goal.most, supposed)
        foreseen = line.foreseen(levels, goal) if line is not None else None
        if foreseen is not None:
            weights = weights * foreseen / (weights * foreseen).sum()
        survives = survives * _survival(weights)
        median = weighted_quantile(levels, weights, 0.5)
        if median < soonest:
            soonest, binding = median, goal.text
            steepness = float(np.interp(median, levels, supposed))
    for reading in goals.readings:
        looks = [_side(one, _seen(one, reading.text), False) for one in probes]
        weights = posterior(
            levels, [look for look in looks if look is not None], 0.5, np.full(levels.size, 10.0)
        )
        survives = survives * _survival(weights)
        median = weighted_quantile(levels, weights, 0.5)
        if median < soonest:
            soonest, binding, steepness = median, reading.text, STEEPEST
    joint = survives - np.concatenate([survives[1:], [0.0]])
    return Located(levels, joint / joint.sum(), steepness, binding)


def steepnesses(levels: Floats, share: float, saturation: float) -> Floats:
    """The d logit(share) / d ln(level) that goes with a limit at each level.

    The share of late answers falls about exponentially from 1 at saturation to the limit's at the capacity,
    as in a queue with an exponential tail (exact in M/M/1: P(R > L) = exp(-(mu - lambda) L)); so the nearer
    the limit is to saturation, the steeper.
    """
    room = np.maximum(saturation / levels - 1, 1e-6)
    found: Floats = np.clip(-math.log(share) / room, FLATTEST, STEEPEST)
    return found


def _survival(weights: Floats) -> Floats:
    """How probably the limit lies at each level or above it."""
    found: Floats = np.cumsum(weights[::-1])[::-1]
    return found


def _is_heard(probes: Sequence[DoneProbe], text: str) -> bool:
    """Whether any request broke it, at any level: else it limits nothing where another goal does."""
    return any(one.text == text and one.hits for probe in probes for one in probe.goals)


def _seen(probe: DoneProbe, text: str) -> GoalSeen | None:
    return next((one for one in probe.goals if one.text == text), None)


def _middle(
    levels: Floats,
    own: Sequence[tuple[DoneProbe, GoalSeen | None]],
    share: float,
    supposed: Floats,
    diverges: bool,
) -> float:
    """About where the limit is: from the sides of what is far, and from all other counts."""
    looks = [
        _side(one, seen, diverges)
        if seen is None or seen.verdict != "open"
        else _look(one, seen, one.level, diverges, CUT_OFF)
        for one, seen in own
    ]
    weights = posterior(levels, [look for look in looks if look is not None], share, supposed)
    return weighted_quantile(levels, weights, 0.5)


def _look(
    one: DoneProbe, seen: GoalSeen | None, middle: float, diverges: bool, cut_off: float
) -> Look | None:
    is_far = abs(math.log(one.level / middle)) > NEAR
    is_silent = seen is not None and seen.verdict == "open" and not seen.hits
    if (
        seen is None
        or (is_far and not is_silent)
        or one.kind in ("ramp", "saturation", "overload")
        or (one.diverged and diverges)
        or (one.is_cut and diverges)
    ):
        return _side(one, seen, diverges)
    return Look(one.level, seen.hits, seen.of, seen.inflation * cut_off, _gross(one))


def _side(one: DoneProbe, seen: GoalSeen | None, diverges: bool) -> Look | None:
    """On which side of a level the limit is."""
    gross = _gross(one)
    if one.kind in ("saturation", "overload", "recovery"):
        return None
    if one.diverged and diverges:
        return Look(one.level, 0, 0, gross=gross, only_beyond=True)
    if seen is None or seen.value is None:
        return None
    if one.is_cut and seen.verdict == "fails":
        gross = max(gross, CUT_WRONG)
    if seen.verdict == "open":
        # A step of a ramp is too short to be sure, but where nothing is late the limit is rarely below.
        wrong = RAMP_UNSURE if one.kind == "ramp" else max(UNSURE, 1 - seen.sure)
        if wrong > 0.45 or (one.kind == "ramp" and one.leans == "fails"):
            return None
        return Look(one.level, 0, 0, gross=2 * wrong, only_beyond=one.leans == "fails")
    return Look(one.level, 0, 0, gross=max(gross, 1 - seen.sure), only_beyond=seen.verdict == "fails")


def _gross(one: DoneProbe) -> float:
    return EARLY_GROSS if one.at_s < EARLY_S else GROSS
