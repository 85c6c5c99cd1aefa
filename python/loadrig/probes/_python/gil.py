"""Who holds the interpreter lock (GIL) of a Python process, and who waits for it.

The holder is read by py-spy, which knows the layout of every version of CPython. Who waits is read from
the kernel: a thread that waits for the lock sleeps on a futex that lies in the interpreter's own data,
where no other lock of Python code lies (those are on the heap).
"""

import contextlib
import os
import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.base import processes
from loadrig.probes._session import read

_FUTEX = {"x86_64": "202", "aarch64": "98"}
"""Number of the system call, by machine; elsewhere waiting threads are not told."""

_INTERPRETER = re.compile(r"(lib)?(python|pypy)\d?")

MOST_THREADS_LOOKED_AT = 1000
"""In one burst, all looks together: about 10 µs each, so many threads do not cost more than py-spy does."""

_PAUSE_S = 0.1
"""Between our own looks."""

_LATE_S = 5.0
"""py-spy that has not ended so long after its time is stopped."""


@dataclass(slots=True)
class Burst:
    """Some looks at one process, evenly random over a short time.

    looks: how often py-spy looked. held: in how many of them a thread held the lock. frames: the innermost
    functions of the holders, by how often. running, waiting: threads, as means of our own looks; None
    where the kernel does not tell. cpu_s: what py-spy cost.
    """

    pid: int
    looks: int = 0
    held: int = 0
    frames: Counter[str] = field(default_factory=Counter)
    running: float | None = None
    waiting: float | None = None
    cpu_s: float = 0.0


class Refused(Exception):
    """py-spy could not read the process. The text is its own, one line."""


def program() -> str | None:
    """Return the path of py-spy: beside the interpreter that runs us, else on the PATH."""
    import shutil

    beside = os.path.join(os.path.dirname(sys.executable), "py-spy")
    return beside if os.access(beside, os.X_OK) else shutil.which("py-spy")


def is_python(pid: int, proc: Path = processes.PROC) -> bool:
    """Whether a process runs an interpreter: as its program, or as a library of it (uWSGI, mod_wsgi)."""
    try:
        name = os.path.basename(os.readlink(proc / str(pid) / "exe"))
    except OSError:
        return False
    return bool(_INTERPRETER.match(name)) or "/libpython" in (read(proc / str(pid) / "maps") or "")


def parse_raw(text: str) -> Counter[str]:
    """Innermost functions of py-spy's raw format ("outer (a.py:1);inner (b.py:2) 17"), by their counts."""
    found: Counter[str] = Counter()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        if count.isdecimal():
            found[stack.rpartition(";")[2]] += int(count)
    return found


def parse_data_of_interpreter(maps: str) -> list[tuple[int, int]]:
    """Where an interpreter keeps its own variables, from /proc/PID/maps: addresses from, to (excluded).

    Those are the writable parts of python or libpython, and the nameless one that follows (its .bss).
    """
    found: list[tuple[int, int]] = []
    end_before, is_interpreter = 0, False
    for line in maps.splitlines():
        where, rights, _, _, _, *named = line.split(None, 5)
        start, end = (int(one, 16) for one in where.split("-"))
        path = named[0] if named else ""
        is_interpreter = (
            bool(_INTERPRETER.match(os.path.basename(path))) if path
            else is_interpreter and start == end_before
        )  # fmt: skip
        if is_interpreter and "w" in rights:
            found.append((start, end))
        end_before = end
    return found


def parse_state(text: str, futex: str, data: Sequence[tuple[int, int]]) -> str:
    """What /proc/PID/task/TID/syscall says a thread does: "running", "waiting" for the lock, or "other"."""
    call, _, arguments = text.strip().partition(" ")
    if call == "running":
        return "running"
    if call == futex and arguments:
        address = int(arguments.partition(" ")[0], 16)
        if any(start <= address < end for start, end in data):
            return "waiting"
    return "other"


class ThreadLooks:
    """Looks at the threads of one process, again and again; see the module's docstring."""

    def __init__(self, pid: int, proc: Path = processes.PROC) -> None:
        self._folder = proc / str(pid) / "task"
        self._futex = _FUTEX.get(os.uname().machine, "")
        self._data = parse_data_of_interpreter(read(proc / str(pid) / "maps") or "")
        self._left = MOST_THREADS_LOOKED_AT
        self._seen: Counter[str] = Counter()
        self._n = 0

    def look(self) -> None:
        """Count the threads that run and wait now."""
        try:
            threads = os.listdir(self._folder)
        except OSError:
            return
        if len(threads) > self._left or not self._futex or not self._data:
            return
        self._left -= len(threads)
        states = [self._state(thread) for thread in threads]
        if any(states):  # else the kernel was built without, or we have not the right
            self._n += 1
            self._seen.update(states)

    def _state(self, thread: str) -> str:
        try:
            file = os.open(f"{self._folder}/{thread}/syscall", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return ""
        try:
            return parse_state(os.read(file, 256).decode(), self._futex, self._data)
        except OSError:
            return ""
        finally:
            os.close(file)

    def mean(self, state: str) -> float | None:
        """Threads in a state, on average; None if nothing could be seen."""
        return self._seen[state] / self._n if self._n else None


def burst(spy: str, pid: int, seconds: int, rate: int, stopping: threading.Event) -> Burst | None:
    """Look at a process for some seconds, `rate` times in each. Raises Refused.

    None if it ended meanwhile, or if we are to stop. py-spy does not halt the process (--nonblocking): a
    look that finds its memory half changed is left out. One `py-spy dump` costs 12 ms and is one look; a
    `record` of forty costs 15 ms, for both have to find their way through the process first.
    """
    raw = os.memfd_create("loadrig-gil")
    said = os.memfd_create("loadrig-gil-said")
    try:
        usage, status = _run(spy, pid, seconds, rate, stopping, (raw, said), looks := ThreadLooks(pid))
        if status is None:
            return None
        text = _text(said)
        if os.waitstatus_to_exitcode(status):
            raise Refused(text.strip().partition("\n")[0].removeprefix("Error: ") or "py-spy failed")
        if "process exited" in text:
            return None
        errors = re.search(r"Errors: (\d+)", text)
        # The last look ends it and is not counted (py-spy 0.4: `intervals >= max_intervals`).
        n = seconds * rate - 1 - (int(errors[1]) if errors else 0)
        frames = parse_raw(_text(raw))
        held = min(n, sum(frames.values()))
        return Burst(pid, n, held, frames, looks.mean("running"), looks.mean("waiting"), usage)
    finally:
        os.close(raw)
        os.close(said)


def _run(
    spy: str, pid: int, seconds: int, rate: int, stopping: threading.Event, into: tuple[int, int],
    looks: ThreadLooks,
) -> tuple[float, int | None]:  # fmt: skip
    """Start py-spy, look at the threads until it ends. Its CPU seconds and status; None if we ended it."""
    raw, said = into
    argv = [spy, "record", "--pid", str(pid), "--gil", "--nonblocking", "--function", "--format", "raw"]
    argv += ["--rate", str(rate), "--duration", str(seconds), "--output", "/proc/self/fd/3"]
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, said, 1),
        (os.POSIX_SPAWN_DUP2, said, 2),
        (os.POSIX_SPAWN_DUP2, raw, 3),
    ]
    # A group of its own: an interrupt from the keyboard is for us, and we tell it.
    child = os.posix_spawn(spy, argv, os.environ, file_actions=actions, setpgroup=0)
    deadline = time.monotonic() + seconds + _LATE_S
    status: int | None = None
    try:
        while status is None:
            looks.look()
            if stopping.wait(_PAUSE_S) or time.monotonic() > deadline:
                break
            ended, code, usage = os.wait4(child, os.WNOHANG)
            status = code if ended else None
    finally:
        if status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            _, _, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime, status


def _text(file: int) -> str:
    size = os.fstat(file).st_size
    return os.pread(file, size, 0).decode("utf-8", "replace")
