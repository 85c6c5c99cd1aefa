"""Conditions of a k6 script on its answers, as comparisons of a plan.

Read are comparisons of a status with numbers, of values of an answer's JSON with texts and numbers, whether
there is such a value, texts that a body has, checks, and these joined by `&&`, `||` and `!`. A plan cannot
say any other.
"""

import contextlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from loadrig.converters._clauses import (
    ALWAYS,
    NEVER,
    Clauses,
    NotSaid,
    both,
    either,
    negated,
    opposite_of,
    placed,
)
from loadrig.converters._k6_bindings import Evaluate, parameters_of
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_methods import COMPARING, constant, is_true, member
from loadrig.converters._k6_patterns import AnswerMatch, AnswerPart
from loadrig.converters._k6_requests import NO_ANSWER, ScriptScope
from loadrig.converters._k6_texts import UNDEFINED, Value
from loadrig.converters._k6_tree import named_parts, result_of, text_in
from loadrig.converters._k6_values import ScriptEvaluator
from loadrig.converters._locust_values import MixedText
from loadrig.plan.passages import Comparison, Order

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_ORDERS: Mapping[str, Order] = {">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}
_EQUALS = {"==": True, "===": True, "!=": False, "!==": False}

MOST_CONDITIONS_DEEP = 10
"""Conditions within conditions that are gone into, at most."""

MOST_NUMBER = 1e15
"""Number that is compared with, at most: beyond it whole numbers are none of a computer's fractions."""


_ANY_LETTER = "(?s)."
"""Pattern of a body that is not empty."""


class ScriptVerdict(NamedTuple):
    """Value that is true or false as answers say."""

    clauses: Clauses
    is_of_bodies: bool = False


def verdict_of(
    condition: Any, names: Mapping[str, Value], scope: ScriptScope, owner: object
) -> ScriptVerdict:
    """Return what a condition on answers says. Raise Unread, NotSaid where a plan cannot say it.

    names: those that it sees. owner: of the lists and objects that its expressions make.
    """

    def evaluate_in(values: dict[str, Value]) -> Evaluate:
        return ScriptEvaluator(values, scope.feeds, owner, scope.functions, scope.names).value

    reader = ConditionReader(names, evaluate_in, scope)
    return ScriptVerdict(reader.clauses(condition), reader.is_of_bodies)


class ConditionReader:
    """Reader of conditions. names: those that they see. evaluate_in: gives values among some names."""

    def __init__(
        self,
        names: Mapping[str, Value],
        evaluate_in: Callable[[dict[str, Value]], Evaluate],
        scope: ScriptScope,
    ) -> None:
        self._names = dict(names)
        self._evaluate_in = evaluate_in
        self._evaluate = evaluate_in(self._names)
        self._scope = scope
        self.is_of_bodies = False

    def clauses(self, node: Any, deep: int = 0) -> Clauses:
        """Return what a condition says. Raise Unread, NotSaid where a plan cannot say it."""
        if deep > MOST_CONDITIONS_DEEP:
            raise NotSaid
        with contextlib.suppress(Unread):
            value = self._evaluate(node)
            if isinstance(value, ScriptVerdict):
                self.is_of_bodies |= value.is_of_bodies
                return value.clauses
            if isinstance(value, AnswerPart | AnswerMatch):
                return self.truth(value)
            return ALWAYS if is_true(value) else NEVER
        match node.type:
            case "parenthesized_expression":
                return self.clauses(named_parts(node)[0], deep + 1)
            case "unary_expression" if text_in(node.child_by_field_name("operator")) == "!":
                return negated(self.clauses(node.child_by_field_name("argument"), deep + 1))
            case "binary_expression":
                return self._joined(node, deep + 1)
            case "call_expression":
                return self._called(node, deep + 1)
            case _:
                raise Unread

    def _joined(self, node: Any, deep: int) -> Clauses:
        sign = text_in(node.child_by_field_name("operator"))
        sides = [node.child_by_field_name(side) for side in ("left", "right")]
        if sign in ("&&", "||"):
            first, second = (self.clauses(side, deep) for side in sides)
            return both(first, second) if sign == "&&" else either(first, second)
        if sign == "in":
            return self._present(sides[1], self._evaluate(sides[0]))
        if sign not in COMPARING:
            raise Unread
        if sign in _EQUALS and (asked := _kind_asked(sides, self._evaluate)) is not None:
            undefined = self.missing(self._evaluate(asked), UNDEFINED, is_strict=True)
            return undefined if _EQUALS[sign] else negated(undefined)
        left, right = map(self._evaluate, sides)
        if isinstance(right, AnswerPart | AnswerMatch):
            left, right, sign = right, left, _TURNED.get(sign, sign)
        if not isinstance(left, AnswerPart | AnswerMatch) or isinstance(right, AnswerPart | AnswerMatch):
            raise Unread
        if sign in _EQUALS and (right is None or right is UNDEFINED):
            missing = self.missing(left, right, is_strict=len(sign) == len("==="))
            return missing if _EQUALS[sign] else negated(missing)
        if isinstance(left, AnswerMatch):
            raise Unread
        return self.compared(left, sign, right)

    def truth(self, value: AnswerPart | AnswerMatch) -> Clauses:
        """Return that JavaScript takes a part of an answer as true."""
        step = value.step
        if isinstance(value, AnswerMatch):
            self.is_of_bodies = True
            return ((Comparison(step.sought(value.pattern), is_set=True),),)
        match value.path:
            case "":
                return ALWAYS
            case "status":
                return ((Comparison(step.status(), other=NO_ANSWER),),)
            case "$body":
                variable = step.holding(_ANY_LETTER)
            case "match":
                variable = step.sought(value.pattern)
            case "element":
                variable = step.looked_for(value.selection)
            case "header":
                variable = step.headed(value.header)
            case "headers":
                return ALWAYS
            case path:
                variable = step.asked(path)
        self.is_of_bodies = True
        return ((Comparison(variable, is_true=True),),)

    def _present(self, whole: Any, key: Value) -> Clauses:
        """Return that an object of an answer's JSON has a key, be its value null. Raise Unread."""
        return negated(self.missing(member(self._evaluate(whole), constant(key)), UNDEFINED, is_strict=True))

    def missing(self, value: Value, sought: object, *, is_strict: bool) -> Clauses:
        """Return that a part of an answer is null or undefined: which of them, is said by strict signs."""
        if isinstance(value, AnswerMatch):
            # JavaScript gives null where a pattern finds nothing.
            if is_strict and sought is UNDEFINED:
                return NEVER
            self.is_of_bodies = True
            return ((Comparison(value.step.sought(value.pattern), is_set=False),),)
        if not isinstance(value, AnswerPart):
            raise Unread
        if value.header or (value.selection is not None and value.selection.attribute):
            # A header and an attribute are texts, or undefined.
            if is_strict and sought is None:
                return NEVER
            return ((Comparison(self._text_part(value), is_set=False),),)
        if not value.path.startswith("$") or value.path == "$body":
            raise Unread
        self.is_of_bodies = True
        variable = value.step.asked(value.path)
        if is_strict and sought is None:
            return ((Comparison(variable, is_null=True),),)
        has_none = ((Comparison(variable, is_set=False),),)
        return both(has_none, ((Comparison(variable, is_null=False),),)) if is_strict else has_none

    def _text_part(self, part: AnswerPart) -> str:
        """Return the variable for a header, or what a selector finds, that may be missing."""
        self.is_of_bodies = True
        step = part.step
        name: str = step.headed(part.header) if part.header else step.looked_for(part.selection)
        return name

    def _called(self, node: Any, deep: int) -> Clauses:
        function, holder = (node.child_by_field_name(part) for part in ("function", "arguments"))
        arguments = named_parts(holder)
        name = text_in(function)
        if self._scope.called(node) == "check":
            return self._checked(arguments, deep)
        if name.endswith(".hasOwnProperty") and len(arguments) == 1:
            return self._present(function.child_by_field_name("object"), self._evaluate(arguments[0]))
        if not name.endswith(".includes") or len(arguments) != 1:
            raise Unread
        whole = self._evaluate(function.child_by_field_name("object"))
        sought = self._evaluate(arguments[0])
        if isinstance(whole, list) and isinstance(sought, AnswerPart):
            some = NEVER
            for item in whole:
                some = either(some, self.compared(sought, "===", item))
            return some
        text = sought.constant if isinstance(sought, MixedText) else None
        if not isinstance(whole, AnswerPart) or whole.path != "$body" or not text:
            raise Unread
        self.is_of_bodies = True
        return ((Comparison(whole.step.holding(re.escape(text)), equal=text),),)

    def _checked(self, arguments: Sequence[Any], deep: int) -> Clauses:
        """Return what all conditions of a check say."""
        if len(arguments) < 2 or arguments[1].type != "object":
            raise Unread
        answer = self._evaluate(arguments[0])
        clauses = ALWAYS
        for pair in named_parts(arguments[1]):
            function = pair.child_by_field_name("value")
            parameters = parameters_of(function) if function is not None else []
            if len(parameters) != 1:
                raise Unread
            names = {**self._names, text_in(parameters[0]): answer}
            inner = ConditionReader(names, self._evaluate_in, self._scope)
            clauses = both(clauses, inner.clauses(result_of(function), deep))
            self.is_of_bodies |= inner.is_of_bodies
        return clauses

    def compared(self, part: AnswerPart, sign: str, value: Value) -> Clauses:
        """Return what a comparison of a part of an answer with a constant says."""
        if part.path == "status":
            return _of_status(part, sign, value)
        if part.header or part.selection is not None:
            # A text of an element is empty where there is none, which a variable without a value is not.
            if sign in _ORDERS or not constant(value):
                raise Unread
            equal = Comparison(self._text_part(part), equal=constant(value))
            return ((equal if _EQUALS[sign] else opposite_of(equal),),)
        if not part.path.startswith("$") or part.path == "$body":
            raise Unread
        self.is_of_bodies = True
        if sign in _ORDERS:
            return ((placed(part.step.asked(part.path), _ORDERS[sign], _number(value)),),)
        equal = Comparison(part.step.asked(part.path), equal=_json_text(value))
        return ((equal if _EQUALS[sign] else opposite_of(equal),),)


def _kind_asked(sides: Sequence[Any], evaluate: Evaluate) -> Any:
    """Return what `typeof … === "undefined"` asks of; None of other comparisons."""
    for whole, kind in (sides, sides[::-1]):
        is_kind = (
            whole.type == "unary_expression" and text_in(whole.child_by_field_name("operator")) == "typeof"
        )
        if is_kind and isinstance(text := evaluate(kind), MixedText) and text.constant == "undefined":
            return whole.child_by_field_name("argument")
    return None


def _of_status(part: AnswerPart, sign: str, value: Value) -> Clauses:
    variable = part.step.status()
    if sign in _ORDERS:
        return ((placed(variable, _ORDERS[sign], _number(value)),),)
    number = _number(value)
    if number != int(number):
        return NEVER if _EQUALS[sign] else ALWAYS
    equal = Comparison(variable, equal=str(int(number)))
    return ((equal if _EQUALS[sign] else opposite_of(equal),),)


def _number(value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MOST_NUMBER:
        raise Unread
    return float(value)


def _json_text(value: Value) -> str:
    """Return the text that the generator takes out of JSON for a value. Raise Unread where others have it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case MixedText(constant=str(text)) if not _is_json(text):
            return text
        case _:
            raise Unread


def _is_json(text: str) -> bool:
    """Return whether a text is also that of a number, a list or the like, which is no text in JSON."""
    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text)
        return True
    return text.lstrip()[:1] in ("{", "[")
