"""Result of a search for a capacity, as read from a study's result, and in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loadrig.report import numbers
from loadrig.report.model import Tone

Json = Mapping[str, Any]

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

VERDICTS: Mapping[str, tuple[str, str, Tone]] = {
    "meets": ("✓", "meets the goals", "good"),
    "fails": ("✗", "misses a goal", "bad"),
    "open": ("?", "not sure", "quiet"),
}


@dataclass(frozen=True)
class CapacityResult:
    """Capacity that a study has found. json: `capacity` of its result."""

    json: Json

    @property
    def unit(self) -> str:
        """The unit of a level: 1/s, or users."""
        return str(self.json["unit"])

    @property
    def value(self) -> float | None:
        """The capacity; None where none was found."""
        return self.json.get("users" if self.unit == "users" else "rps")

    @property
    def interval(self) -> tuple[float, float] | None:
        """Interval of the capacity; None where it is not known at both ends."""
        ends = self.json.get("interval")
        return (ends[0], ends[1]) if ends and None not in ends else None

    @property
    def probes(self) -> list[Json]:
        """Every level that was offered, in order."""
        return list(self.json["probes"])

    def shown(self, level: float | None) -> str:
        """Return a level with its unit."""
        return numbers.amount(level, self.unit)


def sentences(search: CapacityResult, goals: str) -> list[str]:
    """Return three sentences at most: the capacity, what confirms it, and what happens beyond it."""
    texts = [_capacity(search, goals), _confirmed(search), _beyond(search)]
    return [text for text in texts if text]


def _capacity(search: CapacityResult, goals: str) -> str:
    json = search.json
    if search.value is not None:
        known = ""
        if search.interval is not None:
            known = f" ({numbers.span(search.value, *search.interval, search.unit)})"
        limits = f"; beyond it {json['binding']} is missed first" if json.get("binding") else ""
        value = search.shown(search.value)
        return f"The capacity is {value}{known}: the highest load that meets {goals}{limits}."
    match json["why_ended"]:
        case "no_level_meets":
            return f"No load meets {goals}{_nearest(search)}."
        case "all_levels_meet":
            most = search.shown(json["at_least"])
            return f"Every load up to {most}, the most that was to be offered, meets {goals}."
        case "generator_limited":
            return (
                f"The generator was the limit: it could not offer {search.shown(json['needed'])}, and up to"
                f" {search.shown(json['at_least'])} the server met {goals}."
            )
    return "The time was up before the capacity was found."


def _nearest(search: CapacityResult) -> str:
    nearest = search.json.get("nearest")
    if not nearest or nearest.get("value") is None:
        return ""
    share, level = numbers.amount(nearest["value"], "1"), search.shown(nearest["level"])
    return f"; nearest was {level}, where {share} of the requests broke {nearest['text']}"


def _confirmed(search: CapacityResult) -> str:
    confirmed = search.json["confirmed"]
    sentence = {
        (True, True): "A longer look right below it met the goals, and one right above it missed them",
        (
            True,
            False,
        ): "A longer look right below it met the goals; one right above it did too, so it may be higher",
        (False, True): "A longer look right below it missed a goal, so it may be lower",
        (True, None): "A longer look right below it met the goals; there was no time for one above it",
    }.get((confirmed["below"], confirmed["above"]))
    saturation = search.json.get("saturation")
    if saturation is None:
        return f"{sentence}." if sentence else ""
    most = f"whatever is asked, it answers {numbers.amount(saturation['value'], '1/s')} at most"
    return f"{sentence}; {most}." if sentence else f"{most[:1].upper()}{most[1:]}."


def _beyond(search: CapacityResult) -> str:
    beyond = search.json.get("beyond")
    if beyond is None:
        return ""
    asked = search.shown(beyond["level"])
    answered = f"Asked for {asked}, it answered {numbers.amount(beyond['throughput'], '1/s')}"
    if beyond["failed_share"] > 0.001:
        answered += f" and failed {numbers.amount(beyond['failed_share'], '1')} of what ended"
    back = search.shown(beyond["recovery_level"])
    if beyond["has_recovered"] is None:
        return f"{answered}; whether it recovers was not seen."
    if beyond["has_recovered"]:
        after = numbers.amount(beyond["after_s"], "s")
        return f"{answered}; back at {back} it kept its goals again after {after}."
    return f"{answered}; back at {back} it did not recover while it was watched."
