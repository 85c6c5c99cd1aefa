"""Operators of JavaScript on values that a k6 script tells, and methods of its texts, lists and objects."""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_patterns import AnswerMatch, AnswerPart
from loadrig.converters._k6_texts import UNDEFINED, Value, in_order, text_of, within_bounds
from loadrig.converters._locust_values import MixedText

_COMPARES: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_EQUALS = {"==": True, "===": True, "!=": False, "!==": False}
COMPARING = frozenset((*_COMPARES, *_EQUALS))
"""Operators whose result is true or false."""

_CANONICAL = re.compile(r"[A-Z][a-z0-9]*(?:-(?:[A-Z][a-z0-9]*|[0-9][a-z0-9]*))*", re.ASCII)
"""Pattern of names of headers as k6 has them, whatever a server writes: `X-Request-Id`."""

MOST_REPEATS = 10_000
"""Times that a text is repeated, at most."""


def member(whole: Value, name: Value) -> Value:
    """Return a member of a list, an object, a text or an answer. Raise Unread."""
    if isinstance(whole, AnswerMatch):
        return whole.group(name)
    if isinstance(whole, AnswerPart):
        return _part(whole, name)
    if name == "length" and isinstance(whole, list | MixedText):
        return len(whole) if isinstance(whole, list) else len(_units(constant(whole))) // 2
    try:
        if isinstance(whole, dict) or (isinstance(whole, list) and isinstance(name, int) and name >= 0):
            return whole[name]
    except LookupError:
        pass
    raise Unread


def _part(whole: AnswerPart, name: Value) -> AnswerPart:
    if whole.path == "" and name in ("body", "status", "headers"):
        return AnswerPart(whole.step, "$body" if name == "body" else str(name))
    if whole.path == "headers" and isinstance(name, str) and _CANONICAL.fullmatch(name):
        return AnswerPart(whole.step, "header", header=name)
    if whole.path.startswith("$") and whole.path != "$body":
        if isinstance(name, int):
            return AnswerPart(whole.step, f"{whole.path}[{name}]")
        # The length of a list is no part of the document.
        if isinstance(name, str) and name.isidentifier() and name.isascii() and name != "length":
            return AnswerPart(whole.step, f"{whole.path}.{name}")
    raise Unread


def constant(value: Value) -> str:
    """Return a text without holes. Raise Unread for any other value."""
    text = value.constant if isinstance(value, MixedText) else None
    if text is None:
        raise Unread
    return text


def is_true(value: Value) -> bool:
    """Return whether JavaScript takes a value as true. Raise Unread where the script does not tell it."""
    if value is None or value is UNDEFINED:
        return False
    match value:
        case MixedText():
            # A text of which a part is known is not empty.
            return any(text for text, is_hole in value.parts if not is_hole) or bool(constant(value))
        case bool() | int() | float():
            return bool(value) and value == value
        case dict() | list():
            return True
        case _:
            raise Unread


def compared(sign: str, left: Value, right: Value) -> bool:
    """Return what a comparing operator says of two constants. Raise Unread for other values."""
    pair = [value if _is_plain(value) else constant(value) for value in (left, right)]
    are_nothing = [value is None or value is UNDEFINED for value in pair]
    is_alike = type(pair[0]) in _kin(pair[1])
    if sign in _EQUALS and len(sign) == 2 and any(are_nothing):
        return all(are_nothing) == _EQUALS[sign]
    if sign in _EQUALS and (is_alike or len(sign) == 3):
        return (is_alike and pair[0] == pair[1]) == _EQUALS[sign]
    if sign not in _COMPARES or not is_alike or any(are_nothing):
        raise Unread
    first, second = (_units(value) if isinstance(value, str) else value for value in pair)
    return _COMPARES[sign](first, second)


def _is_plain(value: Value) -> bool:
    return value is None or value is UNDEFINED or isinstance(value, bool | int | float)


def _kin(value: object) -> tuple[type, ...]:
    """Return the types of values that can be equal to this one without being turned into another."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return (int, float) if is_number else (type(value),)


def _units(text: str) -> bytes:
    """Return the code units of a text, in the order in which JavaScript compares them."""
    return text.encode("utf-16-be", "surrogatepass")


def method(whole: Value, name: str, values: Sequence[Value]) -> Value:
    """Return what a method gives that changes nothing. Raise Unread."""
    try:
        if isinstance(whole, list):
            return _of_list(whole, name, values)
        if isinstance(whole, MixedText):
            return _of_text(whole, name, values)
    except (TypeError, ValueError, IndexError):
        pass
    raise Unread


def of_object(name: str, whole: Value) -> list[Value]:
    """Return what `Object.keys`, `values` and `entries` give. Raise Unread."""
    if not isinstance(whole, dict):
        raise Unread
    pairs = [(MixedText(((str(key), False),)), value) for key, value in in_order(whole)]
    match name:
        case "keys":
            return [key for key, _ in pairs]
        case "values":
            return [value for _, value in pairs]
        case "entries":
            return [list(pair) for pair in pairs]
        case _:
            raise Unread


def _of_list(whole: list[Value], name: str, values: Sequence[Value]) -> Value:
    match name, values:
        case "join", [] | [MixedText()]:
            sign = constant(values[0]) if values else ","
            joined = MixedText(())
            for number, item in enumerate(whole):
                joined += MixedText(((sign, False),) if number else ())
                joined += MixedText(()) if item is None or item is UNDEFINED else text_of(item)
            return within_bounds(joined)
        case "concat", [*more]:
            return [*whole, *(item for part in more for item in (part if isinstance(part, list) else [part]))]
        case "slice", [*bounds] if len(bounds) <= 2:
            return whole[slice(*_bounds(bounds))]
        case "at", [int() as place]:
            return whole[place]
        case "includes", [sought]:
            return any(compared("===", item, sought) for item in whole)
        case "indexOf", [sought]:
            return next((n for n, item in enumerate(whole) if compared("===", item, sought)), -1)
        case _:
            raise Unread


def _of_text(whole: MixedText, name: str, values: Sequence[Value]) -> Value:
    if name == "concat":
        for value in values:
            whole += text_of(value)
        return within_bounds(whole)
    text = constant(whole)
    if not text.isascii():
        # JavaScript counts code units, and has cases of its own.
        raise Unread
    words = [constant(value) if isinstance(value, MixedText) else value for value in values]
    result = _plain_text(text, name, words)
    if isinstance(result, str):
        return within_bounds(MixedText(((result, False),)))
    return [MixedText(((part, False),)) for part in result] if isinstance(result, list) else result


def _plain_text(text: str, name: str, values: Sequence[Any]) -> str | list[str] | bool | int:
    match name, values:
        case "toUpperCase", []:
            return text.upper()
        case "toLowerCase", []:
            return text.lower()
        case "trim", []:
            return text.strip()
        case "split", [str() as sign]:
            return text.split(sign) if sign else list(text)
        case "replace", [str() as old, str() as new] if "$" not in new:
            return text.replace(old, new, 1)
        case "replaceAll", [str() as old, str() as new] if "$" not in new and old:
            return text.replace(old, new)
        case "slice", [*bounds] if 1 <= len(bounds) <= 2:
            return text[slice(*_bounds(bounds))]
        case "substring", [*bounds] if 1 <= len(bounds) <= 2:
            places = sorted(min(max(place, 0), len(text)) for place in (*_bounds(bounds), len(text))[:2])
            return text[places[0] : places[1]]
        case (("padStart" | "padEnd"), [int() as width, str() as sign]) if (
            width <= MOST_REPEATS and len(sign) == 1
        ):
            return text.rjust(width, sign) if name == "padStart" else text.ljust(width, sign)
        case "repeat", [int() as times] if 0 <= times <= MOST_REPEATS and len(text) * times <= MOST_REPEATS:
            return text * times
        case "startsWith", [str() as part]:
            return text.startswith(part)
        case "endsWith", [str() as part]:
            return text.endswith(part)
        case "includes", [str() as part]:
            return part in text
        case "indexOf", [str() as part]:
            return text.find(part)
        case "charAt", [int() as place] if place >= 0:
            return text[place : place + 1]
        case _:
            raise Unread


def _bounds(values: Sequence[Value]) -> list[int]:
    if any(type(value) is not int for value in values):
        raise Unread
    return [*values] if len(values) > 1 else [*values, 1 << 30] if values else [0, 1 << 30]
