"""Numbers that decide have one value for one name, in all rooms of judgement."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.house.places import PACKAGE, python_files, short

ROOMS = ("judgement", "soaking", "proving")
"""Rooms whose numbers decide what a user is told."""


def constants(path: Path) -> Iterator[tuple[str, float]]:
    """Yield the name and value of each number that a module gives a name to, also of several in a line."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from numbers(node.target, node.value)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from numbers(target, node.value)


def numbers(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, float]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for name, part in zip(target.elts, value.elts, strict=True):
            yield from numbers(name, part)
    elif isinstance(target, ast.Name):
        try:
            number = ast.literal_eval(value)
        except ValueError:
            return
        if isinstance(number, int | float) and not isinstance(number, bool):
            yield target.id, number


def test_a_name_stands_for_one_number() -> None:
    places: dict[str, dict[float, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in python_files():
        if path.relative_to(PACKAGE).parts[0] in ROOMS:
            for name, number in constants(path):
                places[name][number].append(short(path))
    assert len(places) > 100
    assert {name: dict(values) for name, values in places.items() if len(values) > 1} == {}
