"""Numbers that decide have one value for one name, in all rooms of judgement."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.house.places import PACKAGE, python_files, short
from tests.house.test_names import named_in

ROOMS = ("judgement", "soaking", "proving")
"""Rooms whose numbers decide what a user is told."""


def is_judging(path: Path) -> bool:
    return path.relative_to(PACKAGE).parts[0] in ROOMS


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
        if is_judging(path):
            for name, number in constants(path):
                places[name][number].append(short(path))
    assert len(places) > 100
    assert {name: dict(values) for name, values in places.items() if len(values) > 1} == {}


UNITS = {"NS", "MB", "DAY_S"}
"""Names of units of measurement, which need no reason."""


def bare(path: Path) -> list[str]:
    """Return the numbers of a module that have a name and no docstring behind it."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    missing = []
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        if not isinstance(node, ast.Assign):
            continue
        names = [name for target in node.targets for name, _ in numbers(target, node.value)]
        has_reason = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        missing += [name for name in names if not has_reason and name.isupper() and name not in UNITS]
    return missing


def test_each_number_that_decides_says_what_it_means_and_why() -> None:
    bare_by_module = {short(path): bare(path) for path in python_files() if is_judging(path)}
    assert {module: names for module, names in bare_by_module.items() if names} == {}


MOST_UNNAMED = {
    "comparing": 1, "probes": 1, "profilers": 2, "proving": 1, "report": 13, "soaking": 2, "stats": 17,
}  # fmt: skip
"""Comparisons with a number that has no name, by room; no other room has any. They may only fall."""


def unnamed(path: Path) -> list[str]:
    """Return the comparisons of a module with a number that has no name, a half and whole ones aside."""
    return [
        f"{short(path)}:{node.lineno}"
        for node in named_in(path).comparisons
        for part in (node.left, *node.comparators)
        for number in ast.walk(part)
        if isinstance(number, ast.Constant)
        and isinstance(number.value, float)
        and number.value not in (0.0, 0.5, 1.0, 2.0, 1e9)
    ]


def test_no_new_number_decides_without_a_name() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in python_files():
        places[path.relative_to(PACKAGE).parts[0]] += unnamed(path)
    assert {
        room: its_places for room, its_places in places.items() if len(its_places) > MOST_UNNAMED.get(room, 0)
    } == {}
