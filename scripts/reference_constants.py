"""The page of numbers that decide: each with its value, its reason and its place, read from the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from reference_parts import MADE, table

PACKAGE = Path(__file__).parents[1] / "python" / "loadrig"
ROOMS = ("judgement", "soaking", "proving", "stats")
"""Rooms whose numbers decide what a user is told."""


def constants_of(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and reason of each number that a module gives a name to."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        if not isinstance(node, ast.Assign):
            continue
        reason = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            reason = " ".join(str(after.value.value).split())
        for target in node.targets:
            for name, value in _pairs(target, node.value):
                if _is_number(value):
                    yield name, ast.unparse(value), reason


def page() -> str:
    """Return docs/reference/constants.md."""
    text = MADE + "# Numbers that decide\n\n"
    text += "Every number by which loadrig decides what it says, with its unit and its reason.\n"
    text += "It stands once in the source, at the place that is named.\n\n"
    for room in ROOMS:
        rows = [
            (f"`{name}`", f"{value}", reason, f"`{path.relative_to(PACKAGE).as_posix()}`")
            for path in sorted((PACKAGE / room).rglob("*.py"))
            for name, value, reason in constants_of(path)
            if not re.fullmatch(r"NS|MB|DAY_S", name)
        ]
        text += f"## {room}\n\n{table(('name', 'value', 'meaning and reason', 'place'), iter(rows))}\n"
    return text


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for name, part in zip(target.elts, value.elts, strict=True):
            yield from _pairs(name, part)
    elif isinstance(target, ast.Name) and target.id.isupper():
        yield target.id, value


def _is_number(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)
