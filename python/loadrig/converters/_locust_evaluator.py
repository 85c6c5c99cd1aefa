"""Evaluation of the expressions of a locustfile, as far as its text alone tells them."""

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any

from loadrig.converters._locust_values import (
    MOST_ITEMS,
    AnswerValue,
    ChosenFeeds,
    ChosenValue,
    Computed,
    DrawnFor,
    MixedText,
    Value,
    as_list,
    dotted,
    place_of,
    rows_of,
    text_of,
)
from loadrig.converters._owned import OwnedDict, OwnedList
from loadrig.plan.model import Feed, FeedOrder

MOST_DEEP = 40
"""Levels of an expression that are looked into, at most."""

MOST_LETTERS = 1_000_000
"""Letters of a text that parts of the file add up to, at most."""

MOST_NUMBER = 2**53
"""Number up to which parts of the file are reckoned with: larger ones would soon fill the memory."""


def _reckoned(left: Value, sign: ast.operator, right: Value, node: ast.AST) -> Value:
    """Return the sum, the difference or the product of two numbers. Raise Computed for any others."""
    for number in (left, right):
        if isinstance(number, bool) or not isinstance(number, int | float) or abs(number) > MOST_NUMBER:
            raise Computed(node)
    match sign:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case _:
            raise Computed(node)


class Evaluator:
    """Evaluation of expressions in an environment of names; `self.x` is the name "self.x".

    owner: of the lists and dicts that expressions make, who alone may change them.
    """

    def __init__(
        self,
        names: Mapping[str, Value],
        feeds: ChosenFeeds,
        label: str = "value",
        drawn_for: DrawnFor = "all",
        owner: object = None,
    ) -> None:
        self._names = names
        self._feeds = feeds
        self._label = label
        self._drawn_for = drawn_for
        self._owner = owner

    def value(self, node: ast.expr | None, deep: int = 0) -> Value:
        """Return the value of an expression. Raise Computed."""
        if node is None or deep > MOST_DEEP:
            raise Computed(node or ast.Pass())
        match node:
            case ast.Constant(value=str() as text):
                return MixedText(((text, False),))
            case ast.Constant(value=None | bool() | int() | float() as plain):
                return plain
            case ast.JoinedStr(values=parts):
                return self._joined([self._piece(part, deep) for part in parts], node)
            case ast.BinOp(left=left, op=sign, right=right):
                return self.combined(self.value(left, deep + 1), sign, self.value(right, deep + 1), node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self.value(operand, deep + 1)
                if isinstance(number, int | float):
                    return -number
                raise Computed(node)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return self._owned(bounded([self.value(item, deep + 1) for item in items], node))
            case ast.Dict(keys=keys, values=values):
                return self._owned(bounded(self._mapping(keys, values, deep), node))
            case ast.Name(id=name):
                return self._named(name, node)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self._named(f"self.{name}", node)
            case ast.Subscript(value=inner, slice=key):
                return self._item(self.value(inner, deep + 1), self.value(key, deep + 1), node)
            case ast.Call():
                return self._call(node, deep)
            case _:
                raise Computed(node)

    def _owned(self, whole: Value) -> Value:
        if isinstance(whole, dict):
            return OwnedDict(whole, self._owner)
        return OwnedList(whole, self._owner) if isinstance(whole, list) else whole

    def copied(self, value: Value, *, is_deep: bool = False) -> Value:
        """Return a copy of a list or a dict that may be changed, or any other value itself."""
        if is_deep and isinstance(value, dict):
            return self._owned({key: self.copied(part, is_deep=True) for key, part in value.items()})
        if is_deep and isinstance(value, list):
            return self._owned([self.copied(part, is_deep=True) for part in value])
        return self._owned(value)

    def _named(self, name: str, node: ast.expr) -> Value:
        if name not in self._names:
            raise Computed(node)
        return self._names[name]

    def _piece(self, part: ast.expr, deep: int) -> MixedText:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion not in (-1, ord("s")):
                raise Computed(part)
            return text_of(self.value(part.value, deep + 1), part)
        return text_of(self.value(part, deep + 1), part)

    def _joined(self, texts: Sequence[MixedText], node: ast.AST) -> MixedText:
        whole = MixedText(tuple(part for text in texts for part in text.parts))
        if sum(len(text) for text, _ in whole.parts) > MOST_LETTERS:
            raise Computed(node)
        return whole

    def combined(self, left: Value, sign: ast.operator, right: Value, node: ast.AST) -> Value:
        """Return what an operator makes of two values. Raise Computed."""
        match sign:
            case ast.Add():
                return self._sum(left, right, node)
            case ast.Mod():
                return self._formatted(left, right, node)
            case _:
                return _reckoned(left, sign, right, node)

    def _sum(self, left: Value, right: Value, node: ast.AST) -> Value:
        if isinstance(left, list) and isinstance(right, list):
            return self._owned(bounded([*left, *right], node))
        if isinstance(left, MixedText | ChosenValue) and isinstance(right, MixedText | ChosenValue):
            return self._joined([text_of(left, node), text_of(right, node)], node)
        return _reckoned(left, ast.Add(), right, node)

    def _formatted(self, left: Value, right: Value, node: ast.AST) -> Value:
        pattern = left.constant if isinstance(left, MixedText) else None
        values = right if isinstance(right, list) else [right]
        if pattern is None:
            raise Computed(node)
        texts = pattern.replace("%d", "%s").split("%s")
        if len(texts) != len(values) + 1 or any("%" in text for text in texts):
            raise Computed(node)
        parts = [MixedText(((texts[0], False),))]
        for text, value in zip(texts[1:], values, strict=True):
            parts += [text_of(value, node), MixedText(((text, False),))]
        return self._joined(parts, node)

    def _mapping(self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], deep: int) -> Value:
        mapping = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                more = self.value(value, deep + 1)
                if not isinstance(more, dict):
                    raise Computed(value)
                mapping.update(more)
                continue
            name = text_of(self.value(key, deep + 1), key).constant
            if name is None:
                raise Computed(key)
            mapping[name] = self.value(value, deep + 1)
        return mapping

    def _item(self, whole: Value, key: Value, node: ast.expr) -> Value:
        name = key.constant if isinstance(key, MixedText) else key
        if isinstance(whole, AnswerValue) and whole.path is not None:
            return AnswerValue(whole.number, _below(whole.path, name, node))
        try:
            return whole[name]
        except (LookupError, TypeError):
            raise Computed(node) from None

    def _call(self, node: ast.Call, deep: int) -> Value:
        shown = dotted(node.func)
        arguments = node.args
        if isinstance(node.func, ast.Attribute) and node.func.attr == "pop" and len(arguments) <= 1:
            return self._popped(node, deep)
        if shown in ("random.choice", "choice") and len(arguments) == 1:
            choices = self.value(arguments[0], deep + 1)
            if isinstance(choices, list) and any(isinstance(choice, dict | list) for choice in choices):
                return self._row(choices, "shuffled" if self._drawn_for == "request" else "per_user", node)
            texts = (
                [text_of(choice, node).constant for choice in choices] if isinstance(choices, list) else []
            )
            if not texts or any(not text or not text.isprintable() for text in texts):
                raise Computed(node)
            feed = Feed(values=tuple(map(str, texts)), order="shuffled")
            return ChosenValue(self._feeds.add(self._label, feed, place_of(node), self._drawn_for))
        if shown in ("random.randint", "randint", "random.randrange", "randrange") and len(arguments) == 2:
            low, high = (self.value(argument, deep + 1) for argument in arguments)
            high = high - 1 if shown.endswith("range") and isinstance(high, int) else high
            if not isinstance(low, int) or not isinstance(high, int) or not 0 <= low <= high < 2**31:
                raise Computed(node)
            feed = Feed(random=(low, high))
            return ChosenValue(self._feeds.add(self._label, feed, place_of(node), self._drawn_for))
        if shown == "str" and len(arguments) == 1:
            return text_of(self.value(arguments[0], deep + 1), node)
        if shown == "json.dumps" and len(arguments) == 1 and not node.keywords:
            return MixedText(((json.dumps(_constant(self.value(arguments[0], deep + 1), node)), False),))
        if shown in ("dict", "list", "copy.copy", "copy.deepcopy", "deepcopy") and len(arguments) == 1:
            if node.keywords:
                raise Computed(node)
            return self.copied(self.value(arguments[0], deep + 1), is_deep=shown.endswith("deepcopy"))
        if isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not arguments:
            return self.copied(self.value(node.func.value, deep + 1))
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("json", "get"):
            inner = self.value(node.func.value, deep + 1)
            if node.func.attr == "json" and isinstance(inner, AnswerValue) and inner.path is None:
                return AnswerValue(inner.number, "$")
            if node.func.attr == "get" and arguments:
                return self._item(inner, self.value(arguments[0], deep + 1), node)
        raise Computed(node)

    def _popped(self, node: ast.Call, deep: int) -> Value:
        """Return an entry that is taken out of a list: each user's own at its beginning, else the next."""
        if not isinstance(node.func, ast.Attribute):
            raise Computed(node)
        choices = as_list(self.value(node.func.value, deep + 1), node)
        place = self.value(node.args[0], deep + 1) if node.args else -1
        is_own = isinstance(choices, OwnedList) and choices.owner is self._owner
        if place not in (0, -1) or not choices or self._drawn_for == "all" or is_own:
            raise Computed(node)
        ordered = choices if place == 0 else choices[::-1]
        return self._row(ordered, "sequential" if self._drawn_for == "request" else "unique", node)

    def _row(self, choices: list[Value], order: FeedOrder, node: ast.Call) -> Value:
        """Return the holes of a row of a table: a dict or a list as its rows are, or a single one."""
        first = choices[0]
        is_plain = not isinstance(first, dict | list)
        rows = rows_of([[choice] for choice in choices] if is_plain else choices, node)
        name = self._feeds.add_rows(self._label, rows, order, node)
        holes = [ChosenValue(f"{name}.{column}") for column in rows.columns]
        if is_plain:
            return holes[0]
        return self._owned(dict(zip(rows.columns, holes, strict=True)) if isinstance(first, dict) else holes)


def _constant(value: Value, node: ast.AST) -> Any:
    """Return a value as Python has it. Raise Computed where a hole is in it."""
    match value:
        case MixedText() if value.constant is not None:
            return value.constant
        case dict():
            return {key: _constant(part, node) for key, part in value.items()}
        case list():
            return [_constant(part, node) for part in value]
        case bool() | int() | float() | None:
            return value
        case _:
            raise Computed(node)


def bounded(whole: Value, node: ast.AST) -> Value:
    """Return a list or a dict. Raise Computed where it means too much: a small file can name it often."""
    waiting, count = [whole], 0
    while waiting:
        part = waiting.pop()
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        count += len(inner)
        if count > MOST_ITEMS:
            raise Computed(node)
        waiting += inner
    return whole


def _below(path: str, name: Value, node: ast.expr) -> str:
    if isinstance(name, int):
        return f"{path}[{name}]"
    if isinstance(name, str) and name.isidentifier() and name.isascii():
        return f"{path}.{name}"
    raise Computed(node)
