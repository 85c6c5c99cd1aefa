"""Growth in one sentence: from a low load to a high one, or from the calm to the dips."""

from loadrig.account.growth import UNACCOUNTED, Grown, RequestGrowth
from loadrig.account.loads import Loads
from loadrig.account.sentence import show_ms, words
from loadrig.base.units import show_number

MOST_PARTS = 3
"""Largest number of lines that a sentence names: a reader does not remember more."""

ALL_SHARE = 0.995
"""Share of the growth from which on one line is called all of it. It may exceed 1 where other lines became
shorter."""

LEAST_SHARE = 0.05
"""Share of the growth, 0 to 1. A smaller line is not named beside those that grew most."""


def by_load(loads: Loads) -> str:
    """Return one sentence on what grew with the load; empty where that cannot be told or nothing was seen.

    "From 200/s to 900/s a request became 41 ms longer: 36 ms of it waiting for a free worker."
    """
    growth = loads.growth
    server = loads.levels[0].account.server
    if growth is None or server is None or not server.is_seen:
        return ""
    low, high = show_number(loads.low.level), show_number(loads.high.level)
    unit = "/s" if loads.unit == "1/s" else ""
    name = "" if loads.unit == "1/s" else f" {loads.unit}"
    answered = (
        f" ({show_number(loads.high.requests_per_s)}/s were answered)" if loads.high.is_overloaded else ""
    )
    return f"From {low}{unit} to {high}{unit}{name}{answered} {_became(growth)}."


def in_dips(growth: RequestGrowth | None) -> str:
    """Return one sentence on what grew in the dips; empty where that cannot be told."""
    if growth is None:
        return ""
    return f"In the dips {_became(growth)}."


def _became(growth: RequestGrowth) -> str:
    if not growth.is_sure:
        first, second = show_ms(growth.low_ms), show_ms(growth.high_ms)
        if growth.interval[1] < 0:
            return f"a request became {show_ms(-growth.ms)} shorter ({second} instead of {first})"
        span = f"{show_ms(growth.interval[0])} to {show_ms(growth.interval[1])}"
        return f"a request's time changed from {first} to {second}, which may be chance (95 % {span})"
    longer = f"a request became {show_ms(growth.ms)} longer"
    if growth.is_unaccounted:
        return f"{longer}, most of which is not accounted for"
    if not growth.most:
        return f"{longer}, and in which part of it cannot be told"
    line = growth.most[0]
    if len(growth.most) == 1 and (line.share or 0.0) >= ALL_SHARE:
        return f"{longer}, all of it {words(line.state, line.of)}"
    shown = [*growth.most, *_others(growth)][:MOST_PARTS]
    phrases = [
        f"{show_ms(line.ms)}{'' if place else ' of it'} {words(line.state, line.of)}"
        for place, line in enumerate(shown)
    ]
    tie = "; which of the first two grew more cannot be told" if len(growth.most) == 2 else ""
    return f"{longer}: {', '.join(phrases)}{tie}"


def _others(growth: RequestGrowth) -> list[Grown]:
    """Return lines that also surely grew, by enough to be worth naming."""
    return [
        line
        for line in growth.lines
        if line.is_sure
        and line.is_behind
        and (line.share or 0.0) >= LEAST_SHARE
        and line.state != UNACCOUNTED
    ]
