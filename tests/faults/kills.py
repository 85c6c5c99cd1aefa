"""kill -9 of a process of ours at a random instant, and what must hold afterwards."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import processes
from loadrig.base.errors import RigError
from loadrig.recording.reader import Recording
from loadrig.testing.leftovers import nothing_left_behind
from tests import warm
from tests.faults.harness import OWN_FAULT, Command, damaged, is_whole, leftovers, trials_in
from tests.faults.injector import state_of

ENDS_WITHIN_S = 90.0


@dataclass(frozen=True)
class Killed:
    """Result of a kill. victim: the command line of the killed process; "" where all had ended before."""

    victim: str
    after_s: float
    code: int
    lost: tuple[str, ...]
    leftovers: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def troubles(self) -> tuple[str, ...]:
        """All that must not be."""
        return (*self.lost, *self.leftovers, *self.wrong)

    def __str__(self) -> str:
        return f"{self.victim[-60:]} after {self.after_s:.2f} s, exit code {self.code}: " + "; ".join(
            self.troubles
        )


def killed(
    command: Command, folder: Path, longest_s: float, seed: int, values: Mapping[str, object]
) -> Killed:
    """Start a command, kill one of its processes at an instant up to longest_s, and look at what is left.

    seed: of the instant and of the choice of the process.
    """
    chance = random.Random(seed)
    after_s = chance.uniform(0.0, longest_s)
    command.lay_out(folder)
    remains: tuple[str, ...] = ()
    victim, code, err = "", 0, ""
    try:
        with nothing_left_behind():
            victim, code, err = _killed(command, folder, after_s, chance, values)
            doctor = _doctor(folder)
    except AssertionError as error:
        remains, doctor = (str(error),), 0
    remains += tuple(trouble for trouble in leftovers(folder) if "lease" in trouble)
    is_done = is_whole(folder, command.makes)
    wrong = [
        *_wrong(victim, code, err, is_done=is_done),
        *([f"doctor --clean ended with {doctor}"] if doctor else []),
    ]
    return Killed(victim, after_s, code, tuple(_lost(folder)), remains, tuple(wrong))


def _killed(
    command: Command, folder: Path, after_s: float, chance: random.Random, values: Mapping[str, object]
) -> tuple[str, int, str]:
    words = [word.format(**values) for word in command.words]
    with (folder / "err.txt").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "loadrig.cli", *words],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            env=_environment(folder),
        )  # fmt: skip
        try:
            time.sleep(after_s)
            victim = _victim(process.pid, chance)
            name = processes.command_line(victim) if victim else ""
            if victim:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
            code = process.wait(timeout=ENDS_WITHIN_S)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    return name, code, (folder / "err.txt").read_text(encoding="utf-8", errors="replace")


def _victim(control: int, chance: random.Random) -> int | None:
    """Choose the control process as often as all its own children together; None: it has ended."""
    everyone = processes.table()
    if control not in everyone or everyone[control].state in "ZX":
        return None
    children = [
        pid for pid in processes.tree(control, everyone)[1:]
        if "loadrig" in processes.command_line(pid) and "sabotage" not in processes.command_line(pid)
    ]  # fmt: skip
    return chance.choice(children) if children and chance.random() < 0.5 else control


def _doctor(folder: Path) -> int:
    """Clean up as the user is told to; the exit code where it was not all right."""
    done = warm.run(
        [*warm.PROGRAM, "doctor", "--clean", "--json"],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=ENDS_WITHIN_S,
        env=_environment(folder),
    )  # fmt: skip
    undone = json.loads(done.stdout).get("cleaned", [])
    return done.returncode if any(each["left"] for each in undone) else 0


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1", "XDG_STATE_HOME": str(state_of(folder))}


def _lost(folder: Path) -> list[str]:
    """Name the trials that cannot be read, or whose seal does not fit."""
    troubles = []
    for trial in trials_in(folder / "run"):
        if not trial.manifest.exists():
            continue
        try:
            recording = Recording.open(trial.path)
            rows = _whole_lines(trial.frames) if trial.frames.exists() else 0
            if len(recording.frames) < rows:
                troubles.append(f"of {rows} frames of {trial.path.name} {len(recording.frames)} are read")
        except RigError as error:
            troubles.append(f"{trial.path.name} cannot be read: {error}")
    return [*troubles, *damaged(folder)]


def _whole_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _wrong(victim: str, code: int, err: str, *, is_done: bool) -> list[str]:
    """Name what is wrong with the exit code and what was said. is_done: nothing is missing all the same."""
    troubles = []
    if victim and code == 0 and not is_done:
        troubles.append("exit code 0, although a process of the rig was killed")
    if OWN_FAULT in err or "Traceback" in err:
        troubles.append(f"a traceback: {err[-900:]}")
    return troubles
