"""Values of knobs as amounts: which of two is more, and what is twice or half of a value."""

import re
from collections.abc import Iterator
from typing import Literal

from loadrig.base.setting import Knob, Value
from loadrig.plan.knobs import complaint_of

Towards = Literal["more", "less", "other"]
"""Direction of a step between two values of a knob."""

_SIZE = re.compile(r"(?P<number>\d+)(?P<gap>\s*)(?P<unit>[kKmMgG]?)(?P<rest>i?[bB]?)", re.ASCII)
"""Pattern of a size as programs take it: 64MB, 1GiB, and 512m as a JVM does."""

_ON = frozenset({"on", "true", "yes", "enabled"})
_OFF = frozenset({"off", "false", "no", "none", "disabled"})


def typed(knob: Knob, text: str) -> Value | None:
    """Return a text as a value of the knob's kind; None if it is none and was written for people to read."""
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
    """Return a value as a number that orders values; None where there is none.

    Sizes are in bytes, yes is 1 and no 0.
    """
    if value is None or isinstance(value, int | float):
        return None if value is None else float(value)
    if knob.kind == "word":
        return 1.0 if value.lower() in _ON else 0.0 if value.lower() in _OFF else None
    match = _SIZE.fullmatch(value.strip())
    if match is None:
        return None
    return float(match["number"]) * _step(match) ** " kmg".index(match["unit"].lower() or " ")


def is_ordered(knob: Knob, old: Value | None, new: Value) -> bool:
    """Return whether one of two values is more than the other; True for numbers even if one is not known."""
    if knob.kind == "word":
        return amount(knob, old) is not None and amount(knob, new) is not None
    return knob.kind != "text" or old is None or amount(knob, old) is not None


def towards(knob: Knob, old: Value | None, new: Value) -> Towards:
    """Return where a step between two values goes: "other" where neither value is more."""
    before, after = amount(knob, old), amount(knob, new)
    if before is None or after is None or before == after:
        return "other"
    return "more" if after > before else "less"


def derived(knob: Knob, old: Value, where: Towards) -> Iterator[Value]:
    """Yield values that nobody named: twice or half of a number, the other words, the opposite of a flag.

    Numbers stay within the knob's range. For "other", a number is doubled, or halved where twice as much is
    too much.
    """
    values: list[Value | None]
    match knob.kind:
        case "flag":
            values = [old is not True]
        case "word":
            values = [word for word in knob.words if word != old]
        case _:
            more, less = _double(knob, old), _half(knob, old)
            values = {"more": [more], "less": [less], "other": [less if more is None else more]}[where]
    for value in values:
        if value is not None and value != old and complaint_of(knob, value) is None:
            yield value


def _double(knob: Knob, old: Value) -> Value | None:
    if isinstance(old, str):
        match = _SIZE.fullmatch(old.strip())
        return _sized(match, 2 * int(match["number"])) if match and int(match["number"]) else None
    if old <= 0:
        return None  # twice 0 is 0, and a value below 0 has a special meaning
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
    """Return half of a size; an odd one in the next smaller unit: 1g is halved to 512m."""
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
    """Return the factor between units: 1,000 for kB and MB, 1,024 for KiB and for a JVM's k and m."""
    return 1000.0 if match["rest"] in ("B", "b") else 1024.0
