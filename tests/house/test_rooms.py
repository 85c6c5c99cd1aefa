"""Rooms are explained, files are of a size that can be read, imports run one way."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.places import PACKAGE, ROOT, files, python_files, rust_files, short

LINES_MOST = 500
"""Files are to have 100 to 400 lines; 500 is a question in review, more is an answer: no."""

FORBIDDEN_CLASS = re.compile(r"^\s*class\s+(\w*(?:Manager|Helper|Util|Utils|Impl))\b", re.MULTILINE)

DOCSTRING = re.compile(r'(?:#.*\n|\s*\n)*[rR]?"+\s*[^\s"]')
"""Begin of a module that has a docstring with a word, behind comments and empty lines."""


def rooms() -> list[str]:
    return sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def test_imports_run_one_way() -> None:
    # The program, as `make lint` calls it: its contracts stand in pyproject.toml.
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-cache",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("room", rooms())
def test_a_room_says_what_belongs_in_it(room: str) -> None:
    docstring = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8")))
    assert docstring, f"python/loadrig/{room}/__init__.py has no docstring"
    assert len(docstring.split()) >= 8, f"a room needs more than {docstring!r}"


@pytest.mark.parametrize("room", rooms())
def test_a_room_has_tests_of_its_own(room: str) -> None:
    own = ROOT / "tests" / room
    assert list(own.rglob("test_*.py")), f"there is no tests/{room}/test_*.py"


def test_every_module_says_what_belongs_in_it() -> None:
    assert [short(path) for path in python_files() if not says_what_it_holds(path)] == []


def says_what_it_holds(path: Path) -> bool:
    """Return whether a module has a docstring, or its English twin has it: a Korean file of sentences."""
    is_korean = path.is_relative_to(PACKAGE / "language" / "ko")
    return is_korean or bool(DOCSTRING.match(path.read_text(encoding="utf-8")))


def test_every_crate_and_rust_module_says_what_belongs_in_it() -> None:
    silent = [short(path) for path in rust_files() if not path.read_text(encoding="utf-8").startswith("//!")]
    assert silent == []


def test_no_file_is_too_long_to_read() -> None:
    sources = [path for path in files() if path.suffix in (".py", ".rs", ".sh", ".js", ".css")]
    own = [path for path in sources if "vendor" not in path.parts]
    lengths = {short(path): len(path.read_text(encoding="utf-8").splitlines()) for path in own}
    assert {name: lines for name, lines in lengths.items() if lines > LINES_MOST} == {}


def test_nothing_is_called_a_manager_a_helper_or_utils() -> None:
    vague = [
        short(path) for path in files() if path.stem.lower() in ("utils", "util", "helpers", "misc", "common")
    ]
    vague += [
        f"{short(path)}: {match[1]}"
        for path in python_files()
        for match in FORBIDDEN_CLASS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert vague == []


def test_nothing_is_left_to_do() -> None:
    # A TODO with the number of an issue is allowed; one without is a promise to nobody.
    mark = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))")
    marks = [
        f"{short(path)}:{number}"
        for path in files()
        if path.suffix in (".py", ".rs", ".js", ".sh", ".toml")
        and "vendor" not in path.parts
        and path.parent.name != "house"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if mark.search(line)
    ]
    assert marks == []


def test_the_engine_and_the_command_line_start_without_heavy_libraries() -> None:
    heavy = {"numpy", "scipy", "rich", "ruamel"}
    code = (
        "import sys, loadrig.engine, loadrig.base.errors, loadrig.cli.__main__;"
        f"print(sorted({heavy} & {{name.split('.')[0] for name in sys.modules}}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"
