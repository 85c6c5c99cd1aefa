"""The shape of the load: the same plan, asked in one respect otherwise, in trials of its own.

## What it changes

The workload alone: without compressed answers, with connections kept, with logins spread over time,
at half the rate, or without one route (see SHAPES). The server and its setting stay as they are.

## What it needs

A plan for which the shape has a meaning, and a load that the rig makes. Logins can be spread where each token
lives for a time of its own from its login on. Where a server lets all tokens end at the same moment of the
clock, no client can: then the logins of the changed trials still come in step, and nothing is proved.

## What it proves and refutes

What moves is brought about by what was left out: compression, new connections, logins in step, one route.
What stays has another cause. Half the rate tells a leak by requests from one by time, and a queue from a
server that is slow by itself.

## How it is undone

Nothing is left: each trial has its own load.

## Cost

Two loads of the server for each pair of trials. Without compression it sends more bytes.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from loadrig.base.effects import ServerEffect
from loadrig.base.error_words import ErrorWords
from loadrig.base.setting import Setting
from loadrig.base.unavailable import Unavailable
from loadrig.base.units import Count, Share, show_number, show_share
from loadrig.interventions import Lever, Variant
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsLoadShapeErrors
from loadrig.language.en.interventions import InterventionsLoadShapeTexts
from loadrig.language.labels import joined
from loadrig.plan.holes import holes_in
from loadrig.plan.model import Plan, Workload
from loadrig.plan.requests import Request, Scenario

TEXTS = texts_of(InterventionsLoadShapeTexts)
ERRORS = texts_of(InterventionsLoadShapeErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

NAME = TEXTS.name
CHANGE = "load"
IS_LIVE = False

SHAPES: Mapping[str, str] = {
    "identity": TEXTS.shape_identity,
    "keep_alive": TEXTS.shape_keep_alive,
    "spread_logins": TEXTS.shape_spread_logins,
    "half_rate": TEXTS.shape_half_rate,
    "without": TEXTS.shape_without,
}
"""Description of every shape, by the name that a lever's `what` has."""

SPREAD = Share(0.5)
"""Share of a token's life over which logins are spread: all users' logins lie in the second half of it,
and after a few lives everywhere. A larger share would not spread them better, only make many more of them."""

_CODING = "accept-encoding"

Shaped = tuple[str, Plan, float | None, bool]
"""Title, plan, ratio and is_mend, as of a Variant."""


def variants(lever: Lever, plan: Plan, setting: Setting) -> tuple[Variant, ...]:
    """Return the plan in another shape; several plans for `without`.

    Raises Unavailable where the shape has no meaning for the plan.
    """
    shape, _, route = lever.what.partition(":")
    shaped = _MAKERS[shape](plan, route)
    return tuple(
        Variant(lever, title, changed, setting, ratio, is_mend) for title, changed, ratio, is_mend in shaped
    )


def _no_shape(wording: ErrorWords) -> Unavailable:
    return Unavailable.of(wording, code="prove.no-shape")


def _with(plan: Plan, **changes: Any) -> Plan:
    """Return the plan with other parts of its workload."""
    return replace(plan, workload=replace(plan.workload, **changes))


# --- compression, connections ---------------------------------------------------------------------


def _identity(plan: Plan, route: str) -> Iterator[Shaped]:
    del route
    work = plan.workload
    asked = {_coding(request, work) for request in work.requests if request.protocol == "http"}
    if not asked:
        raise _no_shape(ERRORS.no_plain_http())
    if asked <= {"", "identity"}:
        raise _no_shape(ERRORS.no_compression())
    login = work.login
    changed = _with(
        plan,
        scenarios=tuple(
            replace(scenario, steps=tuple(map(_plain, scenario.steps))) for scenario in work.scenarios
        ),
        login=replace(login, request=_plain(login.request)) if login else None,
    )
    before = joined(sorted(asked - {"", "identity"}))
    yield TEXTS.accept_encoding_identity(before), changed, None, False


def _coding(request: Request, work: Workload) -> str:
    """Return the compression that a request asks for: by its own header, else the general one, else gzip."""
    for headers in (request.headers, work.headers):
        for name, value in headers.items():
            if name.lower() == _CODING:
                return value.strip().lower()
    return "gzip"


def _plain(request: Request) -> Request:
    if request.protocol != "http":
        return request
    others = {name: value for name, value in request.headers.items() if name.lower() != _CODING}
    return replace(request, headers={**others, "Accept-Encoding": "identity"})


def _keep_alive(plan: Plan, route: str) -> Iterator[Shaped]:
    del route
    connections = plan.workload.connections
    if connections.http != "1.1":
        raise _no_shape(ERRORS.always_kept(connections.http))
    if all(request.protocol != "http" for request in plan.workload.requests):
        raise _no_shape(ERRORS.web_sockets_alone())
    if connections.keep_alive:
        raise _no_shape(ERRORS.kept_already())
    changed = _with(plan, connections=replace(connections, keep_alive=True))
    yield TEXTS.connections_closed_after, changed, None, True


# --- logins ---------------------------------------------------------------------------------------


def _spread_logins(plan: Plan, route: str) -> Iterator[Shaped]:
    del route
    login = plan.workload.login
    if login is None:
        raise _no_shape(ERRORS.no_logins())
    if login.lasts is None and login.lasts_from is None:
        raise _no_shape(ERRORS.endless_tokens())
    if plan.workload.arrivals.most_identities < 2:
        raise _no_shape(ERRORS.single_login())
    if login.jitter >= SPREAD:
        raise _no_shape(ERRORS.spread_already(show_share(login.jitter)))
    before = TEXTS.in_step if not login.jitter else show_share(login.jitter)
    changed = _with(plan, login=replace(login, jitter=SPREAD))
    yield TEXTS.logins_spread_over(before, show_share(SPREAD)), changed, None, True


# --- half as much ---------------------------------------------------------------------------------


def _half_rate(plan: Plan, route: str) -> Iterator[Shaped]:
    del route
    arrivals, connections = plan.workload.arrivals, plan.workload.connections
    if arrivals.is_unpaced:
        # As fast as the connections allow: each of them is a user.
        if connections.most is None or connections.most < 2:
            raise _no_shape(ERRORS.no_rate())
        fewer = Count(connections.most // 2)
        changed = _with(plan, connections=replace(connections, most=fewer))
        yield (
            TEXTS.connections_to(f"{connections.most:,}", f"{fewer:,}"),
            changed,
            fewer / connections.most,
            False,
        )
        return
    if arrivals.has_users and arrivals.level is not None and arrivals.level < 2:
        raise _no_shape(ERRORS.single_user())
    half = arrivals.halved()
    before, after, factor = arrivals.level, half.level, 0.5
    title = TEXTS.load_all_half
    if before is not None and after is not None:
        levels = (
            f"{level:,}" if arrivals.has_users else f"{show_number(level)}/s" for level in (before, after)
        )
        title, factor = TEXTS.model_to(arrivals.model, *levels), after / before
    yield title, _with(plan, arrivals=half), factor, False


# --- one route less -------------------------------------------------------------------------------


def _without(plan: Plan, route: str) -> Iterator[Shaped]:
    scenarios = plan.workload.scenarios
    if any(len(scenario.steps) > 1 for scenario in scenarios):
        raise _no_shape(ERRORS.routes_of_steps())
    asked = [scenario for scenario in scenarios if scenario.weight > 0]
    if len(asked) < 2:
        raise _no_shape(ERRORS.single_route())
    if route and route not in [_name(scenario) for scenario in asked]:
        raise _no_shape(ERRORS.unknown_route(route))
    needed: list[str] = []
    for scenario in asked:
        if route in ("", _name(scenario)):
            if values := _needed_from(scenario, plan.workload):
                needed.append(TEXTS.gives_others(_name(scenario), joined(sorted(values))))
            else:
                yield _plan_without(plan, scenario)
    if len(needed) == (1 if route else len(asked)):
        raise _no_shape(ERRORS.needed_routes("; ".join(needed)))


def _name(scenario: Scenario) -> str:
    """Return the name of the route that is the whole scenario."""
    return scenario.steps[0].name


def _plan_without(plan: Plan, dropped: Scenario) -> Shaped:
    remaining = tuple(scenario for scenario in plan.workload.scenarios if scenario is not dropped)
    goals = tuple(goal for goal in plan.goals if goal.route != _name(dropped))
    return TEXTS.without(_name(dropped)), replace(_with(plan, scenarios=remaining), goals=goals), None, False


def _needed_from(scenario: Scenario, work: Workload) -> set[str]:
    """Return the variables that only one route's answers fill, and that other requests need."""
    (own,) = scenario.steps
    others = [request for request in work.requests if request is not own]
    texts = [*work.headers.values(), *(text for request in others for text in _templates(request))]
    filled = {name for request in others for name in request.extract}
    return (set(own.extract) - filled).intersection(name for text in texts for name in holes_in(text))


def _templates(request: Request) -> Iterator[str]:
    """Yield the texts of a request that may have holes."""
    yield from (request.path, *request.headers.values(), *request.form.values())
    if request.body is not None:
        yield request.body
    yield from _texts(request.json)


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for item in value.values():
                yield from _texts(item)
        case list() | tuple():
            for item in value:
                yield from _texts(item)


_MAKERS: Mapping[str, Callable[[Plan, str], Iterator[Shaped]]] = {
    "identity": _identity,
    "keep_alive": _keep_alive,
    "spread_logins": _spread_logins,
    "half_rate": _half_rate,
    "without": _without,
}
