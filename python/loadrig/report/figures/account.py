"""Where a request's time goes: a stacked bar for the server, and below it one for each dependency."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loadrig.account import states
from loadrig.account.sentence import REST, WORDS, WORDS_OF
from loadrig.base.component import SERVER
from loadrig.base.units import show_duration, show_share
from loadrig.report import numbers
from loadrig.report.model import Cell, Column, Figure, Table

Json = Mapping[str, Any]

TITLE = "A request, part by part"

LEAST_SHARE = 0.002
"""Share of the server's time below which a part is not drawn: it would be narrower than a line."""

WINDOWS = {
    "low_load": "least load",
    "high_load": "most load",
    "calm": "between the dips",
    "dips": "in the dips",
}
"""Stretches of a trial that are drawn below the whole trial, with their names in words."""

BY_LOAD = frozenset({"low_load", "high_load"})
"""Stretches of WINDOWS that are not drawn where all levels of the load have a picture of their own."""

OTHER = "rest"
"""Class of the time that is not accounted for."""

UNTOLD = "in queues, or not told by route"
"""Words for the part of a route's time that its lines do not explain."""


def draw(view: str, account: Json) -> Figure | None:
    """Return the bars; None where the server's sockets were not seen. account: of the trial's result."""
    server = (account.get("components") or {}).get(SERVER)
    if server is None or not account.get("sentence"):
        return None
    bars = [_bar(SERVER, "", server, 0.0), *_dependencies(account)]
    bars += _windows(account)
    about = (
        f"{account['sentence']} Each bar is the mean time of a request, in the order of its way. A"
        " dependency's bar begins where the server begins to wait for it."
    )
    data = {
        "bars": bars,
        "longest_s": max(bar["from_s"] + max(bar["total_s"], _length(bar)) for bar in bars),
        "key": [{"state": state, "words": words} for state, words in _key(bars)],
        "told": _longest_parts(server),
    }
    return Figure(f"account-{view}", "account", TITLE, about, data, table(account), drawn_in_text=True)


def by_route(view: str, account: Json) -> Figure | None:
    """Return the bars of the routes, those that take most time first; None where no two surely differ."""
    routes = account.get("routes")
    if not routes:
        return None
    bars = [
        _bar(
            str(route["route"]),
            numbers.amount(route["requests_per_s"], "1/s"),
            {**route, "unaccounted_ms": route["rest_ms"], "unaccounted_interval": None},
            0.0,
            of_route=True,
        )
        for route in routes
    ]
    key = [(state, words if state != OTHER else UNTOLD) for state, words in _key(bars)]
    missing = dict.fromkeys(f"{part['what']}: {part['why']}" for route in routes for part in route["unseen"])
    about = (
        f"{account['routes_sentence']} What a request of a route takes by itself is told where the mix of the"
        f" routes varies enough. Not told by route: {'; '.join(missing)}."
    )
    data = {
        "bars": bars,
        "longest_s": max(max(bar["total_s"], _length(bar)) for bar in bars),
        "key": [{"state": state, "words": words} for state, words in key],
        "told": [],
    }
    return Figure(f"account-routes-{view}", "account", "By route", about, data, _route_table(routes))


def _route_table(routes: Sequence[Json]) -> Table:
    rows = []
    for route in routes:
        rest = {
            "state": OTHER,
            "of": "",
            "ms": route["rest_ms"],
            "interval": None,
            "source": "the total less",
        }
        rows += [
            (
                Cell(str(route["route"])),
                Cell(words_of(line) if line["state"] != OTHER else UNTOLD),
                Cell(_time(line["ms"])),
                Cell(interval_text(line["interval"])),
                Cell(str(line["source"])),
            )
            for line in (*route["per_request"], rest)
        ]
    heads = (
        Column("route", "left"), Column("what a request does", "left"), Column("time"),
        Column("95 %", rank=1), Column("counted by", "left", rank=2),
    )  # fmt: skip
    return Table(heads, tuple(rows))


def table(account: Json) -> Table:
    """Return a table of every line of every component."""
    rows = []
    for name, component in account["components"].items():
        total = component["total_ms"]
        lines = [*component["per_request"], _rest(component)]
        rows += [
            (
                Cell(str(name)),
                Cell(words_of(line, name)),
                Cell(_time(line["ms"])),
                Cell(interval_text(line["interval"])),
                Cell(show_share(line["ms"] / total) if total else "–"),
                Cell(str(line["source"])),
            )
            for line in lines
            if line["ms"] or line["state"] == OTHER
        ]
    heads = (
        Column("component", "left"),
        Column("what a request does", "left"),
        Column("time"),
        Column("95 %", rank=1),
        Column("share"),
        Column("counted by", "left", rank=2),
    )
    return Table(heads, tuple(rows))


def words_of(line: Json, component: str = SERVER) -> str:
    """Return the words of a line for a reader. component: the component inside which it lies."""
    if line["state"] == OTHER:
        return "not accounted for"
    if line["of"]:
        return WORDS_OF[line["state"]].format(of=line["of"])
    return WORDS[line["state"]].replace("the server", component if component != SERVER else "the server")


def _bar(name: str, note: str, component: Json, from_s: float, *, of_route: bool = False) -> dict[str, Any]:
    """Return a bar from from_s on, its parts one after the other. A part below zero has no length."""
    parts = []
    at = from_s
    lines = [*component["per_request"], _rest(component)]
    for line in lines:
        length = max(0.0, line["ms"] / 1e3)
        if length > LEAST_SHARE * component["total_ms"] / 1e3:
            share = show_share(line["ms"] / component["total_ms"])
            words = words_of(line, SERVER if of_route else name)
            if of_route and line["state"] == OTHER:
                words = UNTOLD
            parts.append(
                {
                    "state": line["state"],
                    "from_s": numbers.rounded(at),
                    "s": numbers.rounded(length),
                    "words": words,
                    "text": f"{words}: {_time(line['ms'])}, {share}",
                }
            )
        at += length
    total_s = component["total_ms"] / 1e3
    return {
        "name": name, "note": note, "total": _time(component["total_ms"]), "total_s": total_s,
        "from_s": from_s, "parts": parts,
    }  # fmt: skip


def _dependencies(account: Json) -> Iterator[dict[str, Any]]:
    """Yield the bars of the components that the server waits for, each below the part in which it waits."""
    components = account["components"]
    at = 0.0
    for line in components[SERVER]["per_request"]:
        component = components.get(line["of"])
        is_waited_for = line["state"] == states.AWAITING and component is not None and line["of"] != SERVER
        if is_waited_for and component["total_ms"] > 0:
            yield _bar(line["of"], "", component, at)
        at += max(0.0, line["ms"] / 1e3)


def _windows(account: Json) -> Iterator[dict[str, Any]]:
    for name, words in WINDOWS.items():
        window = (account.get("windows") or {}).get(name)
        if name in BY_LOAD and account.get("loads"):
            continue
        if window and SERVER in window["components"]:
            note = f"{words}, {numbers.amount(window['requests_per_s'], '1/s')}"
            yield _bar(SERVER, note, window["components"][SERVER], 0.0)


def _key(bars: Sequence[Json]) -> list[tuple[str, str]]:
    """Return the states that are drawn, in the order of a request's way, in words for every component."""
    seen = {part["state"] for bar in bars for part in bar["parts"]}
    words = {
        **WORDS,
        states.AWAITING: "waiting for a dependency",
        states.ANSWER_UNREAD: "answers unread",
        states.HOLDING: "holding a transaction open",
    }
    key = [(state, words[state]) for state in states.ORDER if state in seen]
    return [*key, *([(OTHER, "not accounted for")] if OTHER in seen else [])]


def _longest_parts(component: Json) -> list[dict[str, Any]]:
    """Return the longest parts with their shares, for a bar of characters."""
    from loadrig.account.sentence import LEAST_SHARE as LEAST
    from loadrig.account.sentence import MOST_PARTS

    total = component["total_ms"]
    lines = sorted(component["per_request"], key=lambda line: -line["ms"])
    longest = [line for line in lines if total and line["ms"] >= LEAST * total][:MOST_PARTS]
    parts = [{"words": words_of(line), "share": line["ms"] / total} for line in longest]
    rest = 1.0 - sum(part["share"] for part in parts)
    return [*parts, {"words": REST, "share": rest}] if rest >= LEAST / 2 else parts


def _rest(component: Json) -> dict[str, Any]:
    return {
        "state": OTHER, "of": "", "ms": component["unaccounted_ms"],
        "interval": component["unaccounted_interval"], "source": "the total less all lines",
    }  # fmt: skip


def _length(bar: Json) -> float:
    return float(sum(part["s"] for part in bar["parts"]))


def interval_text(interval: Sequence[float] | None) -> str:
    """Return the ends of an interval of a time in milliseconds; a dash for None."""
    return "–" if interval is None else f"{_time(interval[0])} – {_time(interval[1])}"


def _time(ms: float) -> str:
    return f"{'−' if ms < 0 else ''}{show_duration(abs(ms) / 1e3)}"
