"""Names say what they hold, classes are named once, and docstrings can be understood alone."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.house.places import PACKAGE, nodes, short, sources
from tests.house.prose import is_on_prose

RIDDLES = {
    "one", "found", "said", "told", "kept", "known", "made", "it", "thing", "seen", "taken", "who", "got",
}  # fmt: skip
"""Names that hold anything, and say nothing of it."""

RIDDLES_IN_THE_PROGRAM = RIDDLES | {"given", "heard"}
"""All names of that kind in the program; tests import a decorator `given`, and hear what is said."""

RIDDLES_OUTSIDE_THE_PROGRAM = RIDDLES | {"of"}
"""All names of that kind that tests, benchmarks and scripts have no use for."""

PAIRED = {"left": "right"}
"""Names that say something only beside another that the same module gives."""

BEFORE_THE_RULE = {
    ("converters/_jmx_text.py", "_made"), ("importers/_spool.py", "KEPT"),
    ("importers/_times.py", "_KNOWN"),
}  # fmt: skip
"""Names of the program that are older than the rule for private names and constants: none is added here."""

KEPT = {"Check.found", "MergerLine.seen", "OtherClient.who"}
"""Fields that are written to JSON."""

BY_CONTRACT = {"Options"}
"""Names of classes that the contract of members prescribes, so that each member has its own."""

RIDDLE_OPENINGS = ("Of", "It", "They", "What", "Who", "Whose", "Where", "Which", "When", "Why", "How")
"""First words of docstrings that leave a reader to guess the noun that is described."""

NO_VERBS = ("A", "An", "The", "One", "This", "Whether", "All")
"""First words of a function's docstring that are no verb."""


NAMING = (ast.arg, ast.Name, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.ImportFrom)
"""Nodes that may give a name to a value."""

LOOKED_AT = {
    *NAMING, ast.Assert, ast.Call, ast.FunctionDef, ast.AsyncFunctionDef, ast.Compare, ast.ClassDef, ast.Expr,
}  # fmt: skip
"""Nodes of which anything is noted: a quarter of all."""


@dataclass(frozen=True)
class Named:
    """Names and docstrings of one module, each with its line. fields: places of names that are fields."""

    names: list[tuple[int, str]]
    functions: list[tuple[int, str]]
    classes: list[tuple[int, str]]
    fields: dict[tuple[int, str], str]
    strings: list[tuple[int, str]]
    described: list[tuple[int, str]]
    comparisons: list[ast.Compare]
    on_prose: list[int]


@cache
def named_in(path: Path) -> Named:
    """Read a module once for all tests; its tree is not kept, as those of the whole house fill 600 MB."""
    module = Named([], [], [], {}, [], [], [], [])
    for node in nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if type(node) not in LOOKED_AT:
            continue
        if isinstance(node, ast.Assert | ast.Call):
            if is_on_prose(node):
                module.on_prose.append(node.lineno)
            continue
        if isinstance(node, NAMING):
            module.names.extend(names_given(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            module.functions.append((node.lineno, node.name))
            if is_described(node) and (text := ast.get_docstring(node)):
                module.described.append((node.lineno, text))
        elif isinstance(node, ast.Compare):
            module.comparisons.append(node)
        elif isinstance(node, ast.ClassDef):
            module.classes.append((node.lineno, node.name))
            module.fields.update(fields(node))
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            module.strings.append((node.lineno, node.value.value))
    return module


def names_given(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the names that a node gives to values, with their lines."""
    if isinstance(node, ast.arg):
        yield node.lineno, node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.lineno, node.id
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.lineno, node.name
    elif isinstance(node, ast.ImportFrom):
        yield from ((node.lineno, alias.asname or alias.name) for alias in node.names)


def is_described(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a docstring is to begin with a verb: a test may say what holds, in a sentence."""
    return not node.name.startswith("test_") and not any(
        "property" in ast.unparse(decorator) for decorator in node.decorator_list
    )


def fields(node: ast.ClassDef) -> dict[tuple[int, str], str]:
    return {
        (part.lineno, part.target.id): f"{node.name}.{part.target.id}"
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }


def first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].rstrip(",.:;")


def test_names_say_what_they_hold() -> None:
    riddles = []
    for path in sources():
        module = named_in(path)
        names = {name for _, name in module.names}
        refused = RIDDLES_IN_THE_PROGRAM
        if not path.is_relative_to(PACKAGE):
            unpaired = {name for name, other in PAIRED.items() if other not in names}
            refused = RIDDLES_OUTSIDE_THE_PROGRAM | unpaired
        riddles += [
            (short(path), *place)
            for place in module.names
            if place[1] in refused and module.fields.get(place) not in KEPT
        ]
        checked = refused & RIDDLES_IN_THE_PROGRAM
        riddles += [(short(path), *place) for place in module.functions if place[1] in checked]
    assert riddles == []


def test_a_class_is_named_once_in_the_house() -> None:
    places = defaultdict(set)
    for path in sources():
        for line, name in named_in(path).classes:
            if name not in BY_CONTRACT:
                places[name].add(f"{short(path)}:{line}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice == {}


def test_private_names_and_constants_of_the_program_say_what_they_hold() -> None:
    riddles = set()
    for path in sources():
        if path.is_relative_to(PACKAGE):
            module = named_in(path)
            places = [place for place in module.names if module.fields.get(place) not in KEPT]
            riddles |= {
                (path.relative_to(PACKAGE).as_posix(), name)
                for _, name in (*places, *module.functions, *module.classes)
                if name.strip("_").lower() in RIDDLES_IN_THE_PROGRAM
            }
    assert riddles <= BEFORE_THE_RULE


def test_no_docstring_needs_the_line_before_it() -> None:
    unclear = [
        (short(path), line, text)
        for path in sources()
        for line, text in named_in(path).strings
        if first_word(text) in RIDDLE_OPENINGS
    ]
    assert unclear == []


def test_the_docstring_of_a_function_begins_with_a_verb() -> None:
    verbless = [
        (short(path), line, text)
        for path in sources()
        for line, text in named_in(path).described
        if first_word(text) in NO_VERBS
    ]
    assert verbless == []
