"""Thread groups of JMeter as the arrivals of a plan: who comes when, and for how long.

Source: `ThreadGroup`, `LoopController` and `OpenModelThreadGroup` of apache/jmeter; the classes of
jmeter-plugins (stepping, ultimate) and BlazeMeter (concurrency, arrivals) by the properties in their files.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_timers import TimerPace
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.arrivals import LoadStage, RateStage, Sessions, Users
from loadrig.plan.model import Measuring, TrialRules, WarmUp
from loadrig.plan.written import EarlyEnd

TEXTS = texts_of(ConvertersJmeterTexts)

GROUPS = (
    "ThreadGroup", "SteppingThreadGroup", "UltimateThreadGroup", "ConcurrencyThreadGroup",
    "ArrivalsThreadGroup", "FreeFormArrivalsThreadGroup", "OpenModelThreadGroup",
)  # fmt: skip
"""Classes of groups whose threads make the load."""

AROUND = ("SetupThreadGroup", "PostThreadGroup")
"""Classes of groups whose threads run before and after the load."""

UNTIL_LOOPS_END_S = 24 * 3600.0
"""Seconds for which users are held that leave by themselves once they have made their loops."""

MOST_USERS = 1_000_000
MOST_STAGES = 10_000

_ALTERED = {"Iterations": TEXTS.iterations_of_threads, "ConcurrencyLimit": TEXTS.no_limit_at_once}
"""Notes on properties of BlazeMeter's groups that a plan does not say, by their names."""

_UNITS_S = {
    "": 1.0, "ms": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "m": 60.0, "min": 60.0,
    "minute": 60.0, "minutes": 60.0, "h": 3600.0, "hour": 3600.0, "hours": 3600.0, "d": 86400.0,
    "day": 86400.0, "days": 86400.0,
}  # fmt: skip
_STEP = re.compile(
    r"(?P<verb>rate|random_arrivals|even_arrivals|pause)\(\s*(?P<number>[\d.]+)\s*/?\s*(?P<unit>[a-z]*)\s*\)"
)
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GroupLoad:
    """Load of a group. loops: of each user; None: no end. length_s: None: until the loops end, or for good.

    users: the greatest number of threads, for the shares of groups.
    """

    arrivals: Users | Sessions
    users: int
    loops: int | None
    length_s: float | None


def load_of(group: TreeElement, variables: Variables, report: JmxReport) -> GroupLoad | None:
    """Return the load of a group; None, and a note, where it makes none."""
    load = _Loads(group, variables, report).load()
    if load is None:
        report.drop(group, TEXTS.no_load)
    else:
        report.carry(group)
        for name, how in _ALTERED.items():
            if group.get(name).strip() not in ("", "0"):
                report.alter(group, how, name)
        if group.get("ThreadGroup.on_sample_error") not in ("", "continue"):
            report.alter(group, TEXTS.goes_on_after_errors)
    return load


class _Loads:
    def __init__(self, group: TreeElement, variables: Variables, report: JmxReport) -> None:
        self._group, self._variables, self._report = group, variables, report

    def load(self) -> GroupLoad | None:
        match self._group.kind:
            case "SteppingThreadGroup":
                return self._of_points(self._stepping())
            case "UltimateThreadGroup":
                return self._of_points(self._ultimate())
            case "ConcurrencyThreadGroup":
                return self._of_points(self._concurrency())
            case "ArrivalsThreadGroup":
                return self._of_rates(self._concurrency(), self._unit_s())
            case "FreeFormArrivalsThreadGroup":
                return self._of_rates(self._free_form(), self._unit_s())
            case "OpenModelThreadGroup":
                return self._open_model()
            case _:
                return self._plain()

    def _number(self, name: str, default: float = 0.0) -> float:
        return self._variables.number(self._group.get(name), self._group, default)

    # --- closed models ----------------------------------------------------------------------------

    def _plain(self) -> GroupLoad | None:
        users = int(min(self._number("ThreadGroup.num_threads", 1), MOST_USERS))
        if users < 1:
            return None
        ramp_s = max(0.0, self._number("ThreadGroup.ramp_time"))
        if self._number("ThreadGroup.delay") > 0:
            self._report.alter(self._group, TEXTS.begins_at_once)
        controller = self._group.properties.part("ThreadGroup.main_controller")
        loops_text = controller.get("LoopController.loops") if controller is not None else ""
        loops: int | None = int(self._variables.number(loops_text, self._group, -1.0))
        if controller is not None and not loops_text:
            # JMeter reads none where none are written, whether it goes on for ever or not.
            loops = 0
        elif loops is not None and loops < 0:
            loops = None
        if loops == 0:
            return None
        length_s = (
            self._number("ThreadGroup.duration") if self._group.is_true("ThreadGroup.scheduler") else 0.0
        )
        if length_s <= 0 and self._group.is_true("ThreadGroup.scheduler"):
            start, end = self._number("ThreadGroup.start_time"), self._number("ThreadGroup.end_time")
            length_s = max(0.0, (end - start) / 1000)
        if users == 1 or ramp_s == 0:
            return GroupLoad(Users(count=Count(users)), users, loops, length_s or None)
        hold_s = max(0.0, length_s - ramp_s) if length_s else UNTIL_LOOPS_END_S
        ramp_s = min(ramp_s, length_s) if length_s else ramp_s
        stages = (LoadStage(float(users), Seconds(ramp_s), Seconds(hold_s)),)
        if not length_s and loops is None:
            self._report.alter(self._group, TEXTS.ends_after_a_day)
        return GroupLoad(Users(stages=stages), users, loops, length_s or None)

    def _stepping(self) -> list[tuple[float, float]]:
        users = min(self._number("ThreadGroup.num_threads"), MOST_USERS)
        now_s, level = self._number("Threads initial delay"), 0.0
        points = [(0.0, 0.0), (now_s, 0.0)]
        burst, add = self._number("Start users count burst"), self._number("Start users count")
        every_s, ramp_s = self._number("Start users period"), self._number("rampUp")
        while level < users and len(points) < MOST_STAGES:
            # The first users come in a burst of their own, if there is one.
            step = burst if level == 0 and burst > 0 else add
            if step <= 0:
                break
            level = min(users, level + step)
            now_s += ramp_s
            points.append((now_s, level))
            if level < users:
                now_s += every_s
                points.append((now_s, level))
        now_s += self._number("flighttime")
        points.append((now_s, level))
        remove, period_s = self._number("Stop users count"), self._number("Stop users period")
        while level > 0 and remove > 0 and len(points) < MOST_STAGES:
            level = max(0.0, level - remove)
            points.append((now_s, level))
            now_s += period_s
            points.append((now_s, level))
        return points

    def _ultimate(self) -> list[tuple[float, float]]:
        rows = []
        for row in self._group.items("ultimatethreadgroupdata")[:1000]:
            values = [self._variables.number(part.text, self._group) for part in row.parts]
            if len(values) >= 5 and values[0] > 0:
                rows.append(values[:5])
        times = sorted(
            {
                time
                for _, delay, start, hold, stop in rows
                for time in (delay, delay + start, delay + start + hold, delay + start + hold + stop)
            }
            | {0.0}
        )
        points = []
        for time in times:
            # Where a row begins or ends at once, the level has a step: the values on both its sides.
            before, after = (sum(_level(row, time, side) for row in rows) for side in (-1, 1))
            points.append((time, before))
            if after != before:
                points.append((time, after))
        return points

    def _concurrency(self) -> list[tuple[float, float]]:
        unit_s = self._unit_s()
        target = min(self._number("TargetLevel"), MOST_USERS)
        ramp_s, hold_s = self._number("RampUp") * unit_s, self._number("Hold") * unit_s
        steps = int(min(self._number("Steps"), MOST_STAGES))
        points = [(0.0, 0.0)]
        if steps > 0 and ramp_s > 0:
            for step in range(1, steps + 1):
                level = target * step / steps
                points += [(ramp_s * (step - 1) / steps, level), (ramp_s * step / steps, level)]
        else:
            points.append((ramp_s, target))
        points.append((ramp_s + hold_s, target))
        return points

    def _free_form(self) -> list[tuple[float, float]]:
        unit_s, now_s = self._unit_s(), 0.0
        points = []
        for row in self._group.items("Schedule")[:MOST_STAGES]:
            values = [self._variables.number(part.text, self._group) for part in row.parts]
            if len(values) >= 3 and values[2] > 0:
                points += [(now_s, values[0]), (now_s + values[2] * unit_s, values[1])]
                now_s += values[2] * unit_s
        return points

    def _unit_s(self) -> float:
        return 60.0 if self._group.get("Unit", "M").upper().startswith("M") else 1.0

    def _of_points(self, points: Sequence[tuple[float, float]]) -> GroupLoad | None:
        stages = staged(points)
        users = int(max((level for _, level in points), default=0))
        if not stages or users < 1:
            return None
        length_s = sum(stage.over + stage.hold for stage in stages)
        return GroupLoad(Users(stages=stages), users, None, length_s)

    # --- open models ------------------------------------------------------------------------------

    def _of_rates(self, points: Sequence[tuple[float, float]], unit_s: float) -> GroupLoad | None:
        per_second = [(time, level / unit_s) for time, level in points]
        return self._sessions(staged(per_second), "poisson")

    def _sessions(self, stages: Sequence[LoadStage], spacing: str) -> GroupLoad | None:
        if not stages or max(stage.to for stage in stages) <= 0:
            return None
        rates = tuple(RateStage(PerSecond(stage.to), stage.over, stage.hold) for stage in stages)
        length_s = sum(stage.over + stage.hold for stage in stages)
        arrivals = Sessions(
            requests=Count(1), arrivals="poisson" if spacing == "poisson" else "constant", stages=rates
        )
        users = max(1, math.ceil(max(stage.to for stage in stages)))
        return GroupLoad(arrivals, users, None, length_s)

    def _open_model(self) -> GroupLoad | None:
        schedule = (
            self._variables.constant(self._group.get("OpenModelThreadGroup.schedule"), self._group) or ""
        )
        schedule = _COMMENTS.sub(" ", schedule)
        steps = list(_STEP.finditer(schedule))
        if _STEP.sub("", schedule).strip():
            self._report.alter(self._group, TEXTS.schedule_in_part)
        points: list[tuple[float, float]] = []
        now_s, rate, is_random = 0.0, 0.0, True
        for place, step in enumerate(steps[:MOST_STAGES]):
            number, unit_s = _float(step["number"]), _UNITS_S.get(step["unit"], 1.0)
            if step["verb"] == "rate":
                rate = number / unit_s
                continue
            following = steps[place + 1] if place + 1 < len(steps) else None
            last = rate
            if following is not None and following["verb"] == "rate" and step["verb"] != "pause":
                last = _float(following["number"]) / _UNITS_S.get(following["unit"], 1.0)
            length_s = number * unit_s
            if step["verb"] == "pause":
                points += [(now_s, 0.0), (now_s + length_s, 0.0)]
            else:
                is_random = step["verb"] == "random_arrivals"
                points += [(now_s, rate), (now_s + length_s, last)]
            now_s += length_s
        kinds = {step["verb"] for step in steps} & {"random_arrivals", "even_arrivals"}
        if len(kinds) > 1:
            self._report.alter(self._group, TEXTS.arrivals_of_one_kind)
        return self._sessions(staged(points), "poisson" if is_random else "constant")


def staged(points: Sequence[tuple[float, float]]) -> tuple[LoadStage, ...]:
    """Return the stages of a line from point to point, each (time in seconds, level)."""
    stages: list[LoadStage] = []
    last_s, level = 0.0, 0.0
    for time_s, target in points:
        length_s = time_s - last_s
        if target == level and length_s > 0:
            if stages:
                held = stages[-1]
                stages[-1] = LoadStage(held.to, held.over, Seconds(round(held.hold + length_s, 6)))
            else:
                stages.append(LoadStage(level, hold=Seconds(length_s)))
        elif target != level:
            stages.append(LoadStage(target, over=Seconds(round(max(0.0, length_s), 6))))
        last_s, level = max(time_s, last_s), target
    # What is nobody's load at the end is no part of it.
    while stages and stages[-1].to == 0 and not stages[-1].over:
        stages.pop()
    return tuple(stages)


def _level(row: Sequence[float], time: float, side: int) -> float:
    """Return how many threads of a row of an Ultimate Thread Group there are, just before or after a time."""
    count, delay, start, hold, stop = row
    points = (
        (delay, 0.0),
        (delay + start, count),
        (delay + start + hold, count),
        (delay + start + hold + stop, 0.0),
    )
    below = [point for point in points if point[0] < time or (side > 0 and point[0] == time)]
    above = [point for point in points if point[0] > time or (side < 0 and point[0] == time)]
    if not below or not above:
        return 0.0
    (t0, v0), (t1, v1) = below[-1], above[0]
    return v1 if t0 == t1 else v0 + (v1 - v0) * (time - t0) / (t1 - t0)


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def length_of(load: GroupLoad | None, pace: TimerPace | None) -> tuple[EarlyEnd, TrialRules]:
    """Return the ends that a load has: loops of each user, and a time."""
    if load is None:
        return EarlyEnd(), TrialRules()
    is_paced = pace is not None
    limit = EarlyEnd(loops=Count(load.loops)) if load.loops is not None and not is_paced else EarlyEnd()
    length_s = load.length_s
    if is_paced and pace is not None and pace.stages:
        length_s = sum(stage.over + stage.hold for stage in pace.stages)
    if length_s is None and limit.loops is not None:
        length_s = UNTIL_LOOPS_END_S
    if length_s is None:
        return limit, TrialRules()
    whole = Seconds(round(length_s, 3))
    return limit, TrialRules(warm_up=WarmUp(at_most=Seconds(0.0)), measure=Measuring(whole, whole))
