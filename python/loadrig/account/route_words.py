"""Routes that differ, in one sentence: how long each takes, and the most of it that is known."""

from collections.abc import Sequence

from loadrig.account.routes import RouteAccount
from loadrig.account.sentence import show_ms, words
from loadrig.language.choice import texts_of
from loadrig.language.en.account import AccountRouteWordsTexts

TEXTS = texts_of(AccountRouteWordsTexts)

MOST_ROUTES = 3
"""Largest number of routes that the sentence names: those that take most of the time of all requests."""

LEAST_SHARE = 0.1
"""Share of a route's time below which none of its parts is named."""


def routes_sentence(routes: Sequence[RouteAccount]) -> str:
    """Return one sentence on how long each route takes; empty without routes.

    "By route: /report 240 ms (180 ms waiting for mariadb), /home 12 ms."
    """
    if not routes:
        return ""
    named = ", ".join(_route(route) for route in routes[:MOST_ROUTES])
    more = TEXTS.and_more(str(len(routes) - MOST_ROUTES)) if len(routes) > MOST_ROUTES else ""
    return TEXTS.by_route(named, more)


def _route(route: RouteAccount) -> str:
    longest = max(route.lines, key=lambda line: line.ms, default=None)
    if longest is None or longest.ms < LEAST_SHARE * route.total_ms:
        return f"{route.route} {show_ms(route.total_ms)}"
    part = TEXTS.part(show_ms(longest.ms), words(longest.state, longest.of))
    return f"{route.route} {show_ms(route.total_ms)} ({part})"
