"""Names that get values from patterns of JavaScript: `{ a, b: [c] } = value`, and parameters of functions."""

from collections.abc import Callable
from typing import Any

from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_methods import member
from loadrig.converters._k6_texts import MOST_DEEP, UNDEFINED, Value
from loadrig.converters._locust_values import MixedText

Evaluate = Callable[[Any], Value]
"""Function that gives the value of an expression of the script."""


def parameters_of(function: Any) -> list[Any]:
    """Return the patterns of a function's parameters."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return [single]
    holder = function.child_by_field_name("parameters")
    parts = [part for part in holder.named_children if part.type != "comment"] if holder is not None else []
    return [part.child_by_field_name("pattern") or part for part in parts]


def bound_names(pattern: Any, value: Value, evaluate: Evaluate, deep: int = 0) -> dict[str, Value]:
    """Return the values that a pattern gives to names. Raise Unread where nothing tells one."""
    if deep > MOST_DEEP:
        raise Unread
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            return {_text(pattern): value}
        case "assignment_pattern" | "object_assignment_pattern":
            default = pattern.child_by_field_name("right")
            actual = evaluate(default) if value is UNDEFINED else value
            return bound_names(pattern.child_by_field_name("left"), actual, evaluate, deep + 1)
        case "object_pattern":
            parts = [_entry(part, value) for part in pattern.named_children if part.type != "comment"]
        case "array_pattern" if isinstance(value, list):
            inner = [part for part in pattern.named_children if part.type != "comment"]
            if len(inner) != pattern.text.count(b",") + 1:  # places that are left out
                raise Unread
            parts = [(part, value[n] if n < len(value) else UNDEFINED) for n, part in enumerate(inner)]
        case _:
            raise Unread
    names: dict[str, Value] = {}
    for part, entry in parts:
        names |= bound_names(part, entry, evaluate, deep + 1)
    return names


def _entry(part: Any, whole: Value) -> tuple[Any, Value]:
    """Return a part of a pattern for an object, and the value that it gets."""
    inner, name = part, part
    if part.type == "pair_pattern":
        inner, name = part.child_by_field_name("value"), part.child_by_field_name("key")
    elif part.type == "object_assignment_pattern":
        name = part.child_by_field_name("left")
    if name.type not in ("shorthand_property_identifier_pattern", "property_identifier"):
        raise Unread
    if isinstance(whole, dict):
        return inner, whole.get(_text(name), UNDEFINED)
    if isinstance(whole, MixedText | list):
        raise Unread
    return inner, member(whole, _text(name))


def _text(node: Any) -> str:
    return str(node.text.decode("utf-8", "replace"))
