"""The account's document, made of an account: rounded, and with intervals as wide as the trial allows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from loadrig.account import growth_words, route_words, sentence
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
    WindowDocument,
)
from loadrig.account.growth import Grown, RequestGrowth
from loadrig.account.loads import Loads
from loadrig.account.routes import RouteAccount
from loadrig.account.trial_account import Account, ComponentAccount
from loadrig.base.documents import ABSENT, Document

PLACES = 6
"""Digits behind the point: nanoseconds of a time in milliseconds."""

Widen = Callable[[Interval], Interval]
"""Function that widens the interval of a time where something disturbed the trial."""

W = TypeVar("W", AccountDocument, LevelDocument, WindowDocument)
D = TypeVar("D", bound=Document)


def unwidened(interval: Interval) -> Interval:
    """Return the interval of a time in a trial that nothing disturbed."""
    return interval


def document_of(
    account: Account,
    widen: Widen = unwidened,
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


def _copied(kind: type[D], source: object, widen: Widen, **own_fields: Any) -> D:
    """Return a document of a kind: fields of its own, and those that a source has by the same names.

    Numbers are rounded, and intervals of times widened.
    """
    names = [name for name in kind.__struct_fields__ if name not in own_fields]
    return kind(**{name: _shown(getattr(source, name), widen) for name in names}, **own_fields)


def _shown(value: Any, widen: Widen) -> Any:
    match value:
        case bool():
            return value
        case int() | float():
            return _rounded(value)
        case (float() as low, float() as high):
            return _rounded_ends(widen((low, high)))
        case _:
            return value


def _component(component: ComponentAccount, widen: Widen) -> ComponentDocument:
    return _copied(
        ComponentDocument,
        component,
        widen,
        per_request=_all(LineDocument, component.lines, widen),
        unaccounted_ms=_rounded(component.rest_ms),
        unaccounted_interval=_shown(component.rest_interval, widen),
        unaccounted_share=_rounded(component.rest_share),
        running_parts=_all(RunningPartDocument, component.running_parts, widen),
        per_slot=_all(SlotStateDocument, component.slots.states, widen),
        slots=_all(SlotDocument, component.slots.slots, widen),
    )


def _all(kind: type[D], sources: Iterable[object], widen: Widen = unwidened) -> tuple[D, ...]:
    return tuple(_copied(kind, source, widen) for source in sources)


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
        low=_copied(EndDocument, loads.low, widen, overloaded=loads.low.is_overloaded),
        high=_copied(EndDocument, loads.high, widen, overloaded=loads.high.is_overloaded),
        bends_at=loads.bends_at if is_named else None,
        growth=_growth(growth),
        sentence=growth_words.by_load(replace(loads, growth=growth)),
    )


def _dips(dips: Dipped, widen: Widen) -> DipsDocument:
    growth = None if dips.growth is None else dips.growth.widened(widen)
    return DipsDocument(growth=_growth(growth), sentence=growth_words.in_dips(growth))


def _growth(growth: RequestGrowth | None) -> RequestGrowthDocument | None:
    if growth is None:
        return None
    return _copied(
        RequestGrowthDocument,
        growth,
        unwidened,
        lines=tuple(_grown(line, growth) for line in growth.lines),
        most=_all(NamedLineDocument, growth.most),
    )


def _grown(line: Grown, growth: RequestGrowth) -> GrownDocument:
    if growth.is_sure:
        return _copied(GrownDocument, line, unwidened)
    return _copied(GrownDocument, line, unwidened, share=None, share_interval=None)


def _route(route: RouteAccount, widen: Widen) -> RouteDocument:
    return _copied(RouteDocument, route, widen, per_request=_all(LineDocument, route.lines, widen))


def _rounded_ends(interval: Interval) -> Interval:
    low, high = interval
    return _rounded(low), _rounded(high)


def _rounded(value: float) -> float:
    return round(float(value), PLACES)
