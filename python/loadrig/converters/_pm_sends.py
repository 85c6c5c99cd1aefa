"""Requests that scripts of Postman make by `pm.sendRequest`, and what its callback takes from the answer.

Read are those that always run: a statement at the top of a script or of such a callback. Their addresses,
headers and bodies may be made of texts, of constants of the script, and of Postman's variables.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.converters._document import JsonValue
from loadrig.converters._javascript import tree_of
from loadrig.converters._k6_bindings import bound_names, parameters_of
from loadrig.converters._k6_changes import effects_of
from loadrig.converters._k6_files import MOST_LETTERS_MADE, ScriptFeeds, Unread
from loadrig.converters._k6_methods import constant
from loadrig.converters._k6_texts import UNDEFINED, Value
from loadrig.converters._k6_tree import named_parts, text_in
from loadrig.converters._k6_values import ScriptEvaluator
from loadrig.converters._locust_values import MixedText
from loadrig.converters._pm_scripts import MOST_LETTERS, ReadScript, read_script

MOST_DEEP = 5
"""Requests in callbacks of each other that are gone into, at most."""

MOST_LETTERS_SENT = 1_000_000
"""Letters of all texts that a script makes, at most."""

CALL = "pm.sendRequest"
_GET = re.compile(
    r"pm\.(environment|collectionVariables|globals|variables)\.get|postman\.get(Environment|Global)Variable"
)
"""Functions that give the value of a variable, of one scope or of the closest that has it."""

_VARIABLE = re.compile(r"\{\{([^{}]{1,200})\}\}")
_OUTER = re.compile(r"\bpm\s*\.\s*response\b|\bresponse(?:Body|Code|Headers)\b|\btests\s*\[")
"""Pattern of what a callback says of the answer to the request that the script belongs to."""


@dataclass(frozen=True, slots=True)
class ScriptPart:
    """Part of a script. send: the request that it makes at its end."""

    script: ReadScript
    send: "ScriptSend | None" = None


Script = tuple[ScriptPart, ...]
"""Parts of a script in their order."""


@dataclass(frozen=True, slots=True)
class ScriptSend:
    """Request that a script makes, as a collection has it. parts: of its callback, which has its answer.

    raw: scopes and names of variables whose texts it has as they stand, with none filled in them.
    """

    request: JsonValue
    parts: Script
    raw: frozenset[tuple[str, str]]


def parts_of(
    text: str, *, has_answer: bool, names: Mapping[str, Value] | None = None, deep: int = 0
) -> Script:
    """Return the parts of a script in their order. has_answer: it runs after a request.

    names: constants of the scripts around it.
    """
    if CALL in text and len(text) <= MOST_LETTERS and deep < MOST_DEEP:
        root = tree_of(text)
        if not root.has_error:
            return _ScriptSends(text, has_answer, dict(names or {}), deep).parts(root)
    return (ScriptPart(read_script(text, has_answer=has_answer)),)


def scripts_in(parts: Sequence[ScriptPart]) -> Iterator[ReadScript]:
    """Yield what is read of a script, and of the callbacks in it."""
    for part in parts:
        yield part.script
        if part.send is not None:
            yield from scripts_in(part.send.parts)


class _ScriptSends:
    """Reader of a script that makes requests."""

    def __init__(self, text: str, has_answer: bool, names: dict[str, Value], deep: int) -> None:
        self._content = text.encode("utf-8", "surrogatepass")
        self._has_answer = has_answer
        self._names = names
        self._deep = deep
        self._answers: dict[str, str] = {}
        # A script has few letters, and what it sends is not much longer.
        self._feeds = ScriptFeeds(letters=MOST_LETTERS_MADE - MOST_LETTERS_SENT)
        self._at = 0
        self._rest = b""

    def parts(self, root: Any) -> Script:
        """Return the parts of the script."""
        parts = []
        for statement in named_parts(root):
            try:
                send = self._send(statement)
            except (Unread, ValueError):
                send = None
            if send is not None:
                self._skip(statement)
                parts.append(ScriptPart(self._read(), send))
            elif statement.type in ("lexical_declaration", "variable_declaration"):
                self._declare(statement)
            else:
                effects = effects_of(statement)
                for name in effects.rebound | effects.mutated:
                    self._names.pop(name, None)
        self._rest += self._content[self._at :]
        return (*parts, ScriptPart(self._read()))

    def _skip(self, statement: Any) -> None:
        """Leave a statement out of what is read otherwise."""
        self._rest += self._content[self._at : statement.start_byte]
        self._at = statement.end_byte

    def _read(self) -> ReadScript:
        text = self._rest.decode("utf-8", "surrogatepass")
        self._rest = b""
        return read_script(text, has_answer=self._has_answer, answers=self._answers)

    def _declare(self, statement: Any) -> None:
        """Keep the values of constants; what else is declared is read as in any script."""
        for declared in named_parts(statement):
            pattern, node = (declared.child_by_field_name(part) for part in ("name", "value"))
            try:
                self._names |= bound_names(pattern, self._value(node), self._value)
            except Unread:
                for name in effects_of(declared).declared:
                    self._names.pop(name, None)
                return
        self._skip(statement)

    def _value(self, node: Any) -> Value:
        return _SendEvaluator(self._names, self._feeds).value(node)

    def _send(self, statement: Any) -> ScriptSend | None:
        """Return the request of a statement; None for any other. Raise Unread where it is computed."""
        call = named_parts(statement)[0] if statement.type == "expression_statement" else statement
        if call.type != "call_expression" or text_in(call.child_by_field_name("function")) != CALL:
            return None
        request, *callbacks = named_parts(call.child_by_field_name("arguments"))
        parts: Script = ()
        if callbacks:
            text = _callback(callbacks[0])
            parts = parts_of(text, has_answer=True, names=self._names, deep=self._deep + 1)
        value = self._value(request)
        return ScriptSend(_as_in_collections(_plain(value)), parts, frozenset(_raw_names(value)))


class _RawName(str):
    """Name of a variable whose text is taken as it stands. scope: where it is looked for."""

    scope: str

    def __new__(cls, name: str, scope: str) -> "_RawName":
        """Return the name of a variable of a scope."""
        raw = super().__new__(cls, name)
        raw.scope = scope
        return raw


class _SendEvaluator(ScriptEvaluator):
    """Evaluation of what a script sends: values of Postman's variables are holes."""

    def _call_expression(self, node: Any, deep: int) -> Value:
        name = text_in(node.child_by_field_name("function"))
        arguments = named_parts(node.child_by_field_name("arguments"))
        if (match := _GET.fullmatch(name)) and len(arguments) == 1:
            kind = next(filter(None, match.groups()))
            return MixedText(((_RawName(constant(self.value(arguments[0], deep)), kind), True),))
        if name == "pm.variables.replaceIn" and len(arguments) == 1:
            pieces = _VARIABLE.split(constant(self.value(arguments[0], deep)))
            return MixedText(tuple((piece, bool(place % 2)) for place, piece in enumerate(pieces) if piece))
        return super()._call_expression(node, deep)


def _callback(function: Any) -> str:
    """Return the body of a callback as a script that runs after the request. Raise Unread for no function."""
    body = function.child_by_field_name("body")
    parameters = [text_in(part) for part in parameters_of(function)] if body is not None else []
    if body is None or not all(name.isidentifier() for name in parameters):
        raise Unread
    statements = named_parts(body) if body.type == "statement_block" else [body]
    text = "\n".join(_without_errors(statements, parameters[0] if parameters else ""))
    if _OUTER.search(text):
        raise Unread
    if parameters:
        text = re.sub(rf"!{re.escape(parameters[0])}\s*&&\s*", "", text)
    answer = parameters[1] if len(parameters) > 1 else ""
    return re.sub(rf"(?<![\w$.'\"]){answer}(?![\w$'\"])", "pm.response", text) if answer else text


def _without_errors(statements: Sequence[Any], error: str, deep: int = 0) -> Iterator[str]:
    """Yield the statements of a callback that run where there is an answer."""
    for statement in statements:
        condition = statement.child_by_field_name("condition") if statement.type == "if_statement" else None
        asked = "".join(text_in(condition).split()) if condition is not None else ""
        is_failed = asked in (f"({error})", f"({error}!==null)", f"({error}!=null)")
        if (
            not error
            or deep > MOST_DEEP
            or not (is_failed or asked in (f"(!{error})", f"({error}===null)", f"({error}==null)"))
        ):
            yield text_in(statement)
            continue
        branch = statement.child_by_field_name("alternative" if is_failed else "consequence")
        if branch is not None and branch.type == "else_clause":
            branch = named_parts(branch)[0]
        if branch is not None:
            inner = named_parts(branch) if branch.type == "statement_block" else [branch]
            yield from _without_errors(inner, error, deep + 1)


def _plain(value: Value) -> JsonValue:
    """Return a value with Postman's variables in it. Raise Unread where it has more than such."""
    match value:
        case MixedText(parts=parts):
            # What a script sends is filled by nobody: braces of its own would be sent as they stand.
            if any(("{" in text or "}" in text) if is_hole else "{{" in text for text, is_hole in parts):
                raise Unread
            return "".join(f"{{{{{text}}}}}" if is_hole else text for text, is_hole in parts)
        case None | bool() | int() | float():
            return value
        case dict():
            return {str(key): _plain(inner) for key, inner in value.items() if inner is not UNDEFINED}
        case list():
            return [_plain(inner) for inner in value]
        case _:
            raise Unread


def _raw_names(value: Value) -> Iterator[tuple[str, str]]:
    """Yield the scopes and names of variables in a value whose texts are taken as they stand."""
    match value:
        case MixedText(parts=parts):
            yield from ((text.scope, str(text)) for text, _ in parts if isinstance(text, _RawName))
        case dict() | list():
            for inner in value.values() if isinstance(value, dict) else value:
                yield from _raw_names(inner)
        case _:
            pass


def _as_in_collections(request: JsonValue) -> JsonValue:
    """Return a request with its short forms written out as a collection has them. Raise Unread for others."""
    if isinstance(request, str):
        return request
    if not isinstance(request, dict) or not request.get("url"):
        raise Unread
    written = dict(request)
    if isinstance(headers := written.get("header"), dict):
        written["header"] = [{"key": key, "value": value} for key, value in headers.items()]
    body = written.get("body")
    if isinstance(body, str):
        written["body"] = {"mode": "raw", "raw": body}
    elif isinstance(body, dict):
        written["body"] = {
            key: _of_form(part) if key in ("urlencoded", "formdata") else part for key, part in body.items()
        }
    return written


def _of_form(content: JsonValue) -> JsonValue:
    """Return the entries of a form, which is a list of such or a text. Raise Unread for any other."""
    if isinstance(content, str):
        parted = (pair.partition("=") for pair in content.split("&") if pair)
        return [{"key": key, "value": value} for key, _, value in parted]
    if not isinstance(content, list):
        raise Unread  # newman sends an object as one field without its name
    return content
