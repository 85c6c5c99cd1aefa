"""Checks of answers in a locustfile: what `catch_response=True` lets a task call a failure.

`if response.status_code != 200: response.failure("…")` and its like say what an answer has to be, and below
a `rest` of FastHttpUser `assert response.js["ok"] is True`; any other condition only running the file would
tell.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loadrig.base.units import Seconds
from loadrig.plan.requests import Expect

_STATUSES = range(100, 600)

_OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn, ast.Lt: ast.GtE, ast.LtE: ast.Gt,
}  # fmt: skip
"""Comparison that fails a request, by the one that is asserted."""


def read_checks(
    body: Sequence[ast.stmt], answer: str, *, catches: bool = False
) -> tuple[Expect, list[ast.stmt]]:
    """Return what the statements below `with … as answer` expect, and those that no plan says.

    catches: whether an assertion that fails is a failure of the request; else it ends the task.
    """
    expect = Expect()
    left_out: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Assert):
            fails = _negated(statement.test) if catches else None
            read = _failing(fails, answer, expect) if fails is not None else None
        else:
            read = _read(statement, answer, expect)
        if read is None:
            left_out.append(statement)
        else:
            expect = read
    return expect, left_out


def _read(statement: ast.stmt, answer: str, expect: Expect) -> Expect | None:
    """Return the expectations with that of a statement; None for a statement that is no plain check."""
    while isinstance(statement, ast.If):
        read = _failing(statement.test, answer, expect) if _only_calls(statement, answer, "failure") else None
        if read is None:
            return None
        expect = read
        match statement.orelse:
            case []:
                return expect
            case [ast.If() as other]:
                statement = other
            case _:
                return None
    return None


def _only_calls(statement: ast.If, answer: str, name: str) -> bool:
    """Return whether the body of a condition calls a method of the answer and does nothing else."""
    match statement.body:
        case [ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)))]:
            return owner == answer and method == name
        case _:
            return False


def _failing(test: ast.expr, answer: str, expect: Expect) -> Expect | None:
    """Return the expectations with that of a condition upon which the request has failed."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            combined: Expect | None = expect
            for value in values:
                combined = _failing(value, answer, combined) if combined is not None else None
            return combined
        case ast.UnaryOp(op=ast.Not(), operand=ast.Attribute(value=ast.Name(id=owner), attr="ok")):
            # As without any check: statuses below 400 are good.
            return expect if owner == answer else None
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return _compared(left, sign, right, answer, expect)
        case _:
            return None


def _negated(test: ast.expr) -> ast.expr | None:
    """Return the condition that holds where an asserted one does not; None where no plan says it."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            negated = [part for value in values if (part := _negated(value)) is not None]
            return ast.BoolOp(op=ast.Or(), values=negated) if len(negated) == len(values) else None
        case ast.Attribute(attr="ok"):
            return ast.UnaryOp(op=ast.Not(), operand=test)
        case ast.Compare(left=left, ops=[sign], comparators=comparators) if type(sign) in _OPPOSITE:
            return ast.Compare(left=left, ops=[_OPPOSITE[type(sign)]()], comparators=comparators)
        case _:
            return None


def _compared(left: ast.expr, sign: ast.cmpop, right: ast.expr, answer: str, expect: Expect) -> Expect | None:
    value = _literal(right)
    place = ast.unparse(left).removeprefix(f"{answer}.")
    if isinstance(sign, ast.NotIn):
        is_of_body = ast.unparse(right) in (f"{answer}.text", f"{answer}.content.decode()")
        text = _literal(left)
        if is_of_body and isinstance(text, str) and text:
            return replace(expect, contains=(*expect.contains, text))
        values = value if isinstance(value, list | tuple | set) else None
        if place != "status_code" or not values or not all(_is_status(status) for status in values):
            return None
        return replace(expect, status=tuple(sorted(values)))
    if place == "status_code" and isinstance(sign, ast.NotEq) and _is_status(value):
        return replace(expect, status=(value,))
    is_longer = isinstance(sign, ast.Gt | ast.GtE) and place == "elapsed.total_seconds()"
    if is_longer and isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return replace(expect, time=Seconds(float(value)))
    path = _json_path(left, answer)
    if path and isinstance(sign, ast.NotEq | ast.IsNot) and isinstance(value, str | int | float | bool):
        return replace(expect, json={**expect.json, path: value})
    return None


def _json_path(node: ast.expr, answer: str) -> str:
    """Return the JSONPath of `answer.json()["a"][0]`; nothing for any other expression."""
    path = ""
    while isinstance(node, ast.Subscript):
        key = _literal(node.slice)
        if isinstance(key, str) and key.isidentifier() and key.isascii():
            path = f".{key}{path}"
        elif isinstance(key, int) and not isinstance(key, bool) and key >= 0:
            path = f"[{key}]{path}"
        else:
            return ""
        node = node.value
    # `js` is the JSON of an answer to a `rest` of FastHttpUser.
    is_answer = ast.unparse(node) in (f"{answer}.json()", f"{answer}.js")
    return f"${path}" if path and is_answer else ""


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _is_status(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in _STATUSES
