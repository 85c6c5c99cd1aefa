"""Growth in one sentence: from a low load to a high one, or from the calm to the dips."""

from loadrig.account.growth import UNACCOUNTED, Grown, RequestGrowth
from loadrig.account.loads import Loads
from loadrig.account.sentence import show_ms, words
from loadrig.base.units import show_number
from loadrig.language.choice import texts_of
from loadrig.language.en.account import AccountGrowthWordsTexts

TEXTS = texts_of(AccountGrowthWordsTexts)

MOST_PARTS = 3
"""Largest number of lines that a sentence names: a reader does not remember more."""

ALL_SHARE = 0.995
"""Share of the growth from which on one line is called all of it. It may exceed 1 where other lines became
shorter."""

LEAST_SHARE = 0.05
"""Share of the growth, 0 to 1. A smaller line is not named beside those that grew most."""


def by_load(loads: Loads) -> str:
    """Return one sentence on what grew with the load; empty where that cannot be told or nothing was seen.

    "From 200/s to 900/s a request became 41 ms longer: 36 ms of it waiting for mariadb."
    """
    growth = loads.growth
    server = loads.levels[0].account.server
    if growth is None or server is None or not server.is_seen:
        return ""
    low, high = show_number(loads.low.level), show_number(loads.high.level)
    is_rate = loads.unit == "1/s"
    low, high = (f"{low}/s", f"{high}/s") if is_rate else (low, f"{high} {loads.unit}")
    answered = TEXTS.answered(show_number(loads.high.requests_per_s)) if loads.high.is_overloaded else ""
    return TEXTS.from_to(low, high, answered, _became(growth))


def in_dips(growth: RequestGrowth | None) -> str:
    """Return one sentence on what grew in the dips; empty where that cannot be told."""
    if growth is None:
        return ""
    return TEXTS.in_the_dips(_became(growth))


def _became(growth: RequestGrowth) -> str:
    if not growth.is_sure:
        first, second = show_ms(growth.low_ms), show_ms(growth.high_ms)
        if growth.interval[1] < 0:
            return TEXTS.request_became_shorter(show_ms(-growth.ms), second, first)
        span = TEXTS.span(show_ms(growth.interval[0]), show_ms(growth.interval[1]))
        return TEXTS.request_time_changed(first, second, span)
    longer = TEXTS.request_became_longer(show_ms(growth.ms))
    if growth.is_unaccounted:
        return TEXTS.most_not_accounted(longer)
    if not growth.most:
        return TEXTS.part_cannot(longer)
    line = growth.most[0]
    if len(growth.most) == 1 and (line.share or 0.0) >= ALL_SHARE:
        return TEXTS.all_of_it(longer, words(line.state, line.of))
    shown = [*growth.most, *_others(growth)][:MOST_PARTS]
    phrases = [
        (TEXTS.part if place else TEXTS.first_part)(show_ms(line.ms), words(line.state, line.of))
        for place, line in enumerate(shown)
    ]
    tie = TEXTS.first_two_grew if len(growth.most) == 2 else ""
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
