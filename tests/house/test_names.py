"""Names say what they hold, classes are named once, and docstrings can be understood alone."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.house.places import short, sources

RIDDLES = {"one", "found", "said", "told", "kept", "known"}
"""Names that hold anything, and say nothing of it."""

KEPT = {"Check.found"}
"""Fields that are written to JSON."""

BY_CONTRACT = {"Options"}
"""Names of classes that the contract of members prescribes, so that each member has its own."""

RIDDLE_OPENINGS = ("Of", "It", "They", "What", "Who", "Whose", "Where", "Which", "When", "Why", "How")
"""First words of docstrings that leave a reader to guess the noun that is described."""

NO_VERBS = ("A", "An", "The", "One", "This", "Whether", "All")
"""First words of a function's docstring that are no verb."""


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def named(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the names that a module gives to values, with their lines."""
    for node in nodes_of(path):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.lineno, node.name
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, alias.asname or alias.name) for alias in node.names)


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def fields(path: Path) -> dict[tuple[int, str], str]:
    return {
        (part.lineno, part.target.id): f"{node.name}.{part.target.id}"
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }


def first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].rstrip(",.:;")


def test_names_say_what_they_hold() -> None:
    riddles = []
    for path in sources():
        of_class = fields(path)
        riddles += [
            (short(path), *place)
            for place in named(path)
            if place[1] in RIDDLES and of_class.get(place) not in KEPT
        ]
        riddles += [(short(path), node.lineno, node.name) for node in functions(path) if node.name in RIDDLES]
    assert riddles == []


def test_a_class_is_named_once_in_the_house() -> None:
    places = defaultdict(set)
    for path in sources():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and node.name not in BY_CONTRACT:
                places[node.name].add(f"{short(path)}:{node.lineno}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice == {}


def test_no_docstring_needs_the_line_before_it() -> None:
    unclear = [
        (short(path), node.lineno, node.value.value)
        for path in sources()
        for node in nodes_of(path)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and first_word(node.value.value) in RIDDLE_OPENINGS
    ]
    assert unclear == []


def test_the_docstring_of_a_function_begins_with_a_verb() -> None:
    verbless = [
        (short(path), node.lineno, text)
        for path in sources()
        for node in functions(path)
        if not node.name.startswith("test_")  # a test may say what holds, in a sentence
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
        and (text := ast.get_docstring(node))
        and first_word(text) in NO_VERBS
    ]
    assert verbless == []
