"""Windows of equal load: which steps of a search, a ramp or of stages belong to one level.

A step belongs to a level where the load has stood there, or crept, for a while; what piled up at another
level and is worked off belongs to none. Levels are joined until each has time enough for an interval, those
first whose join costs least (Ward's method on the logarithm of the level).
Source: Ward 1963, J. Am. Stat. Assoc. 58, 236-244.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from loadrig.account.load import LoadSeries
from loadrig.base.later import Later
from loadrig.recording.steps import Bools

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

A_LITTLE_SHORTER = 0.99
"""Share of a length that steps must have to count as so long: a step of a second may be a little shorter."""

MOST_LEVELS = 8
"""Largest number of levels that are told apart: a reader cannot tell more apart by eye."""

LOADS_APART = 1.5
"""Ratio of the highest level to the lowest from which on levels are compared."""

JUMP = 1.25
"""Ratio of a step's level to the level of the step before. From it on the load counts as having jumped."""

SETTLES_S = 1.0
"""Time after a jump that belongs to no level, in seconds. Probes read once a second, and the time between two
readings must not hold two levels."""

LEAST_S = 3.0
"""Least time of a level, in seconds: three independent readings, the fewest that have an interval."""

SAME = 0.01
"""Share by which steps of one level differ at most: smaller differences are rounding of a level within a
step."""

OUT_OF_BALANCE = 0.05
"""Share by which the requests that end may differ from those that are due before the load counts as out of
balance: beyond it more than every twentieth request is added to a queue, or taken from one."""

COUNTED_WITHIN = 3.0
"""Standard deviations of a count of requests beyond which a difference is not chance."""


@dataclass(frozen=True, eq=False)
class LoadLevel:
    """Level of the load. planned: median level in the load's unit. is_in: steps that belong to it.

    is_overloaded: whether fewer requests were answered than came, so that times at this level depend on how
    long it lasted.
    """

    planned: float
    is_in: Bools
    is_overloaded: bool = False


def levels_of(load: LoadSeries) -> list[LoadLevel]:
    """Return the levels of a load, the lowest first; none where its levels do not differ enough."""
    groups = _joined(_groups(load))
    if len(groups) < 2 or math.exp(groups[-1].log - groups[0].log) < LOADS_APART:
        return []
    return [_level_of(load, group) for group in groups]


@dataclass(frozen=True, slots=True)
class _Group:
    """Steps of about one level. seconds: their lengths; logs: logarithms of their levels by their seconds."""

    steps: tuple[int, ...]
    seconds: float
    logs: float

    @property
    def log(self) -> float:
        """Mean logarithm of the level."""
        return self.logs / self.seconds

    def with_(self, group: "_Group") -> "_Group":
        """Return both groups joined."""
        return _Group(self.steps + group.steps, self.seconds + group.seconds, self.logs + group.logs)

    def cost_of(self, group: "_Group") -> float:
        """Return how much a join adds to the sum of squares within groups, of the logarithm of the level."""
        weight = self.seconds * group.seconds / (self.seconds + group.seconds)
        return weight * (self.log - group.log) ** 2


def _groups(load: LoadSeries) -> list[_Group]:
    """Return usable steps in groups, one for each level."""
    usable = np.flatnonzero(_is_usable(load))
    groups: list[_Group] = []
    least = 0.0
    for step in usable[np.argsort(load.planned[usable], kind="stable")].tolist():
        level, seconds = float(load.planned[step]), float(load.seconds[step])
        group = _Group((step,), seconds, seconds * math.log(level))
        if groups and level <= (1 + SAME) * least:
            groups[-1] = groups[-1].with_(group)
        else:
            groups.append(group)
            least = level
    return groups


def _is_usable(load: LoadSeries) -> Bools:
    """Return the steps at which the load stood or crept, and no queue of another level was worked off."""
    inside = load.is_measured if load.is_of_levels is None else load.is_of_levels
    jumps = _jumps(load)
    starts_s = np.cumsum(load.seconds) - load.seconds
    usable: Bools = inside & (load.planned > 0)
    if load.due is not None and load.model != "users":
        usable = usable & (load.due > 0)  # when its schedule is over only what is left is answered
    for begin, end in pairwise([*jumps, load.planned.size]):
        stretch = np.arange(begin, end)
        since_s = starts_s[stretch] - starts_s[begin]
        is_early = since_s < SETTLES_S * A_LITTLE_SHORTER
        settled = stretch[~is_early & usable[stretch]]
        usable[stretch[is_early]] = False
        if _balance(load, settled) > 0:
            usable[settled] = False
    return usable


def _jumps(load: LoadSeries) -> list[int]:
    """Return the steps at which the load begins to stand or creep; the first step is always among them."""
    before, after = load.planned[:-1], load.planned[1:]
    return [0, *(np.flatnonzero((after > JUMP * before) | (before > JUMP * after)) + 1).tolist()]


def _balance(load: LoadSeries, steps: Any) -> int:
    """Return 1 where more ended than came, -1 where less did, 0 where the two agree within chance."""
    if load.due is None or load.model == "users" or not steps.size:
        return 0
    seconds = load.seconds[steps]
    due, ended = float((load.due[steps] * seconds).sum()), float((load.completed[steps] * seconds).sum())
    most = max(OUT_OF_BALANCE * due, COUNTED_WITHIN * due**0.5)
    return 1 if ended > due + most else -1 if ended < due - most else 0


def _joined(groups: list[_Group]) -> list[_Group]:
    """Return groups of steps, each long enough for an interval, and no more groups than can be told apart."""
    while len(groups) > 1:
        costs = [low.cost_of(high) for low, high in pairwise(groups)]
        few = [n for n in range(len(costs)) if _is_short(groups[n]) or _is_short(groups[n + 1])]
        if not few and len(groups) <= MOST_LEVELS:
            break
        place = min(few or range(len(costs)), key=costs.__getitem__)
        groups[place : place + 2] = [groups[place].with_(groups[place + 1])]
    return [group for group in groups if not _is_short(group)]


def _is_short(group: _Group) -> bool:
    return group.seconds < LEAST_S * A_LITTLE_SHORTER


def _level_of(load: LoadSeries, group: _Group) -> LoadLevel:
    steps = np.array(sorted(group.steps))
    is_in = np.zeros(load.planned.size, dtype=np.bool_)
    is_in[steps] = True
    # The median: a step at the end of a stage may hold a little of what comes after it.
    return LoadLevel(float(np.median(load.planned[steps])), is_in, _balance(load, steps) < 0)
