"""A request's time against the load: its parts stacked, level by level, and the line that bends marked."""

from collections.abc import Iterator, Sequence
from typing import Any

from loadrig.account import states
from loadrig.account.document import AccountDocument, ComponentDocument, LevelDocument, LoadsDocument
from loadrig.base.component import SERVER
from loadrig.base.units import show_number, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.account_loads import AccountLoadsFigureTexts
from loadrig.report import numbers
from loadrig.report.figures.account import OTHER, interval_text, show_ms, words_of
from loadrig.report.model import Cell, Figure, Table
from loadrig.report.tables import FilledColumn, right, table_of

TEXTS = texts_of(AccountLoadsFigureTexts)

TITLE = TEXTS.title

LEAST_SHARE = 0.005
"""Share of the longest request below which a part is not drawn: it would be narrower than a line."""

AXES = {"users": TEXTS.users, "sessions/s": TEXTS.sessions_a_second, "1/s": TEXTS.requests_a_second}
"""Names of the horizontal axis by the unit of the load."""


def draw(view: str, account: AccountDocument) -> Figure | None:
    """Return the picture; None where the load did not change, or the server's sockets were not seen."""
    loads = account.loads
    if not loads or not loads.sentence:
        return None
    shown = _shown(loads)
    if len(shown) < 2:
        return None
    servers = [level.components[SERVER] for level in shown]
    longest_s = max(_top_ms(server) for server in servers) / 1e3
    bands = list(_bands(servers, loads, LEAST_SHARE * longest_s))
    about = TEXTS.about(loads.sentence)
    data = {
        "axis": AXES.get(loads.unit, loads.unit),
        "at": [numbers.rounded(level.level) for level in shown],
        "totals": [_total(level, loads.unit) for level in shown],
        "bands": bands,
        "longest_s": longest_s,
        "bends": _bends(loads, shown),
    }
    return Figure(f"account-loads-{view}", "loads", TITLE, about, data, table(loads))


def table(loads: LoadsDocument) -> Table:
    """Return every level, overloads too, with every line of the server that is worth a column."""
    servers = [level.components[SERVER] for level in loads.levels]
    keys = [
        key
        for key in _keys(servers)
        if any(abs(_ms(server, key)) > LEAST_SHARE * server.total_ms for server in servers)
    ]

    def part(key: Key) -> FilledColumn[LevelDocument]:
        return right(_words(key), lambda level: show_ms(_ms(level.components[SERVER], key)), 1)

    return table_of(
        loads.levels,
        right(TEXTS.load, lambda level: _load_cell(level, loads.unit)),
        right(TEXTS.ended, lambda level: f"{show_number(level.requests_per_s)}/s"),
        right(TEXTS.request, lambda level: show_ms(level.components[SERVER].total_ms)),
        right("95 %", lambda level: interval_text(level.components[SERVER].total_interval), 2),
        *map(part, keys),
    )


def _load_cell(level: LevelDocument, unit: str) -> Cell:
    return Cell(numbers.amount(level.level, unit), note=TEXTS.overloaded if level.overloaded else "")


Key = tuple[str, str]


def _shown(loads: LoadsDocument) -> Sequence[LevelDocument]:
    """Return the levels that are drawn: overloads only where the sentence speaks of them.

    How long a request takes in an overload depends on how long the overload lasted.
    """
    if not loads.high.overloaded:
        return [level for level in loads.levels if not level.overloaded]
    return loads.levels[: max(loads.high.places) + 1]


def _keys(servers: Sequence[ComponentDocument]) -> list[Key]:
    """Return all lines of all levels in the order of a request's way, and what is not accounted for."""
    keys = {(line.state, line.of) for server in servers for line in server.per_request}
    ordered = sorted(keys, key=lambda key: (_place(key), key[1]))
    return [*ordered, (OTHER, "")]


def _place(key: Key) -> int:
    # Connecting to a dependency stands beside waiting for it: the server has the request in hand then.
    return states.ORDER[states.AWAITING if key[0] == states.CONNECTING and key[1] else key[0]]


def _ms(server: ComponentDocument, key: Key) -> float:
    if key[0] == OTHER:
        return max(0.0, server.unaccounted_ms)
    return sum(line.ms for line in server.per_request if (line.state, line.of) == key)


def _bands(
    servers: Sequence[ComponentDocument], loads: LoadsDocument, least_s: float
) -> Iterator[dict[str, Any]]:
    """Yield the bands that are wider than `least_s` at some level."""
    named = {(line.state, line.of) for line in loads.growth.most} if loads.growth is not None else set()
    for key in _keys(servers):
        values = [_ms(server, key) for server in servers]
        widths_s = [numbers.rounded(max(0.0, value) / 1e3) for value in values]
        if max(widths_s) <= least_s:
            continue
        yield {
            "state": key[0],
            "words": _words(key),
            "s": widths_s,
            "texts": [
                f"{_words(key)}: {show_ms(value)}, {show_share(value / server.total_ms)}"
                for value, server in zip(values, servers, strict=True)
            ],
            "bends": key in named,
        }


def _bends(loads: LoadsDocument, shown: Sequence[LevelDocument]) -> dict[str, Any] | None:
    """Return the line that grew most: by how much, and the load from which on it is longer."""
    growth, place = loads.growth, loads.bends_at
    if growth is None or place is None or not growth.most:
        return None
    first = growth.most[0]
    line = next(line for line in growth.lines if (line.state, line.of) == (first.state, first.of))
    at = min(loads.levels[place].level, shown[-1].level)
    text = TEXTS.bends(numbers.amount(at, loads.unit), show_ms(line.ms))
    return {"at": numbers.rounded(at), "text": text}


def _total(level: LevelDocument, unit: str) -> dict[str, Any]:
    server = level.components[SERVER]
    low, high = server.total_interval or (server.total_ms, server.total_ms)
    return {
        "s": numbers.rounded(server.total_ms / 1e3),
        "low": numbers.rounded(max(0.0, low) / 1e3),
        "high": numbers.rounded(high / 1e3),
        "text": TEXTS.takes(numbers.amount(level.level, unit), show_ms(server.total_ms)),
    }


def _top_ms(server: ComponentDocument) -> float:
    """Return the height of a level in ms: its lines, or its total with the interval, up to half more."""
    lines = sum(max(0.0, line.ms) for line in server.per_request) + max(0.0, server.unaccounted_ms)
    high = (server.total_interval or (0.0, 0.0))[1]
    return max(lines, server.total_ms, min(high, 1.5 * server.total_ms))


def _words(key: Key) -> str:
    return words_of(*key).partition("(")[0].rstrip()
