"""The account's document, made of an account: rounded, and with intervals as wide as the trial allows."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from loadrig.account import growth_words, route_words, sentence
from loadrig.account.book import Account, AccountLine, ComponentAccount
from loadrig.account.calm import Dipped
from loadrig.account.document import (
    VERSION,
    AccountDocument,
    ComponentDocument,
    DipsDocument,
    EndDocument,
    GrownDocument,
    Interval,
    LevelDocument,
    LineDocument,
    LoadsDocument,
    NamedLineDocument,
    RequestGrowthDocument,
    RouteDocument,
    RunningPartDocument,
    SlotDocument,
    SlotStateDocument,
    UnseenDocument,
    WindowDocument,
)
from loadrig.account.growth import Grown, RequestGrowth
from loadrig.account.loads import LoadEnd, Loads
from loadrig.account.parts import RunningPart
from loadrig.account.routes import RouteAccount
from loadrig.account.seen import UnseenState
from loadrig.account.slots import SlotKind, SlotState
from loadrig.base.documents import ABSENT

PLACES = 6
"""Digits behind the point: nanoseconds of a time in milliseconds."""

Widen = Callable[[Interval], Interval]
"""Function that widens the interval of a time where something disturbed the trial."""

W = TypeVar("W", AccountDocument, LevelDocument, WindowDocument)


def as_it_is(interval: Interval) -> Interval:
    """Return the interval of a time in a trial that nothing disturbed."""
    return interval


def document_of(
    account: Account,
    widen: Widen = as_it_is,
    loads: Loads | None = None,
    dips: Dipped | None = None,
    routes: Sequence[RouteAccount] = (),
) -> AccountDocument:
    """Return the document of an account.

    widen: for intervals of times; shares stay as they are. loads: the account by level of the load; dips: the
    accounts of dips and of calm; routes: the accounts of the routes.
    """
    windows = {**account.windows, **({} if dips is None else {"dips": dips.dips, "calm": dips.calm})}
    return _window(
        AccountDocument,
        account,
        widen,
        version=VERSION,
        windows={name: _window(WindowDocument, window, widen) for name, window in windows.items()},
        loads=ABSENT if loads is None else _loads(loads, widen),
        dips=ABSENT if dips is None else _dips(dips, widen),
        routes=tuple(_route(route, widen) for route in routes) or ABSENT,
        routes_sentence=route_words.routes_sentence(routes) if routes else ABSENT,
    )


def _window(kind: type[W], account: Account, widen: Widen, **own_fields: Any) -> W:
    """Return a document of a kind that has the fields of a window and its own."""
    server = account.server
    return kind(
        window_s=_rounded(account.window_s),
        requests_per_s=_rounded(account.requests_per_s),
        total_ms=_rounded(server.total_ms) if server is not None else None,
        sentence=sentence.sentence_of(server, account.components) if server is not None else "",
        components={component.name: _component(component, widen) for component in account.components},
        **own_fields,
    )


def _component(component: ComponentAccount, widen: Widen) -> ComponentDocument:
    return ComponentDocument(
        total_ms=_rounded(component.total_ms),
        total_interval=_interval(component.total_interval, widen),
        per_request=tuple(_line(line, widen) for line in component.lines),
        unaccounted_ms=_rounded(component.rest_ms),
        unaccounted_interval=_interval(component.rest_interval, widen),
        unaccounted_share=_rounded(component.rest_share),
        running_parts=tuple(_part(part, widen) for part in component.running_parts),
        per_slot=tuple(_state(state) for state in component.slots.states),
        slots=tuple(_slot(slot) for slot in component.slots.slots),
        flags=tuple(component.flags),
        unseen=_unseen(component.unseen),
        covered_share=_rounded(component.covered_share),
    )


def _line(line: AccountLine, widen: Widen) -> LineDocument:
    return LineDocument(
        state=line.state,
        of=line.of,
        ms=_rounded(line.ms),
        interval=_interval(line.interval, widen),
        source=line.source,
    )


def _part(part: RunningPart, widen: Widen) -> RunningPartDocument:
    return RunningPartDocument(
        work=part.work,
        words=part.words,
        ms=_rounded(part.ms),
        interval=_interval(part.interval, widen),
        share=_rounded(part.share),
    )


def _state(state: SlotState) -> SlotStateDocument:
    return SlotStateDocument(
        slot=state.slot,
        of=state.of,
        state=state.state,
        share=_rounded(state.share),
        number=_rounded(state.number),
    )


def _slot(slot: SlotKind) -> SlotDocument:
    full = None if slot.full_share is None else _rounded(slot.full_share)
    return SlotDocument(slot=slot.slot, of=slot.of, number=_rounded(slot.number), full_share=full)


def _unseen(unseen: Sequence[UnseenState]) -> tuple[UnseenDocument, ...]:
    return tuple(UnseenDocument(what=missing.what, why=missing.why) for missing in unseen)


def _loads(loads: Loads, widen: Widen) -> LoadsDocument:
    growth = None if loads.growth is None else loads.growth.widened(widen)
    is_named = growth is not None and bool(growth.most)
    return LoadsDocument(
        unit=loads.unit,
        levels=tuple(
            _window(
                LevelDocument,
                at_load.account,
                widen,
                level=_rounded(at_load.level),
                overloaded=at_load.is_overloaded,
            )
            for at_load in loads.levels
        ),
        low=_end(loads.low),
        high=_end(loads.high),
        bends_at=loads.bends_at if is_named else None,
        growth=_growth(growth),
        sentence=growth_words.by_load(replace(loads, growth=growth)),
    )


def _end(end: LoadEnd) -> EndDocument:
    return EndDocument(
        level=_rounded(end.level),
        requests_per_s=_rounded(end.requests_per_s),
        overloaded=end.is_overloaded,
        places=tuple(end.places),
    )


def _dips(dips: Dipped, widen: Widen) -> DipsDocument:
    growth = None if dips.growth is None else dips.growth.widened(widen)
    return DipsDocument(growth=_growth(growth), sentence=growth_words.in_dips(growth))


def _growth(growth: RequestGrowth | None) -> RequestGrowthDocument | None:
    if growth is None:
        return None
    return RequestGrowthDocument(
        low_ms=_rounded(growth.low_ms),
        high_ms=_rounded(growth.high_ms),
        ms=_rounded(growth.ms),
        interval=_rounded_ends(growth.interval),
        lines=tuple(_grown(line, growth) for line in growth.lines),
        most=tuple(NamedLineDocument(state=line.state, of=line.of) for line in growth.most),
    )


def _grown(line: Grown, growth: RequestGrowth) -> GrownDocument:
    is_known = growth.is_sure and line.share is not None
    return GrownDocument(
        state=line.state,
        of=line.of,
        ms=_rounded(line.ms),
        interval=_rounded_ends(line.interval),
        share=_rounded(line.share) if is_known and line.share is not None else None,
        share_interval=_interval(line.share_interval, as_it_is) if is_known else None,
    )


def _route(route: RouteAccount, widen: Widen) -> RouteDocument:
    return RouteDocument(
        route=route.route,
        requests_per_s=_rounded(route.requests_per_s),
        total_ms=_rounded(route.total_ms),
        total_interval=_interval(route.total_interval, widen),
        per_request=tuple(_line(line, widen) for line in route.lines),
        rest_ms=_rounded(route.rest_ms),
        unseen=_unseen(route.unseen),
    )


def _interval(interval: Interval | None, widen: Widen) -> Interval | None:
    return None if interval is None else _rounded_ends(widen(interval))


def _rounded_ends(interval: Interval) -> Interval:
    low, high = interval
    return _rounded(low), _rounded(high)


def _rounded(value: float) -> float:
    return round(float(value), PLACES)
