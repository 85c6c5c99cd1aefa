"""Requests of a locustfile: what a call of the client sends, as far as the file's text tells it."""

import ast
import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from loadrig.converters._account import LineAccount
from loadrig.converters._locust_effects import FunctionFacts
from loadrig.converters._locust_evaluator import Evaluator
from loadrig.converters._locust_values import (
    ChosenFeeds,
    ChosenValue,
    Computed,
    MixedText,
    Value,
    text_of,
)
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.locust import ConvertersLocustTexts
from loadrig.plan.holes import literal
from loadrig.plan.requests import Extract
from loadrig.plan.written import METHODS

TEXTS = texts_of(ConvertersLocustTexts)

REDIRECTS = 30
"""Redirects that requests follows at most."""

_IN_A_PATH = "%/:@!$&'()*+,;=~?"
# requests sends letters, digits and -._~ without an escape, however the test writes them.
_NEEDLESS = re.compile(r"%(2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)", re.IGNORECASE)
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

    facts: about the functions of the module and of its class.
    is_fast: whether the client is that of FastHttpUser.
    changed: names whose values tasks change, attributes as `self.NAME`.
    """

    names: dict[str, Value]
    facts: FunctionFacts
    feeds: ChosenFeeds
    headers: dict[str, str] = field(default_factory=dict)
    extracts: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    is_insecure: bool = False
    is_fast: bool = False


class RequestComposer:
    """Composer of requests out of calls of the client."""

    def __init__(self, scope: TaskScope, account: LineAccount, evaluator: Evaluator) -> None:
        self._scope = scope
        self._account = account
        self._evaluator = evaluator

    def step(self, call: ast.Call, method: str, arguments: list[ast.expr]) -> TaskStep:
        """Return the request of a call. Raise Computed."""
        evaluator = self._evaluator
        keywords = {word.arg: word.value for word in call.keywords if word.arg}
        if any(word.arg is None for word in call.keywords):
            raise Computed(call)
        call_name, is_rest = method, method == "rest"
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
        if call_name == "head" and not self._scope.is_fast:
            step.keys["follow_redirects"] = 0  # as `head` of requests, unless the call says otherwise
        for name, node in keywords.items():
            if name not in _IGNORED:
                self._keyword(step, name, node, evaluator)
        _keep_sent_body(step.keys)
        if is_rest or (self._scope.is_fast and step.keys.get("json") is not None):
            headers = step.keys.setdefault("headers", {})
            for name in ("Content-Type", "Accept") if is_rest else ("Accept",):
                if name not in headers and name.lower() not in headers:
                    headers[name] = "application/json"
        if isinstance(step.keys.get("json"), DumpedJson):
            step.keys["body"] = str(step.keys.pop("json"))
            headers = step.keys.setdefault("headers", {})
            if not any(name.lower() == "content-type" for name in headers):
                headers["Content-Type"] = "application/json"
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
                is_same = _is_written_alike(value, self._scope.feeds.is_number)
                step.keys["json"] = self._plain(value, node) if is_same else self._dumped(value, node)
                for hole in _holes_of(value):
                    if not "".join(self._scope.feeds.values_of(hole) or ()).isascii():
                        self._account.alter(step.line, f"{{{hole}}}", TEXTS.letters_as_they_are)
            case "data", dict():
                fields = {key: part for key, part in value.items() if part is not None}
                step.keys["form"] = {key: text_of(part, node).template for key, part in fields.items()}
            case "data", _:
                step.keys["body"] = text_of(value, node).template
            case "params", dict():
                for key, part in value.items():
                    if part is None:
                        continue  # requests leaves it out
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
                return f"{{{hole}}}"
            case dict():
                return {literal(key): self._plain(part, node) for key, part in value.items()}
            case list():
                return [self._plain(part, node) for part in value]
            case bool() | int() | float() | None:
                return value
            case _:
                raise Computed(node)

    def _dumped(self, value: Value, node: ast.expr) -> "DumpedJson":
        """Return data of JSON as Python writes it, a template."""
        match value:
            case MixedText(parts=parts):
                texts = (
                    f"{{{text}}}" if is_hole else literal(json.dumps(text)[1:-1]) for text, is_hole in parts
                )
                return DumpedJson(f'"{"".join(texts)}"')
            case ChosenValue(hole=hole):
                quote_sign = "" if self._scope.feeds.is_number(hole) else '"'
                return DumpedJson(f"{quote_sign}{{{hole}}}{quote_sign}")
            case dict():
                entries = [
                    f"{literal(json.dumps(key))}: {self._dumped(part, node)}" for key, part in value.items()
                ]
                return DumpedJson(f"{{{{{', '.join(entries)}}}}}")
            case list():
                return DumpedJson(f"[{', '.join(self._dumped(part, node) for part in value)}]")
            case bool() | int() | float() | None:
                return DumpedJson(json.dumps(value))
            case _:
                raise Computed(node)


class DumpedJson(str):
    """Body of JSON as Python writes it, a template, where a plan would write its data with other signs."""

    __slots__ = ()


def _holes_of(value: Value) -> Iterator[str]:
    """Yield the holes in data of JSON."""
    match value:
        case MixedText(parts=parts):
            yield from (text for text, is_hole in parts if is_hole)
        case ChosenValue(hole=hole):
            yield hole
        case dict():
            yield from (hole for part in value.values() for hole in _holes_of(part))
        case list():
            yield from (hole for part in value for hole in _holes_of(part))


def _is_written_alike(value: Value, is_number: Callable[[str], bool]) -> bool:
    """Return whether a plan writes data of JSON as Python does: not letters beyond ASCII, nor 1.0 and 1e+20.

    is_number: whether a hole stands for a number, which a plan would write as a text.
    """
    match value:
        case MixedText(parts=parts):
            return all(text.isascii() for text, is_hole in parts if not is_hole)
        case ChosenValue(hole=hole):
            return not is_number(hole)
        case dict():
            return all(key.isascii() and _is_written_alike(part, is_number) for key, part in value.items())
        case list():
            return all(_is_written_alike(part, is_number) for part in value)
        case float():
            return not value.is_integer() and "e" not in repr(value)
        case _:
            return True


def path_of(url: MixedText) -> str:
    """Return a path with its query as a template, with nothing in it that a path may not hold."""
    escaped = _escaped(url, _IN_A_PATH).template.replace("://", "%3A//")
    return _NEEDLESS.sub(lambda match: chr(int(match[1], 16)), escaped)


def requoted(text: str) -> str:
    """Return a text as requests sends it in a path: with escapes for signs that cannot stand there."""
    return _NEEDLESS.sub(lambda match: chr(int(match[1], 16)), quote(text, safe=_IN_A_PATH))


def _escaped(text: MixedText, safe: str) -> MixedText:
    return MixedText(
        tuple((part if is_hole else quote(part, safe=safe), is_hole) for part, is_hole in text.parts)
    )


def _keep_sent_body(keys: dict[str, Any]) -> None:
    """Leave the body alone that the client sends of `data` and `json`: `json` only where `data` is empty."""
    for name in ("form", "body"):
        if not keys.get(name):
            keys.pop(name, None)
    if "form" in keys or "body" in keys:
        keys.pop("json", None)
