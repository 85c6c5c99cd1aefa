"""Words of errors: they stand in catalogues, in every language, and nowhere else."""

import ast
import re
from collections.abc import Iterator

from tests.house.places import nodes, short, trees_with

MAKERS = {"Problem", "Unavailable"}
"""Errors that are raised for a person, where each is made of its parts: what is wrong, how to mend it."""

BELOW = ("python/loadrig/base/base_texts.py",)
"""Catalogue of the lowest room, which may not import those of `language`."""


def words_in(node: ast.expr) -> bool:
    """Return whether an expression says something itself, in place of naming a sentence of a catalogue."""
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value.strip()
        for part in ast.walk(node)
    )


def worded_in_place() -> Iterator[str]:
    """Yield the places where an error is worded."""
    for path, tree in trees_with(re.compile(rf"\b(?:{'|'.join(MAKERS)})\b")):
        place = short(path)
        if place.startswith(BELOW):
            continue
        for node in nodes(tree):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            if name in MAKERS and any(words_in(argument) for argument in arguments):
                yield f"{place}:{node.lineno}"


def test_an_error_takes_its_words_from_a_catalogue() -> None:
    assert list(worded_in_place()) == []
