"""Runs the program with one of its system calls made to fail, and tells which calls it made."""

import atexit
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from tests import warm

SOURCE = Path(__file__).with_name("inject.c")

COUNT_BYTES = 64
"""Room for a counter of 8 bytes for each kind of call; `enum kind` in inject.c has seven."""

DEADLINE_S = 240.0
"""A small plan takes seconds, a proof on it a minute; beyond this the program hangs."""


@dataclass(frozen=True)
class InjectedCall:
    """One system call of a process of ours.

    number: within its kind, from 1. role: control, generator, observer or lever. place: the path, or the kind
    of the descriptor. outcome: "ok", or the name of the fault.
    """

    number: int
    kind: str
    role: str
    place: str
    outcome: str

    @property
    def site(self) -> tuple[str, str, str]:
        """Kind, role and place without its numbers: what calls of the same line of the program share."""
        place = re.sub(r"(runs?|trials|proof)/\d+", r"\1/N", self.place)
        place = re.sub(r"(loadrig|process|cgroup|change)-\d[\d-]*", r"\1-N", place)
        return self.kind, self.role, re.sub(r"\d{3,}", "N", place)


@dataclass(frozen=True)
class CallFault:
    """A fault to inject. kind, error: see inject.c. number: which call. is_lasting: all later ones too."""

    kind: str
    error: str
    number: int
    is_lasting: bool = False

    def __str__(self) -> str:
        return f"{self.kind}:{self.error}:{self.number}{'+' if self.is_lasting else ''}"

    @property
    def is_harmless(self) -> bool:
        """Whether POSIX asks every program to go on after it: a call that is repeated or continued."""
        return self.error in ("EINTR", "SHORT")


@dataclass(frozen=True)
class FaultedEnd:
    """End of a command, as a person and a disk have it: exit code, both outputs, and the calls it made."""

    code: int
    out: str
    err: str
    calls: tuple[InjectedCall, ...]

    @property
    def hits(self) -> tuple[InjectedCall, ...]:
        """The calls that were made to fail."""
        return tuple(call for call in self.calls if call.outcome != "ok")


@cache
def library() -> Path:
    """Return the compiled injector. Raises CalledProcessError with the compiler's words."""
    folder = Path(mkdtemp(prefix="loadrig-inject-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    path = folder / "inject.so"
    words = ["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(path), str(SOURCE), "-ldl"]
    subprocess.run(words, check=True, capture_output=True, text=True)
    return path


def environment(place: Path, fault: CallFault | None = None) -> Mapping[str, str]:
    """Return the variables under which a program's calls are written down, and one of them fails.

    place: an empty folder for what is written down.
    """
    place.mkdir(parents=True, exist_ok=True)
    (place / "count").write_bytes(bytes(COUNT_BYTES))
    (place / "calls").write_bytes(b"")
    variables = {"LD_PRELOAD": str(library()), "LOADRIG_FAULTS": str(place)}
    return {**variables, "LOADRIG_FAULT": str(fault)} if fault else variables


PARENT_OF_INJECTED = warm.WarmParent(first="begin_faults")
"""The parent of programs with the injector in them, where `warm_parent` has begun it."""


@contextmanager
def warm_parent() -> Iterator[None]:
    """Let programs with the injector come from a parent that has loaded it, until the block ends."""
    PARENT_OF_INJECTED.begin({"LD_PRELOAD": str(library())})
    try:
        yield
    finally:
        PARENT_OF_INJECTED.end()


def state_of(folder: Path) -> Path:
    """Return where a program that runs in a folder keeps its leases and its calibration."""
    return folder / "state"


def run(words: Sequence[str], folder: Path, place: Path, fault: CallFault | None = None) -> FaultedEnd:
    """Run `loadrig WORDS` in a folder with a fault; None: only write the calls down."""
    done = warm.run(
        [*warm.PROGRAM, *words],
        parent=PARENT_OF_INJECTED,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=DEADLINE_S,
        check=False,
        env={
            **os.environ,
            "NO_COLOR": "1",
            "XDG_STATE_HOME": str(state_of(folder)),
            **environment(place, fault),
        },
    )
    return FaultedEnd(done.returncode, done.stdout, done.stderr, tuple(calls_in(place, folder)))


def calls_in(place: Path, folder: Path) -> Iterable[InjectedCall]:
    """Yield the calls that were written down, with places below `folder` relative to it."""
    for line in (place / "calls").read_text(encoding="utf-8", errors="replace").splitlines():
        number, kind, role, what, outcome = line.split("\t")
        yield InjectedCall(int(number), kind, role, what.removeprefix(f"{folder}/"), outcome)
