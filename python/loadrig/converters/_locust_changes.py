"""NameChanges that statements of a locustfile make to values: assignments, and methods of lists and dicts."""

import ast
from collections.abc import Sequence
from typing import Any

from loadrig.converters._locust_effects import NameChanges, root_name
from loadrig.converters._locust_evaluator import Evaluator, bounded
from loadrig.converters._locust_values import (
    AnswerValue,
    Computed,
    MixedText,
    Value,
    as_list,
    dotted,
    text_of,
)
from loadrig.converters._owned import ContainerWalk, OwnedDict, OwnedList

UNKNOWN = object()
"""Value that only running the file would tell."""


class ValueChanges:
    """NameChanges of one function and of those that it calls.

    frames: names of each, the innermost last. owner: of the lists and dicts that the functions make.
    may_copy: whether lists and dicts of others become the user's own where a function changes them.
    """

    def __init__(self, frames: list[dict[str, Value]], owner: object, *, may_copy: bool) -> None:
        self._frames = frames
        self._owner = owner
        self._may_copy = may_copy
        self._walk = ContainerWalk()
        self.tainted: set[str] = set()

    # --- names ------------------------------------------------------------------------------------

    def store(self, target: ast.AST | None, value: Value, evaluator: Evaluator) -> None:
        """Give a value to what stands on the left of an assignment. Raise Computed."""
        match target:
            case ast.Name() | ast.Attribute():
                self._bind(dotted(target) or root_name(target), value if dotted(target) else UNKNOWN)
            case ast.Starred(value=inner):
                self.store(inner, UNKNOWN, evaluator)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                is_alike = isinstance(value, list) and len(value) == len(targets)
                is_alike = is_alike and not any(isinstance(inner, ast.Starred) for inner in targets)
                for place, inner in enumerate(targets):
                    self.store(inner, value[place] if is_alike else UNKNOWN, evaluator)
            case ast.Subscript(value=inner, slice=index):
                try:
                    self._set_item(inner, evaluator.value(index), value, evaluator)
                except Computed:
                    self.taint(root_name(inner))
                    raise
            case _:
                pass

    def _bind(self, name: str, value: Value) -> None:
        names = self._frames[-1]
        base, _, attribute = name.partition(".")
        if attribute and base != "self":
            names.pop(f"self.{attribute}", None)  # the user by another name
        names.pop(name, None)
        if value is not UNKNOWN and name:
            names[name] = value

    def forget(self, changes: NameChanges) -> None:
        """Take names as unknown that a part of the file may have changed."""
        for name in changes.rebound:
            self._bind(name, UNKNOWN)
        for name in changes.mutated:
            self.taint(name)

    def taint(self, name: str) -> None:
        """Take as unknown what may have been changed in place, by all of its names."""
        base, _, attribute = name.partition(".")
        if name == "self":
            for other in [other for other in self._frames[-1] if other.startswith("self.")]:
                self._bind(other, UNKNOWN)
            return
        if attribute and base != "self":
            self.taint(f"self.{attribute}")
        value = self._frames[-1].get(name)
        if isinstance(value, dict | list | AnswerValue):
            self.tainted.add(name)
            self._frames[-1].pop(name)
            self._taint_sharing(value)

    def _taint_sharing(self, value: Value, but: str = "") -> None:
        """Take as unknown all names whose values share a list or a dict with a value."""
        for number, name in list(self._walk.sharing(self._frames, value)):
            if name != but:
                self.tainted.add(name)
                self._frames[number].pop(name, None)

    # --- lists and dicts --------------------------------------------------------------------------

    def _own(self, node: ast.expr, evaluator: Evaluator) -> Any:
        """Return the list or the dict of an expression, if the function may change it. Raise Computed."""
        whole = evaluator.value(node)
        root, names = root_name(node), self._frames[-1]
        if self._may_copy and isinstance(whole, dict | list) and not self._is_own(whole) and root in names:
            original = names[root]
            names[root] = evaluator.copied(original, is_deep=True)
            self._taint_sharing(original, but=root)
            whole = evaluator.value(node)
        if not self._is_own(whole) or self._walk.is_over:
            raise Computed(node)
        return whole

    def _is_own(self, whole: Value) -> bool:
        return isinstance(whole, OwnedDict | OwnedList) and whole.owner is self._owner

    def _put_in(self, whole: Any, values: Sequence[Value], node: ast.AST) -> None:
        """See that values may stand in a list or a dict. Raise Computed."""
        self._walk.looked_at += len(whole)
        if any(part is whole for value in values for part in self._walk.containers(value)):
            raise Computed(node)
        bounded([whole, *values], node)

    def _set_item(self, node: ast.expr, index: Value, value: Value, evaluator: Evaluator) -> None:
        if value is UNKNOWN:
            raise Computed(node)
        whole = self._own(node, evaluator)
        self._put_in(whole, [value], node)
        whole[self._key(whole, index, node)] = value

    def _key(self, whole: Any, index: Value, node: ast.AST) -> Any:
        if isinstance(whole, dict):
            key = text_of(index, node).constant
            if key is None:
                raise Computed(node)
            return key
        if type(index) is not int or not -len(whole) <= index < len(whole):
            raise Computed(node)
        return index

    def augment(self, statement: ast.AugAssign, evaluator: Evaluator) -> None:
        """Carry out an assignment like `x += 1`. Raise Computed."""
        target, sign = statement.target, statement.op
        root = root_name(target)
        try:
            now, more = evaluator.value(target), evaluator.value(statement.value)
            if isinstance(now, dict | list):
                self._own(target, evaluator)
                now = evaluator.value(target)
                self._put_in(now, [more], statement)
                self._extend(now, sign, more, statement)
            else:
                self.store(target, evaluator.combined(now, sign, more, statement), evaluator)
        except Computed:
            self.taint(root)
            if not isinstance(target, ast.Subscript):
                self._bind(root, UNKNOWN)
            raise

    def _extend(self, now: Any, sign: ast.operator, more: Value, node: ast.AST) -> None:
        if isinstance(sign, ast.Add) and isinstance(now, list):
            now += as_list(more, node)
        elif isinstance(sign, ast.BitOr) and isinstance(now, dict) and isinstance(more, dict):
            now.update(more)
        else:
            raise Computed(node)

    def delete(self, target: ast.expr, evaluator: Evaluator) -> None:
        """Carry out `del`. Raise Computed."""
        if not isinstance(target, ast.Subscript):
            self.store(target, UNKNOWN, evaluator)
            return
        try:
            whole = self._own(target.value, evaluator)
            del whole[self._key(whole, evaluator.value(target.slice), target)]
        except (Computed, LookupError):
            self.taint(root_name(target))
            raise Computed(target) from None

    def mutate(self, call: ast.Call, evaluator: Evaluator) -> Value:
        """Carry out a method that changes a list or a dict, and return what it returns. Raise Computed."""
        if not isinstance(call.func, ast.Attribute):
            raise Computed(call)
        node = call.func.value
        try:
            values = [evaluator.value(argument) for argument in call.args]
            words = {word.arg: evaluator.value(word.value) for word in call.keywords}
            whole = self._own(node, evaluator)
            self._put_in(whole, [*values, *words.values()], call)
            if isinstance(whole, dict):
                return self._of_dict(whole, call, values, words)
            if words:
                raise Computed(call)
            return self._of_list(whole, call, values)
        except (Computed, LookupError, TypeError, ValueError):
            self.taint(root_name(node))
            raise Computed(call) from None

    def _of_dict(self, whole: Any, call: ast.Call, values: list[Value], words: dict[Any, Value]) -> Value:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        match method, values:
            case "update", [dict() as more]:
                whole.update({**more, **words})
            case "update", [] if None not in words:
                whole.update(words)
            case "setdefault", [index, *rest] if not words and len(rest) <= 1:
                return whole.setdefault(self._key(whole, index, call), *(rest or [None]))
            case "pop", [index, *rest] if not words and len(rest) <= 1:
                return whole.pop(self._key(whole, index, call), *rest)
            case "clear", []:
                whole.clear()
            case _:
                raise Computed(call)
        return None

    def _of_list(self, whole: Any, call: ast.Call, values: list[Value]) -> Value:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        match method, values:
            case "append", [value]:
                whole.append(value)
            case "extend", [list() as more]:
                whole.extend(more)
            case "insert", [int() as place, value]:
                whole.insert(place, value)
            case "pop", []:
                return whole.pop()
            case "pop", [int() as place]:
                return whole.pop(place)
            case "remove", [MixedText() | int() | float() as value]:
                whole.remove(value)
            case "reverse", []:
                whole.reverse()
            case "clear", []:
                whole.clear()
            case _:
                raise Computed(call)
        return None
