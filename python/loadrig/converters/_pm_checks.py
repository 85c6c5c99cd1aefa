"""Tests of Postman's scripts, as what a request expects of its answer: `pm.expect(…).to…` and `tests[…] = …`.

Read are chains of one assertion about a status, a header, the body or a value of its JSON. Source: the
assertions of chai 4 and of postmanlabs/chai-postman.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loadrig.base.units import Seconds
from loadrig.converters._clauses import NEVER, Clauses, NotSaid, both, either, negated
from loadrig.converters._expected_values import with_values
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_methods import constant, member
from loadrig.converters._k6_patterns import AnswerPart, pattern_of
from loadrig.converters._k6_texts import UNDEFINED, Value
from loadrig.converters._k6_tree import named_parts, text_in
from loadrig.converters._locust_values import MixedText
from loadrig.converters._pm_answers import AnswerReader, expression_of
from loadrig.plan.passages import Comparison
from loadrig.plan.requests import Expect, Extract

MOST_LETTERS_OF_NAME = 100
"""Letters of the name of a check, at most."""

MOST_LINKS = 12
"""Words of a chain at most."""

_ROOTS = ("pm.response", "pm.expect")
_FILLERS = frozenset(("to", "be", "been", "is", "that", "which", "has", "have", "with", "at", "of", "deep"))
_ORDERS: Mapping[str, str] = {
    "above": ">", "gt": ">", "greaterThan": ">", "least": ">=", "gte": ">=",
    "below": "<", "lt": "<", "lessThan": "<", "most": "<=", "lte": "<=",
}  # fmt: skip
_EQUALS = frozenset(("equal", "equals", "eq", "eql", "eqls"))
_INCLUDES = frozenset(("include", "includes", "contain", "contains", "string"))
_GOOD = range(200, 400)
_SUCCESS = ((">=", 200), ("<", 300))
_TIME = "pm.response.responseTime"
_OLD = re.compile(r"tests\[\s*(?:'([^'\n]*)'|\"([^\"\n]*)\")\s*\]\s*=\s*(.+)", re.DOTALL)

Link = tuple[str, Sequence[Any] | None]
"""Word of a chain, with the arguments of its call; None for a word that is not called."""


def with_check(expect: Expect, statement: str, answers: Mapping[str, str], title: str) -> Expect | None:
    """Return what is expected where a test holds, too; None for a statement that is no test of a plan.

    answers: places in JSON that names of the script stand for. title: name of the test around it.
    """
    if not statement.startswith((*_ROOTS, "tests")):
        return None
    try:
        reader = AnswerReader(answers, statement)
        name = title[:MOST_LETTERS_OF_NAME]
        if old := _OLD.fullmatch(statement):
            name = (old[1] or old[2] or "")[:MOST_LETTERS_OF_NAME]
            clauses = reader.condition().clauses(expression_of(old[3]))
            return with_values(expect, clauses, reader.step.extract, name)
        return _ChainCheck(expect, reader, name).expected(expression_of(statement))
    except (Unread, NotSaid, ValueError, AttributeError, IndexError):
        return None


def asked_of_good(condition: str, answers: Mapping[str, str]) -> frozenset[str] | None:
    """Return the places in JSON that must have a value for a condition to hold, which only good answers meet.

    None for a condition that asks anything else. answers: as of `with_check`.
    """
    try:
        reader = AnswerReader(answers, condition)
        clauses = reader.condition().clauses(expression_of(condition))
        places = reader.step.extract
        of_status = tuple(clause for clause in clauses if all(_is_of_status(part, places) for part in clause))
        asked = [
            places[part.variable or ""].json
            for clause in clauses
            if clause not in of_status
            for part in clause
        ]
        is_presence = all(
            len(clause) == 1 and (clause[0].is_true or clause[0].is_set)
            for clause in clauses
            if clause not in of_status
        )
        statuses = with_values(Expect(), of_status, places).status
    except (Unread, NotSaid, ValueError, AttributeError, KeyError):
        return None
    is_good = all(status in _GOOD for status in statuses)
    if not clauses or not is_good or not is_presence or None in asked:
        return None
    return frozenset(place for place in asked if place is not None)


def _is_of_status(part: Comparison, places: Mapping[str, Extract]) -> bool:
    return places[part.variable or ""].part is not None


class _ChainCheck:
    """Reader of a chain of one assertion."""

    def __init__(self, expect: Expect, reader: AnswerReader, name: str) -> None:
        self._expect, self._reader, self._name = expect, reader, name
        self._condition = reader.condition()

    def expected(self, node: Any) -> Expect:
        """Return what is expected where the assertion holds, too. Raise Unread, NotSaid."""
        asked, links = _chain(node)
        is_not = sum(word == "not" for word, _ in links) == 1
        words = [(word, values) for word, values in links if word not in _FILLERS and word != "not"]
        if len(words) != 1:
            raise NotSaid
        word, nodes = words[0]
        if asked is not None and text_in(asked) == _TIME:
            return self._timed(word, nodes, is_not)
        if asked is None:
            clauses = self._of_answer(word, nodes)
        else:
            if not is_not and (expect := self._typed(asked, word, nodes)) is not None:
                return expect
            clauses = self._of_value(asked, word, nodes)
        clauses = negated(clauses) if is_not else clauses
        return with_values(self._expect, clauses, self._reader.step.extract, self._name)

    def _timed(self, word: str, nodes: Sequence[Any] | None, is_not: bool) -> Expect:
        (most_ms,) = map(self._reader.value, nodes or ())
        if _ORDERS.get(word) not in ("<", "<=") or is_not or not isinstance(most_ms, int | float):
            raise NotSaid
        return replace(self._expect, time=Seconds(most_ms / 1000))

    def _of_answer(self, word: str, nodes: Sequence[Any] | None) -> Clauses:
        """Return what `pm.response.to…` says."""
        step = self._reader.step
        match word, [*map(self._reader.value, nodes or ())]:
            case "header", [name, *values] if len(values) <= 1:
                whole = AnswerPart(step, "header", header=constant(name))
                return self._condition.compared(whole, "===", values[0]) if values else self._there(whole)
            case "jsonBody", [path, *values] if len(values) <= 1:
                place: Value = AnswerPart(step, "$")
                for part in constant(path).split("."):
                    place = member(place, int(part) if part.isdecimal() else part)
                return self._condition.compared(place, "===", values[0]) if values else self._there(place)
            case "success", []:
                code = AnswerPart(step, "status")
                return both(*(self._condition.compared(code, sign, bound) for sign, bound in _SUCCESS))
            case _:
                raise NotSaid

    def _typed(self, asked: Any, word: str, nodes: Sequence[Any] | None) -> Expect | None:
        """Return what is expected where a value of JSON is equal to a constant of its type, or has a text."""
        if word in ("true", "false") and nodes is None:
            expected: Value = word == "true"
        elif word in _EQUALS and nodes is not None and len(nodes) == 1:
            expected = self._reader.value(nodes[0])
        elif word in _INCLUDES and nodes is not None and len(nodes) == 1:
            text = constant(self._reader.value(nodes[0]))
            whole = self._reader.value(asked)
            if text and isinstance(whole, AnswerPart) and whole.path == "$body":
                return replace(self._expect, contains=(*self._expect.contains, text))
            return None
        else:
            return None
        try:
            whole = self._reader.value(asked)
        except Unread:
            return None
        plain = expected.constant if isinstance(expected, MixedText) else expected
        if not isinstance(whole, AnswerPart) or not isinstance(plain, str | int | float | bool):
            return None
        if not whole.path.startswith("$") or whole.path == "$body":
            return None
        return replace(self._expect, json={**self._expect.json, whole.path: plain})

    def _of_value(self, asked: Any, word: str, nodes: Sequence[Any] | None) -> Clauses:
        """Return what an assertion of a value says, without `not`."""
        values = [self._reader.value(node) for node in nodes or ()]
        is_whole = word in ("true", "false") or (word in _EQUALS and values in ([True], [False]))
        if is_whole and asked.type in ("binary_expression", "unary_expression"):
            clauses = self._condition.clauses(asked)
            return negated(clauses) if word == "false" or values == [False] else clauses
        value = self._reader.value(asked)
        if not isinstance(value, AnswerPart):
            raise NotSaid
        compared = self._condition.compared
        match word, values:
            case "exist", [] if nodes is None:
                return negated(self._condition.missing(value, None, is_strict=False))
            case (("undefined" | "null"), []) if nodes is None:
                sought = UNDEFINED if word == "undefined" else None
                return self._condition.missing(value, sought, is_strict=True)
            case "ok", [] if nodes is None:
                return self._condition.truth(value)
            case (("true" | "false"), []) if nodes is None:
                return compared(value, "===", word == "true")
            case _, [None] if word in _EQUALS:
                return self._condition.missing(value, None, is_strict=True)
            case _, [other] if word in _EQUALS:
                return compared(value, "===", other)
            case _, [bound] if word in _ORDERS:
                return compared(value, _ORDERS[word], bound)
            case "within", [low, high]:
                return both(compared(value, ">=", low), compared(value, "<=", high))
            case "oneOf", [[*options]]:
                some = NEVER
                for option in options:
                    some = either(some, compared(value, "===", option))
                return some
            case "property", [key, *others] if len(others) <= 1:
                place = member(value, constant(key))
                return compared(place, "===", others[0]) if others else self._there(place)
            case _, [text] if word in _INCLUDES and value.path == "$body":
                return self._with_match(re.escape(constant(text)))
            case (("match" | "matches"), [pattern]) if value.path == "$body":
                return self._with_match(pattern_of(pattern))
            case _:
                raise NotSaid

    def _there(self, value: AnswerPart) -> Clauses:
        """Return that a value is there, be it null."""
        return negated(self._condition.missing(value, UNDEFINED, is_strict=True))

    def _with_match(self, pattern: str) -> Clauses:
        """Return that a pattern is found in the body."""
        name = self._reader.step.sought(pattern)
        return ((Comparison(name, is_set=True),),)


def _chain(node: Any) -> tuple[Any, Sequence[Link]]:
    """Return what a chain is about, None for the answer itself, and its words. Raise Unread for others."""
    links: list[Link] = []
    for _ in range(MOST_LINKS):
        values: Sequence[Any] | None = None
        if node.type == "call_expression":
            values = named_parts(node.child_by_field_name("arguments"))
            node = node.child_by_field_name("function")
        text = "".join(text_in(node).split())
        if text == "pm.expect" and values is not None and len(values) >= 1:
            return values[0], links[::-1]
        if text == "pm.response" and values is None:
            return None, links[::-1]
        if node.type != "member_expression":
            raise Unread
        links.append((text_in(node.child_by_field_name("property")), values))
        node = node.child_by_field_name("object")
    raise Unread
