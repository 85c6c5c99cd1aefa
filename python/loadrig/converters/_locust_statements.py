"""Statements of a locustfile that give values to names or call functions, as far as its text tells them."""

import ast
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Literal

from loadrig.converters._account import LineAccount
from loadrig.converters._locust_changes import UNKNOWN, ValueChanges
from loadrig.converters._locust_effects import MUTATORS, SLEEPS, is_header_update, request_of
from loadrig.converters._locust_evaluator import Evaluator
from loadrig.converters._locust_requests import RequestComposer, TaskScope, TaskStep
from loadrig.converters._locust_values import (
    LONGEST_WAIT_S,
    AnswerValue,
    Computed,
    DrawnFor,
    MixedText,
    Value,
    dotted,
    shown_code,
    text_of,
)
from loadrig.converters._owned import OwnedList
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.locust import ConvertersLocustTexts
from loadrig.plan.requests import Extract

TEXTS = texts_of(ConvertersLocustTexts)

MOST_LABEL = 40
"""Letters of a feed's name that are made of names of the file, at most."""

MOST_CALLS = 5
"""Functions that call each other and are followed, at most."""

BlockEnd = Literal["", "break", "continue", "return"]
"""Statement that ends a block before its last one; empty for none."""


class StatementReader(ABC):
    """Reader of statements without branches. drawn_for: what chance draws there is for."""

    def __init__(self, scope: TaskScope, account: LineAccount, drawn_for: DrawnFor = "request") -> None:
        self._scope = scope
        self._account = account
        self._drawn_for = drawn_for
        self._facts = scope.facts
        self._frames: list[dict[str, Value]] = []
        self._changes = ValueChanges(self._frames, self, may_copy=drawn_for == "user")
        self._calls = 0
        self._doubts = 0
        self._result: Value = None
        self.steps: list[TaskStep] = []

    @property
    def _names(self) -> dict[str, Value]:
        return self._frames[-1]

    @abstractmethod
    def _block(self, body: Sequence[ast.stmt]) -> BlockEnd:
        """Carry out statements one after another."""

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        match targets:
            case [ast.Subscript(value=inner, slice=index)] if dotted(inner).endswith("client.headers"):
                self._client_headers(value, ast.Dict(keys=[index], values=[value]))
                return
            case [ast.Attribute() as whole] if dotted(whole).endswith("client.headers"):
                self._client_headers(value, value)
                return
            case [ast.Attribute(attr="verify", value=inner)] if dotted(inner).endswith("client"):
                self._scope.is_insecure |= isinstance(value, ast.Constant) and value.value is False
                return
            case _:
                pass
        label = _label(targets[0])
        value_now = self._evaluated(value, label, is_assigned=True)
        if isinstance(value_now, AnswerValue) and value_now.path not in (None, "$"):
            try:
                value_now = self._extracted(label, value_now)
            except Computed:
                value_now = UNKNOWN
        for target in targets:
            self._try(self._changes.store, target, value_now)

    def _augment(self, statement: ast.AugAssign) -> None:
        self._foresee(statement.value)
        if self._facts.acts(statement.value):
            self._drop(statement.value, TEXTS.computed)
        self._try(self._changes.augment, statement)

    def _try(self, change: Callable[..., object], *parts: object) -> None:
        """Carry out a change. One that only running the file would tell leaves its name unknown."""
        before = set(self._changes.tainted)
        try:
            change(*parts, self._evaluator())
        except Computed:
            lost = (self._changes.tainted - before) & self._scope.names.keys()
            if lost and isinstance(parts[0], ast.AST):
                self._drop(parts[0], TEXTS.computed)  # a value that other tasks see, too

    def _foresee(self, value: ast.expr, followed: ast.AST | None = None) -> None:
        """Take as unknown what an expression changes by the way."""
        self._changes.forget(self._facts.changes(value, followed=followed))

    def _evaluated(self, value: ast.expr, label: str, *, is_assigned: bool = False) -> Value:
        """Carry out an expression, and return its value, UNKNOWN if only running the file would tell."""
        if isinstance(value, ast.Call):
            return self._call(value, label, is_assigned=is_assigned)
        self._foresee(value)
        if self._facts.acts(value):
            self._drop(value, TEXTS.computed)
        return self._value_of(value, label)

    def _extracted(self, name: str, value: AnswerValue) -> Value:
        """Return the hole that a place in an answer fills."""
        if not 0 <= value.number < len(self.steps):
            raise Computed(ast.Pass())
        unique, number = name, 1
        while unique in self._scope.extracts or unique in self._scope.feeds.drafts:
            number += 1
            unique = f"{name}_{number}"
        self._scope.extracts.add(unique)
        self.steps[value.number].extract[unique] = Extract(json=value.path)
        return MixedText(((unique, True),))

    # --- calls ------------------------------------------------------------------------------------

    def _call(self, call: ast.Call, label: str, *, is_assigned: bool) -> Value:
        self._foresee(call, followed=call)
        request = request_of(call)
        if request is not None:
            return self._ask(call, request)
        shown = dotted(call.func)
        if shown in SLEEPS:
            self._sleep(call)
        elif is_header_update(call):
            self._client_headers(call, call.args[0] if call.args else None)
        elif (function := self._facts.own(call)) is not None:
            return self._follow(call, function)
        elif isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS:
            return self._mutated(call, label, is_assigned=is_assigned)
        else:
            self._changes.forget(self._facts.changes(call))
            if self._facts.acts(call):
                self._drop(call, TEXTS.computed)
            elif is_assigned:
                return self._value_of(call, label)
        return UNKNOWN

    def _value_of(self, node: ast.expr, label: str) -> Value:
        try:
            return self._evaluator(label).value(node)
        except Computed:
            return UNKNOWN

    def _mutated(self, call: ast.Call, label: str, *, is_assigned: bool) -> Value:
        """Carry out a method that changes a list or a dict, and return what it returns."""
        inner = call.func.value if isinstance(call.func, ast.Attribute) else call
        try:
            whole = self._evaluator().value(inner)
        except Computed:
            whole = UNKNOWN
        is_pop = isinstance(call.func, ast.Attribute) and call.func.attr == "pop"
        if is_pop and isinstance(whole, list) and not (isinstance(whole, OwnedList) and whole.owner is self):
            # A list of the file: whoever takes an entry has the next one.
            return self._value_of(call, label) if is_assigned else UNKNOWN
        try:
            return self._changes.mutate(call, self._evaluator(label))
        except Computed:
            if isinstance(whole, dict | list):
                self._drop(call, TEXTS.computed)
            return UNKNOWN

    def _follow(self, call: ast.Call, function: ast.FunctionDef) -> Value:
        """Carry out a function of the file, and return what it returns."""
        if self._calls >= MOST_CALLS:
            self._drop(call, TEXTS.computed_flow)
            self._changes.forget(self._facts.changes(call))
            return UNKNOWN
        outer, doubts = self._names, self._doubts
        is_method = dotted(call.func).startswith("self.")
        attributes = {name: value for name, value in outer.items() if name.startswith("self.")}
        names = {**self._shared(), **attributes}
        for name, value in self._bound(call, function, is_method=is_method).items():
            names.pop(name, None)
            if value is not UNKNOWN:
                names[name] = value
        self._calls += 1
        self._frames.append(names)
        result, self._result = self._result, None
        self._block(function.body)
        result, self._result = self._result, result
        self._frames.pop()
        self._calls -= 1
        for name in attributes:
            outer.pop(name, None)
        outer.update({name: value for name, value in names.items() if name.startswith("self.")})
        return result if doubts == self._doubts else UNKNOWN

    def _bound(self, call: ast.Call, function: ast.FunctionDef, *, is_method: bool) -> dict[str, Value]:
        """Return the parameters of a function as a call gives them."""
        signature = function.args
        names = [parameter.arg for parameter in (*signature.posonlyargs, *signature.args)]
        further = [signature.vararg, *signature.kwonlyargs, signature.kwarg]
        bound: dict[str, Value] = dict.fromkeys((*names, *(part.arg for part in further if part)), UNKNOWN)
        defaults = dict(zip(reversed(names), reversed(signature.defaults), strict=False))
        pairs = zip(signature.kwonlyargs, signature.kw_defaults, strict=True)
        defaults |= {parameter.arg: node for parameter, node in pairs if node is not None}
        for name, node in defaults.items():
            with contextlib.suppress(Computed):
                bound[name] = Evaluator(self._shared(), self._scope.feeds, name).value(node)
        if is_method and not any(dotted(part) == "staticmethod" for part in function.decorator_list):
            names = names[1:]
        values = dict(zip(names, call.args, strict=False))
        values |= {word.arg: word.value for word in call.keywords if word.arg and word.arg in bound}
        bound |= {name: self._value_of(node, name) for name, node in values.items()}
        is_open = any(isinstance(part, ast.Starred) for part in call.args)
        is_open = is_open or any(word.arg is None for word in call.keywords)
        return dict.fromkeys(bound, UNKNOWN) if is_open else bound

    def _shared(self) -> dict[str, Value]:
        """Return the names of the file that all its functions see."""
        names = self._scope.names.items()
        return {name: value for name, value in names if "." not in name and name not in self._changes.tainted}

    def _sleep(self, call: ast.Call) -> None:
        try:
            pause = self._evaluator().value(call.args[0] if call.args else None)
        except Computed:
            pause = None
        if isinstance(pause, int | float) and 0 <= pause <= LONGEST_WAIT_S and self.steps:
            self.steps[-1].pause_s += pause
        else:
            self._drop(call, TEXTS.computed_pause)

    def _client_headers(self, where: ast.AST | None, node: ast.expr | None) -> None:
        try:
            headers = self._evaluator().value(node)
            if not isinstance(headers, dict):
                raise Computed(node or ast.Pass())
            for name, value in headers.items():
                text = text_of(value, node or ast.Pass())
                feeds = self._scope.feeds
                drawn = [hole for hole, is_hole in text.parts if is_hole and feeds.feed_of(hole)]
                if not all(map(feeds.is_of_user, drawn)):
                    self._account.alter(getattr(where, "lineno", 1), name, TEXTS.drawn_anew)
                self._scope.headers[name] = text.template
        except Computed:
            if where is not None:
                self._drop(where, TEXTS.computed_headers)

    def _ask(self, call: ast.Call, request: tuple[str, list[ast.expr]]) -> Value:
        """Take a request down, and return its answer."""
        method, arguments = request
        is_own = method == "rest" and "rest" in self._facts.functions  # which may do anything
        try:
            if is_own:
                raise Computed(call)
            composer = RequestComposer(self._scope, self._account, self._evaluator())
            self.steps.append(composer.step(call, method, arguments))
        except Computed:
            self._drop(call, TEXTS.computed)
            return UNKNOWN
        return AnswerValue(len(self.steps) - 1)

    def _evaluator(self, label: str = "value") -> Evaluator:
        plain = label if label.isidentifier() and label.isascii() else "value"
        return Evaluator(self._names, self._scope.feeds, plain, self._drawn_for, self)

    def _drop(self, node: ast.AST, why: str) -> None:
        self._account.drop(getattr(node, "lineno", 1), shown_code(node), why)


def _label(target: ast.expr) -> str:
    """Return the name that a value is shown by where it is assigned."""
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return "_".join(dotted(part).rpartition(".")[2] for part in parts)[:MOST_LABEL]
        case ast.Subscript(slice=ast.Constant(value=str() as text)) if text.isidentifier() and text.isascii():
            return text[:MOST_LABEL]
        case _:
            return dotted(target).rpartition(".")[2] or "value"
