"""Loads of a k6 script, its options and scenarios, and its thresholds as goals of a plan."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.converters._account import LineAccount
from loadrig.converters._k6_values import Value, parsed_seconds
from loadrig.converters._locust_values import MixedText
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.plan.arrivals import Arrivals, LoadStage, Rate, RateStage, Sessions, Users

TEXTS = texts_of(ConvertersK6Texts)

SHORTEST_RATE_UNIT_S = 1e-3
"""Unit of a rate in seconds, at least."""

_THRESHOLD = re.compile(r"\s*(p\((\d+(?:\.\d+)?)\)|avg|med|max|rate)\s*(<=|<|>=|>)\s*(\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class ScriptLoad:
    """Load of a scenario. share: its users or its rate. loops: of each user. length_s: None for no end."""

    name: str
    function: str
    kind: str
    share: float
    stages: tuple[tuple[float, float], ...] = ()
    first: float = 0.0
    loops: int | None = None
    length_s: float | None = None

    def arrivals(self, level: float, *, is_single: bool) -> Arrivals:
        """Return the arrivals. level: of all scenarios together. is_single: an iteration is one request."""
        if self.kind == "users":
            if self.stages:
                return Users(stages=tuple(LoadStage(to, Seconds(over)) for to, over in self._points()))
            return Users(count=Count(max(1, round(level))))
        if self.stages:
            stages = tuple(RateStage(PerSecond(to), Seconds(over)) for to, over in self._points())
            return Rate(stages=stages) if is_single else Sessions(requests=Count(1), stages=stages)
        rate = PerSecond(level)
        if is_single:
            return Rate(per_second=rate, arrivals="constant")
        return Sessions(per_second=rate, requests=Count(1), arrivals="constant")

    def _points(self) -> Sequence[tuple[float, float]]:
        return [(self.first, 0.0), *self.stages]


def loads_of(options: Mapping[str, Value], line: int, account: LineAccount) -> list[ScriptLoad]:
    """Return the loads of a script's options: one that a plan can hold, of one or several scenarios."""
    scenarios = options.get("scenarios")
    if not isinstance(scenarios, dict) or not scenarios:
        load = _shortcut(options, line, account)
        return [load] if load is not None else []
    loads: list[ScriptLoad] = []
    for name, scenario in scenarios.items():
        load = _scenario(name, scenario, line, account) if isinstance(scenario, dict) else None
        if load is None:
            account.drop(line, f"scenario {name}", TEXTS.computed)
            continue
        first = loads[0] if loads else load
        is_alike = (load.kind, load.stages, load.loops) == (first.kind, (), None) and not first.stages
        if load is first or (is_alike and load.length_s == first.length_s and first.loops is None):
            loads.append(load)
        else:
            account.drop(line, f"scenario {name}", TEXTS.other_load)
    return loads


def _shortcut(options: Mapping[str, Value], line: int, account: LineAccount) -> ScriptLoad | None:
    vus = _number(options.get("vus"))
    stages = _stages(options.get("stages"))
    if stages:
        return ScriptLoad("", "default", "users", vus or 1.0, stages, first=vus or 1.0)
    loops = _number(options.get("iterations"))
    length_s = parsed_seconds(options.get("duration", False))
    if loops is not None:
        return _shared("", "default", vus or 1.0, loops, line, account)
    if vus is None and length_s is None:
        return None
    return ScriptLoad("", "default", "users", vus or 1.0, length_s=length_s)


def _shared(
    name: str, function: str, users: float, loops: float, line: int, account: LineAccount
) -> ScriptLoad:
    if users > 1:
        account.alter(line, "iterations", TEXTS.shared_loops)
    return ScriptLoad(name, function, "users", users, loops=max(1, math.ceil(loops / users)))


def _scenario(name: str, scenario: Mapping[str, Value], line: int, account: LineAccount) -> ScriptLoad | None:
    function = _text(scenario.get("exec")) or "default"
    users = _number(scenario.get("vus")) or 1.0
    length_s = parsed_seconds(scenario.get("duration", False))
    unit_s = max(parsed_seconds(scenario.get("timeUnit", False)) or 1.0, SHORTEST_RATE_UNIT_S)
    stages = _stages(scenario.get("stages"))
    for key in scenario.keys() & {"startTime", "env"}:
        account.drop(line, f"scenario {name}: {key}", TEXTS.no_option)
    match _text(scenario.get("executor")):
        case "constant-vus":
            return ScriptLoad(name, function, "users", users, length_s=length_s)
        case "ramping-vus" if stages:
            start = _number(scenario.get("startVUs"))
            return ScriptLoad(name, function, "users", 1.0, stages, first=1.0 if start is None else start)
        case "per-vu-iterations":
            loops = int(_number(scenario.get("iterations")) or 1)
            return ScriptLoad(name, function, "users", users, loops=loops)
        case "shared-iterations":
            loops = int(_number(scenario.get("iterations")) or 1)
            return _shared(name, function, users, loops, line, account)
        case "constant-arrival-rate" if rate := _number(scenario.get("rate")):
            return ScriptLoad(name, function, "rate", rate / unit_s, length_s=length_s)
        case "ramping-arrival-rate" if stages:
            points = tuple((to / unit_s, over) for to, over in stages)
            start = (_number(scenario.get("startRate")) or 0.0) / unit_s
            return ScriptLoad(name, function, "rate", 1.0, points, first=start)
        case "externally-controlled":
            return ScriptLoad(name, function, "users", users, length_s=length_s)
        case _:
            return None


def _stages(value: Value) -> tuple[tuple[float, float], ...]:
    stages = []
    for stage in value if isinstance(value, list) else ():
        level = _number(stage.get("target")) if isinstance(stage, dict) else None
        over_s = parsed_seconds(stage.get("duration", False)) if isinstance(stage, dict) else None
        if level is None or over_s is None:
            return ()
        stages.append((level, over_s))
    return tuple(stages) if sum(over_s for _, over_s in stages) > 0 else ()


def _number(value: Value) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
    return float(value) if is_number else None


def _text(value: Value) -> str:
    return (value.constant or "") if isinstance(value, MixedText) else ""


def goals_of(thresholds: Value, line: int, account: LineAccount) -> tuple[str, ...]:
    """Return thresholds as goals; those that a plan cannot say are noted."""
    goals = []
    for metric, conditions in thresholds.items() if isinstance(thresholds, dict) else ():
        for condition in conditions if isinstance(conditions, list) else [conditions]:
            text = _text(condition.get("threshold") if isinstance(condition, dict) else condition)
            goal = _goal(metric, text)
            if goal:
                goals.append(goal)
            else:
                account.drop(line, f"threshold {metric}: {text}", TEXTS.no_goal)
    return tuple(dict.fromkeys(goals))


def _goal(metric: str, text: str) -> str:
    match = _THRESHOLD.fullmatch(text)
    if match is None:
        return ""
    measure, quantile, sign, limit = match.groups()
    if metric in ("http_req_duration", "http_req_waiting") and sign[0] == "<":
        by_name = {"avg": "mean", "med": "p50", "max": "max"}
        name = f"p{quantile}" if quantile in ("50", "90", "95", "99", "99.9") else by_name.get(measure)
        return f"{name} {sign} {limit}ms" if name else ""
    if metric == "http_req_failed" and measure == "rate" and sign[0] == "<":
        return f"errors {sign} {float(limit) * 100:g}%"
    if metric == "http_reqs" and measure == "rate" and sign[0] == ">":
        return f"throughput {sign} {limit}/s"
    return ""
