"""What a tuning found, as read from a study's result, and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.base.setting import show_setting, show_value
from loadrig.report import numbers, words
from loadrig.report.run import Study

Json = Mapping[str, Any]

STAGES: Mapping[str, str] = {
    "screen": "screening",
    "doubt": "screening, checked",
    "search": "search",
    "race": "race of nine",
    "final race": "race of three",
    "confirm": "confirmation",
}
"""Stages as a reader calls them."""

SHORT: Mapping[str, str] = {"screen": "screen", "doubt": "check", "final race": "final", "confirm": "confirm"}
"""As they stand over a picture, where they are not short already."""


@dataclass(frozen=True)
class Found:
    """A tuning of a study. json: `tuning` of its result."""

    json: Json
    study: Study

    @property
    def path(self) -> list[Json]:
        """Every trial in order."""
        return list(self.json["path"])

    @property
    def tried(self) -> int:
        """How many settings were tried."""
        return len(self.study.settings)

    @property
    def settings(self) -> int:
        """How many there are."""
        return int(self.json["space"]["settings"])

    @property
    def knobs(self) -> list[Json]:
        """The knobs with more than one value, as planned."""
        return [knob for knob in self.json["space"]["knobs"] if len(knob["values"]) > 1]

    def shown(self, value: float | None) -> str:
        """A figure of the objective."""
        return numbers.amount(value, self.study.unit)


def found_in(study: Study | None) -> Found | None:
    """The tuning of a study; None where it is none."""
    if study is None or not study.json.get("tuning"):
        return None
    return Found(study.json["tuning"], study)


def summary(found: Found) -> str:
    """How far it looked, in a sentence."""
    took = numbers.amount(found.json["seconds"], "s")
    trials = numbers.plural(len(found.path), "trial")
    told = f"{found.tried:,} of {found.settings:,} settings were tried in {trials}, {took} in all"
    inert = [str(one["knob"]) for one in found.json["inert"]]
    if inert:
        told += f"; {numbers.listed(inert)} {'does' if len(inert) == 1 else 'do'} not matter"
    return f"{told}."


def rivals(found: Found) -> list[tuple[str, str]]:
    """The recommended against base and runner-up, in the confirming blocks."""
    rows = []
    for name, label in (
        ("against_default", "against the base"),
        ("against_runner_up", "against the runner-up"),
    ):
        rival = found.json[name]
        if rival is None:
            continue
        other = show_setting(rival["setting"])
        if rival["effect"] is None:
            rows.append((label, f"{other}: too few blocks to tell"))
            continue
        symbol, word, _ = words.COMPARED[rival["verdict"]]
        change = numbers.effect(rival["effect"], found.study.is_ratio)
        span = _span(rival["interval"], found)
        rows.append((label, f"{other}: {change} ({span}) {symbol} {word}, in {rival['blocks']} blocks"))
    return rows


def inert(found: Found) -> list[tuple[str, str]]:
    """Each knob that changes nothing that matters, with what its ends differ by."""
    rows = []
    for one in found.json["inert"]:
        low, high = (show_value(value) for value in one["between"])
        change = numbers.effect(one["effect"], found.study.is_ratio)
        span = _span(one["interval"], found)
        rows.append((f"{one['knob']} is inert", f"{low} v {high}: {change} (90 % sure: {span})"))
    return rows


def _span(interval: Sequence[float], found: Found) -> str:
    low, high = sorted(interval)
    return numbers.effect_span(low, high, found.study.is_ratio)


def doubts(found: Found) -> list[str]:
    """What speaks against taking it as it is."""
    told = []
    if found.json["has_interactions"]:
        told.append(
            "Knobs do together what none does alone: the screening's effects are means over the others."
        )
    unstable: Sequence[Json] = found.json["unstable"]
    if unstable:
        names = numbers.listed([show_setting(one) for one in unstable])
        told.append(f"{names}: in one deployment far worse than in the others; it may be so again.")
    return told


def nearest(found: Found) -> str:
    """The setting that comes nearest to the goals, with what it misses; empty where it is not needed."""
    near = found.json["nearest"]
    if near is None or not near["misses"]:
        return ""
    misses = numbers.listed([f"{one['goal']} ({_reached(one)})" for one in near["misses"]])
    return f"{show_setting(near['setting'])} comes nearest; it misses {misses}."


def _reached(miss: Json) -> str:
    from loadrig.report.sections.verdict import unit_of_goal

    return f"reached {numbers.amount(miss['value'], unit_of_goal(miss['goal']))}"
