"""Expressions of Postman's scripts on the answer of their request, read as those of k6 are."""

import re
from collections.abc import Mapping
from typing import Any

from loadrig.converters._javascript import tree_of
from loadrig.converters._k6_bindings import bound_names
from loadrig.converters._k6_changes import effects_of
from loadrig.converters._k6_conditions import ConditionReader
from loadrig.converters._k6_files import MOST_LETTERS_MADE, ScriptFeeds, Unread
from loadrig.converters._k6_methods import constant
from loadrig.converters._k6_patterns import AnswerPart
from loadrig.converters._k6_requests import ScriptScope, ScriptStep
from loadrig.converters._k6_texts import Value
from loadrig.converters._k6_tree import named_parts, text_in
from loadrig.converters._k6_values import ScriptEvaluator
from loadrig.converters._locust_values import MixedText

MOST_LETTERS_READ = 100_000
"""Letters of all texts that the expressions of a script make, at most."""

_WORD = re.compile(r"\w+")
_JSON = ("pm.response.json",)
_TEXT = ("pm.response.text",)
_HEADER = ("pm.response.headers.get", "postman.getResponseHeader")
_CODE = ("pm.response.code", "responseCode.code")


class AnswerReader:
    """Reader of expressions on an answer. text: of them.

    answers: places in its JSON that names of the script stand for; those that the text does not have are not
    looked at, as a script may have very many.
    """

    def __init__(self, answers: Mapping[str, str], text: str = "") -> None:
        feeds = ScriptFeeds(letters=MOST_LETTERS_MADE - MOST_LETTERS_READ)
        scope = ScriptScope({}, {}, feeds, frozenset())
        self.step = ScriptStep(0, "get", MixedText(()), scope)
        names: dict[str, Value] = {}
        for name in sorted(set(_WORD.findall(text)) & answers.keys()):
            whole = AnswerEvaluator({}, feeds)
            whole.step = self.step
            names[name] = whole.value(expression_of(f"pm.response.json(){answers[name]}"))
        self._names = names

    def declare(self, statement: Any) -> None:
        """Keep the values of the names that a statement declares, as far as they can be read."""
        for declared in named_parts(statement):
            name, node = (declared.child_by_field_name(part) for part in ("name", "value"))
            try:
                self._names |= bound_names(name, self.value(node), self.value)
            except (Unread, ValueError, AttributeError):
                for other in effects_of(declared).declared:
                    self._names.pop(other, None)

    def value(self, node: Any) -> Value:
        """Return the value of an expression. Raise Unread."""
        return self._evaluate_in(self._names)(node)

    def condition(self) -> ConditionReader:
        """Return a reader of conditions."""
        return ConditionReader(self._names, self._evaluate_in, self.step.scope)

    def _evaluate_in(self, names: dict[str, Value]) -> Any:
        evaluator = AnswerEvaluator(names, self.step.scope.feeds)
        evaluator.step = self.step
        return evaluator.value


class AnswerEvaluator(ScriptEvaluator):
    """Evaluation of expressions that name the answer as Postman does. step: the request that it answers."""

    step: ScriptStep

    def _call_expression(self, node: Any, deep: int) -> Value:
        name = "".join(text_in(node.child_by_field_name("function")).split())
        arguments = named_parts(node.child_by_field_name("arguments"))
        if name in _JSON and not arguments:
            return AnswerPart(self.step, "$")
        if name in _TEXT and not arguments:
            return AnswerPart(self.step, "$body")
        if name in _HEADER and len(arguments) == 1:
            return AnswerPart(self.step, "header", header=constant(self.value(arguments[0], deep)))
        return super()._call_expression(node, deep)

    def _member_expression(self, node: Any, deep: int) -> Value:
        if "".join(text_in(node).split()) in _CODE:
            return AnswerPart(self.step, "status")
        return super()._member_expression(node, deep)

    def _identifier(self, node: Any, deep: int) -> Value:
        if text_in(node) == "responseBody":
            return AnswerPart(self.step, "$body")
        return super()._identifier(node, deep)


def expression_of(text: str) -> Any:
    """Return the tree of an expression. Raise Unread where the text is anything else."""
    root = tree_of(text)
    statements = named_parts(root)
    if root.has_error or len(statements) != 1 or statements[0].type != "expression_statement":
        raise Unread
    return named_parts(statements[0])[0]
