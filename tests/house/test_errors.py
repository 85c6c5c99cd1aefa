"""What errors say: each sentence of a problem stands in one golden file, beside its code.

Of plans the whole text of each error is kept as a user sees it, in tests/plan/cases/bad.
Other tests assert the code and the place of an error, not its words.
"""

import ast
from collections import defaultdict
from functools import cache

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.house.places import python_files

SAID = {
    "Problem": ("what", "mend", "code", "why"),
    "of": ("what", "mend", "code", "why"),
    "problem": ("what", "mend", "code", "why"),
    "Unavailable": ("reason", "mend", "code"),
}
"""What is raised for a person, and the order of its parts; all that is said is among them."""


def template(node: ast.expr) -> str:
    """Return what an expression says, with … for each hole: a variable may have another name tomorrow."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(template(part) for part in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return template(left) + template(right)
        case ast.IfExp(body=body, orelse=orelse):
            return f"[{template(body)} | {template(orelse)}]"
        case _:
            return "…"


@cache
def errors() -> dict[str, dict[str, list[str]]]:
    """Return by area and code what the errors of the program say, a block of lines for each place."""
    found: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            names = SAID.get(name, ())
            parts = dict(zip(names, node.args, strict=False))
            parts |= {one.arg: one.value for one in node.keywords if one.arg in names}
            code = parts.pop("code", None)
            if not isinstance(code, ast.Constant):
                continue
            lines = [f"{key}: {template(value)}" for key, value in parts.items()]
            area = str(code.value).partition(".")[0]
            found[area][str(code.value)].add("\n".join(lines))
    return {area: {code: sorted(said) for code, said in sorted(by.items())} for area, by in found.items()}


@pytest.mark.parametrize("area", sorted(set(errors()) - {"plan"}))
def test_errors_of_an_area_say_what_the_golden_file_says(area: str, snapshot: SnapshotAssertion) -> None:
    told = [f"{code}\n{said}" for code, blocks in errors()[area].items() for said in blocks]
    assert "\n\n".join(told) == snapshot


def test_every_code_is_among_them() -> None:
    from tests.house.test_explain import given

    known = {code for by in errors().values() for code in by}
    assert {code for code in given() if not code.startswith(("engine.", "doctor."))} - known == set()
