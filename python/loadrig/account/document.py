"""The account as plain data, as it stands in a trial's result under `account`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from loadrig.account import growth_words, route_words, sentence
from loadrig.account.book import Account, ComponentAccount, Line
from loadrig.account.calm import Dipped
from loadrig.account.growth import Grown, Growth
from loadrig.account.loads import End, Loads
from loadrig.account.parts import RunningPart
from loadrig.account.routes import RouteAccount
from loadrig.account.slots import Slot, SlotState

VERSION = 1
"""Version of the document: it changes when a field changes its meaning or is left out."""

FIELDS: Mapping[str, str] = {
    "version": "version of this document",
    "window_s": "length of the measured part in seconds",
    "requests_per_s": "requests that ended, however, a second",
    "total_ms": "how long a request takes, from due to ended, over all outcomes",
    "sentence": "the longest parts in words, of the server and of what it mostly waits for; empty where the"
    " sockets were not seen",
    "components": "by name, the loaded server first",
    "components.NAME.total_ms": "how long a request is at this component; of a dependency, all calls of a"
    " request of the load together, as its callers see them",
    "components.NAME.total_interval": "its 95 % interval, or null with fewer than three steps",
    "components.NAME.per_request": "lines in the order of a request's way: `state`, `of` (the dependency, or"
    ' ""), `ms`, `interval` (95 %, or null; wider where something disturbed the trial), `source` (series or'
    " formula)",
    "components.NAME.unaccounted_ms": "`total_ms` less all lines; below zero where the lines are more",
    "components.NAME.unaccounted_interval": "its 95 % interval, or null",
    "components.NAME.unaccounted_share": "its size over `total_ms`",
    "components.NAME.running_parts": "the line `running` by what the component did then, most first: `class`,"
    " `words`, `ms`, `interval` (95 %, or null), `share` of the line; empty where its CPU time was not"
    " profiled, and in `windows`; see `cpu_time` of the result",
    "components.NAME.per_slot": "`slot`, `of`, `state`, `share` of its slots in that state, `number` of them",
    "components.NAME.slots": "`slot`, `of`, `number` of them, `full_share` (share of the time in which none"
    " is free; null where that cannot be told)",
    "components.NAME.flags": "what to mind, see below",
    "components.NAME.unseen": "`what` could not be seen, and `why`",
    "components.NAME.covered_share": "share of the window in which its sockets were seen",
    "windows": "the same of other stretches, without `windows`: `low_load` and `high_load` where the level of"
    " the load changes, the quarter of the time with the least and with the most; `dips` and `calm` where the"
    " throughput dips, the steps in a dip and those between",
    "loads": "the account by level of the load; left out where that did not change enough",
    "loads.unit": "unit of the levels: `1/s`, `sessions/s` or `users`",
    "loads.levels": "the lowest first: `level` (median of what was asked for), `overloaded` (whether less was"
    " answered than came: times then depend on how long that lasted), and all fields of a window",
    "loads.low": "the least load that is compared: `level`, `requests_per_s`, `overloaded`, and `places` of"
    " its levels in `levels`, from 0",
    "loads.high": "the most load that is compared, in the same form",
    "loads.bends_at": "place of the lowest level from which on the line that grew most is surely longer than"
    " at `low`; null where no line was named",
    "loads.growth": "what grew at the loaded server from `low` to `high`; null where one of them was too"
    " short for an interval",
    "loads.growth.low_ms": "mean time of a request in the first of the two windows",
    "loads.growth.high_ms": "mean time of a request in the second",
    "loads.growth.ms": "by how much a request became longer",
    "loads.growth.interval": "its 95 % interval",
    "loads.growth.lines": "those that grew most first: `state` (`unaccounted` for what is not accounted for),"
    " `of`, `ms` (its growth), `interval` (95 % for all lines together), `share` of the growth of the request"
    " and `share_interval` (as before; both null where the request did not surely become longer)",
    "loads.growth.most": "`state` and `of` of the line that surely grew most, and of those that cannot be"
    " told apart from it; empty where none did",
    "loads.sentence": "what grew in words; empty where the sockets were not seen",
    "routes": "what can be told of each route, those first that take most time; left out where no two surely"
    " differ",
    "routes.route": "name of the route",
    "routes.requests_per_s": "requests of it that ended a second",
    "routes.total_ms": "how long a request of it takes",
    "routes.total_interval": "its 95 % interval, or null",
    "routes.per_request": "lines that are known for it, in the form of `components.NAME.per_request`: by the"
    " generator, and by regression on the rates of the routes where their mix varies enough",
    "routes.rest_ms": "`total_ms` less these lines: queues, and what could not be told",
    "routes.unseen": "`what` could not be told of it, and `why`",
    "routes_sentence": "the routes in words; left out where no two surely differ",
    "dips": "what grew from the calm to the dips: `growth`, in the form of `loads.growth`, and `sentence`;"
    " left out where the throughput did not dip",
}
"""Every field of the document, with its meaning."""

PLACES = 6
"""Digits behind the point: nanoseconds of a time in milliseconds."""


Interval = tuple[float, float]


def as_it_is(interval: Interval) -> Interval:
    """Return the interval of a time in a trial that nothing disturbed."""
    return interval


def to_json(
    account: Account,
    widen: Callable[[Interval], Interval] = as_it_is,
    loads: Loads | None = None,
    dips: Dipped | None = None,
    routes: Sequence[RouteAccount] = (),
) -> dict[str, Any]:
    """Return the account as plain numbers, strings, lists and mappings.

    widen: makes the interval of a time wider where something disturbed the trial. Shares stay as they are.
    loads: the account by level of the load; dips: the accounts of dips and of calm; routes: the accounts of
    the routes.
    """
    windows = {**account.windows, **({} if dips is None else {"dips": dips.dips, "calm": dips.calm})}
    document = {
        "version": VERSION,
        **_window(account, widen),
        "windows": {name: _window(window, widen) for name, window in windows.items()},
    }
    if loads is not None:
        document["loads"] = _loads(loads, widen)
    if dips is not None:
        growth = None if dips.growth is None else dips.growth.widened(widen)
        document["dips"] = {"growth": _growth(growth), "sentence": growth_words.in_dips(growth)}
    if routes:
        document["routes"] = [_route(route, widen) for route in routes]
        document["routes_sentence"] = route_words.told(routes)
    return document


def _route(route: RouteAccount, widen: Callable[[Interval], Interval]) -> dict[str, Any]:
    return {
        "route": route.route,
        "requests_per_s": _rounded(route.requests_per_s),
        "total_ms": _rounded(route.total_ms),
        "total_interval": _interval(route.total_interval, widen),
        "per_request": [_line(line, widen) for line in route.lines],
        "rest_ms": _rounded(route.rest_ms),
        "unseen": [{"what": missing.what, "why": missing.why} for missing in route.unseen],
    }


def _loads(loads: Loads, widen: Callable[[Interval], Interval]) -> dict[str, Any]:
    growth = None if loads.growth is None else loads.growth.widened(widen)
    is_named = growth is not None and bool(growth.most)
    return {
        "unit": loads.unit,
        "levels": [
            {
                "level": _rounded(at_load.level),
                "overloaded": at_load.is_overloaded,
                **_window(at_load.account, widen),
            }
            for at_load in loads.levels
        ],
        "low": _end(loads.low),
        "high": _end(loads.high),
        "bends_at": loads.bends_at if is_named else None,
        "growth": _growth(growth),
        "sentence": growth_words.by_load(replace(loads, growth=growth)),
    }


def _end(end: End) -> dict[str, Any]:
    return {
        "level": _rounded(end.level), "requests_per_s": _rounded(end.requests_per_s),
        "overloaded": end.is_overloaded, "places": list(end.places),
    }  # fmt: skip


def _growth(growth: Growth | None) -> dict[str, Any] | None:
    if growth is None:
        return None
    return {
        "low_ms": _rounded(growth.low_ms),
        "high_ms": _rounded(growth.high_ms),
        "ms": _rounded(growth.ms),
        "interval": _interval(growth.interval, as_it_is),
        "lines": [_grown(line, growth) for line in growth.lines],
        "most": [{"state": line.state, "of": line.of} for line in growth.most],
    }


def _grown(line: Grown, growth: Growth) -> dict[str, Any]:
    is_known = growth.is_sure and line.share is not None
    return {
        "state": line.state,
        "of": line.of,
        "ms": _rounded(line.ms),
        "interval": _interval(line.interval, as_it_is),
        "share": _rounded(line.share) if is_known and line.share is not None else None,
        "share_interval": _interval(line.share_interval, as_it_is) if is_known else None,
    }


def _window(account: Account, widen: Callable[[Interval], Interval]) -> dict[str, Any]:
    server = account.server
    return {
        "window_s": _rounded(account.window_s),
        "requests_per_s": _rounded(account.requests_per_s),
        "total_ms": _rounded(server.total_ms) if server is not None else None,
        "sentence": sentence.told(server, account.components) if server is not None else "",
        "components": {component.name: _component(component, widen) for component in account.components},
    }


def _component(component: ComponentAccount, widen: Callable[[Interval], Interval]) -> dict[str, Any]:
    return {
        "total_ms": _rounded(component.total_ms),
        "total_interval": _interval(component.total_interval, widen),
        "per_request": [_line(line, widen) for line in component.lines],
        "unaccounted_ms": _rounded(component.rest_ms),
        "unaccounted_interval": _interval(component.rest_interval, widen),
        "unaccounted_share": _rounded(component.rest_share),
        "running_parts": [_part(part, widen) for part in component.running_parts],
        "per_slot": [_state(state) for state in component.slots.states],
        "slots": [_slot(slot) for slot in component.slots.slots],
        "flags": list(component.flags),
        "unseen": [{"what": missing.what, "why": missing.why} for missing in component.unseen],
        "covered_share": _rounded(component.covered_share),
    }


def _line(line: Line, widen: Callable[[Interval], Interval]) -> dict[str, Any]:
    interval = _interval(line.interval, widen)
    return {
        "state": line.state, "of": line.of, "ms": _rounded(line.ms), "interval": interval,
        "source": line.source,
    }  # fmt: skip


def _part(part: RunningPart, widen: Callable[[Interval], Interval]) -> dict[str, Any]:
    return {
        "class": part.work, "words": part.words, "ms": _rounded(part.ms),
        "interval": _interval(part.interval, widen), "share": _rounded(part.share),
    }  # fmt: skip


def _state(state: SlotState) -> dict[str, Any]:
    return {
        "slot": state.slot, "of": state.of, "state": state.state, "share": _rounded(state.share),
        "number": _rounded(state.number),
    }  # fmt: skip


def _slot(slot: Slot) -> dict[str, Any]:
    full = None if slot.full_share is None else _rounded(slot.full_share)
    return {"slot": slot.slot, "of": slot.of, "number": _rounded(slot.number), "full_share": full}


def _interval(interval: Interval | None, widen: Callable[[Interval], Interval]) -> list[float] | None:
    return None if interval is None else [_rounded(end) for end in widen(interval)]


def _rounded(value: float) -> float:
    return round(float(value), PLACES)
