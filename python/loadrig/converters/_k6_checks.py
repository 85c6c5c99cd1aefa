"""Checks of a k6 script become what a request expects of its answer."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from loadrig.base.units import Bytes, Seconds
from loadrig.converters._k6_bindings import parameters_of
from loadrig.converters._k6_files import ScriptFeeds, Unread
from loadrig.converters._k6_patterns import AnswerMatch, AnswerPart
from loadrig.converters._k6_requests import ScriptStep
from loadrig.converters._k6_texts import Value, text_of
from loadrig.converters._k6_tree import named_parts, result_of, text_in
from loadrig.converters._k6_values import ScriptEvaluator
from loadrig.converters._locust_values import MixedText

MOST_CONDITIONS_DEEP = 10
"""Conditions within conditions that are gone into, at most."""


def add_condition(step: ScriptStep, node: Any, name: str, evaluator: ScriptEvaluator, deep: int = 0) -> None:
    """Add to what a request expects what a check asks. name: of the answer in the check. Raise Unread."""
    if deep > MOST_CONDITIONS_DEEP:
        raise Unread
    expect = step.expect
    if node.type == "parenthesized_expression":
        add_condition(step, named_parts(node)[0], name, evaluator, deep + 1)
        return
    if (pattern := _pattern_sought(node, evaluator)) is not None:
        step.expect = replace(expect, matches=(*expect.matches, pattern))
        return
    if node.type == "call_expression":
        (argument,) = named_parts(node.child_by_field_name("arguments"))
        function = text_in(node.child_by_field_name("function"))
        if function not in (f"{name}.body.includes", f"{name}.body.indexOf"):
            raise Unread
        text = text_of(evaluator.value(argument)).constant
        if not text or function.endswith("indexOf"):
            raise Unread
        step.expect = replace(expect, contains=(*expect.contains, text))
        return
    if node.type != "binary_expression":
        raise Unread
    sign, left, right = (node.child_by_field_name(part) for part in ("operator", "left", "right"))
    operator, place = text_in(sign), text_in(left)
    if operator == "&&":
        add_condition(step, left, name, evaluator, deep + 1)
        add_condition(step, right, name, evaluator, deep + 1)
        return
    value = evaluator.value(right)
    if operator in ("===", "==") and place == f"{name}.status" and isinstance(value, int):
        step.expect = replace(expect, status=(value,))
    elif operator in ("<", "<=") and place == f"{name}.timings.duration" and isinstance(value, int):
        step.expect = replace(expect, time=Seconds(value / 1000))
    elif operator == ">" and place == f"{name}.body.length" and value == 0:
        step.expect = replace(expect, size_min=Bytes(1))
    elif operator in ("===", "=="):
        tested = evaluator.value(left)
        is_json = isinstance(tested, AnswerPart) and tested.path[:1] == "$" and tested.path != "$body"
        plain = value.constant if isinstance(value, MixedText) else value
        if not is_json or not isinstance(plain, str | int | float | bool):
            raise Unread
        step.expect = replace(expect, json={**expect.json, tested.path: plain})
    else:
        raise Unread


def _pattern_sought(node: Any, evaluator: ScriptEvaluator) -> str | None:
    """Return the pattern of `body.match(…)`, also where that must not be null; None of other conditions."""
    if node.type == "binary_expression" and text_in(node.child_by_field_name("operator")) in ("!==", "!="):
        if node.child_by_field_name("right").type != "null":
            return None
        node = node.child_by_field_name("left")
    if node.type != "call_expression":
        return None
    with suppress(Unread):
        match = evaluator.value(node)
        return match.pattern if isinstance(match, AnswerMatch) else None
    return None


def unsaid_checks(
    answer: AnswerPart, conditions: Any, names: Mapping[str, Value], feeds: ScriptFeeds
) -> Iterator[Any]:
    """Add the conditions of a check to what its request expects; yield those that a plan cannot say."""
    for pair in named_parts(conditions):
        try:
            function = pair.child_by_field_name("value")
            (parameter,) = parameters_of(function)
            name = text_in(parameter)
            evaluator = ScriptEvaluator({**names, name: answer}, feeds)
            add_condition(answer.step, result_of(function), name, evaluator)
        except (Unread, ValueError, AttributeError):
            yield pair


def is_check_or(node: Any) -> bool:
    """Return whether a statement is `check(…) || …`."""
    if node.type != "binary_expression" or text_in(node.child_by_field_name("operator")) != "||":
        return False
    left = node.child_by_field_name("left")
    return left.type == "call_expression" and text_in(left.child_by_field_name("function")) == "check"
