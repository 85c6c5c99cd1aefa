"""Processes of our own take no module from the folder in which they are started."""

import ast
import os
import re
import subprocess
from pathlib import Path

from loadrig.base.safe_python import safe_python
from tests.house.places import short, trees_with


def run_in(folder: Path, source: str, **environment: str) -> str:
    done = subprocess.run(
        safe_python("-c", source), cwd=folder, env={**os.environ, **environment}, capture_output=True,
        text=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout.strip()


def test_a_module_of_the_folder_is_not_taken_and_one_on_pythonpath_is(tmp_path: Path) -> None:
    here, named = tmp_path / "here", tmp_path / "named"
    for folder in (here, named):
        folder.mkdir()
    (here / "queue.py").write_text("raise SystemExit(3)\n")
    (named / "of_a_developer.py").write_text("")
    source = "import queue, of_a_developer\nprint(of_a_developer.__file__)"
    assert run_in(here, source, PYTHONPATH=str(named)) == str(named / "of_a_developer.py")


def starts(path: Path, tree: ast.Module) -> list[tuple[str, str]]:
    """Return the place of each command in a file that begins with our interpreter, and its first word."""
    lists = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.List | ast.Tuple) and "sys.executable" in map(ast.unparse, node.elts[:1])
    ]  # fmt: skip
    return [(f"{short(path)}:{node.lineno}", ast.unparse(node.elts[1])) for node in lists]


def test_python_is_started_nowhere_with_the_users_folder_on_its_path() -> None:
    ours = trees_with(re.compile(r"\bexecutable\b"))
    commands = [command for path, tree in ours for command in starts(path, tree)]
    assert len(commands) > 3
    # `-I` stands for `-P` and more.
    assert [place for place, word in commands if word not in ("'-I'", "'-P'")] == []
