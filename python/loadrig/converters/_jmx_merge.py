"""Thread groups as one plan: a plan has one kind of arrivals, and scenarios with names of their own."""

import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from loadrig.base.units import Count, PerSecond
from loadrig.converters._draft import ScenarioDraft
from loadrig.converters._jmx_groups import UNTIL_LOOPS_END_S, GroupLoad, staged
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
    users = sum(load.users for load in loads)
    if len(loops) > 1:
        report.alter(groups[0][0], TEXTS.loops_differ)
    length_s = _longest([load.length_s for load in loads])
    load = replace(loads[0], users=users, loops=loops.pop() if len(loops) == 1 else None, length_s=length_s)
    load = replace(load, arrivals=_together(loads, length_s))
    _note_ends(groups, load, report)
    return load


def _note_ends(groups: Sequence[tuple[TreeElement, GroupLoad]], whole: GroupLoad, report: JmxReport) -> None:
    """Note the groups whose end, or way of arriving, is not that of all of them together."""
    kind = type(whole.arrivals)
    for element, load in groups:
        if type(load.arrivals) is not kind:
            continue
        if load.length_s is not None and load.length_s != whole.length_s:
            report.alter(element, TEXTS.ends_before_others)
        is_cut = load.length_s is None and load.loops is None and whole.arrivals.stages
        if is_cut and not load.arrivals.stages:
            report.alter(element, TEXTS.ends_after_a_day)
        if (
            isinstance(load.arrivals, Sessions)
            and isinstance(whole.arrivals, Sessions)
            and (load.arrivals.arrivals != whole.arrivals.arrivals)
        ):
            report.alter(element, TEXTS.arrivals_of_another_kind)


def _longest(lengths: Sequence[float | None]) -> float | None:
    """Return the longest of some lengths in seconds; None where one has no end."""
    known_s = [length for length in lengths if length is not None]
    return max(known_s) if len(known_s) == len(lengths) else None


def _together(loads: Sequence[GroupLoad], length_s: float | None) -> Users | Sessions:
    """Return the arrivals of all loads: their levels added, each up to its own end."""
    arrivals = [load.arrivals for load in loads]
    has_one_end = all(load.length_s == length_s for load in loads)
    if has_one_end and all(isinstance(users, Users) and users.count is not None for users in arrivals):
        return Users(count=Count(sum(load.users for load in loads)))
    end_s = length_s or max(UNTIL_LOOPS_END_S, *(load.length_s or 0.0 for load in loads))
    lines = [_until(load, end_s) for load in loads]
    times = sorted({time for line in lines for time, _ in line if time <= end_s})
    points: list[tuple[float, float]] = []
    for time in times:
        for is_after in (False, True):
            point = (time, sum(_at(line, time, is_after=is_after) for line in lines))
            # All groups are gone after the end, which needs no stage of its own.
            if (not points or points[-1] != point) and not (is_after and time == end_s):
                points.append(point)
    stages = staged(points)
    if isinstance(arrivals[0], Users):
        return Users(stages=stages)
    rates = tuple(RateStage(PerSecond(stage.to), stage.over, stage.hold) for stage in stages)
    return replace(arrivals[0], per_second=None, stages=rates)


def _until(load: GroupLoad, end_s: float) -> Line:
    """Return the line of a load up to its end: nobody comes after that. end_s: that of one without."""
    end_s = load.length_s or end_s
    line = [[time, level] for time, level in load.arrivals.line if time <= end_s]
    return [*line, [end_s, line[-1][1]], [end_s, 0.0]]


def _at(line: Line, time: float, *, is_after: bool) -> float:
    """Return the level of a line just before or after a time; nothing before its first point.

    The last level is held.
    """
    search = bisect.bisect_right if is_after else bisect.bisect_left
    place = search(line, time, key=_time)
    if place == 0:
        return 0.0
    t0, v0 = line[place - 1]
    if place == len(line):
        return v0
    t1, v1 = line[place]
    return v0 + (v1 - v0) * (time - t0) / (t1 - t0)


def _time(point: Sequence[float]) -> float:
    return point[0]


def with_own_names(drafts: Sequence[ScenarioDraft]) -> tuple[ScenarioDraft, ...]:
    """Return scenarios with different names: those of the same name get numbers."""
    counts: Counter[str] = Counter()
    renamed = []
    for draft in drafts:
        counts[draft.name] += 1
        number = counts[draft.name]
        renamed.append(replace(draft, name=f"{draft.name} ({number})") if number > 1 else draft)
    return tuple(renamed)
