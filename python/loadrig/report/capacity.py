"""Result of a search for a capacity, as read from a study's result, and in words."""

from collections.abc import Mapping

from loadrig.language.choice import texts_of
from loadrig.language.en.report.studies import ReportCapacityTexts
from loadrig.report import numbers
from loadrig.report.model import VerdictWords
from loadrig.study.capacity.document import CapacityDocument

TEXTS = texts_of(ReportCapacityTexts)

KINDS: Mapping[str, str] = {
    "ramp": TEXTS.kind_ramp,
    "saturation": TEXTS.kind_saturation,
    "search": TEXTS.kind_search,
    "confirm_below": TEXTS.kind_confirm_below,
    "confirm_above": TEXTS.kind_confirm_above,
    "overload": "overload",
    "recovery": TEXTS.kind_recovery,
}
"""Reasons for which a level was offered, in words."""

VERDICTS: Mapping[str, VerdictWords] = {
    "meets": ("✓", TEXTS.meets_goals, "good"),
    "fails": ("✗", TEXTS.misses_goal, "bad"),
    "open": ("?", TEXTS.not_sure, "quiet"),
}


CONFIRMED: Mapping[tuple[bool | None, bool | None], str] = {
    (True, True): TEXTS.longer_look_right,
    (True, False): (TEXTS.longer_look_right_below),
    (False, True): TEXTS.longer_look_right_below_missed,
    (True, None): TEXTS.longer_look_right_below_met,
}
"""Sentences on the looks right below the capacity and right above it: whether each was as it should be."""


def shown(search: CapacityDocument, level: float | None) -> str:
    """Return a level with its unit."""
    return numbers.amount(level, search.unit)


def sentences(search: CapacityDocument, goals: str) -> list[str]:
    """Return three sentences at most: the capacity, what confirms it, and what happens beyond it."""
    texts = [_capacity(search, goals), _confirmed(search), _beyond(search)]
    return [text for text in texts if text]


def _capacity(search: CapacityDocument, goals: str) -> str:
    if search.value is not None:
        interval = ""
        if search.interval is not None:
            interval = f" ({numbers.span(search.value, *search.interval, search.unit)})"
        limits = TEXTS.beyond_missed_first(search.binding) if search.binding else ""
        value = shown(search, search.value)
        return TEXTS.capacity_highest_load(value, interval, goals, limits)
    match search.why_ended:
        case "no_level_meets":
            return TEXTS.no_load_meets(goals, _nearest(search))
        case "all_levels_meet":
            most = shown(search, search.at_least)
            return TEXTS.every_load_up(most, goals)
        case "generator_limited":
            return TEXTS.generator_limit_could(
                shown(search, search.needed), shown(search, search.at_least), goals
            )
    return TEXTS.time_up_before


def _nearest(search: CapacityDocument) -> str:
    nearest = search.nearest
    if nearest is None or nearest.value is None:
        return ""
    share, level = numbers.amount(nearest.value, "1"), shown(search, nearest.level)
    return TEXTS.nearest_where_requests(level, share, nearest.text)


def _confirmed(search: CapacityDocument) -> str:
    sentence = CONFIRMED.get((search.confirmed.below, search.confirmed.above))
    if search.saturation is None:
        return f"{sentence}." if sentence else ""
    most = TEXTS.whatever_asked_answers(numbers.amount(search.saturation.value, "1/s"))
    return f"{sentence}; {most}." if sentence else f"{numbers.capital(most)}."


def _beyond(search: CapacityDocument) -> str:
    beyond = search.beyond
    if beyond is None:
        return ""
    asked = shown(search, beyond.level)
    answered = TEXTS.asked_answered(asked, numbers.amount(beyond.throughput, "1/s"))
    if beyond.failed_share > 0.001:
        answered += TEXTS.failed_what_ended(numbers.amount(beyond.failed_share, "1"))
    back = shown(search, beyond.recovery_level)
    if beyond.has_recovered is None:
        return TEXTS.whether_recovers_not(answered)
    if beyond.has_recovered:
        after = numbers.amount(beyond.after_s, "s")
        return TEXTS.back_goals_again(answered, back, after)
    return TEXTS.back_did_not(answered, back)
