"""The program as a user starts it: a process of its own, with a deadline."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

DEADLINE_S = 60.0


@dataclass(frozen=True)
class Ended:
    """What the user sees."""

    code: int
    out: str
    err: str


def loadrig(*words: str, cwd: Path, timeout_s: float = DEADLINE_S) -> Ended:
    """Run `loadrig WORDS` in a folder; fails the test if it takes longer than the deadline."""
    done = subprocess.run(
        [sys.executable, "-m", "loadrig.cli", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env={**os.environ, "XDG_STATE_HOME": str(cwd / "state"), "NO_COLOR": "1"},
    )
    return Ended(done.returncode, done.stdout, done.stderr)
