"""Commit that a folder is at, so that a run can be found by what was measured."""

import subprocess
from pathlib import Path

WITHIN_S = 2.0
"""Longest time for git to answer, in seconds: it reads two small files."""


def commit_of(folder: Path) -> str:
    """Return the commit that a folder is at, all 40 digits of it; "" where there is none, and without git."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), "rev-parse", "--verify", "--quiet", "HEAD"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=WITHIN_S,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
