"""One bounded run of a command on one core: what it said, and what it cost.

CPU time and peak memory are those of the whole process from its start to its end, as the kernel
counts them for its parent (wait4): an interpreter that carries a generator is in it.
"""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

LIMIT_S = 60
"""Nothing here runs for longer; what takes it is killed."""


class Failed(Exception):
    """A run that gave no figure; its text says why. It is a row of the results, too."""


@dataclass(frozen=True)
class ProgramCost:
    """wall_s: from start to end; cpu_s: user and system; peak_bytes: resident at most."""

    wall_s: float
    cpu_s: float
    peak_bytes: int
    code: int
    was_killed: bool


@dataclass(frozen=True)
class RanProgram:
    """Output of a command, and what it cost."""

    cost: ProgramCost
    stdout: str
    stderr: str


def run(
    wrapper: Path, argv: Sequence[str], core: int, limit_s: int = LIMIT_S, cwd: Path | None = None
) -> RanProgram:
    """Run a command to its end. wrapper: the program built from native/cost.c."""
    with TemporaryFile() as output, running(wrapper, argv, core, limit_s, stdout=output, cwd=cwd) as started:
        started.process.wait()
        output.seek(0)
        started.read = output.read().decode(errors="replace")
    return RanProgram(started.cost, started.read, started.errors)


class Started:
    """A command that runs. Once it has ended `cost` and `errors` say what it cost and wrote to stderr."""

    cost: ProgramCost
    read: str = ""
    errors: str = ""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process


@contextmanager
def running(
    wrapper: Path,
    argv: Sequence[str],
    core: int,
    limit_s: int = LIMIT_S,
    *,
    stdout: int | IO[bytes] = subprocess.PIPE,
    cwd: Path | None = None,
) -> Iterator[Started]:
    """Start a command with pipes; at the end of the block it is waited for, after an error killed."""
    with TemporaryDirectory(prefix="loadrig-cost-") as folder, TemporaryFile() as errors:
        file = Path(folder, "cost.json")
        process = subprocess.Popen(
            [str(wrapper), str(core), str(limit_s), str(file), *argv],
            stdin=subprocess.PIPE if stdout == subprocess.PIPE else subprocess.DEVNULL,
            stdout=stdout,
            stderr=errors,
            cwd=cwd,
        )
        started = Started(process)
        try:
            yield started
            if process.stdin is not None:
                process.stdin.close()
            # The wrapper ends the command at the limit; twice that means that it hangs itself.
            process.wait(timeout=2 * limit_s)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(timeout=10)
            if process.stdout is not None:
                process.stdout.close()
            errors.seek(0)
            started.errors = errors.read().decode(errors="replace")
        if not file.exists():
            raise Failed(f"{argv[0]} did not start: {started.errors[-300:]}")
        document = json.loads(file.read_text(encoding="utf-8"))
        started.cost = ProgramCost(
            document["wall_s"], document["user_s"] + document["system_s"], document["peak_bytes"],
            document["code"],
            document["killed"] > 0,
        )  # fmt: skip
