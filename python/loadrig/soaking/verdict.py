"""A soak's answer, as data and text: what grows and where it ends, what drifts and dips, which goals lapsed.

Schema loadrig.soak/1, documented in docs/guide/soak.md.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from loadrig.base.units import show, show_duration, show_number, show_share
from loadrig.findings import dips
from loadrig.findings.case import Case
from loadrig.soaking import dips as of_hours
from loadrig.soaking import drift, levels
from loadrig.soaking.drift import Course, Drift
from loadrig.soaking.forecast import HORIZON_S, Forecast, forecast
from loadrig.soaking.levels import Level
from loadrig.soaking.mix import Mix, mix
from loadrig.soaking.read import Read
from loadrig.soaking.slopes import Slopes, slopes
from loadrig.soaking.windows import Kept
from loadrig.stats.slope import Slope

SCHEMA = "loadrig.soak/1"

Word = Literal["sound", "leaks", "lapses", "drifts", "dips", "unsure"]
"""The gravest of what was found; unsure where something grows and it cannot be told how."""

FILLED = 0.25
"""Of the growth of the whole, that the last half may still have."""

MOST_SHOWN = 5
"""Misses of a goal, and drifts, that are told one by one."""


@dataclass(frozen=True, eq=False)
class Growing:
    """One level and how it grew. forecast: None where no limit is known or nothing grows."""

    level: Level
    slopes: Slopes
    forecast: Forecast | None

    @property
    def text(self) -> str:
        """One sentence."""
        found, what = self.slopes, f"{self.level.what} of {self.level.component}"
        size = found.a_request
        match found.word:
            case "leaks":
                assert size is not None
                each = self._each(size)
                said = f"{what} leaks {each} with every request"
                if found.lives:
                    said += (
                        f"; restarts hide it, each of {found.lives} lives climbs by"
                        f" {show(found.grown, self.level.unit)} again"
                    )
                elif found.follows == "time":
                    said = f"{what} grows with time and not with requests: {self._hourly()} an hour"
                if self.forecast is not None:
                    said += f"; {self.forecast.text}"
                return said
            case "fills":
                why = f" ({found.shape.why})" if found.shape is not None else ""
                most = show(max(0.0, found.most), self.level.unit)
                return f"{what} fills something and bends{why}; in the last half by {most} a request at most"
            case "made":
                return f"{what} grew in few rises: something was made"
            case "little":
                assert size is not None
                return f"{what} grows by {self._each(size)} a request: too little to matter here"
            case "unsure":
                return f"{what} was read too seldom to say how it goes"
            case _:
                if size is None:
                    return f"{what} did not grow"
                most = show(max(0.0, found.most), self.level.unit)
                return f"{what} did not grow: by {most} a request at most (95 %)"

    def _each(self, size: Slope) -> str:
        value, low, high = (show(one, self.level.unit) for one in (size.value, size.low, size.high))
        return f"{value} (95 % {low} to {high})"

    def _hourly(self) -> str:
        hourly = self.slopes.an_hour
        return show(hourly.value, self.level.unit) if hourly is not None else "nobody knows how much"


@dataclass(frozen=True, eq=False)
class Soak:
    """The answer. ended: why the soak was over. dips: sentences, the first says that there are any."""

    seconds: float
    requests: float
    growing: tuple[Growing, ...]
    drifts: tuple[Drift, ...]
    mix: Mix | None
    dips: tuple[str, ...]
    kept: Mapping[str, Kept]
    ended: str = ""

    @property
    def word(self) -> Word:
        """What it all comes to."""
        if any(one.slopes.is_leak for one in self.growing):
            return "leaks"
        if any(one.is_met is False for one in self.kept.values()):
            return "lapses"
        if self.dips:
            return "dips"
        if any(one.word != "steady" for one in self.drifts):
            return "drifts"
        # Memory is what a soak is for; where it was not seen, nothing is known.
        of_memory = [one.slopes for one in self.growing if one.level.kind == "memory"]
        return "sound" if of_memory and all(map(_is_past, of_memory)) else "unsure"

    @property
    def sentences(self) -> list[str]:
        """The answer in words, the gravest first. What did not grow is told of memory alone."""
        said = [one.text for one in self.growing if one.slopes.is_leak]
        said += [sentence for text, one in self.kept.items() for sentence in _goal(text, one)]
        said += self.dips
        changed = [one for one in self.drifts if one.word != "steady"]
        if self.mix is not None and (self.mix.is_changed or changed):
            said.append(self.mix.text)
        said += [one.text for one in changed[:MOST_SHOWN]]
        if len(changed) > MOST_SHOWN:
            said.append(f"{len(changed) - MOST_SHOWN} more courses drifted")
        if not changed and self.drifts:
            said.append("latency and throughput were steady on every route")
        said += [
            one.text
            for one in self.growing
            if not one.slopes.is_leak
            and (one.level.kind == "memory" or one.slopes.word not in ("level", "unsure"))
        ]
        return said

    @property
    def headline(self) -> str:
        """One sentence."""
        over = f"{show_number(self.requests)} requests in {show_duration(self.seconds)}"
        return {
            "leaks": f"It leaks: seen over {over}.",
            "lapses": f"It did not keep its goals throughout: {over}.",
            "dips": f"It dips again and again: {over}.",
            "drifts": f"It is not the same at the end: {over}.",
            "unsure": f"Not to be told yet whether it leaks: {over}.",
            "sound": f"Nothing leaks, drifts or dips: {over}.",
        }[self.word]

    def to_json(self) -> dict[str, Any]:
        """The document, without a number that JSON does not have."""
        return {
            "schema": SCHEMA,
            "verdict": self.word,
            "headline": self.headline,
            "sentences": self.sentences,
            "seconds": self.seconds,
            "requests": self.requests,
            "ended": self.ended,
            "growth": [_growth(one) for one in self.growing],
            "drift": [_drift(one) for one in self.drifts],
            "mix": _mix(self.mix),
            "dips": list(self.dips),
            "goals": [_kept(text, one) for text, one in self.kept.items()],
        }


def soak(case: Case, found: Read, *, horizon_s: float = HORIZON_S, ended: str = "") -> Soak:
    """The answer of a case and of what was read of its histograms."""
    served = levels.within(case)
    rate = served.a_second
    growing = []
    for level in levels.levels(case):
        one = slopes(level.readings, served, level.matters, level.blocks)
        growing.append(Growing(level, one, _forecast(level, one, rate, horizon_s)))
    t_s = case.t_s[case.is_inside] - (case.window_ns[0] - case.origin_ns) / 1e9
    courses = [*found.courses, Course("", "throughput", t_s, dips.served(case)[case.is_inside])]
    return Soak(
        seconds=case.measured_s,
        requests=float(served.requests[-1] - served.requests[0]),
        growing=tuple(sorted(growing, key=lambda one: (not one.slopes.is_leak, one.level.kind != "memory"))),
        drifts=tuple(drift.drifts(courses)),
        mix=mix(found.counts, found.means_s) if found.counts else None,
        dips=tuple(_dips(case)),
        kept=found.kept,
        ended=ended,
    )


def _is_past(found: Slopes) -> bool:
    """Whether a level does not grow, or all but stands still in the last half, as what it fills is full."""
    if found.word in ("unsure", "leaks"):
        return False
    if found.word == "level" or found.a_request is None:
        return True
    return found.most <= FILLED * max(0.0, found.a_request.value)


def _forecast(level: Level, one: Slopes, rate: float, horizon_s: float) -> Forecast | None:
    if level.limit is None or one.a_request is None or one.lives or rate <= 0:
        return None
    hourly = one.an_hour if one.follows == "time" else None
    a_second = hourly.times(1 / 3600) if hourly is not None else one.a_request.times(rate)
    return forecast(level.limit, one.level, a_second, horizon_s)


def _dips(case: Case) -> Iterable[str]:
    """Dips of throughput: what the load did in them, then what else happened."""
    found = of_hours.found(case)
    if found is None:
        return
    yield f"throughput dipped {found.lasted}, by {show_share(found.depth)}"
    best = of_hours.beside(found)
    if best is None:
        whose = f": {found.timer}" if found.timer else ""
        yield f"nothing that was watched comes with the dips{whose}"
        return
    parts = found.composition
    if best.stream.is_load:
        yield (
            f"the load makes them: {dips.told(best)}; in them {show_number(-parts.change)}/s fewer requests"
            " of the service were done"
        )
    else:
        yield dips.told(best)


def _goal(text: str, one: Kept) -> Iterable[str]:
    if one.is_met is None:
        yield f"{text}: nothing was measured that could tell"
        return
    if one.is_met:
        yield f"{text}: kept in all of {one.stretches:,} stretches"
        return
    longest = one.longest
    assert longest is not None
    often = "once, for" if len(one.misses) == 1 else f"{len(one.misses)} times; longest"
    yield (
        f"{text}: missed in {show_share(1 - one.share)} of the stretches, {often}"
        f" {show_duration(round(longest.length_s))}, from {show_duration(round(longest.from_s))} on"
    )


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _slope(one: Slope | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {"value": _number(one.value), "low": _number(one.low), "high": _number(one.high), "n": one.n}


def _growth(one: Growing) -> dict[str, Any]:
    found, coming = one.slopes, one.forecast
    t, x = _strip(one.level)
    return {
        "component": one.level.component,
        "kind": one.level.kind,
        "what": one.level.what,
        "unit": one.level.unit,
        "verdict": found.word,
        "text": one.text,
        "a_request": _slope(found.a_request),
        "an_hour": _slope(found.an_hour),
        "follows": found.follows or None,
        "level": _number(found.level),
        "grown": _number(found.grown),
        "lives": found.lives,
        "workers": found.workers,
        "processes": {name: _slope(line) for name, line in found.by_process.items()},
        "limit": None if one.level.limit is None else {
            "amount": _number(one.level.limit.amount), "text": one.level.limit.text,
        },
        "reached_in_s": None if coming is None else {
            "value": _number(coming.in_s), "low": _number(coming.soonest_s), "high": _number(coming.latest_s),
        },
        "t_s": t,
        "levels": x,
    }  # fmt: skip


def _strip(level: Level, most: int = 240) -> tuple[list[float], list[float]]:
    """The course as a chart needs it: all processes together, the least of each of some stretches."""
    from_s = min(float(one.t_s[0]) for one in level.readings)
    to_s = max(float(one.t_s[-1]) for one in level.readings)
    edges = np.linspace(from_s, np.nextafter(to_s, np.inf), most + 1)
    total, seen = np.zeros(most), np.zeros(most, dtype=bool)
    for one in level.readings:
        place = np.clip(np.searchsorted(edges, one.t_s, side="right") - 1, 0, most - 1)
        least = np.full(most, np.inf)
        np.minimum.at(least, place, one.level)
        known = np.isfinite(least)
        # Between two readings a process holds what lies between them.
        first, last = int(place[0]), int(place[-1])
        filled = np.interp(np.arange(first, last + 1), np.flatnonzero(known), least[known])
        total[first : last + 1] += filled
        seen[first : last + 1] = True
    middles = (edges[:-1] + edges[1:]) / 2
    return [round(float(at), 3) for at in middles[seen]], [float(value) for value in total[seen]]


def _drift(one: Drift) -> dict[str, Any]:
    return {
        "route": one.route or None, "measure": one.measure, "verdict": one.word, "text": one.text,
        "before": one.before, "after": one.after, "ratio": one.ratio, "low": _number(one.low),
        "high": _number(one.high), "p": one.p, "at_s": _number(one.at_s),
    }  # fmt: skip


def _mix(one: Mix | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "text": one.text, "shift": one.shift, "change_s": one.change, "of_mix_s": one.of_mix,
        "of_routes_s": one.of_routes, "shares": {name: list(row) for name, row in one.shares.items()},
    }  # fmt: skip


def _kept(text: str, one: Kept) -> dict[str, Any]:
    longest = one.longest
    return {
        "text": text, "met": one.is_met, "over_s": one.over_s, "stretches": one.stretches,
        "missed": one.missed, "unknown": one.unknown, "share": _number(one.share),
        "worst": _number(one.worst),
        "longest_s": longest.length_s if longest is not None else 0.0,
        "misses": [
            {"from_s": miss.from_s, "to_s": miss.to_s, "worst": _number(miss.worst), "at_s": miss.at_s}
            for miss in one.misses
        ],
    }  # fmt: skip
