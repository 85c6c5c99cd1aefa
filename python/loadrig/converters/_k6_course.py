"""Course of a function of a k6 script: the requests that its calls make, and what follows each of them."""

from collections.abc import Callable, Sequence
from typing import Any

from loadrig.converters._account import LineAccount
from loadrig.converters._k6_bindings import Evaluate
from loadrig.converters._k6_checks import unsaid_checks
from loadrig.converters._k6_constants import VERBS, WITHOUT_BODY
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_jars import CookieJar, joined
from loadrig.converters._k6_parameters import set_parameter
from loadrig.converters._k6_patterns import AnswerPart
from loadrig.converters._k6_pauses import longer
from loadrig.converters._k6_requests import ScriptScope, ScriptStep
from loadrig.converters._k6_texts import UNDEFINED, UNREAD, Value, text_of
from loadrig.converters._k6_tree import line_of, shown_code, text_in
from loadrig.converters._locust_values import MixedText
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts

TEXTS = texts_of(ConvertersK6Texts)

Drop = Callable[[Any, str], None]
"""Function that lists a part of the script that is left out, with the reason."""


class FunctionCourse:
    """Requests of a function and of those that it calls. evaluate: gives values of expressions.

    scope: what it can use. groups: names of those around what is read. jar: cookies of the user. branch:
    number of the first request of the branch that is read, whose answers alone its checks and pauses follow.
    """

    def __init__(self, scope: ScriptScope, account: LineAccount, evaluate: Evaluate, drop: Drop) -> None:
        self.scope = scope
        self._account = account
        self._evaluate = evaluate
        self._drop = drop
        self.steps: list[ScriptStep] = []
        self.groups: tuple[str, ...] = ()
        self.jar = CookieJar()
        self.branch = 0

    def verb(self, call: Any) -> str:
        """Return the name of the client's function that is called; empty for any other call."""
        function = call.child_by_field_name("function")
        if function.type != "member_expression":
            return self.scope.aliases.get(text_in(function), "").removeprefix("http.")
        is_client = text_in(function.child_by_field_name("object")) in self.scope.clients
        return text_in(function.child_by_field_name("property")) if is_client else ""

    def asks(self, call: Any) -> bool:
        """Return whether a call makes requests."""
        return self.verb(call) in (*VERBS, "request", "batch", "asyncRequest")

    def request(self, call: Any, arguments: Sequence[Any]) -> Value:
        """Add the requests of a call, and return their answers."""
        verb = self.verb(call)
        try:
            values = [self._evaluate(argument) for argument in arguments]
            if verb == "batch":
                return self._batch(call, values)
            if verb in ("request", "asyncRequest"):
                method, *values = values
                return self._add(call, str(text_of(method).constant).lower(), values)
            if verb in WITHOUT_BODY:
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
        step = ScriptStep(line_of(call), method, text_of(url), self.scope, group="::".join(self.groups))
        step.guard = self.scope.guard
        if isinstance(body, dict):
            step.set_form(body)
        elif body is not None and body is not UNDEFINED:
            step.body = text_of(body)
        options = params if isinstance(params, dict) else {}
        jar = options.get("jar")
        step.cookies = (jar if isinstance(jar, CookieJar) else self.jar).sent_to(step.url)
        for key, value in options.items():
            set_parameter(step, key, value, self.jar, self._account)
        if step.cookies:
            pairs = [MixedText(((f"{name}=", False), *text.parts)) for name, text in step.cookies.items()]
            step.headers["Cookie"] = joined("; ", pairs)
        self.steps.append(step)
        return AnswerPart(step)

    def put(self, jar: CookieJar, call: Any, arguments: Sequence[Any]) -> None:
        """Put a cookie into a jar."""
        if self.branch:
            self._drop(call, TEXTS.computed_flow)
            return
        try:
            url, name, value, *options = [self._evaluate(argument) for argument in arguments]
            jar.put(url, name, value, *options[:1])
        except (Unread, ValueError):
            self._drop(call, TEXTS.computed)

    def sleep(self, call: Any, arguments: Sequence[Any]) -> None:
        """Add a pause to the request before it that is surely made."""
        guard = set(self.scope.guard)
        steps = self.steps[self.branch :]
        step = next((step for step in reversed(steps) if guard.issuperset(step.guard)), None)
        if step is None:
            self._drop(call, TEXTS.no_pause)
            return
        if step is not steps[-1] or guard != set(step.guard):
            self._account.alter(line_of(call), shown_code(call), TEXTS.pause_of_sure)
        try:
            pause = self._evaluate(arguments[0]) if arguments else None
            step.think = longer(step.think, pause, self.scope.feeds)
        except Unread:
            self._drop(call, TEXTS.computed)

    def check(self, call: Any, arguments: Sequence[Any], answer: Value, names: dict[str, Value]) -> None:
        """Add what a check asks to what the request of its answer expects. names: those that it sees."""
        is_answer = isinstance(answer, AnswerPart) and not answer.path and len(arguments) > 1
        if not is_answer or arguments[1].type != "object":
            self._drop(call, TEXTS.no_check)
            return
        if not any(step is answer.step for step in self.steps[self.branch :]):
            self._drop(call, TEXTS.check_of_some)
            return
        if answer.step.guard != self.scope.guard:
            self._account.alter(line_of(call), shown_code(call), TEXTS.check_of_all)
        for pair in unsaid_checks(answer, arguments[1], names, self.scope):
            self._account.drop(line_of(pair), shown_code(pair), TEXTS.no_check)
