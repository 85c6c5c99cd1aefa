"""Loops of a k6 script whose rounds its text tells: of a counter, and over the items of a list."""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loadrig.converters._k6_changes import ScriptEffects, effects_of
from loadrig.converters._k6_exits import leaves, statements_in
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_texts import UNDEFINED, Value
from loadrig.converters._k6_tree import named_parts, text_in
from loadrig.converters._k6_values import ScriptEvaluator

MOST_ROUNDS = 200
"""Rounds of a loop that are made out in full, at most: as many as a function may have requests."""

COMPARES: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LiteralLoop:
    """Loop that is known. values: those of its name, a round each. final: what the name has behind the loop.

    is_own: whether the name is the loop's own, so that nobody sees it behind the loop.
    """

    name: str
    is_own: bool
    values: tuple[Value, ...]
    final: Value
    body: Any


def literal_loop(node: Any, evaluator: ScriptEvaluator, clients: frozenset[str]) -> LiteralLoop:
    """Return a loop of which the text tells each round. Raise Unread for any other.

    clients: names of the client of HTTP, which changes nothing that it is given.
    """
    body = node.child_by_field_name("body")
    if leaves(body):
        raise Unread
    effects = effects_of(body, clients=clients)
    return (_counted if node.type == "for_statement" else _listed)(node, effects, evaluator)


def _counted(node: Any, effects: ScriptEffects, evaluator: ScriptEvaluator) -> LiteralLoop:
    begin, condition, step = (
        node.child_by_field_name(part) for part in ("initializer", "condition", "increment")
    )
    if begin is None or condition is None or step is None or condition.type != "binary_expression":
        raise Unread
    target, first = begin_of(begin)
    compares = COMPARES.get(text_in(condition.child_by_field_name("operator")))
    end = condition.child_by_field_name("right")
    if compares is None or text_in(condition.child_by_field_name("left")) != target:
        raise Unread
    # A counter is a number, which nobody changes but by its name.
    if target in effects.rebound or {*_names_in(end)} & (effects.rebound | effects.mutated):
        raise Unread
    value, last = evaluator.value(first), evaluator.value(end)
    values: list[Value] = []
    while compares(number_of(value), number_of(last)):
        values.append(value)
        if len(values) > MOST_ROUNDS:
            raise Unread
        value = evaluator.combined(*step_of(step, target, evaluator, value))
    body = node.child_by_field_name("body")
    return LiteralLoop(target, begin.type == "lexical_declaration", tuple(values), value, body)


def _listed(node: Any, effects: ScriptEffects, evaluator: ScriptEvaluator) -> LiteralLoop:
    left, right, kind = (node.child_by_field_name(part) for part in ("left", "right", "kind"))
    is_of = text_in(node.child_by_field_name("operator")) == "of"
    if not is_of or left.type != "identifier" or kind is None:
        raise Unread
    items = evaluator.value(right)
    is_changed = bool({*_names_in(right)} & (effects.rebound | effects.mutated))
    if not isinstance(items, list) or is_changed or len(items) > MOST_ROUNDS:
        raise Unread
    final = items[-1] if items else UNDEFINED
    body = node.child_by_field_name("body")
    return LiteralLoop(text_in(left), text_in(kind) != "var", tuple(items), final, body)


def begin_of(node: Any) -> tuple[str, Any]:
    """Return the name of a counter, and the expression of its first value."""
    if node.type in ("lexical_declaration", "variable_declaration"):
        declared = named_parts(node)
        name, value = (declared[0].child_by_field_name(part) for part in ("name", "value"))
        if len(declared) == 1 and value is not None and name.type == "identifier":
            return text_in(name), value
    raise Unread


def step_of(node: Any, target: str, evaluator: ScriptEvaluator, value: Value) -> tuple[str, Value, Value]:
    """Return the operation by which a counter gets its next value."""
    is_by_one = node.type == "update_expression"
    if not is_by_one and node.type != "augmented_assignment_expression":
        raise Unread
    changed = node.child_by_field_name("argument" if is_by_one else "left")
    if text_in(changed) != target:
        raise Unread
    sign = text_in(node.child_by_field_name("operator"))
    return sign[0], value, 1 if is_by_one else evaluator.value(node.child_by_field_name("right"))


def number_of(value: Value) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Unread
    return value


def _names_in(node: Any) -> Iterator[str]:
    return (text_in(part) for part in statements_in(node) if part.type == "identifier")
