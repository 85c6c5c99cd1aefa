"""Loads of a k6 script, its options and scenarios, and its thresholds as goals of a plan."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.converters._account import LineAccount
from loadrig.converters._k6_constants import parsed_seconds
from loadrig.converters._k6_texts import Value
from loadrig.converters._locust_values import MixedText
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.plan.arrivals import Arrivals, LoadStage, Rate, RateStage, Sessions, Users
from loadrig.plan.model import Measuring, TrialRules, WarmUp
from loadrig.plan.written import WrittenConnections

TEXTS = texts_of(ConvertersK6Texts)

SHORTEST_RATE_UNIT_S = 1e-3
"""Unit of a rate in seconds, at least."""

Place = tuple[str, ...]
"""Keys that lead to a part of the options, from the outermost."""

_THRESHOLD = re.compile(r"\s*(p\((\d+(?:\.\d+)?)\)|avg|med|max|rate)\s*(<=|<|>=|>)\s*(\d+(?:\.\d+)?)\s*")


_OF_ALL = frozenset(("executor", "exec"))
MOST_OF_BATCH = {"batch": 20.0, "batchPerHost": 6.0}
"""Options that say how many requests of a batch go out at once, and their defaults. Source: k6, "Options"."""

CARRIED = frozenset(
    ("vus", "duration", "iterations", "stages", "scenarios", "thresholds", "userAgent", "maxRedirects",
     "insecureSkipTLSVerify", *MOST_OF_BATCH)
)  # fmt: skip
"""Options of a script that its plan keeps."""

_LOOPS = frozenset(("vus", "iterations"))
_CARRIED = {
    "constant-vus": frozenset(("vus", "duration")),
    "ramping-vus": frozenset(("startVUs", "stages")),
    "per-vu-iterations": _LOOPS,
    "shared-iterations": _LOOPS,
    "constant-arrival-rate": frozenset(("rate", "timeUnit", "duration")),
    "ramping-arrival-rate": frozenset(("startRate", "timeUnit", "stages")),
    "externally-controlled": frozenset(("vus", "duration")),
}
"""Keys of a scenario that a plan says, by its executor. Every other key is listed."""

_BOUNDS = ("maxVUs", "preAllocatedVUs")
_RATES = ("constant-arrival-rate", "ramping-arrival-rate")


@dataclass(frozen=True, slots=True)
class ScriptLoad:
    """Load of a scenario. share: its users or its rate. loops: of each user. length_s: None for no end.

    stages, first: as shares of `share`. most: iterations at once, at most; None for no bound.
    """

    name: str
    function: str
    kind: str
    share: float
    stages: tuple[tuple[float, float], ...] = ()
    first: float = 0.0
    loops: int | None = None
    length_s: float | None = None
    most: int | None = None

    def arrivals(self, level: float, *, is_single: bool) -> Arrivals:
        """Return the arrivals. level: of all scenarios together. is_single: an iteration is one request."""
        points = [(round(to * level, 9), over) for to, over in [(self.first, 0.0), *self.stages]]
        if self.kind == "users":
            if self.stages:
                return Users(stages=tuple(LoadStage(to, Seconds(over)) for to, over in points))
            return Users(count=Count(max(1, round(level))))
        if self.stages:
            stages = tuple(RateStage(PerSecond(to), Seconds(over)) for to, over in points)
            return Rate(stages=stages) if is_single else Sessions(requests=Count(1), stages=stages)
        rate = PerSecond(level)
        if is_single:
            return Rate(per_second=rate, arrivals="constant")
        return Sessions(per_second=rate, requests=Count(1), arrivals="constant")

    def is_like(self, other: "ScriptLoad") -> bool:
        """Return whether one load of a plan holds both, each with its share."""
        return self._shape() == other._shape()

    def _shape(self) -> tuple[object, ...]:
        stages = tuple((round(to, 9), over) for to, over in self.stages)
        return self.kind, stages, round(self.first, 9), self.loops, self.length_s


def _ramp(
    name: str, function: str, kind: str, stages: Sequence[tuple[float, float]], first: float, most: int | None
) -> ScriptLoad | None:
    """Return a load of stages, whose share is its highest level; None where it never rises above 0."""
    peak = max(first, *(to for to, _ in stages))
    if peak <= 0:
        return None
    shares = tuple((to / peak, over) for to, over in stages)
    return ScriptLoad(name, function, kind, peak, shares, first / peak, most=most)


def loads_of(
    options: Mapping[str, Value], lines: Mapping[Place, int], account: LineAccount
) -> list[ScriptLoad]:
    """Return the loads of a script's options: one that a plan can hold, of one or several scenarios.

    lines: lines of the options, of their parts and of the parts of these.
    """
    scenarios = options.get("scenarios")
    if not isinstance(scenarios, dict) or not scenarios:
        load = _shortcut(options, lines, account)
        return [load] if load is not None else []
    for key in sorted(options.keys() & {"vus", "duration", "iterations", "stages"}):
        account.drop(line_at(lines, key), f"options.{key}", TEXTS.scenarios_instead)
    loads: list[ScriptLoad] = []
    for name, scenario in scenarios.items():
        title, line = f"scenario {name}", line_at(lines, "scenarios", name)
        load = _scenario(name, scenario, lines, account) if isinstance(scenario, dict) else None
        if load is None:
            account.drop(line, title, TEXTS.computed)
        elif not loads or load.is_like(loads[0]):
            loads.append(load)
            if len(loads) > 1 and load.kind == "users":
                account.alter(line, title, TEXTS.users_of_all)
        else:
            account.drop(line, title, TEXTS.other_load)
    return loads


def line_at(lines: Mapping[Place, int], *place: str) -> int:
    """Return the line of a part of the options, or of the nearest part around it."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _shortcut(
    options: Mapping[str, Value], lines: Mapping[Place, int], account: LineAccount
) -> ScriptLoad | None:
    vus = _number(options.get("vus"))
    stages = _stages(options.get("stages"))
    loops = _number(options.get("iterations"))
    length_s = parsed_seconds(options.get("duration", False))
    if "stages" in options and not stages:
        account.drop(line_at(lines, "stages"), "options.stages", TEXTS.computed)
    if (stages or loops is not None) and "duration" in options:
        account.drop(line_at(lines, "duration"), "options.duration", TEXTS.no_option)
    if stages and loops is not None:
        account.drop(line_at(lines, "iterations"), "options.iterations", TEXTS.no_option)
    if stages:
        return _ramp("", "default", "users", stages, vus or 1.0, None)
    if loops is not None:
        return _shared("", "default", vus or 1.0, loops, line_at(lines, "iterations"), account)
    if vus is None and length_s is None:
        return None
    return ScriptLoad("", "default", "users", vus or 1.0, length_s=length_s)


def _shared(
    name: str, function: str, users: float, loops: float, line: int, account: LineAccount
) -> ScriptLoad:
    if users > 1:
        account.alter(line, "iterations", TEXTS.shared_loops)
    return ScriptLoad(name, function, "users", users, loops=max(1, math.ceil(loops / users)))


def _scenario(
    name: str, scenario: Mapping[str, Value], lines: Mapping[Place, int], account: LineAccount
) -> ScriptLoad | None:
    executor = _text(scenario.get("executor"))
    function = _text(scenario.get("exec")) or "default"
    users = _number(scenario.get("vus")) or 1.0
    length_s = parsed_seconds(scenario.get("duration", False))
    unit_s = max(parsed_seconds(scenario.get("timeUnit", False)) or 1.0, SHORTEST_RATE_UNIT_S)
    stages = _stages(scenario.get("stages"))
    most = _most(name, scenario, lines, account) if executor in _RATES else None
    bounds = _BOUNDS if most is not None else ()
    for key in scenario.keys() - _OF_ALL - _CARRIED.get(executor, scenario.keys()) - set(bounds):
        account.drop(line_at(lines, "scenarios", name, key), f"scenario {name}: {key}", TEXTS.no_option)
    match executor:
        case "constant-vus":
            return ScriptLoad(name, function, "users", users, length_s=length_s)
        case "ramping-vus" if stages:
            start = _number(scenario.get("startVUs"))
            return _ramp(name, function, "users", stages, 1.0 if start is None else start, None)
        case "per-vu-iterations":
            loops = int(_number(scenario.get("iterations")) or 1)
            return ScriptLoad(name, function, "users", users, loops=loops)
        case "shared-iterations":
            loops = int(_number(scenario.get("iterations")) or 1)
            return _shared(name, function, users, loops, line_at(lines, "scenarios", name), account)
        case "constant-arrival-rate" if rate := _number(scenario.get("rate")):
            return ScriptLoad(name, function, "rate", rate / unit_s, length_s=length_s, most=most)
        case "ramping-arrival-rate" if stages:
            points = [(to / unit_s, over) for to, over in stages]
            start = (_number(scenario.get("startRate")) or 0.0) / unit_s
            return _ramp(name, function, "rate", points, start, most)
        case "externally-controlled":
            place = line_at(lines, "scenarios", name, "executor")
            account.alter(place, "externally-controlled", TEXTS.nobody_controls)
            return ScriptLoad(name, function, "users", users, length_s=length_s)
        case _:
            return None


def _most(
    name: str, scenario: Mapping[str, Value], lines: Mapping[Place, int], account: LineAccount
) -> int | None:
    """Return how many iterations an arrival rate has at once, at most; None where the script says nothing."""
    bounds = [(_number(scenario.get(key)), key) for key in _BOUNDS]
    most, key = max(((bound, key) for bound, key in bounds if bound is not None), default=(0.0, ""))
    if most < 1:
        return None
    place = line_at(lines, "scenarios", name, key)
    account.alter(place, f"scenario {name}: {key}", TEXTS.most_at_once(int(most)))
    return int(most)


def _stages(value: Value) -> tuple[tuple[float, float], ...]:
    stages = []
    for stage in value if isinstance(value, list) else ():
        level = _number(stage.get("target")) if isinstance(stage, dict) else None
        over_s = parsed_seconds(stage.get("duration", False)) if isinstance(stage, dict) else None
        if level is None or over_s is None:
            return ()
        stages.append((level, over_s))
    return tuple(stages) if sum(over_s for _, over_s in stages) > 0 else ()


class SentAtOnce:
    """Requests of the batches of a script that are sent at once: as many as one host may get."""

    def __init__(self, options: Mapping[str, Value]) -> None:
        limits = (_number(options.get(name)) or default for name, default in MOST_OF_BATCH.items())
        self.most = max(1, int(min(limits)))
        self._places = Counter[int]()

    def place(self, batch: int | None) -> int:
        """Return how many requests of its batch go before the next one; 0 for one that is in no batch."""
        if batch is None:
            return 0
        self._places[batch] += 1
        return self._places[batch] - 1


def _number(value: Value) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
    return float(value) if is_number else None


def _text(value: Value) -> str:
    return (value.constant or "") if isinstance(value, MixedText) else ""


def goals_of(thresholds: Value, lines: Mapping[Place, int], account: LineAccount) -> tuple[str, ...]:
    """Return thresholds as goals; those that a plan cannot say are noted."""
    goals = []
    for metric, conditions in thresholds.items() if isinstance(thresholds, dict) else ():
        line = line_at(lines, "thresholds", metric)
        for condition in conditions if isinstance(conditions, list) else [conditions]:
            text = _text(condition.get("threshold") if isinstance(condition, dict) else condition)
            title = f"threshold {metric}: {text}"
            if isinstance(condition, dict) and condition.get("abortOnFail") not in (None, False):
                account.drop(line, f"{title}, abortOnFail", TEXTS.no_abort)
            goal = _goal(metric, text)
            if not goal:
                account.drop(line, title, TEXTS.no_goal)
                continue
            goals.append(goal)
            if metric == "http_req_waiting":
                account.alter(line, title, TEXTS.whole_answer)
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


def connections_of(bounds: Sequence[int | None]) -> WrittenConnections:
    """Return the connections of a plan. bounds: the most iterations at once of each load."""
    if any(bound is None for bound in bounds):
        return WrittenConnections()
    return WrittenConnections(most=Count(sum(bound or 0 for bound in bounds)))


def trial_of(length_s: float | None) -> TrialRules:
    """Return the rules of a trial that measures as long as a script runs."""
    if not length_s:
        return TrialRules()
    whole = Seconds(round(length_s, 3))
    return TrialRules(warm_up=WarmUp(at_most=Seconds(0.0)), measure=Measuring(whole, whole))
