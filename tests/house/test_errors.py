"""Words of errors: they stand in catalogues, in every language, and nowhere else."""

import ast
from collections.abc import Iterator

from tests.house.places import python_files, short

MAKERS = {"Problem", "Unavailable"}
"""Errors that are raised for a person, where each is made of its parts: what is wrong, how to mend it."""

BELOW = ("python/loadrig/base/",)
"""Rooms below the catalogues, whose few errors are English in every language."""


def words_in(node: ast.expr) -> bool:
    """Return whether an expression says something itself, in place of naming a sentence of a catalogue."""
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value.strip()
        for part in ast.walk(node)
    )


def worded_in_place() -> Iterator[str]:
    """Yield the places where an error is worded."""
    for path in python_files():
        place = short(path)
        if place.startswith(BELOW):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            if name in MAKERS and any(words_in(argument) for argument in arguments):
                yield f"{place}:{node.lineno}"


def test_an_error_takes_its_words_from_a_catalogue() -> None:
    assert list(worded_in_place()) == []
