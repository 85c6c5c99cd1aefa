"""Taking of a profile: what it needs and brings, and how a profiler's own program is run."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from loadrig._native import process_tree
from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.error_words import ErrorWords
from loadrig.base.running import Address
from loadrig.base.series import Event
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers import ProfilersShotErrors
from loadrig.profilers._stacks import Profile

ERRORS = texts_of(ProfilersShotErrors)

LOOK_S = 0.25
"""Seconds between looks whether a program must be ended. Its own end is known at once."""

POLL_S = 0.05
"""Seconds between looks whether a program has ended, where the kernel does not tell (before Linux 5.3)."""

GRACE_S = 20.0
"""Seconds that a profiler may need beyond its time, to attach and to write, on a busy machine."""


class EndSignal(Protocol):
    """Signal that ends a profile before its time: a threading.Event, or an object with the same methods."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float) -> bool: ...


@dataclass(frozen=True, slots=True)
class Shot:
    """A profile that is to be taken. seconds: how long to watch.

    folder: an empty folder for the profiler's own files, removed afterwards. base: the folder of the plan.
    stop: set when the load ends before the profile: `take` then ends at once and raises Unavailable.
    permits: effects on a server that the plan or a flag allows; see base.effects.
    tell: takes the events of what was opened in a server or loaded into it, and of its end.
    """

    seconds: float
    folder: Path
    stop: EndSignal
    base: Path = Path()
    permits: frozenset[str] = frozenset()
    tell: Callable[[Event], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Capture:
    """A profile as it was taken.

    pid: the process that was profiled, the root of several; None where that is not known.
    began_ns, ended_ns: begin and end of the time in which stacks were looked at, on the rig's clock.
    cpu_s: CPU seconds of the profiler's own programs; None where the profiler works within the server.
    pprof: the profile as its runtime wrote it, kept as it is; None where it is to be made from `profile`.
    sees_all: whether the profiler sees CPU time of every kind. C code that has let go the interpreter lock of
    Python is not seen where only the holder of the lock is looked at.
    """

    profile: Profile
    pid: int | None
    began_ns: int
    ended_ns: int
    cpu_s: float | None = None
    pprof: bytes | None = None
    sees_all: bool = True


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that has ended: its exit code, what it printed (out, err), the CPU seconds that it used."""

    code: int
    out: bytes
    err: str
    cpu_s: float

    @property
    def last_line(self) -> str:
        """Last line that the program printed, for a sentence."""
        lines = (self.err or self.out.decode("utf-8", "replace")).strip().splitlines()
        return lines[-1].strip() if lines else f"exit code {self.code}"


def run(argv: Sequence[str], shot: Shot, at_most_s: float) -> Ran:
    """Run a program to its end. Raises Unavailable when the load ends first, or the time is up."""
    out, err = shot.folder / "out", shot.folder / "err"
    with out.open("wb") as to_out, err.open("wb") as to_err:
        try:
            # In a session of its own, as the signals of a terminal (Ctrl-C, its end) would end it too early.
            # The rig asks it to end, so that it first resumes the processes that it has stopped.
            child = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=to_out, stderr=to_err, start_new_session=True
            )
        except OSError as error:
            raise no_tool(ERRORS.tool_not_run(argv[0], str(error.strerror))) from None
    before = time.monotonic()
    ends = _EndOfChild(child.pid)
    while True:
        # wait4 and not Popen.wait: it also tells the CPU time that the program used.
        pid, status, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            break
        if time.monotonic() - before > at_most_s or shot.stop.is_set():
            end(child)
            ends.close()
            if shot.stop.is_set():
                raise too_late()
            wording = ERRORS.not_done_within(os.path.basename(argv[0]), f"{at_most_s:.0f}")
            raise Unavailable.of(wording, code="probe.no-answer")
        ends.wait(shot.stop)
    ends.close()
    return Ran(
        child.returncode,
        out.read_bytes(),
        err.read_text(encoding="utf-8", errors="replace"),
        used.ru_utime + used.ru_stime,
    )


class _EndOfChild:
    """Wait for a child process to end, without polling where the kernel can tell of the end."""

    def __init__(self, pid: int) -> None:
        try:
            self._handle: int | None = os.pidfd_open(pid)
        except OSError:
            self._handle = None

    def wait(self, stop: EndSignal) -> None:
        """Wait until the child has ended, or until it is time to look whether it must be ended."""
        if self._handle is None:
            stop.wait(POLL_S)
            return
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        poll.poll(LOOK_S * 1e3)

    def close(self) -> None:
        """Release the handle: nobody waits for the child any more."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def end(child: "subprocess.Popen[bytes]") -> None:
    """End a program: by SIGINT first, as only the program itself can resume the processes that it stopped."""
    with suppress(ProcessLookupError):
        child.send_signal(signal.SIGINT)
    try:
        child.wait(3.0)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def too_late() -> Unavailable:
    """Return the error for a load that ended before the profile did."""
    return Unavailable.of(ERRORS.load_too_short(), code="profile.too-short")


def no_tool(wording: ErrorWords) -> Unavailable:
    """Return the error for a program that is needed and missing."""
    return Unavailable.of(wording, code="probe.no-tool")


def process_gone(pid: int) -> Unavailable:
    """Return the error for a process that has ended."""
    return Unavailable.of(ERRORS.process_gone(str(pid)), code="probe.no-process")


def address_of(text: str) -> Address:
    """Return the address of an option HOST:PORT. Raises Unavailable where the text is something else."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal():
        raise Unavailable.of(ERRORS.not_an_address(repr(text)), code="probe.no-answer")
    return Address(host.strip("[]"), int(port))


def pid_of(component: Component) -> int:
    """Return the pid of the root of a component's processes.

    Raises Unavailable if it is not known or gone.
    """
    pid = component.pid
    if pid is None:
        raise Unavailable.of(ERRORS.process_unknown(component.name), code="probe.no-process")
    if processes.start_of(pid) is None or (
        component.start is not None and not processes.is_alive(pid, component.start)
    ):
        raise process_gone(pid)
    return pid


def family(root: int) -> list[int]:
    """Return the pids of a process and its descendants, parents first, without zombies."""
    pids = process_tree(root, (), processes.PROC)
    return [pid for pid in pids if (stat := processes.stat(pid)) is not None and stat.state not in "ZX"]


def those_that_run(root: int, is_wanted: Callable[[str], bool]) -> list[int]:
    """Return the pids of a tree's processes whose program has a wanted file name; the root if there is none.

    A server is often started by a shell, which has nothing to profile.
    """
    pids = []
    for pid in family(root):
        with suppress(OSError):
            if is_wanted(os.path.basename(os.readlink(f"/proc/{pid}/exe"))):
                pids.append(pid)
    return pids or [root]
