"""Numbers as people write them, with advice on what a wrong one may have meant.

`30` for a time, `10s` for a rate, `5` for a share: the message names the notation that was probably meant,
not only the expected one.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from loadrig.base import units
from loadrig.base.errors import Problem
from loadrig.plan.node import Scalar

WRONG_UNIT = "plan.wrong-unit"


@dataclass(frozen=True, slots=True)
class _Notation:
    parse: Callable[[str], float]
    noun: str
    forms: str


_NOTATIONS = {
    "duration": _Notation(units.parse_duration, "a duration", "300ms, 10s, 1m30s or 2h"),
    "rate": _Notation(units.parse_rate, "a rate", "1000, 1000/1s or 50/1m"),
    "share": _Notation(units.parse_share, "a share", "5% or 0.05"),
    "size": _Notation(units.parse_size, "a size", "512, 64kB or 1MiB"),
    "count": _Notation(units.parse_count, "a count", "200, 10k or 1m"),
}

UNIT_NOTATION = {"s": "duration", "1/s": "rate", "1": "share", "B": "size"}
"""Notation in which a limit is written, by one of the rig's units; a limit in another unit is a bare
number."""

_LONG_UNITS = {
    "ns": "ns|nsec|nanoseconds?", "us": "us|usec|microseconds?", "ms": "ms|msecs?|milliseconds?|millis",
    "s": "s|secs?|seconds?", "m": "m|mins?|minutes?", "h": "h|hrs?|hours?",
}  # fmt: skip
_LONG = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")


def read_amount(name: str, node: Scalar, key: str) -> float | Problem:
    """Return the number in base units (seconds, events per second, share, bytes, count), or what is wrong.

    name: name of the notation, as in kinds.Amount. key: what the user calls the value.
    """
    notation, text = _NOTATIONS[name], node.text.strip()
    if isinstance(node.value, float) and not math.isfinite(node.value):
        return _problem(f"{key} is {text}, not {notation.noun}", node, f"write {notation.forms}")
    if text.startswith("-") and _fits(name, text[1:].strip()):
        return Problem(
            what=f"{key} is {text}; {notation.noun} cannot be negative",
            where=node.span,
            mend=f"write {notation.forms}",
            code="plan.out-of-range",
        )
    try:
        return float(notation.parse(text)) if name in ("duration", "rate", "share") else notation.parse(text)
    except ValueError:
        return _explained(name, notation, node, key)


def _explained(name: str, notation: _Notation, node: Scalar, key: str) -> Problem:
    text = node.text.strip()
    if name == "duration" and _is_number(text):
        large = float(text) >= 100
        return _problem(
            f"{key} is {text} without a unit",
            node,
            f"write {text}ms or {text}s" if large else f"write {text}s (or {text}ms, {text}m)",
            "a duration is written with its unit, so that no one has to guess",
        )
    if name == "duration" and (short := _shortened(text)):
        return _problem(f"{key} is {text!r}, not a duration", node, f"write {short}")
    if name == "share" and _is_number(text):
        mend = f"write {text}%" if float(text) <= 100 else f"write {notation.forms}"
        return _problem(f"{key} is {text}; a share is 0 to 1, or a percentage", node, mend)
    fitting = next((kind for kind in _NOTATIONS if kind != name and _fits(kind, text)), None)
    if fitting and not _is_number(text):
        return _problem(
            f"{key} is {text}, {_NOTATIONS[fitting].noun}; it takes {notation.noun}",
            node,
            f"write {notation.forms}",
        )
    if name == "count" and _is_number(text):
        return _problem(f"{key} is {text}; a count is a whole number", node, f"write {notation.forms}")
    return _problem(f"{key} is {text!r}, not {notation.noun}", node, f"write {notation.forms}")


def _shortened(text: str) -> str | None:
    """Return the short form of an amount, such as 10s for "10 sec".

    None if it is not a number and a unit's name.
    """
    match = _LONG.fullmatch(text)
    if not match:
        return None
    for unit, words in _LONG_UNITS.items():
        if re.fullmatch(words, match[2], re.IGNORECASE):
            return f"{match[1]}{unit}"
    return None


def _fits(name: str, text: str) -> bool:
    try:
        _NOTATIONS[name].parse(text)
    except ValueError:
        return False
    return True


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def _problem(what: str, node: Scalar, mend: str, why: str = "") -> Problem:
    return Problem(what=what, where=node.span, mend=mend, code=WRONG_UNIT, why=why)
