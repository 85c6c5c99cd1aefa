"""The program with an output that is lost (no reader, a full disk, a closed terminal), and after a kill."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests import warm


def command(*words: str) -> list[str]:
    """Return the command line that starts `loadrig WORDS`."""
    return [sys.executable, "-m", "loadrig.cli", *words]


def environment(cwd: Path) -> dict[str, str]:
    """Return the variables of a command: leases of its own, no colour."""
    return {**os.environ, "XDG_STATE_HOME": str(cwd / "state"), "NO_COLOR": "1"}


def started(words: Sequence[str], cwd: Path, **how: Any) -> subprocess.Popen[bytes]:
    """Start `loadrig WORDS` in a process of its own, its imports too. how: as of Popen."""
    return subprocess.Popen(command(*words), cwd=cwd, env=environment(cwd), **how)


def without_reader() -> int:
    """Return the writing end of a pipe that nobody reads any more; the caller closes it."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def ended(
    words: Sequence[str], cwd: Path, lost: Mapping[str, int | str], timeout_s: float = 60.0
) -> tuple[int, str, str]:
    """Run a command whose streams are lost as said; return its exit code, standard output and error.

    lost: by "stdout" or "stderr" what stands in its place, a descriptor or a path. What is not lost is read.
    Where nothing is lost the program is a warm one: only what it prints is asked for.
    """
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    opened = []
    for name, what in lost.items():
        handle = what if isinstance(what, int) else os.open(what, os.O_WRONLY)
        opened.append(handle)
        streams[name] = handle
    begin = subprocess.Popen if lost else warm.Popen
    process = begin(command(*words), cwd=cwd, env=environment(cwd), **streams)
    for handle in opened:
        os.close(handle)
    out, err = process.communicate(timeout=timeout_s)
    return process.returncode, (out or b"").decode(), (err or b"").decode()


def as_killed_after_sealing(run: Path) -> None:
    """Take back what a rig writes after its only trial is sealed, as if it had been killed before."""
    ledger = run / "ledger.jsonl"
    ledger.write_text(ledger.read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    for name in ("result.json", "report.html", "trials/0001/result.json"):
        (run / name).unlink()
