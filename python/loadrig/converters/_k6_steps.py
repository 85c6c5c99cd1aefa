"""Requests that a function of a k6 script makes, in their order, with checks, pauses and extractions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote_plus

from loadrig.base.units import Seconds
from loadrig.converters._account import LineAccount
from loadrig.converters._k6_constants import parsed_seconds
from loadrig.converters._k6_files import ScriptFeeds, Unread
from loadrig.converters._k6_jars import CookieJar, joined
from loadrig.converters._k6_patterns import AnswerPart, name_of
from loadrig.converters._k6_values import (
    DrawnNumber,
    ScriptEvaluator,
    Value,
    calls_in,
    line_of,
    named_parts,
    result_of,
    shown_code,
    text_in,
    text_of,
)
from loadrig.converters._locust_values import ChosenValue, MixedText
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.plan.model import Expect, Extract, Think

TEXTS = texts_of(ConvertersK6Texts)

MOST_STEPS = 200
"""Requests of a function at most: a longer sequence is no longer read by anybody."""

MOST_STATEMENTS = 5_000
"""Statements that are gone through for one function, with those of the functions that it calls."""

MOST_CALLS_DEEP = 10
"""Functions within functions that are gone into, at most."""

VERBS = {"del": "delete"} | {verb: verb for verb in ("get", "post", "put", "patch", "head", "options")}
_WITHOUT_BODY = ("get", "head")
_REMARK = re.compile(r"(?:Math|JSON|Date|Object|Array|String|Number|parse\w+|encoding|crypto)\b")
"""Begin of calls that only make a value: its use is listed."""
_FORM = MixedText((("application/x-www-form-urlencoded", False),))


@dataclass(slots=True)
class ScriptStep:
    """A request of a function. group: names of those around it. patterns: what they find. batch: its own."""

    line: int
    method: str
    url: MixedText
    scope: "ScriptScope"
    headers: dict[str, MixedText] = field(default_factory=dict)
    cookies: dict[str, MixedText] = field(default_factory=dict)
    body: MixedText | None = None
    name: str = ""
    group: str = ""
    timeout_s: float | None = None
    redirects: int | None = None
    expect: Expect = field(default_factory=Expect)
    extract: dict[str, Extract] = field(default_factory=dict)
    patterns: set[str] = field(default_factory=set)
    think: Think = field(default_factory=Think)
    batch: int | None = None

    def extracted(self, path: str) -> str:
        """Return the name of the variable that holds a place of this request's answer."""
        stem = path.rpartition(".")[2].partition("[")[0].strip("$") or "value"
        return self._taken(stem, Extract(regex=r"(?s).*") if path == "$body" else Extract(json=path))

    def matched(self, pattern: str) -> str:
        """Return the name of the variable that holds what a pattern finds in this request's answer."""
        name = self._taken(name_of(pattern), Extract(regex=pattern))
        self.patterns.add(name)
        return name

    def _taken(self, stem: str, place: Extract) -> str:
        for name, other in self.extract.items():
            if place == other:
                return name
        name, number = stem, 1
        while name in self.scope.extracts or name in self.scope.feeds.drafts:
            number += 1
            name = f"{stem}_{number}"
        self.scope.extracts.add(name)
        self.extract[name] = place
        return name


@dataclass(slots=True)
class ScriptScope:
    """Things that a function of a script can use.

    clients: names that the client of HTTP is imported by. aliases: functions of k6 by names of their own.
    """

    names: dict[str, Value]
    functions: Mapping[str, Any]
    feeds: ScriptFeeds
    clients: frozenset[str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    extracts: set[str] = field(default_factory=set)


class FunctionReader:
    """Reader of one function and of those that it calls."""

    def __init__(self, scope: ScriptScope, account: LineAccount) -> None:
        self._scope = scope
        self._account = account
        self._names = dict(scope.names)
        self._statements = 0
        self._groups: tuple[str, ...] = ()
        self._declared: set[str] = set()
        self._jar = CookieJar()
        self._deep = 0
        self.steps: list[ScriptStep] = []
        self.result: Value = None

    def read(self, function: Any, arguments: Sequence[Value] = ()) -> list[ScriptStep]:
        """Return the requests of a function. arguments: values of its first parameters."""
        holder = function.child_by_field_name("parameters")
        names = named_parts(holder) if holder is not None else []
        for name, value in zip(names, arguments, strict=False):
            if name.type in ("identifier", "required_parameter"):
                self._names[text_in(name).partition(":")[0]] = value
        body = function.child_by_field_name("body")
        if body is not None:
            self._block(named_parts(body) if body.type == "statement_block" else [body])
        return self.steps

    def _block(self, statements: Sequence[Any]) -> None:
        for statement in statements:
            self._statements += 1
            if self._statements > MOST_STATEMENTS or len(self.steps) >= MOST_STEPS:
                self._drop(statement, TEXTS.too_many_steps)
                return
            self._statement(statement)
            if statement.type == "return_statement":
                return

    def _statement(self, node: Any) -> None:
        match node.type:
            case "lexical_declaration" | "variable_declaration":
                for declared in named_parts(node):
                    name = declared.child_by_field_name("name")
                    self._declared.add(text_in(name) if name is not None else "")
                    if name is not None and declared.child_by_field_name("value") is not None:
                        self._assign(name, declared.child_by_field_name("value"))
            case "expression_statement":
                self._expression(named_parts(node)[0])
            case "return_statement":
                for inner in named_parts(node):
                    self.result = self._result(inner)
            case "statement_block":
                self._block(named_parts(node))
            case "call_expression":
                self._call(node)
            case "function_declaration" | "empty_statement" | "comment":
                pass
            case _:
                self._drop(node, TEXTS.computed_flow)

    def _result(self, node: Any) -> Value:
        try:
            return self._call(node) if node.type == "call_expression" else self._value(node)
        except Unread:
            return None

    def _expression(self, node: Any) -> None:
        if node.type == "await_expression":
            node = named_parts(node)[0]
        if node.type == "call_expression":
            self._call(node)
        elif _is_check_or(node):
            # The right side is what ends an iteration after a failed check.
            self._call(node.child_by_field_name("left"))
            self._drop(node.child_by_field_name("right"), TEXTS.computed_flow)
        elif node.type == "assignment_expression":
            self._assign(node.child_by_field_name("left"), node.child_by_field_name("right"))
        elif any(map(self._asks, calls_in(node))):
            self._drop(node, TEXTS.computed_flow)

    def _assign(self, target: Any, node: Any) -> None:
        if node.type == "await_expression":
            node = named_parts(node)[0]
        name = text_in(target)
        self._names.pop(name, None)
        if (jar := self._jar_of(node)) is not None:
            self._names[name] = jar
            return
        if node.type == "call_expression" and (self._asks(node) or self._own(node) is not None):
            self._names[name] = self._call(node)
            return
        try:
            value = self._value(node)
        except Unread:
            is_call = node.type == "call_expression" and not _REMARK.match(text_in(node))
            if is_call or any(map(self._asks, calls_in(node))):
                self._drop(node, TEXTS.computed)
            return
        if target.type == "identifier":
            self._names[name] = value

    def _value(self, node: Any) -> Value:
        return ScriptEvaluator(self._names, self._scope.feeds).value(node)

    def _jar_of(self, node: Any) -> CookieJar | None:
        """Return the jar that an expression makes, or names; None for any other."""
        if node.type == "new_expression":
            is_made = text_in(node.child_by_field_name("constructor")).rpartition(".")[2] == "CookieJar"
            return CookieJar() if is_made else None
        is_named = node.type == "call_expression" and self._verb(node) == "cookieJar"
        return self._jar if is_named else None

    # --- calls ------------------------------------------------------------------------------------

    def _verb(self, call: Any) -> str:
        """Return the name of the client's function that is called; empty for any other call."""
        function = call.child_by_field_name("function")
        if function.type != "member_expression":
            return self._scope.aliases.get(text_in(function), "").removeprefix("http.")
        is_client = text_in(function.child_by_field_name("object")) in self._scope.clients
        return text_in(function.child_by_field_name("property")) if is_client else ""

    def _asks(self, call: Any) -> bool:
        return self._verb(call) in (*VERBS, "request", "batch", "asyncRequest")

    def _own(self, call: Any) -> Any:
        """Return the script's own function that is called; None for any other."""
        return self._scope.functions.get(text_in(call.child_by_field_name("function")))

    def _call(self, call: Any) -> Value:
        """Carry out a call, and return what it returns, as far as that can be said."""
        name = text_in(call.child_by_field_name("function"))
        name = self._scope.aliases.get(name, name)
        arguments = named_parts(call.child_by_field_name("arguments"))
        if self._asks(call):
            return self._request(call, arguments)
        if name in ("check", "k6.check"):
            self._check(call, arguments)
        elif name in ("sleep", "k6.sleep"):
            self._sleep(call, arguments)
        elif name in ("group", "k6.group") and len(arguments) == 2:
            self._group(arguments)
        elif (function := self._own(call)) is not None:
            return self._called(call, function, arguments)
        elif name.endswith(".set") and isinstance(jar := self._names.get(name[: -len(".set")]), CookieJar):
            self._put(jar, call, arguments)
        elif not name.startswith("console."):
            self._drop(call, TEXTS.computed)
        return None

    def _put(self, jar: CookieJar, call: Any, arguments: Sequence[Any]) -> None:
        try:
            url, name, value, *options = [self._value(argument) for argument in arguments]
            jar.put(url, name, value, *options[:1])
        except (Unread, ValueError):
            self._drop(call, TEXTS.computed)

    def _group(self, arguments: Sequence[Any]) -> None:
        outer, names, declared = self._groups, dict(self._names), self._declared
        self._declared = set()
        try:
            title = text_of(self._value(arguments[0])).constant
        except Unread:
            title = None
        self._groups = (*outer, title or shown_code(arguments[0]))
        function = self._scope.functions.get(text_in(arguments[1]), arguments[1])
        self._inside(arguments[1], function, ())
        # What the function declares is its own; what else it gives values to is seen behind it.
        for name in {*names, *self._names} - self._declared:
            names.pop(name, None)
            if name in self._names:
                names[name] = self._names[name]
        self._groups, self._names, self._declared = outer, names, declared

    def _called(self, call: Any, function: Any, arguments: Sequence[Any]) -> Value:
        values = []
        for argument in arguments:
            try:
                values.append(self._value(argument))
            except Unread:
                self._drop(call, TEXTS.computed)
                return None
        outer, names, self.result = self.result, self._names, None
        self._names = dict(names)
        self._inside(call, function, values)
        self._names, result, self.result = names, self.result, outer
        return result

    def _inside(self, node: Any, function: Any, values: Sequence[Value]) -> None:
        if self._deep >= MOST_CALLS_DEEP:
            self._drop(node, TEXTS.too_many_steps)
            return
        self._deep += 1
        self.read(function, values)
        self._deep -= 1

    def _request(self, call: Any, arguments: Sequence[Any]) -> Value:
        verb = self._verb(call)
        try:
            values = [self._value(argument) for argument in arguments]
            if verb == "batch":
                return self._batch(call, values)
            if verb in ("request", "asyncRequest"):
                method, *values = values
                return self._add(call, str(text_of(method).constant).lower(), values)
            if verb in _WITHOUT_BODY:
                values.insert(1, None)
            return self._add(call, VERBS[verb], values)
        except (Unread, ValueError):
            self._drop(call, TEXTS.computed)
            return None

    def _batch(self, call: Any, values: Sequence[Value]) -> Value:
        entries = values[0] if values else None
        pairs = entries.items() if isinstance(entries, dict) else enumerate(entries or [])
        answers: dict[Any, Value] = {}
        first = len(self.steps)
        for key, entry in pairs:
            match entry:
                case MixedText():
                    answers[key] = self._add(call, "get", [entry])
                case [method, *more]:
                    answers[key] = self._add(call, str(text_of(method).constant).lower(), more)
                case {"url": url}:
                    method = str(text_of(entry.get("method", MixedText((("get", False),)))).constant).lower()
                    answers[key] = self._add(call, method, [url, entry.get("body"), entry.get("params")])
                case _:
                    raise Unread
        for step in self.steps[first:]:
            step.batch = first
        return answers if isinstance(entries, dict) else list(answers.values())

    def _add(self, call: Any, method: str, values: Sequence[Value]) -> AnswerPart:
        url, body, params = (*values, None, None, None)[:3]
        if method not in VERBS.values():
            raise Unread
        step = ScriptStep(line_of(call), method, text_of(url), self._scope, group="::".join(self._groups))
        if isinstance(body, dict):
            step.headers["Content-Type"] = _FORM
            step.body = _form(body)
        elif body is not None:
            step.body = text_of(body)
        given = params if isinstance(params, dict) else {}
        jar = given.get("jar")
        step.cookies = (jar if isinstance(jar, CookieJar) else self._jar).sent_to(step.url)
        for key, value in given.items():
            self._parameter(step, key, value)
        if step.cookies:
            pairs = [MixedText(((f"{name}=", False), *text.parts)) for name, text in step.cookies.items()]
            step.headers["Cookie"] = joined("; ", pairs)
        self.steps.append(step)
        return AnswerPart(step)

    def _parameter(self, step: ScriptStep, key: str, value: Value) -> None:
        if key == "headers" and isinstance(value, dict):
            for name, text in value.items():
                same = next((other for other in step.headers if other.lower() == name.lower()), name)
                step.headers.pop(same, None)
                step.headers[name] = text_of(text)
        elif key == "cookies" and isinstance(value, dict):
            for name, text in value.items():
                inner = text.get("value") if isinstance(text, dict) else text
                step.cookies[name] = text_of(inner)
        elif key == "tags" and isinstance(value, dict):
            if isinstance(value.get("name"), MixedText):
                step.name = value["name"].constant or ""
            for tag in value.keys() - {"name"}:
                self._account.drop(step.line, f"tag {tag}", TEXTS.no_parameter)
        elif key == "timeout" and (seconds := parsed_seconds(value, 1e-3)):
            step.timeout_s = seconds
        elif key == "redirects" and isinstance(value, int):
            step.redirects = value
        elif isinstance(value, CookieJar):
            if value is not self._jar:
                self._account.alter(step.line, key, TEXTS.own_jar)
        elif key != "responseType":
            self._account.drop(step.line, key, TEXTS.no_parameter)

    # --- what follows a request -------------------------------------------------------------------

    def _sleep(self, call: Any, arguments: Sequence[Any]) -> None:
        if not self.steps:
            self._drop(call, TEXTS.no_pause)
            return
        try:
            pause = self._value(arguments[0]) if arguments else None
            self.steps[-1].think = self._longer(self.steps[-1].think, pause)
        except Unread:
            self._drop(call, TEXTS.computed)

    def _longer(self, think: Think, pause: Value) -> Think:
        low, high = think.uniform or (think.constant or Seconds(0.0),) * 2
        match pause:
            case ChosenValue(hole=hole):
                draft = self._scope.feeds.drafts.get(hole)
                bounds = draft.feed.random if draft is not None else ()
                if not bounds:
                    raise Unread
                low, high = Seconds(low + bounds[0]), Seconds(high + bounds[1])
            case DrawnNumber(low=least, high=most) if least >= 0:
                low, high = Seconds(low + least), Seconds(high + most)
            case int() | float() if pause >= 0 and not isinstance(pause, bool):
                low, high = Seconds(low + pause), Seconds(high + pause)
            case _:
                raise Unread
        return Think(constant=low) if low == high else Think(uniform=(low, high))

    def _check(self, call: Any, arguments: Sequence[Any]) -> None:
        try:
            answer = self._value(arguments[0])
        except (Unread, IndexError):
            answer = None
        if answer is None and arguments and arguments[0].type == "call_expression":
            answer = self._call(arguments[0])
        is_answer = isinstance(answer, AnswerPart) and not answer.path and len(arguments) > 1
        if not is_answer or arguments[1].type != "object":
            self._drop(call, TEXTS.no_check)
            return
        for pair in named_parts(arguments[1]):
            try:
                function = pair.child_by_field_name("value")
                holder = function.child_by_field_name("parameters")
                single = function.child_by_field_name("parameter")
                (name,) = [single] if single is not None else named_parts(holder)
                self._condition(answer.step, result_of(function), text_in(name))
            except (Unread, ValueError, AttributeError):
                self._account.drop(line_of(pair), shown_code(pair), TEXTS.no_check)

    def _condition(self, step: ScriptStep, node: Any, name: str, deep: int = 0) -> None:
        if deep > MOST_CALLS_DEEP:
            raise Unread
        expect = step.expect
        evaluator = ScriptEvaluator({**self._names, name: AnswerPart(step)}, self._scope.feeds)
        if node.type == "parenthesized_expression":
            self._condition(step, named_parts(node)[0], name, deep + 1)
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
            self._condition(step, left, name, deep + 1)
            self._condition(step, right, name, deep + 1)
            return
        value = evaluator.value(right)
        if operator in ("===", "==") and place == f"{name}.status" and isinstance(value, int):
            step.expect = replace(expect, status=(value,))
        elif operator in ("<", "<=") and place == f"{name}.timings.duration" and isinstance(value, int):
            step.expect = replace(expect, time=Seconds(value / 1000))
        elif operator in ("===", "=="):
            tested = evaluator.value(left)
            is_json = isinstance(tested, AnswerPart) and tested.path[:1] == "$" and tested.path != "$body"
            plain = value.constant if isinstance(value, MixedText) else value
            if not is_json or not isinstance(plain, str | int | float | bool):
                raise Unread
            step.expect = replace(expect, json={**expect.json, tested.path: plain})
        else:
            raise Unread

    def _drop(self, node: Any, why: str) -> None:
        self._account.drop(line_of(node), shown_code(node), why)


def _is_check_or(node: Any) -> bool:
    """Return whether a statement is `check(…) || …`."""
    if node.type != "binary_expression" or text_in(node.child_by_field_name("operator")) != "||":
        return False
    left = node.child_by_field_name("left")
    return left.type == "call_expression" and text_in(left.child_by_field_name("function")) == "check"


def _form(fields: Mapping[str, Value]) -> MixedText:
    """Return the body of a form as k6 writes it: names in alphabetical order, as Go's url.Values are."""
    whole = MixedText(())
    for name, values in sorted(fields.items()):
        for value in values if isinstance(values, list) else [values]:
            parts = tuple(
                (text if is_hole else quote_plus(text), is_hole) for text, is_hole in text_of(value).parts
            )
            sign = "&" if whole.parts else ""
            whole += MixedText(((f"{sign}{quote_plus(name)}=", False), *parts))
    return whole
