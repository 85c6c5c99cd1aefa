"""Tasks of a locustfile: the requests that a function makes, as far as its text alone tells them."""

import ast
import base64
import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from loadrig.converters._account import LineAccount
from loadrig.converters._locust_checks import read_checks
from loadrig.converters._locust_values import (
    LONGEST_WAIT_S,
    AnswerValue,
    ChosenFeeds,
    ChosenValue,
    Computed,
    DrawnFor,
    Evaluator,
    MixedText,
    Value,
    as_list,
    text_of,
)
from loadrig.converters._locust_values import dotted as dotted
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.locust import ConvertersLocustTexts
from loadrig.plan.holes import literal
from loadrig.plan.model import Extract
from loadrig.plan.written import METHODS

TEXTS = texts_of(ConvertersLocustTexts)

MOST_STEPS = 200
"""Requests of a task at most, with those of loops made out in full."""

MOST_STATEMENTS = 10_000
"""Statements of a task at most, with those of loops and of functions that it calls, made out in full."""

MOST_LABEL = 40
"""Letters of a feed's name that are made of names of the file, at most."""

MOST_CALLS = 5
"""Functions that call each other and are followed, at most."""

REDIRECTS = 30
"""Redirects that requests follows at most."""

_IN_A_PATH = "%/:@!$&'()*+,;=~?"
# requests sends letters, digits and -._~ without an escape, however the test writes them.
_NEEDLESS = re.compile(r"%(2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)", re.IGNORECASE)
_SLEEPS = ("time.sleep", "gevent.sleep", "sleep")
_IGNORED = frozenset(("catch_response", "stream", "context", "timeout_exception"))
_OF_TWO = frozenset(("post", "put", "patch"))


@dataclass(slots=True)
class TaskStep:
    """A request of a task. url: as the test writes it. keys: of the plan's request. pause_s: after it."""

    line: int
    method: str
    url: MixedText
    keys: dict[str, Any]
    name: str = ""
    pause_s: float = 0.0
    extract: dict[str, Extract] = field(default_factory=dict)


@dataclass(slots=True)
class TaskScope:
    """Things that a task's function can use.

    functions: of the module and of its class, by name. is_fast: whether the client is that of FastHttpUser.
    """

    names: dict[str, Value]
    functions: Mapping[str, ast.FunctionDef]
    feeds: ChosenFeeds
    headers: dict[str, str] = field(default_factory=dict)
    extracts: set[str] = field(default_factory=set)
    is_insecure: bool = False
    is_fast: bool = False


class TaskReader:
    """Reader of one function and those that it calls. drawn_for: what chance draws there is for."""

    def __init__(self, scope: TaskScope, account: LineAccount, drawn_for: DrawnFor = "request") -> None:
        self._scope = scope
        self._account = account
        self._drawn_for = drawn_for
        self._calls = 0
        self._statements = 0
        self.steps: list[TaskStep] = []

    def read(self, function: ast.FunctionDef) -> list[TaskStep]:
        """Return the requests of a function, in their order."""
        outer = self._scope.names
        self._scope.names = dict(outer)
        self._block(function.body)
        attributes = {
            name: value
            for name, value in self._scope.names.items()
            if name.startswith("self.") and not isinstance(value, AnswerValue)
        }
        self._scope.names = {**outer, **attributes}
        return self.steps

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._statements += 1
            if self._statements > MOST_STATEMENTS or (len(self.steps) >= MOST_STEPS and _asks(statement)):
                self._drop(statement, TEXTS.too_many_steps)
                return
            self._statement(statement)
            if isinstance(statement, ast.Return | ast.Raise) or is_interruption(statement):
                return

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Call() as call) | ast.Return(value=ast.Call() as call):
                self._call(call)
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
                self._assign(target, value)
            case ast.With(items=items, body=body):
                before = len(self.steps)
                for item in items:
                    self._assign(item.optional_vars, item.context_expr)
                checks = [inner for inner in body if not _asks(inner) and not isinstance(inner, ast.Pass)]
                match items:
                    case [ast.withitem(context_expr=ast.Call() as call, optional_vars=ast.Name(id=answer))]:
                        if len(self.steps) == before + 1 and _request_of(call) is not None:
                            expect, checks = read_checks(checks, answer)
                            self.steps[-1].keys["expect"] = expect
                self._block([inner for inner in body if _asks(inner)])
                is_request = any(
                    isinstance(item.context_expr, ast.Call) and _request_of(item.context_expr) is not None
                    for item in items
                )
                if checks and is_request:
                    self._drop(checks[0], TEXTS.no_checks)
            case ast.Try(body=body, finalbody=last):
                self._block([*body, *last])
            case ast.If(test=test, body=body, orelse=otherwise) if (holds := self._holds(test)) is not None:
                self._block(body if holds else otherwise)
            case ast.For(target=ast.Name(id=name), iter=over, body=body):
                self._loop(statement, name, over, body)
            case _:
                if _asks(statement) or _leaves(statement):
                    self._drop(statement, TEXTS.computed_flow)

    def _holds(self, test: ast.expr) -> bool | None:
        """Return whether a condition holds that asks if a list of the file is empty; None for any other."""
        match test:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[ast.Name() as name]),
                ops=[ast.Gt() | ast.NotEq()],
                comparators=[ast.Constant(value=0)],
            ):
                pass
            case ast.Name() as name:
                pass
            case _:
                return None
        value = self._scope.names.get(name.id)
        return bool(value) if isinstance(value, list) else None

    def _loop(self, statement: ast.stmt, name: str, over: ast.expr, body: list[ast.stmt]) -> None:
        if not any(map(_asks, body)):
            return
        try:
            values = self._range(over)
        except Computed:
            self._drop(statement, TEXTS.computed_flow)
            return
        for value in values[:MOST_STEPS]:
            self._scope.names[name] = value
            self._block(body)
            if len(self.steps) >= MOST_STEPS or self._statements > MOST_STATEMENTS:
                return

    def _range(self, over: ast.expr) -> list[Value]:
        evaluator = self._evaluator()
        if isinstance(over, ast.Call) and dotted(over.func) == "range":
            bounds = [evaluator.value(argument) for argument in over.args]
            if not 1 <= len(bounds) <= 3 or not all(type(bound) is int for bound in bounds):
                raise Computed(over)
            try:
                return list(range(*bounds)[: MOST_STEPS + 1])
            except ValueError:
                raise Computed(over) from None
        values = evaluator.value(over)
        if not isinstance(values, list):
            raise Computed(over)
        return values

    def _assign(self, target: ast.expr | None, value: ast.expr | None) -> None:
        if isinstance(target, ast.Subscript) and dotted(target.value).endswith("client.headers"):
            self._client_headers(value, ast.Dict(keys=[target.slice], values=[value] if value else []))
            return
        if isinstance(target, ast.Tuple | ast.List):
            self._assign_parts(target.elts, value)
            return
        name = dotted(target) if target is not None else ""
        if isinstance(value, ast.Call) and (request := _request_of(value)) is not None:
            self._ask(value, request)
            self._scope.names[name or "_"] = AnswerValue(len(self.steps) - 1)
            return
        if not name:
            return
        if value is not None and _asks(value):
            self._drop(value, TEXTS.computed)
        try:
            value_now = self._evaluator(name.rpartition(".")[2]).value(value)
            if isinstance(value_now, AnswerValue) and value_now.path not in (None, "$"):
                value_now = self._extracted(name.rpartition(".")[2], value_now)
            self._scope.names[name] = value_now
        except Computed:
            self._scope.names.pop(name, None)

    def _assign_parts(self, targets: Sequence[ast.expr], value: ast.expr | None) -> None:
        """Assign the parts of a list to several names."""
        if value is not None and _asks(value):
            self._drop(value, TEXTS.computed)
        names = [dotted(target) for target in targets]
        parts: list[Value] = []
        with contextlib.suppress(Computed):
            label = "_".join(name.rpartition(".")[2] for name in names)
            parts = as_list(self._evaluator(label[:MOST_LABEL]).value(value), value or ast.Pass())
        for place, name in enumerate(names):
            if len(parts) == len(names) and name:
                self._scope.names[name] = parts[place]
            else:
                self._scope.names.pop(name, None)

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

    def _call(self, call: ast.Call) -> None:
        request = _request_of(call)
        if request is not None:
            self._ask(call, request)
            return
        shown = dotted(call.func)
        if shown in _SLEEPS:
            self._sleep(call)
        elif shown.endswith("client.headers.update") or _is_header_update(call):
            self._client_headers(call, call.args[0] if call.args else None)
        elif (function := self._scope.functions.get(shown.removeprefix("self."))) is not None:
            self._calls += 1
            if self._calls > MOST_CALLS:
                self._drop(call, TEXTS.computed_flow)
            else:
                self._block(function.body)
            self._calls -= 1
        elif _asks(call):
            self._drop(call, TEXTS.computed)

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

    # --- requests ---------------------------------------------------------------------------------

    def _ask(self, call: ast.Call, request: tuple[str, list[ast.expr]]) -> None:
        method, arguments = request
        is_own = method == "rest" and "rest" in self._scope.functions  # which may do anything
        try:
            if is_own:
                raise Computed(call)
            self.steps.append(self._step(call, method, arguments))
        except Computed:
            self._drop(call, TEXTS.computed)

    def _step(self, call: ast.Call, method: str, arguments: list[ast.expr]) -> TaskStep:
        evaluator = self._evaluator()
        keywords = {word.arg: word.value for word in call.keywords if word.arg}
        if any(word.arg is None for word in call.keywords):
            raise Computed(call)
        is_rest = method == "rest"
        if method in ("request", "rest"):
            verb = keywords.pop("method", None) or (arguments.pop(0) if arguments else None)
            method = (text_of(evaluator.value(verb), call).constant or "").lower()
        where = keywords.pop("url", None) or keywords.pop("path", None)
        where = where or (arguments.pop(0) if arguments else None)
        url = text_of(evaluator.value(where), call)
        if method not in METHODS:
            raise Computed(call)
        if arguments and method in _OF_TWO:
            keywords.setdefault("data", arguments.pop(0))
        if arguments and method in _OF_TWO:
            keywords.setdefault("json", arguments.pop(0))
        step = TaskStep(call.lineno, method, url, {"follow_redirects": REDIRECTS})
        for name, node in keywords.items():
            if name not in _IGNORED:
                self._keyword(step, name, node, evaluator)
        if is_rest or (self._scope.is_fast and step.keys.get("json") is not None):
            headers = step.keys.setdefault("headers", {})
            for name in ("Content-Type", "Accept") if is_rest else ("Accept",):
                if name not in headers and name.lower() not in headers:
                    headers[name] = "application/json"
        return step

    def _keyword(self, step: TaskStep, name: str, node: ast.expr, evaluator: Evaluator) -> None:
        if name == "name":
            try:
                step.name = text_of(evaluator.value(node), node).constant or ""
            except Computed:
                step.name = ""
            return
        value = evaluator.value(node)
        headers = step.keys.setdefault("headers", {})
        match name, value:
            case _, None:
                pass
            case "json", _:
                step.keys["json"] = self._plain(value, node)
            case "data", dict() if isinstance(node, ast.Call):
                step.keys["body"] = _json_body(value, node)
            case "data", dict():
                step.keys["form"] = {key: text_of(part, node).template for key, part in value.items()}
            case "data", _:
                step.keys["body"] = text_of(value, node).template
            case "params", dict():
                for key, part in value.items():
                    sign = "&" if "?" in "".join(text for text, _ in step.url.parts) else "?"
                    step.url += MixedText(((f"{sign}{quote(key, safe='')}=", False),))
                    step.url += _escaped(text_of(part, node), "")
            case "headers", dict():
                headers.update({key: text_of(part, node).template for key, part in value.items()})
            case "cookies", dict():
                pairs = (f"{key}={text_of(part, node).template}" for key, part in value.items())
                headers["Cookie"] = "; ".join(pairs)
            case "auth", [user, password]:
                texts = [text_of(user, node).constant, text_of(password, node).constant]
                if None in texts:
                    raise Computed(node)
                pair = base64.b64encode(":".join(map(str, texts)).encode()).decode()
                headers["Authorization"] = f"Basic {pair}"
            case "timeout", int() | float():
                step.keys["timeout"] = max(float(value), 0.001)
            case "allow_redirects", bool():
                step.keys["follow_redirects"] = REDIRECTS if value else 0
            case "verify", bool():
                self._scope.is_insecure = self._scope.is_insecure or not value
            case _:
                raise Computed(node)

    def _plain(self, value: Value, node: ast.expr) -> Any:
        """Return data of JSON with templates as its texts."""
        match value:
            case MixedText():
                return value.template
            case ChosenValue(hole=hole):
                if self._scope.feeds.is_number(hole):
                    self._account.alter(getattr(node, "lineno", 1), f"{{{hole}}}", TEXTS.sent_as_text)
                return f"{{{hole}}}"
            case dict():
                return {literal(key): self._plain(part, node) for key, part in value.items()}
            case list():
                return [self._plain(part, node) for part in value]
            case bool() | int() | float() | None:
                return value
            case _:
                raise Computed(node)

    def _evaluator(self, label: str = "value") -> Evaluator:
        plain = label if label.isidentifier() and label.isascii() else "value"
        return Evaluator(self._scope.names, self._scope.feeds, plain, self._drawn_for)

    def _drop(self, node: ast.AST, why: str) -> None:
        self._account.drop(getattr(node, "lineno", 1), shown_code(node), why)


def path_of(url: MixedText) -> str:
    """Return a path with its query as a template, with nothing in it that a path may not hold."""
    escaped = _escaped(url, _IN_A_PATH).template.replace("://", "%3A//")
    return _NEEDLESS.sub(lambda match: chr(int(match[1], 16)), escaped)


def _escaped(text: MixedText, safe: str) -> MixedText:
    return MixedText(
        tuple((part if is_hole else quote(part, safe=safe), is_hole) for part, is_hole in text.parts)
    )


def _json_body(value: Value, node: ast.expr) -> str:
    """Return the text that json.dumps writes, as a template without holes."""

    def constant(part: Value) -> Any:
        match part:
            case MixedText() if part.constant is not None:
                return part.constant
            case dict():
                return {key: constant(inner) for key, inner in part.items()}
            case list():
                return [constant(inner) for inner in part]
            case bool() | int() | float() | None:
                return part
            case _:
                raise Computed(node)

    return MixedText(((json.dumps(constant(value)), False),)).template


def shown_code(node: ast.AST) -> str:
    """Return the first line of a part of the file, shortened."""
    try:
        text = ast.unparse(node).partition("\n")[0]
    except (ValueError, RecursionError, AttributeError):
        text = type(node).__name__
    return text if len(text) <= 80 else f"{text[:79]}…"


def _request_of(call: ast.Call) -> tuple[str, list[ast.expr]] | None:
    """Return the method of a client's call, and its positional arguments; None for any other call."""
    match call.func:
        case ast.Attribute(value=ast.Attribute(attr="client"), attr=method) if method in (
            *METHODS, "request", "rest",
        ):  # fmt: skip
            return method, list(call.args)
        case ast.Attribute(value=ast.Name() | ast.Attribute(attr="user"), attr="rest"):
            return "rest", list(call.args)
        case _:
            return None


def is_interruption(statement: ast.stmt) -> bool:
    """Return whether a statement leaves the set of tasks that it stands in."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="interrupt"))):
            return True
        case ast.Raise(exc=ast.Call(func=func)):
            return dotted(func).rpartition(".")[2] == "InterruptTaskSet"
        case ast.With(body=body):
            return any(map(is_interruption, body))
        case _:
            return False


def _is_header_update(call: ast.Call) -> bool:
    """Return whether a call gives headers to a client that is further down than `self.client`."""
    match call.func:
        case ast.Attribute(value=ast.Attribute(value=inner, attr="headers"), attr="update"):
            return isinstance(inner, ast.Attribute) and inner.attr == "client"
        case _:
            return False


def _asks(node: ast.AST) -> bool:
    """Return whether a part of the file makes requests."""
    return any(isinstance(inner, ast.Call) and _request_of(inner) is not None for inner in ast.walk(node))


def _leaves(node: ast.AST) -> bool:
    """Return whether a condition may end the task."""
    ends = any(isinstance(inner, ast.Return | ast.Raise | ast.Break) for inner in ast.walk(node))
    return ends and isinstance(node, ast.If | ast.While)
