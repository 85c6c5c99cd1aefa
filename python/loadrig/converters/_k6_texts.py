"""Texts that JavaScript makes of the values of a k6 script."""

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_patterns import AnswerPart
from loadrig.converters._locust_values import ChosenValue, MixedText
from loadrig.converters._selectors import Selection

MOST_DEEP = 40
"""Levels of an expression that are looked into, at most."""

MOST_LETTERS = 1_000_000
"""Letters of a text that parts of the script add up to, at most."""

MOST_DIGITS = 21
"""Digits before the point up to which JavaScript writes a number without a power of ten."""

MOST_ZEROS = -6
"""Zeros behind the point, as a negative number, from which on JavaScript writes a power of ten."""

_INDEX = re.compile(r"0|[1-9]\d{0,9}", re.ASCII)
"""Keys that an object of JavaScript holds before all others, in the order of their numbers."""

UNDEFINED: Final = object()
"""Value `undefined` of JavaScript."""

UNREAD: Final = object()
"""Value that only running the script would tell."""

Value = Any
"""Text (MixedText), number, True, False, None, list or dict of such, AnswerPart, ChosenValue, DrawnNumber."""


class DrawnNumber(NamedTuple):
    """Number drawn anew each time, all between two bounds equally likely."""

    low: float
    high: float


def text_of(value: Value) -> MixedText:
    """Return a value as JavaScript's String() would. Raise Unread."""
    match value:
        case MixedText():
            return value
        case ChosenValue(hole=hole):
            return MixedText(((hole, True),))
        case True | False:
            return MixedText((("true" if value else "false", False),))
        case None:
            return MixedText((("null", False),))
        case int() | float() if math.isfinite(value):
            return MixedText(((number_text(value), False),))
        case AnswerPart(step=step, selection=Selection() as selection):
            return MixedText(((step.selected(selection), True),))
        case AnswerPart(step=step, path=path, pattern=pattern) if path:
            return MixedText(((step.matched(pattern) if pattern else step.extracted(path), True),))
        case _:
            raise Unread


def number_text(number: float) -> str:
    """Return a number as JavaScript's String() does. Source: ECMA-262, Number::toString."""
    sign = "-" if number < 0 else ""
    digits = "".join(map(str, Decimal(repr(float(abs(number)))).as_tuple().digits))
    exponent = int(Decimal(repr(float(abs(number)))).as_tuple().exponent)
    point = len(digits) + exponent  # of the decimal point, counted from the first digit
    digits = digits.strip("0") or "0"
    if number == 0:
        return "0"
    if len(digits) <= point <= MOST_DIGITS:
        return sign + digits.ljust(point, "0")
    if 0 < point <= MOST_DIGITS:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if MOST_ZEROS < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
    return f"{sign}{mantissa}e{point - 1:+d}"


def json_text(value: Value, deep: int = 0) -> MixedText:
    """Return the text that JSON.stringify writes. Raise Unread."""
    if deep > MOST_DEEP:
        raise Unread
    match value:
        case dict():
            pieces = [
                MixedText(((json.dumps(str(key), ensure_ascii=False) + ":", False),))
                + json_text(inner, deep + 1)
                for key, inner in in_order(value)
            ]
            return _enclosed("{", pieces, "}")
        case list():
            items = (None if inner is UNDEFINED else inner for inner in value)
            return _enclosed("[", [json_text(inner, deep + 1) for inner in items], "]")
        case MixedText(parts=parts):
            quoted = tuple(
                (text if is_hole else json.dumps(text, ensure_ascii=False)[1:-1], is_hole)
                for text, is_hole in parts
            )
            return MixedText((('"', False), *quoted, ('"', False)))
        case AnswerPart(path="status"):
            return text_of(value)
        case AnswerPart():
            return json_text(text_of(value), deep)
        case _:
            return text_of(value)


def in_order(whole: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """Return what an object holds as JavaScript goes through it: whole numbers first, undefined left out."""
    entries = [(key, inner) for key, inner in whole.items() if inner is not UNDEFINED]
    numbered = [entry for entry in entries if _INDEX.fullmatch(str(entry[0]))]
    named = [entry for entry in entries if not _INDEX.fullmatch(str(entry[0]))]
    return sorted(numbered, key=lambda entry: int(entry[0])) + named


def _enclosed(first: str, pieces: Sequence[MixedText], last: str) -> MixedText:
    parts: list[tuple[str, bool]] = [(first, False)]
    for number, piece in enumerate(pieces):
        parts += [(",", False)] if number else []
        parts += piece.parts
    return MixedText((*parts, (last, False)))


def within_bounds(text: MixedText) -> MixedText:
    """Return a text that is not too long, its neighbouring fixed parts as one. Raise Unread."""
    if sum(len(part) for part, _ in text.parts) > MOST_LETTERS:
        raise Unread
    parts: list[tuple[str, bool]] = []
    for is_hole, run in itertools.groupby(text.parts, key=lambda part: part[1]):
        texts = [part for part, _ in run]
        parts += [(hole, True) for hole in texts] if is_hole else [("".join(texts), False)]
    return MixedText(tuple(parts))
