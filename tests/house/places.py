"""Places where the house keeps what its tests look at."""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "loadrig"
EXPLAIN = PACKAGE / "explain"

BUILT = {".git", ".venv", ".tools", "target", "runs", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
"""Folders at the root that are made, not written: where the checkout is no git repository (an archive)."""


@cache
def files() -> tuple[Path, ...]:
    """Return every file that belongs to the project: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        names = (ROOT / name for name in listed.stdout.split("\0") if name)
        return tuple(sorted(path for path in names if path.is_file()))
    return tuple(
        sorted(
            path
            for path in ROOT.rglob("*")
            if path.is_file()
            and path.relative_to(ROOT).parts[0] not in BUILT | {".hypothesis", ".import_linter_cache"}
            and "__pycache__" not in path.parts
            and path.name not in ("report.html", "_native.abi3.so")
        )
    )


def short(path: Path) -> str:
    """Return a path as a person of this project knows it."""
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str | None:
    """Read a file; return its text, or None if it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


@cache
def python_files() -> tuple[Path, ...]:
    """Return the modules of the program."""
    return tuple(path for path in sources() if path.is_relative_to(PACKAGE))


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it, as ast.walk does in twice the time, and in no order.

    A module of ours has a thousand nodes, and the house two million.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                waiting.append(value)
            elif type(value) is list:
                waiting += [item for item in value if isinstance(item, ast.AST)]


def trees_with(pattern: re.Pattern[str]) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules of the program whose text has the pattern, with their trees: to parse all is slow."""
    for path in python_files():
        text = path.read_text(encoding="utf-8")
        if pattern.search(text):
            yield path, ast.parse(text)


@cache
def sources() -> tuple[Path, ...]:
    """Return every Python file: of the program, its tests, benchmarks, scripts and examples."""
    return tuple(path for path in files() if path.suffix == ".py")


@cache
def folders_of_tests() -> Mapping[str, Sequence[Path]]:
    """Return the Python files of each folder of the tests."""
    ours: defaultdict[str, list[Path]] = defaultdict(list)
    for path in sources():
        root, folder, *_ = (*path.relative_to(ROOT).parts[:-1], "", "")
        if root == "tests":
            ours[folder].append(path)
    return ours


def rust_files() -> list[Path]:
    """Return the modules of the crates."""
    return [path for path in files() if path.suffix == ".rs"]


def pages() -> list[Path]:
    """Return every Markdown page."""
    return [path for path in files() if path.suffix == ".md"]
