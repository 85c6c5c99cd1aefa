"""The program as a user starts it: a process of its own, with a deadline."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tests import warm
from tests.labs.judged import OF_THE_MACHINE

DEADLINE_S = 120.0


@dataclass(frozen=True)
class EndedProgram:
    """End of a program, as its user sees it."""

    code: int
    out: str
    err: str


def was_spoilt(run: Path) -> bool:
    """Return whether every trial of a run was gravely disturbed, by this machine's neighbours as it says."""
    results = [json.loads(file.read_text(encoding="utf-8")) for file in run.glob("trials/*/result.json")]
    reasons = [
        [reason["check"] for reason in result["validity"]["reasons"] if reason["level"] in ("grave", "void")]
        for result in results
    ]
    return bool(reasons) and all(OF_THE_MACHINE & set(checks) for checks in reasons)


def loadrig(*words: str, cwd: Path, timeout_s: float = DEADLINE_S) -> EndedProgram:
    """Run `loadrig WORDS` in a folder; fails the test if it takes longer than the deadline."""
    done = warm.run(
        [*warm.PROGRAM, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        env={**os.environ, "XDG_STATE_HOME": str(cwd / "state"), "NO_COLOR": "1"},
    )
    return EndedProgram(done.returncode, done.stdout, done.stderr)
