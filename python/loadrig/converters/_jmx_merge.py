"""Loads of several thread groups as one load: a plan has one kind of arrivals."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from loadrig.base.units import Count, PerSecond
from loadrig.converters._jmx_groups import GroupLoad, staged
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.arrivals import Line, RateStage, Sessions, Users

TEXTS = texts_of(ConvertersJmeterTexts)


def merged(groups: Sequence[tuple[TreeElement, GroupLoad]], report: JmxReport) -> GroupLoad | None:
    """Return the load of all groups together; None for none. One of another kind than the first is left."""
    if not groups:
        return None
    kind = type(groups[0][1].arrivals)
    loads = []
    for element, load in groups:
        if type(load.arrivals) is kind:
            loads.append(load)
        else:
            report.alter(element, TEXTS.other_arrivals)
    if len(groups) > 1:
        for element, _ in groups:
            report.alter(element, TEXTS.groups_shared)
    if len(loads) == 1:
        return loads[0]
    loops = {load.loops for load in loads}
    lengths = [load.length_s for load in loads]
    length_s = None if None in lengths else max(length for length in lengths if length is not None)
    users = sum(load.users for load in loads)
    if len(loops) > 1:
        report.alter(groups[0][0], TEXTS.loops_differ)
    load = replace(loads[0], users=users, loops=loops.pop() if len(loops) == 1 else None, length_s=length_s)
    return replace(load, arrivals=_together(loads))


def _together(loads: Sequence[GroupLoad]) -> Users | Sessions:
    arrivals = [load.arrivals for load in loads]
    if all(isinstance(users, Users) and users.count is not None for users in arrivals):
        return Users(count=Count(sum(load.users for load in loads)))
    lines = [part.line for part in arrivals]
    times = sorted({time for line in lines for time, _ in line})
    points: list[tuple[float, float]] = []
    for time in times:
        for is_after in (False, True):
            point = (time, sum(_at(line, time, is_after=is_after) for line in lines))
            if not points or points[-1] != point:
                points.append(point)
    stages = staged(points)
    if isinstance(arrivals[0], Users):
        return Users(stages=stages)
    rates = tuple(RateStage(PerSecond(stage.to), stage.over, stage.hold) for stage in stages)
    return replace(arrivals[0], per_second=None, stages=rates)


def _at(line: Line, time: float, *, is_after: bool) -> float:
    """Return the level of a line just before or after a time; its last one is held."""
    level = 0.0 if not is_after or time < line[0][0] else line[0][1]
    for (t0, v0), (t1, v1) in itertools.pairwise(line):
        if (
            t0 < time < t1
            or (time == t1 and not is_after and t1 > t0)
            or (time == t0 and is_after and t1 > t0)
        ):
            return v0 + (v1 - v0) * (time - t0) / (t1 - t0)
        if t1 <= time:
            level = v1
    return line[-1][1] if time >= line[-1][0] and is_after else level
