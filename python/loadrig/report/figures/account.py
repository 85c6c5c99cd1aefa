"""Bars of a request's time: a stacked bar for the server, and below it one for each dependency."""

from collections.abc import Iterator, Sequence
from typing import Any

from loadrig.account import states
from loadrig.account.document import AccountDocument, ComponentDocument, LineDocument, RouteDocument
from loadrig.account.sentence import LEAST_SHARE as LEAST_TOLD
from loadrig.account.sentence import MOST_PARTS, REST
from loadrig.account.sentence import words as words_of_state
from loadrig.base.component import SERVER
from loadrig.base.documents import Document, plain
from loadrig.base.units import show_duration, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.account import AccountFigureTexts
from loadrig.report import numbers
from loadrig.report.model import Figure, Table
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(AccountFigureTexts)

TITLE = TEXTS.title

LEAST_SHARE = 0.002
"""Share of the server's time below which a part is not drawn: it would be narrower than a line."""

WINDOWS = {
    "low_load": TEXTS.low_load,
    "high_load": TEXTS.high_load,
    "calm": TEXTS.calm,
    "dips": TEXTS.dips,
}
"""Stretches of a trial that are drawn below the whole trial, with their names in words."""

BY_LOAD = frozenset({"low_load", "high_load"})
"""Stretches of WINDOWS that are not drawn where all levels of the load have a picture of their own."""

OTHER, BEYOND = "rest", "beyond"
"""Classes of the time that is not accounted for, and of that by which the lines are more than the total."""


class BarSegment(Document, frozen=True):
    """Part of a bar: from where on, how long, and in words."""

    state: str
    from_s: float
    s: float
    words: str
    text: str


class Bar(Document, frozen=True):
    """Bar of a component or a route: the parts of a request, one after the other, from `from_s` on."""

    name: str
    note: str
    total: str
    total_s: float
    from_s: float
    parts: tuple[BarSegment, ...]

    @property
    def length_s(self) -> float:
        """Length of all parts, or the total where that is longer."""
        return max(self.total_s, sum(part.s for part in self.parts))


class LongestPart(Document, frozen=True):
    """Part of a request's time that is drawn in a bar of characters. share: of the whole, 0 to 1."""

    words: str
    share: float


def draw(view: str, account: AccountDocument) -> Figure | None:
    """Return the bars; None where the server's sockets were not seen."""
    server = account.components.get(SERVER)
    if server is None or not account.sentence:
        return None
    bars = [_component_bar(SERVER, "", server, 0.0), *_dependencies(account), *_windows(account)]
    data = _data(bars, _key(bars), _longest_parts(server))
    return Figure(
        f"account-{view}",
        "account",
        TITLE,
        TEXTS.about(account.sentence),
        data,
        table(account),
        drawn_in_text=True,
    )


def by_route(view: str, account: AccountDocument) -> Figure | None:
    """Return the bars of the routes, those that take most time first; None where no two surely differ."""
    routes = account.routes
    if not routes:
        return None
    bars = [_route_bar(route) for route in routes]
    key = [(state, words if state != OTHER else TEXTS.not_told_by_route) for state, words in _key(bars)]
    missing = dict.fromkeys(f"{part.what}: {part.why}" for route in routes for part in route.unseen)
    about = TEXTS.about_routes(account.routes_sentence or "", "; ".join(missing))
    data = _data(bars, key, [])
    return Figure(f"account-routes-{view}", "account", TEXTS.by_route, about, data, _route_table(routes))


def _data(
    bars: Sequence[Bar], key: Sequence[tuple[str, str]], longest: Sequence[LongestPart]
) -> dict[str, Any]:
    return {
        "bars": plain(bars),
        "longest_s": max(bar.from_s + bar.length_s for bar in bars),
        "key": [{"state": state, "words": words} for state, words in key],
        "told": plain(longest),
    }


def _route_table(routes: Sequence[RouteDocument]) -> Table:
    return table_of(
        [(route.route, line) for route in routes for line in _lines_of_route(route)],
        left(TEXTS.route, lambda row: row[0]),
        left(TEXTS.what_request_does, lambda row: _words_by_route(row[1])),
        right(TEXTS.time, lambda row: show_ms(row[1].ms)),
        right("95 %", lambda row: interval_text(row[1].interval), 1),
        left(TEXTS.counted_by, lambda row: row[1].source, 2),
    )


def table(account: AccountDocument) -> Table:
    """Return a table of every line of every component."""
    lines = [
        (name, line, line.ms / component.total_ms if component.total_ms else None)
        for name, component in account.components.items()
        for line in _lines_of(component)
        if line.ms or line.state in (OTHER, BEYOND)
    ]
    return table_of(
        lines,
        left(TEXTS.component, lambda row: row[0]),
        left(TEXTS.what_request_does, lambda row: words_of(row[1].state, row[1].of, row[0])),
        right(TEXTS.time, lambda row: show_ms(row[1].ms)),
        right("95 %", lambda row: interval_text(row[1].interval), 1),
        right(TEXTS.share, lambda row: "–" if row[2] is None else show_share(row[2])),
        left(TEXTS.counted_by, lambda row: row[1].source, 2),
    )


def words_of(state: str, of: str = "", component: str = SERVER) -> str:
    """Return the words of a line for a reader. component: the component inside which it lies."""
    if state in (OTHER, BEYOND):
        return TEXTS.not_accounted_for if state == OTHER else TEXTS.beyond_total
    words = words_of_state(state, of)
    return words if of or component == SERVER else words.replace(TEXTS.server_in_words, component)


def _words_by_route(line: LineDocument) -> str:
    return TEXTS.not_told_by_route if line.state == OTHER else words_of(line.state, line.of)


def _component_bar(name: str, note: str, component: ComponentDocument, from_s: float) -> Bar:
    parts = [(line, words_of(line.state, line.of, name)) for line in _lines_of(component)]
    return _bar(name, note, component.total_ms, parts, from_s)


def _route_bar(route: RouteDocument) -> Bar:
    parts = [(line, _words_by_route(line)) for line in _lines_of_route(route)]
    return _bar(route.route, numbers.amount(route.requests_per_s, "1/s"), route.total_ms, parts, 0.0)


def _bar(
    name: str, note: str, total_ms: float, lines: Sequence[tuple[LineDocument, str]], from_s: float
) -> Bar:
    """Return a bar from from_s on. lines: with their words; what is beyond the total has no length."""
    parts = []
    at = from_s
    for line, words in lines:
        length = 0.0 if line.state == BEYOND else line.ms / 1e3
        if length > LEAST_SHARE * total_ms / 1e3:
            parts.append(
                BarSegment(
                    state=line.state,
                    from_s=numbers.rounded(at),
                    s=numbers.rounded(length),
                    words=words,
                    text=f"{words}: {show_ms(line.ms)}, {show_share(line.ms / total_ms)}",
                )
            )
        at += length
    return Bar(
        name=name,
        note=note,
        total=show_ms(total_ms),
        total_s=total_ms / 1e3,
        from_s=from_s,
        parts=tuple(parts),
    )


def _dependencies(account: AccountDocument) -> Iterator[Bar]:
    """Yield the bars of the components that the server waits for, each below the part in which it waits."""
    at = 0.0
    for line in account.components[SERVER].per_request:
        component = account.components.get(line.of)
        is_waited_for = line.state == states.AWAITING and line.of != SERVER
        if is_waited_for and component is not None and component.total_ms > 0:
            yield _component_bar(line.of, "", component, at)
        at += max(0.0, line.ms / 1e3)


def _windows(account: AccountDocument) -> Iterator[Bar]:
    for name, words in WINDOWS.items():
        window = account.windows.get(name)
        if name in BY_LOAD and account.loads:
            continue
        if window is not None and SERVER in window.components:
            note = f"{words}, {numbers.amount(window.requests_per_s, '1/s')}"
            yield _component_bar(SERVER, note, window.components[SERVER], 0.0)


def _key(bars: Sequence[Bar]) -> list[tuple[str, str]]:
    """Return the states that are drawn, in the order of a request's way, in words for every component."""
    drawn = {part.state for bar in bars for part in bar.parts}
    of_any = {
        states.AWAITING: TEXTS.waiting_for_dependency,
        states.ANSWER_UNREAD: TEXTS.answers_unread,
        states.HOLDING: TEXTS.holding_transaction,
    }
    key = [(state, of_any.get(state) or words_of_state(state)) for state in states.ORDER if state in drawn]
    return [*key, *([(OTHER, TEXTS.not_accounted_for)] if OTHER in drawn else [])]


def _longest_parts(component: ComponentDocument) -> list[LongestPart]:
    """Return the longest parts with their shares, for a bar of characters."""
    total = component.total_ms
    lines = sorted(component.per_request, key=lambda line: -line.ms)
    longest = [line for line in lines if total and line.ms >= LEAST_TOLD * total][:MOST_PARTS]
    parts = [LongestPart(words=words_of(line.state, line.of), share=line.ms / total) for line in longest]
    rest = 1.0 - sum(part.share for part in parts)
    return [*parts, LongestPart(words=REST, share=rest)] if rest >= LEAST_TOLD / 2 else parts


def _lines_of(component: ComponentDocument) -> tuple[LineDocument, ...]:
    """Return the lines of a component, and last what is not accounted for, or by how much they are too long.

    They are where other clients call the component, too, or where what is counted at two places is the same.
    """
    sign, state = (1, OTHER) if component.unaccounted_ms >= 0 else (-1, BEYOND)
    ends = sorted(max(0.0, sign * end) for end in component.unaccounted_interval or ())
    rest = LineDocument(
        state=state,
        of="",
        ms=abs(component.unaccounted_ms),
        interval=(ends[0], ends[1]) if ends else None,
        source=TEXTS.total_less_lines,
    )
    return (*component.per_request, rest)


def _lines_of_route(route: RouteDocument) -> tuple[LineDocument, ...]:
    """Return the lines of a route, and last what they do not explain."""
    rest = LineDocument(
        state=OTHER, of="", ms=max(0.0, route.rest_ms), interval=None, source=TEXTS.total_less
    )
    return (*route.per_request, rest)


def interval_text(interval: Sequence[float] | None) -> str:
    """Return the ends of an interval of a time in milliseconds; a dash for None."""
    return "–" if interval is None else " – ".join(map(show_ms, interval))


def show_ms(ms: float) -> str:
    """Return a time in milliseconds on its own scale; an estimate may lie below zero."""
    return f"{'−' if ms < 0 else ''}{show_duration(abs(ms) / 1e3)}"
