"""What a tuning found, as read from a study's result, and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.base.setting import show_setting, show_value
from loadrig.report import numbers, words
from loadrig.report.model import Tone
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
    """How far it looked, in a sentence. How many settings there are, and how long it took, the head says."""
    told = f"{numbers.plural(found.tried, 'setting was', 'settings were')} tried"
    inert = [str(one["knob"]) for one in found.json["inert"]]
    if inert:
        told += f"; {numbers.listed(inert)} {'does' if len(inert) == 1 else 'do'} not matter"
    return f"{told}."


def rivals(found: Found) -> list[tuple[str, str]]:
    """How the recommended was confirmed, and how it compares with the runner-up.

    How it compares with the base stands among the large numbers, from the same trials.
    """
    base, other = found.json["against_default"], found.json["against_runner_up"]
    known = [rival for rival in (base, other) if rival is not None and rival["effect"] is not None]
    rows = []
    if known:
        blocks = min(int(rival["blocks"]) for rival in known)
        beside = numbers.listed(
            [name for name, rival in (("the base", base), ("the runner-up", other)) if rival in known]
        )
        rows.append(("confirmed", f"in {numbers.plural(blocks, 'block')} beside {beside}"))
    for name, rival in (("against the base", base), ("against the runner-up", other)):
        if rival is None or (rival is base and rival["effect"] is not None):
            continue
        label = show_setting(rival["setting"])
        if rival["effect"] is None:
            rows.append((name, f"{label}: too few blocks to tell"))
            continue
        symbol, word, _ = words.COMPARED[rival["verdict"]]
        change = numbers.effect(rival["effect"], found.study.is_ratio)
        rows.append(("runner-up", label))
        rows.append((name, f"{change} ({_span(rival['interval'], found)}) {symbol} {word}"))
    return rows


def standing(found: Found, setting: Json) -> tuple[str, str, Tone]:
    """Symbol, words and tone of a setting.

    A study's standings are those of all its trials, luck among them; in a tuning only those decide that were
    confirmed, so the best of them is what is recommended.
    """
    chosen, good = found.study.recommended, ("best", "indistinguishable")
    if setting is chosen:
        return words.STANDINGS["best"]
    if setting["standing"] not in good:
        return words.STANDINGS[setting["standing"]]
    if chosen is not None and chosen["standing"] in good:
        return words.STANDINGS["indistinguishable"]
    return ("?", "not confirmed", "warn")


def inert(found: Found) -> list[tuple[str, str]]:
    """Each knob that changes nothing that matters, with what its ends differ by."""
    rows = []
    for one in found.json["inert"]:
        low, high = (show_value(value) for value in one["between"])
        change = numbers.effect(one["effect"], found.study.is_ratio)
        span = _span(one["interval"], found)
        rows.append((f"{one['knob']} is inert", f"{change} from {low} to {high} (90 % sure: {span})"))
    return rows


def _span(interval: Sequence[float], found: Found) -> str:
    low, high = sorted(interval)
    return numbers.effect_span(low, high, found.study.is_ratio)


def doubts(found: Found) -> list[str]:
    """What speaks against taking it as it is."""
    told = []
    if found.json["has_interactions"]:
        told.append(
            "Some knobs do together what none does alone: what the screening says of one is its mean over the"
            " values of the others."
        )
    unstable: Sequence[Json] = found.json["unstable"]
    if unstable:
        names = numbers.listed([show_setting(one) for one in unstable])
        told.append(f"{names}: in one deployment far worse than in the others; it may be so again.")
    return told


def why_none(found: Found) -> str:
    """Why no setting is recommended, with what the nearest misses and how far."""
    near = found.json["nearest"]
    if found.json["why"] == "going on" and not found.study.json.get("finished", True):
        return "Nothing is confirmed yet."  # that it was stopped is said beside the verdict
    if near is None or not near["misses"]:
        return str(found.json["text"])
    misses = numbers.listed([f"{one['goal']} ({_reached(one)})" for one in near["misses"]])
    return (
        "No setting that was tried meets the goals; "
        f"the nearest is {show_setting(near['setting'])}, which misses {misses}."
    )


def _reached(miss: Json) -> str:
    from loadrig.report.sections.verdict import unit_of_goal

    return f"reached {numbers.amount(miss['value'], unit_of_goal(miss['goal']))}"
