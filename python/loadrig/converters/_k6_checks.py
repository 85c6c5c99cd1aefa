"""Checks of a k6 script become what a request expects of its answer."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from loadrig.base.units import Bytes, Seconds
from loadrig.converters._clauses import ALWAYS, NotSaid, both
from loadrig.converters._expected_values import with_values
from loadrig.converters._k6_bindings import parameters_of
from loadrig.converters._k6_conditions import verdict_of
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_patterns import AnswerElements, AnswerMatch, AnswerPart
from loadrig.converters._k6_requests import ScriptScope, ScriptStep
from loadrig.converters._k6_texts import UNREAD, Value, text_of
from loadrig.converters._k6_tree import key_of, named_parts, result_of, text_in
from loadrig.converters._k6_values import ScriptEvaluator
from loadrig.converters._locust_values import MixedText

MOST_LETTERS_OF_NAME = 100
"""Letters of the name of a check, at most."""


def add_condition(step: ScriptStep, node: Any, name: str, evaluator: ScriptEvaluator) -> None:
    """Add to what a request expects what a check asks. name: of the answer in the check. Raise Unread."""
    expect = step.expect
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
    operation, left, right = (node.child_by_field_name(part) for part in ("operator", "left", "right"))
    sign, place = text_in(operation), text_in(left)
    value = evaluator.value(right)
    if sign in ("===", "==") and place == f"{name}.status" and isinstance(value, int):
        step.expect = replace(expect, status=(value,))
    elif sign in ("<", "<=") and place == f"{name}.timings.duration" and isinstance(value, int):
        step.expect = replace(expect, time=Seconds(value / 1000))
    elif sign == ">" and place == f"{name}.body.length" and value == 0:
        step.expect = replace(expect, size_min=Bytes(1))
    elif sign in ("===", "=="):
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
    answer: AnswerPart, conditions: Any, names: Mapping[str, Value], scope: ScriptScope
) -> Iterator[Any]:
    """Add the conditions of a check to what its request expects; yield those that a plan cannot say."""
    for pair in named_parts(conditions):
        try:
            function = pair.child_by_field_name("value")
            parameters = [text_in(parameter) for parameter in parameters_of(function)]
            if len(parameters) > 1:
                raise Unread
            names_within = {**names, **dict.fromkeys(parameters, answer)}
            condition = result_of(function)
        except (Unread, ValueError, AttributeError):
            yield pair
            continue
        name = parameters[0] if parameters else ""
        if not _is_said(answer.step, condition, name, names_within, scope, _label_of(pair)):
            yield pair


def _is_said(
    step: ScriptStep, condition: Any, name: str, names: dict[str, Value], scope: ScriptScope, label: str
) -> bool:
    """Add a condition to what a request expects; return whether a plan can say all of it.

    name: of the answer in the check. label: name of the check.
    """
    evaluator = ScriptEvaluator(names, scope.feeds)
    # A step of its own: what a check asks for needs no variable.
    asked = replace(step, extract={}, scope=replace(scope, extracts=set(), guard=step.guard))
    own = {title: _of_step(value, step, asked) for title, value in names.items()}
    clauses, is_said = ALWAYS, True
    for part in _joined_by_and(condition):
        expect = step.expect
        try:
            add_condition(step, part, name, evaluator)
        except (Unread, ValueError, AttributeError):
            step.expect = expect
            try:
                clauses = both(clauses, verdict_of(part, own, scope, None).clauses)
            except (Unread, NotSaid, ValueError, AttributeError):
                is_said = False
    try:
        step.expect = with_values(step.expect, clauses, asked.extract, label)
    except NotSaid:
        is_said = False
    return is_said


def _joined_by_and(condition: Any) -> Iterator[Any]:
    """Yield the conditions that must all hold for one to hold, without recursion."""
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if node.type == "parenthesized_expression":
            waiting += named_parts(node)[:1]
        elif node.type == "binary_expression" and text_in(node.child_by_field_name("operator")) == "&&":
            waiting += (node.child_by_field_name("right"), node.child_by_field_name("left"))
        else:
            yield node


def _of_step(value: Value, step: ScriptStep, other: ScriptStep) -> Value:
    """Return a value with one step in the place of another; answers to all other steps are not read."""
    if not isinstance(value, AnswerPart | AnswerMatch | AnswerElements):
        return value
    return value._replace(step=other) if value.step is step else UNREAD


def _label_of(pair: Any) -> str:
    """Return the name of a check; an empty one where it is computed."""
    with suppress(Unread, AttributeError):
        return key_of(pair)[:MOST_LETTERS_OF_NAME]
    return ""


def is_check_or(node: Any) -> bool:
    """Return whether a statement is `check(…) || …`."""
    if node.type != "binary_expression" or text_in(node.child_by_field_name("operator")) != "||":
        return False
    left = node.child_by_field_name("left")
    return left.type == "call_expression" and text_in(left.child_by_field_name("function")) == "check"
