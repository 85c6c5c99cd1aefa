"""Values of knobs as amounts: which of two is more, what is twice or half of one."""

import re
from collections.abc import Iterator
from typing import Literal

from loadrig.base.setting import Knob, Value
from loadrig.plan.knobs import complaint_of

Towards = Literal["more", "less", "other"]

_SIZE = re.compile(r"(?P<number>\d+)(?P<gap>\s*)(?P<unit>[kKmMgG]?)(?P<rest>i?[bB]?)", re.ASCII)
"""A size as programs take it: 64MB, 1GiB, and 512m as a JVM does."""

_ON = frozenset({"on", "true", "yes", "enabled"})
_OFF = frozenset({"off", "false", "no", "none", "disabled"})


def typed(knob: Knob, text: str) -> Value | None:
    """A text as a value of the knob's kind; None if it is none, but said for people to read."""
    value: Value | None = text
    try:
        match knob.kind:
            case "int":
                value = int(text)
            case "float":
                value = float(text)
            case "flag":
                value = {"true": True, "false": False}[text.lower()]
    except (ValueError, KeyError):
        return None
    return value


def amount(knob: Knob, value: Value | None) -> float | None:
    """A value as a number that tells more from less: of sizes bytes, of yes and no 1 and 0; else None."""
    if value is None or isinstance(value, int | float):
        return None if value is None else float(value)
    if knob.kind == "word":
        return 1.0 if value.lower() in _ON else 0.0 if value.lower() in _OFF else None
    match = _SIZE.fullmatch(value.strip())
    if match is None:
        return None
    return float(match["number"]) * _step(match) ** " kmg".index(match["unit"].lower() or " ")


def is_ordered(knob: Knob, old: Value | None, new: Value) -> bool:
    """Whether the one of the two is more than the other; so it is of numbers, even where one is not known."""
    if knob.kind == "word":
        return amount(knob, old) is not None and amount(knob, new) is not None
    return knob.kind != "text" or old is None or amount(knob, old) is not None


def towards(knob: Knob, old: Value | None, new: Value) -> Towards:
    """Where a step from the one value to the other goes: "other" where there is no more and no less."""
    before, after = amount(knob, old), amount(knob, new)
    if before is None or after is None or before == after:
        return "other"
    return "more" if after > before else "less"


def derived(knob: Knob, old: Value, where: Towards) -> Iterator[Value]:
    """Values that nobody named: twice or half of a number within its range, the other words, the opposite.

    For "other" of a number twice as much, or half where that is too much.
    """
    found: list[Value | None]
    match knob.kind:
        case "flag":
            found = [old is not True]
        case "word":
            found = [word for word in knob.words if word != old]
        case _:
            more, less = _double(knob, old), _half(knob, old)
            found = {"more": [more], "less": [less], "other": [less if more is None else more]}[where]
    for value in found:
        if value is not None and value != old and complaint_of(knob, value) is None:
            yield value


def _double(knob: Knob, old: Value) -> Value | None:
    if isinstance(old, str):
        match = _SIZE.fullmatch(old.strip())
        return _sized(match, 2 * int(match["number"])) if match and int(match["number"]) else None
    if old <= 0:
        return None  # twice nothing is nothing, and below 0 it means something of its own
    doubled = 2 * old if knob.high is None else min(2 * old, knob.high)
    if doubled <= old:
        return None
    return int(doubled) if knob.kind == "int" else doubled


def _half(knob: Knob, old: Value) -> Value | None:
    if isinstance(old, str):
        match = _SIZE.fullmatch(old.strip())
        return _halved(match) if match else None
    if old <= 0:
        return None
    if knob.kind == "int":
        # Not to 0, which often means without a limit.
        return max(int(old) // 2, 1 if knob.low is None else max(1, int(knob.low)))
    return old / 2 if knob.low is None else max(old / 2, knob.low)


def _halved(match: re.Match[str]) -> str | None:
    """Half of a size; an odd one in the next smaller unit: 1g is halved to 512m."""
    number, unit = int(match["number"]), match["unit"]
    if number % 2 == 0:
        return _sized(match, number // 2) if number else None
    if not unit:
        return None
    smaller = {"g": "m", "m": "k", "k": ""}[unit.lower()]
    if unit.isupper():
        # The decimal thousand has a small k: 1MB is halved to 500kB.
        smaller = smaller.upper() if smaller != "k" or match["rest"][:1] in ("", "i") else smaller
    rest = match["rest"] if smaller else match["rest"].removeprefix("i")
    return f"{number * int(_step(match)) // 2}{match['gap']}{smaller}{rest}"


def _sized(match: re.Match[str], number: int) -> str:
    return f"{number}{match['gap']}{match['unit']}{match['rest']}"


def _step(match: re.Match[str]) -> float:
    """How much larger each unit is: of kB and MB a thousand, of KiB and of a JVM's k and m 1,024."""
    return 1000.0 if match["rest"] in ("B", "b") else 1024.0
