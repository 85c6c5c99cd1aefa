"""The capacity from all probes: how probable each level is as the highest that meets every goal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadrig.stats.arrays import Floats
from loadrig.stats.threshold import GROSS, Look, log_spaced, posterior, weighted_quantile
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.probe import DoneProbe, GoalAtLevel
from loadrig.study.capacity.waits import QueueLine

CANDIDATES = 400

NEAR = 0.16
"""Distance in ln(level) within which counts tell where the limit lies.
Counts beyond it tell only on which side. The logistic curve need not hold far away."""

EARLY_S, EARLY_GROSS = 20.0, 0.1
"""Seconds for which a server counts as colder than it will be, and how often its probes are then wrong."""

USERS_STEEPNESS, ERRORS_STEEPNESS = 20.0, 50.0
"""Steepness supposed for users, and for errors and a server that breaks down before it is saturated.
Simulated: 23 and 42 for users; 40 where who would wait is refused, hundreds where attempts that time out are
made again."""

FLATTEST, STEEPEST = 3.0, 300.0
"""Range of d logit(share) / d ln(level)."""

UNSURE = 0.2
"""Least share of undecided probes that lean to the wrong side."""

RAMP_UNSURE = 0.1

NEARLY_EVEN = 0.45
"""Probability of the wrong side above which an undecided probe tells nothing."""

CUT_WRONG = 0.1
"""Share of probes that fail within a few seconds and would not in the long run."""

CUT_OFF = 2.0
"""Factor by which counts of late answers are worth less than those of a long run.
Clusters that begin in a drain or end after a window are not seen whole."""
BREAKS_CUT_OFF = 8.0
"""Factor in place of CUT_OFF where a server breaks down for good.
There one long queue is enough, and some seconds without one say little of hours in which none may come."""

EDGE = 0.02
"""Share of the probability at an end of the bracket, above which the bracket was too narrow."""


@dataclass(frozen=True, slots=True)
class Located:
    """Probability of each level to be the capacity.

    levels, weights: of the candidates. steepness: d logit(share) / d ln(level) supposed at the median.
    binding: the goal that is most probably missed first; "" where there is none on a share.
    """

    levels: Floats
    weights: Floats
    steepness: float
    binding: str

    @property
    def median(self) -> float:
        """Return the capacity: the median of the candidates."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """Return the level below which the capacity lies with this probability."""
        return weighted_quantile(self.levels, self.weights, share)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the levels between which the capacity lies, with this confidence."""
        return self.quantile((1 - confidence) / 2), self.quantile((1 + confidence) / 2)

    @property
    def half_width(self) -> float:
        """Return half of the 95 % interval, in ln(level)."""
        low, high = self.interval()
        return math.log(high / low) / 2


def bracket(probes: Sequence[DoneProbe], saturation: float | None) -> tuple[float, float]:
    """Return between which levels to look: generously around what was met and what was not."""
    failed = [probe.level for probe in probes if probe.verdict == "fails"]
    met = [
        probe.level
        for probe in probes
        if probe.verdict == "meets" or (probe.kind == "ramp" and probe.leans == "meets")
    ]
    high = min(
        [*failed, *([saturation] if saturation else [])], default=max(probe.level for probe in probes) * 2
    )
    below = [level for level in met if level < high]
    low = max(below, default=min(probe.level for probe in probes) / 4)
    return low * 0.6, high * 1.3


def locate(
    probes: Sequence[DoneProbe],
    goals: Goals,
    saturation: float | None,
    line: QueueLine | None = None,
    ceiling: float = math.inf,
    is_closed: bool = False,
) -> Located:
    """Estimate the capacity from all probes.

    saturation: good answers a second at most (of users and of what breaks down before: None). line: what
    was seen of requests that wait, where that tells something. ceiling: level above which no answer may lie.
    is_closed: whether levels are users.
    """
    low, high = bracket(probes, saturation)
    high = min(high, ceiling)
    low = min(low, high / 2)
    while True:
        located = _within(low, high, probes, goals, saturation, line, is_closed)
        ends = float(located.weights[:8].sum()), float(located.weights[-8:].sum())
        is_low, is_high = ends[0] >= EDGE, ends[1] >= EDGE and high < ceiling
        # The bracket never gets so wide that neighbouring candidates are a percent apart.
        if not (is_low or is_high) or high / low > 60:
            return located
        low, high = (low / 1.6 if is_low else low), (min(high * 1.6, ceiling) if is_high else high)


def _within(
    low: float,
    high: float,
    probes: Sequence[DoneProbe],
    goals: Goals,
    saturation: float | None,
    line: QueueLine | None,
    is_closed: bool,
) -> Located:
    levels = log_spaced(low, high, CANDIDATES)
    latency = [goal.text for goal in goals.shares if goal.limit_s is not None]
    survives = np.ones(levels.size)
    steepness, binding, soonest = 1.0, "", math.inf
    cut_off = BREAKS_CUT_OFF if saturation is None and not is_closed else CUT_OFF
    decisive = [place for place, goal in enumerate(goals.shares) if _decides(probes, goal.text)]
    for place in decisive or range(len(goals.shares)):
        goal = goals.shares[place]
        if is_closed:
            supposed = np.full(levels.size, USERS_STEEPNESS)
        elif goal.limit_s is None or saturation is None:
            supposed = np.full(levels.size, ERRORS_STEEPNESS)
        else:
            supposed = steepnesses(levels, goal.most, saturation)
        own = [(probe, _goal_of(probe, goal.text)) for probe in probes]
        diverges = goal.text in latency or not latency
        middle = _middle(levels, own, goal.most, supposed, diverges)
        looks = [_look(probe, at_level, middle, diverges, cut_off) for probe, at_level in own]
        weights = posterior(levels, [look for look in looks if look is not None], goal.most, supposed)
        foreseen = line.foreseen(levels, goal) if line is not None else None
        if foreseen is not None:
            weights = weights * foreseen / (weights * foreseen).sum()
        survives = survives * _survival(weights)
        median = weighted_quantile(levels, weights, 0.5)
        if median < soonest:
            soonest, binding = median, goal.text
            steepness = float(np.interp(median, levels, supposed))
    joint = survives - np.concatenate([survives[1:], [0.0]])
    return Located(levels, joint / joint.sum(), steepness, binding)


def steepnesses(levels: Floats, share: float, saturation: float) -> Floats:
    """Return the d logit(share) / d ln(level) that goes with a limit at each level.

    The share of late answers falls about exponentially from 1 at saturation to the limit's at the capacity,
    as in a queue with an exponential tail (exact in M/M/1: P(R > L) = exp(-(mu - lambda) L)); so the nearer
    the limit is to saturation, the steeper.
    """
    room = np.maximum(saturation / levels - 1, 1e-6)
    steepness: Floats = np.clip(-math.log(share) / room, FLATTEST, STEEPEST)
    return steepness


def _survival(weights: Floats) -> Floats:
    """Return how probably the limit lies at each level or above it."""
    survival: Floats = np.cumsum(weights[::-1])[::-1]
    return survival


def _decides(probes: Sequence[DoneProbe], text: str) -> bool:
    """Return whether any request broke the goal, at any level: else another goal limits."""
    return any(at_level.text == text and at_level.hits for probe in probes for at_level in probe.goals)


def _goal_of(probe: DoneProbe, text: str) -> GoalAtLevel | None:
    return next((at_level for at_level in probe.goals if at_level.text == text), None)


def _middle(
    levels: Floats,
    own: Sequence[tuple[DoneProbe, GoalAtLevel | None]],
    share: float,
    supposed: Floats,
    diverges: bool,
) -> float:
    """Estimate roughly where the limit is: from the sides of what is far, and from all other counts."""
    looks = [
        _side(probe, at_level, diverges)
        if at_level is None or at_level.verdict != "open"
        else _look(probe, at_level, probe.level, diverges, CUT_OFF)
        for probe, at_level in own
    ]
    weights = posterior(levels, [look for look in looks if look is not None], share, supposed)
    return weighted_quantile(levels, weights, 0.5)


def _look(
    probe: DoneProbe, at_level: GoalAtLevel | None, middle: float, diverges: bool, cut_off: float
) -> Look | None:
    is_far = abs(math.log(probe.level / middle)) > NEAR
    is_silent = at_level is not None and at_level.verdict == "open" and not at_level.hits
    if (
        at_level is None
        or (is_far and not is_silent)
        or probe.kind in ("ramp", "saturation", "overload")
        or (probe.diverged and diverges)
        or (probe.is_cut and diverges)
    ):
        return _side(probe, at_level, diverges)
    return Look(probe.level, at_level.hits, at_level.of, at_level.inflation * cut_off, _gross(probe))


def _side(probe: DoneProbe, goal: GoalAtLevel | None, diverges: bool) -> Look | None:
    """Return on which side of a probe's level the limit is, as a look; None where that is not known."""
    gross = _gross(probe)
    if probe.kind in ("saturation", "overload", "recovery"):
        return None
    if probe.diverged and diverges:
        return Look(probe.level, 0, 0, gross=gross, only_beyond=True)
    if goal is None or goal.value is None:
        return None
    if probe.is_cut and goal.verdict == "fails":
        gross = max(gross, CUT_WRONG)
    if goal.verdict == "open":
        # A step of a ramp is too short to be sure, but where nothing is late the limit is rarely below.
        wrong = RAMP_UNSURE if probe.kind == "ramp" else max(UNSURE, 1 - goal.sure)
        if wrong > NEARLY_EVEN or (probe.kind == "ramp" and probe.leans == "fails"):
            return None
        return Look(probe.level, 0, 0, gross=2 * wrong, only_beyond=probe.leans == "fails")
    return Look(probe.level, 0, 0, gross=max(gross, 1 - goal.sure), only_beyond=goal.verdict == "fails")


def _gross(probe: DoneProbe) -> float:
    return EARLY_GROSS if probe.at_s < EARLY_S else GROSS
