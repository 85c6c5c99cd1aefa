"""Names say what they hold, and docstrings can be understood alone."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.places import python_files, short

RIDDLES = {"one", "found", "said"}
"""Names that hold anything, and say nothing of it."""

KEPT = {"Check.found"}
"""Fields that are written to JSON."""


def named(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Names that a module gives to values, with their lines; fields by their class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def fields(tree: ast.AST) -> dict[tuple[int, str], str]:
    return {
        (part.lineno, part.target.id): f"{node.name}.{part.target.id}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }


@pytest.mark.parametrize("path", python_files(), ids=short)
def test_names_say_what_they_hold(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    of_class = fields(tree)
    riddles = [place for place in named(tree) if place[1] in RIDDLES and of_class.get(place) not in KEPT]
    assert riddles == []


@pytest.mark.parametrize("path", python_files(), ids=short)
def test_no_docstring_needs_the_one_before_it(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [
        (node.lineno, node.value.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    assert [place for place in texts if place[1].startswith(("Of ", "It ", "They "))] == []
