"""Result of a search for a capacity, as read from a study's result, and in words."""

from collections.abc import Mapping

from loadrig.report import numbers
from loadrig.report.model import VerdictWords
from loadrig.study.capacity.document import CapacityDocument

KINDS: Mapping[str, str] = {
    "ramp": "on the way up",
    "saturation": "more than it can answer",
    "search": "around the limit",
    "confirm_below": "right below the limit",
    "confirm_above": "right above the limit",
    "overload": "overload",
    "recovery": "after the overload",
}
"""Reasons for which a level was offered, in words."""

VERDICTS: Mapping[str, VerdictWords] = {
    "meets": ("✓", "meets the goals", "good"),
    "fails": ("✗", "misses a goal", "bad"),
    "open": ("?", "not sure", "quiet"),
}


CONFIRMED: Mapping[tuple[bool | None, bool | None], str] = {
    (True, True): "A longer look right below it met the goals, and one right above it missed them",
    (True, False): (
        "A longer look right below it met the goals; one right above it did too, so it may be higher"
    ),
    (False, True): "A longer look right below it missed a goal, so it may be lower",
    (True, None): "A longer look right below it met the goals; there was no time for one above it",
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
        limits = f"; beyond it {search.binding} is missed first" if search.binding else ""
        value = shown(search, search.value)
        return f"The capacity is {value}{interval}: the highest load that meets {goals}{limits}."
    match search.why_ended:
        case "no_level_meets":
            return f"No load meets {goals}{_nearest(search)}."
        case "all_levels_meet":
            most = shown(search, search.at_least)
            return f"Every load up to {most}, the most that was to be offered, meets {goals}."
        case "generator_limited":
            return (
                f"The generator was the limit: it could not offer {shown(search, search.needed)}, and up to"
                f" {shown(search, search.at_least)} the server met {goals}."
            )
    return "The time was up before the capacity was found."


def _nearest(search: CapacityDocument) -> str:
    nearest = search.nearest
    if nearest is None or nearest.value is None:
        return ""
    share, level = numbers.amount(nearest.value, "1"), shown(search, nearest.level)
    return f"; nearest was {level}, where {share} of the requests broke {nearest.text}"


def _confirmed(search: CapacityDocument) -> str:
    sentence = CONFIRMED.get((search.confirmed.below, search.confirmed.above))
    if search.saturation is None:
        return f"{sentence}." if sentence else ""
    most = f"whatever is asked, it answers {numbers.amount(search.saturation.value, '1/s')} at most"
    return f"{sentence}; {most}." if sentence else f"{numbers.capital(most)}."


def _beyond(search: CapacityDocument) -> str:
    beyond = search.beyond
    if beyond is None:
        return ""
    asked = shown(search, beyond.level)
    answered = f"Asked for {asked}, it answered {numbers.amount(beyond.throughput, '1/s')}"
    if beyond.failed_share > 0.001:
        answered += f" and failed {numbers.amount(beyond.failed_share, '1')} of what ended"
    back = shown(search, beyond.recovery_level)
    if beyond.has_recovered is None:
        return f"{answered}; whether it recovers was not seen."
    if beyond.has_recovered:
        after = numbers.amount(beyond.after_s, "s")
        return f"{answered}; back at {back} it kept its goals again after {after}."
    return f"{answered}; back at {back} it did not recover while it was watched."
