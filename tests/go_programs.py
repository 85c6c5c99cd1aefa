"""Programs that tests build of sources of their own by Go, out of packages that Go's registry has."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD_S = 240.0
"""Time that building one may take, in seconds: ten at most where Go has compiled its parts before."""


def built_by_go(source: Path, folder: Path, needed: str) -> str:
    """Return the path of a program that is built in a folder; skips the test where Go cannot build it.

    needed: begin of the sentence that says what is missing.
    """
    tool = shutil.which("go", path=f"{os.environ['PATH']}:/usr/local/go/bin")
    if tool is None:
        pytest.skip(f"{needed} go is missing, which builds one")
    program = folder / source.name
    built = subprocess.run(
        [tool, "build", "-o", str(program), "."],
        cwd=source, capture_output=True, text=True, timeout=BUILD_S, check=False,
    )  # fmt: skip
    if built.returncode:
        pytest.skip(f"{needed} go cannot build one: {built.stderr.strip()[-200:]}")
    return str(program)
