"""What a search for a capacity found, as read from a study's result, and in words."""

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
"""What a level was offered for."""

VERDICTS: Mapping[str, tuple[str, str, Tone]] = {
    "meets": ("✓", "meets the goals", "good"),
    "fails": ("✗", "misses a goal", "bad"),
    "open": ("?", "not sure", "quiet"),
}


@dataclass(frozen=True)
class Found:
    """The capacity of a study. json: `capacity` of its result."""

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
        """Of the capacity."""
        found = self.json.get("interval")
        return (found[0], found[1]) if found and None not in found else None

    @property
    def probes(self) -> list[Json]:
        """Every level that was offered, in order."""
        return list(self.json["probes"])

    def shown(self, level: float | None) -> str:
        """A level in its unit."""
        return numbers.amount(level, self.unit)


def sentences(found: Found, goals: str) -> list[str]:
    """What came of it, what confirms it, and what is beyond: three sentences at most."""
    told = [_capacity(found, goals), _confirmed(found), _beyond(found)]
    return [text for text in told if text]


def _capacity(found: Found, goals: str) -> str:
    json = found.json
    if found.value is not None:
        known = ""
        if found.interval is not None:
            known = f" ({numbers.span(found.value, *found.interval, found.unit)})"
        limits = f"; beyond it {json['binding']} is missed first" if json.get("binding") else ""
        return (
            f"The capacity is {found.shown(found.value)}{known}: the highest load that meets {goals}{limits}."
        )
    match json["why_ended"]:
        case "no_level_meets":
            return f"No load meets {goals}{_nearest(found)}."
        case "all_levels_meet":
            most = found.shown(json["at_least"])
            return f"Every load up to {most}, the most that was to be offered, meets {goals}."
        case "generator_limited":
            return (
                f"The generator was the limit: it could not offer {found.shown(json['needed'])}, and up to"
                f" {found.shown(json['at_least'])} the server met {goals}."
            )
    return "The time was up before the capacity was found."


def _nearest(found: Found) -> str:
    nearest = found.json.get("nearest")
    if not nearest or nearest.get("value") is None:
        return ""
    share, level = numbers.amount(nearest["value"], "1"), found.shown(nearest["level"])
    return f"; nearest was {level}, where {share} of the requests broke {nearest['text']}"


def _confirmed(found: Found) -> str:
    confirmed = found.json["confirmed"]
    said = {
        (True, True): "A longer look right below it met the goals, and one right above it missed them",
        (
            True,
            False,
        ): "A longer look right below it met the goals; one right above it did too, so it may be higher",
        (False, True): "A longer look right below it missed a goal, so it may be lower",
        (True, None): "A longer look right below it met the goals; there was no time for one above it",
    }.get((confirmed["below"], confirmed["above"]))
    saturation = found.json.get("saturation")
    if saturation is None:
        return f"{said}." if said else ""
    most = f"whatever is asked, it answers {numbers.amount(saturation['value'], '1/s')} at most"
    return f"{said}; {most}." if said else f"{most[:1].upper()}{most[1:]}."


def _beyond(found: Found) -> str:
    beyond = found.json.get("beyond")
    if beyond is None:
        return ""
    asked = found.shown(beyond["level"])
    answered = f"Asked for {asked}, it answered {numbers.amount(beyond['throughput'], '1/s')}"
    if beyond["failed_share"] > 0.001:
        answered += f" and failed {numbers.amount(beyond['failed_share'], '1')} of what ended"
    back = found.shown(beyond["recovery_level"])
    if beyond["has_recovered"] is None:
        return f"{answered}; whether it recovers was not seen."
    if beyond["has_recovered"]:
        after = numbers.amount(beyond["after_s"], "s")
        return f"{answered}; back at {back} it kept its goals again after {after}."
    return f"{answered}; back at {back} it did not recover while it was watched."
