"""Requests that a function of a k6 script makes, in their order, with checks, pauses and extractions."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from loadrig.base.units import Seconds
from loadrig.converters._account import LineAccount
from loadrig.converters._k6_changes import ScriptChanges, effects_of, effects_of_target, is_mutation
from loadrig.converters._k6_checks import add_condition, is_check_or
from loadrig.converters._k6_constants import parsed_seconds
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_jars import CookieJar, joined
from loadrig.converters._k6_loops import LiteralLoop, literal_loop
from loadrig.converters._k6_patterns import AnswerPart
from loadrig.converters._k6_requests import ScriptScope, ScriptStep
from loadrig.converters._k6_texts import UNDEFINED, DrawnNumber, Value, text_of
from loadrig.converters._k6_values import (
    ScriptEvaluator,
    calls_in,
    line_of,
    named_parts,
    result_of,
    shown_code,
    text_in,
)
from loadrig.converters._locust_values import ChosenValue, MixedText
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.plan.model import Think

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
UNREAD = object()
"""Value that only running the script would tell."""


class FunctionReader:
    """Reader of one function and of those that it calls."""

    def __init__(self, scope: ScriptScope, account: LineAccount) -> None:
        self._scope = scope
        self._account = account
        self._names = dict(scope.names)
        self._statements = 0
        self._groups: tuple[str, ...] = ()
        self._declared: set[str] = set()
        self._dropped: set[tuple[int, str, str]] = set()
        self._jar = CookieJar()
        self._deep = 0
        self._changes = ScriptChanges(self)
        self.steps: list[ScriptStep] = []
        self.result: Value = None

    def read(self, function: Any, arguments: Sequence[Value] = ()) -> list[ScriptStep]:
        """Return the requests of a function. arguments: values of its first parameters."""
        holder = function.child_by_field_name("parameters")
        names = named_parts(holder) if holder is not None else []
        for number, name in enumerate(names):
            self._changes.forget(self._names, effects_of_target(name))
            value = arguments[number] if number < len(arguments) else UNREAD
            if name.type in ("identifier", "required_parameter") and value is not UNREAD:
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
                    name, value = (declared.child_by_field_name(part) for part in ("name", "value"))
                    self._declared |= effects_of(declared).declared
                    if name is not None and value is not None:
                        self._assign(name, value)
                    elif name is not None:
                        self._names.pop(text_in(name), None)
            case "expression_statement":
                self._expression(named_parts(node)[0])
            case "return_statement":
                for inner in named_parts(node):
                    self.result = self._result(inner)
            case "statement_block":
                self._within(lambda: self._block(named_parts(node)))
            case "call_expression":
                self._call(node)
            case "for_statement" | "for_in_statement":
                self._loop(node)
            case "function_declaration" | "empty_statement" | "comment":
                pass
            case _:
                self._drop(node, TEXTS.computed_flow)
                self._foresee(node)

    def _loop(self, node: Any) -> None:
        """Make out in full a loop of which the text tells the rounds; list any other."""
        try:
            loop = literal_loop(node, self._evaluator(), self._scope.clients)
        except Unread:
            self._drop(node, TEXTS.computed_flow)
            self._foresee(node)
        else:
            self._within(lambda: self._rounds(loop))

    def _rounds(self, loop: LiteralLoop) -> None:
        if loop.is_own:
            self._declared.add(loop.name)
        for value in loop.values:
            self._names[loop.name] = value
            self._block([loop.body])
        self._names[loop.name] = loop.final

    def _result(self, node: Any) -> Value:
        try:
            return self._call(node) if node.type == "call_expression" else self._value(node)
        except Unread:
            return UNREAD

    def _expression(self, node: Any) -> None:
        if node.type == "await_expression":
            node = named_parts(node)[0]
        if node.type == "call_expression":
            inner = named_parts(node.child_by_field_name("arguments"))
            for part in inner:
                if part.child_by_field_name("body") is None:
                    self._foresee(part)
            self._call(node)
        elif is_check_or(node):
            # The right side is what ends an iteration after a failed check.
            self._call(node.child_by_field_name("left"))
            self._drop(node.child_by_field_name("right"), TEXTS.computed_flow)
        elif node.type == "assignment_expression":
            self._assign(node.child_by_field_name("left"), node.child_by_field_name("right"))
        elif node.type in ("sequence_expression", "parenthesized_expression"):
            for part in named_parts(node):
                self._expression(part)
        elif node.type in ("augmented_assignment_expression", "update_expression", "unary_expression"):
            self._change(node)
        elif any(map(self._does, calls_in(node))):
            self._drop(node, TEXTS.computed_flow)
            self._foresee(node)
        else:
            self._foresee(node)

    def _foresee(self, node: Any, followed: Any = None) -> None:
        """Take as unknown what a part of the script may change that is not carried out."""
        clients = self._scope.clients
        self._changes.forget(self._names, effects_of(node, clients=clients, followed=followed))

    def _change(self, node: Any) -> None:
        """Carry out `x += 1`, `x++` or `delete x.y`. A change that cannot be followed leaves x unknown."""
        is_unary = node.type == "unary_expression"
        target = node.child_by_field_name("left" if node.type.startswith("augmented") else "argument")
        sign = text_in(node.child_by_field_name("operator"))
        right = node.child_by_field_name("right")
        if right is not None:
            self._foresee(right)
        try:
            evaluator = self._evaluator()
            if is_unary and sign == "delete":
                self._changes.delete(target, evaluator)
            elif not is_unary:
                step = evaluator.value(right) if right is not None else 1
                operator = sign[:1] if right is None else sign[:-1]
                self._store(target, evaluator.combined(operator, evaluator.value(target), step))
        except Unread:
            self._foresee(node)
            if any(map(self._does, calls_in(node))):
                self._drop(node, TEXTS.computed)

    def _store(self, target: Any, value: Value) -> None:
        """Give a value to a name or to a place in a list or an object. Raise Unread."""
        if target.type == "identifier":
            self._names[text_in(target)] = value
        elif target.type in ("member_expression", "subscript_expression"):
            self._changes.put(target, value, self._evaluator())
        else:
            raise Unread

    def _within(self, work: Callable[[], object]) -> None:
        """Carry out a part whose own names end with it. What else it gives values to is seen behind it."""
        outer, declared = dict(self._names), self._declared
        self._declared = set()
        self._changes.frames.append(outer)
        work()
        self._changes.frames.pop()
        for name in {*outer, *self._names} - self._declared:
            outer.pop(name, None)
            if name in self._names:
                outer[name] = self._names[name]
        self._names, self._declared = outer, declared

    def _assign(self, target: Any, node: Any) -> None:
        if node.type == "await_expression":
            node = named_parts(node)[0]
        if node.type == "assignment_expression":  # a = b = 1
            self._assign(node.child_by_field_name("left"), node.child_by_field_name("right"))
            node = node.child_by_field_name("left")
        is_followed = node.type == "call_expression" and (is_mutation(node) or self._own(node) is not None)
        self._foresee(node, followed=node if is_followed else None)
        value = self._assigned(node)
        effects = effects_of_target(target)
        for name in effects.rebound:
            self._names.pop(name, None)
        try:
            if value is UNREAD:
                raise Unread
            self._store(target, value)
        except Unread:
            self._changes.forget(self._names, effects)

    def _assigned(self, node: Any) -> Value:
        """Return the value of the right side of an assignment; UNREAD if only running the script tells it."""
        if (jar := self._jar_of(node)) is not None:
            return jar
        is_call = node.type == "call_expression"
        if is_call and (self._asks(node) or self._own(node) is not None or is_mutation(node)):
            return self._call(node)
        try:
            return self._value(node)
        except Unread:
            is_call = node.type == "call_expression" and not _REMARK.match(text_in(node))
            if is_call or any(map(self._does, calls_in(node))):
                self._drop(node, TEXTS.computed)
            return UNREAD

    def _value(self, node: Any) -> Value:
        return self._evaluator().value(node)

    def _evaluator(self) -> ScriptEvaluator:
        return ScriptEvaluator(self._names, self._scope.feeds, self)

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

    def _does(self, call: Any) -> bool:
        """Return whether a call makes requests, waits or looks at answers, as far as the script tells."""
        name = text_in(call.child_by_field_name("function"))
        is_of_k6 = self._scope.aliases.get(name, name) in ("check", "sleep", "group", "k6.sleep", "k6.group")
        return is_of_k6 or self._asks(call) or self._own(call) is not None

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
        elif is_mutation(call):
            return self._mutated(call)
        elif not name.startswith("console."):
            self._drop(call, TEXTS.computed)
            self._foresee(call)
        return UNREAD

    def _mutated(self, call: Any) -> Value:
        """Carry out a call that changes a list or an object, and return what it returns."""
        try:
            return self._changes.mutate(call, self._evaluator())
        except Unread:
            self._foresee(call)
            return UNREAD

    def _put(self, jar: CookieJar, call: Any, arguments: Sequence[Any]) -> None:
        try:
            url, name, value, *options = [self._value(argument) for argument in arguments]
            jar.put(url, name, value, *options[:1])
        except (Unread, ValueError):
            self._drop(call, TEXTS.computed)

    def _group(self, arguments: Sequence[Any]) -> None:
        outer = self._groups
        try:
            title = text_of(self._value(arguments[0])).constant
        except Unread:
            title = None
        self._groups = (*outer, title or shown_code(arguments[0]))
        function = self._scope.functions.get(text_in(arguments[1]), arguments[1])
        self._within(lambda: self._inside(arguments[1], function, ()))
        self._groups = outer

    def _called(self, call: Any, function: Any, arguments: Sequence[Any]) -> Value:
        values = []
        for argument in arguments:
            try:
                values.append(self._value(argument))
            except Unread:
                self._drop(call, TEXTS.computed)
                return UNREAD
        outer, names, self.result = self.result, self._names, UNDEFINED
        self._names = {name: self._scope.names[name] for name in self._scope.names if name in names}
        self._changes.frames.append(names)
        self._inside(call, function, values)
        self._changes.frames.pop()
        self._names, result, self.result = names, self.result, outer
        self._changes.forget(names, effects_of(function, clients=self._scope.clients).outside)
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
            return UNREAD

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
            step.set_form(body)
        elif body is not None and body is not UNDEFINED:
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
                evaluator = ScriptEvaluator({**self._names, text_in(name): answer}, self._scope.feeds)
                add_condition(answer.step, result_of(function), text_in(name), evaluator)
            except (Unread, ValueError, AttributeError):
                self._account.drop(line_of(pair), shown_code(pair), TEXTS.no_check)

    def _drop(self, node: Any, why: str) -> None:
        part = line_of(node), shown_code(node), why
        if part not in self._dropped:  # each round of a loop drops the same
            self._account.drop(*part)
        self._dropped.add(part)
