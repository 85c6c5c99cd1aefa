"""Threads that hold the interpreter lock (GIL) of a Python process, and those that wait for it.

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

from loadrig.base import processes
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_python import ProbesPythonErrors
from loadrig.probes._session import read

ERRORS = texts_of(ProbesPythonErrors)

_FUTEX = {"x86_64": "202", "aarch64": "98"}
"""Number of the system call, by machine; on other machines waiting threads cannot be seen."""

_INTERPRETER = re.compile(r"(lib)?(python|pypy)\d?")

MOST_THREADS_LOOKED_AT = 1000
"""Threads in a burst, all looks together: at about 10 µs each they cost no more than py-spy does."""

_PAUSE_S = 0.1
"""Seconds between the rig's own looks."""

_LATE_S = 5.0
"""Seconds after its time at which a py-spy that has not ended is stopped."""


@dataclass(slots=True)
class GilBurst:
    """Looks at a process, evenly random over a short time.

    looks: how often py-spy looked. held: in how many looks a thread held the lock. frames: the innermost
    functions of the holders, by how often. running, waiting: threads, as means of the rig's own looks; None
    where the kernel does not tell. cpu_s: what py-spy cost.
    """

    pid: int
    looks: int = 0
    held: int = 0
    frames: Counter[str] = field(default_factory=Counter)
    running: float | None = None
    waiting: float | None = None
    cpu_s: float = 0.0


class RefusedPySpy(Exception):
    """Error where py-spy could not read the process. The text is a line of py-spy's."""


def program() -> str | None:
    """Return the path of py-spy: beside the interpreter that runs the rig, else on the PATH."""
    import shutil

    beside = os.path.join(os.path.dirname(sys.executable), "py-spy")
    return beside if os.access(beside, os.X_OK) else shutil.which("py-spy")


def is_python(pid: int) -> bool:
    """Return whether a process runs an interpreter, as its program or as a library (uWSGI, mod_wsgi)."""
    try:
        name = os.path.basename(os.readlink(processes.PROC / str(pid) / "exe"))
    except OSError:
        return False
    return bool(_INTERPRETER.match(name)) or "/libpython" in (read(processes.PROC / str(pid) / "maps") or "")


def parse_raw(text: str) -> Counter[str]:
    """Return counts of innermost functions in py-spy's raw format: "outer (a.py:1);inner (b.py:2) 17"."""
    counts: Counter[str] = Counter()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        if count.isdecimal():
            counts[stack.rpartition(";")[2]] += int(count)
    return counts


def parse_data_of_interpreter(maps: str) -> list[tuple[int, int]]:
    """Return where an interpreter keeps its variables: addresses from, to (excluded).

    maps: the text of /proc/PID/maps.

    Those are the writable parts of python or libpython, and the nameless part that follows (its .bss).
    """
    ranges: list[tuple[int, int]] = []
    end_before, is_interpreter = 0, False
    for line in maps.splitlines():
        where, rights, _, _, _, *names = line.split(None, 5)
        start, end = (int(number, 16) for number in where.split("-"))
        path = names[0] if names else ""
        is_interpreter = (
            bool(_INTERPRETER.match(os.path.basename(path))) if path
            else is_interpreter and start == end_before
        )  # fmt: skip
        if is_interpreter and "w" in rights:
            ranges.append((start, end))
        end_before = end
    return ranges


def parse_state(text: str, futex: str, data: Sequence[tuple[int, int]]) -> str:
    """Return what a thread does: "running", "waiting" for the lock, or "other".

    text: of /proc/PID/task/TID/syscall.
    """
    call, _, arguments = text.strip().partition(" ")
    if call == "running":
        return "running"
    if call == futex and arguments:
        address = int(arguments.partition(" ")[0], 16)
        if any(start <= address < end for start, end in data):
            return "waiting"
    return "other"


class ThreadLooks:
    """Repeated looks at the threads of a process; see the module's docstring."""

    def __init__(self, pid: int) -> None:
        self._folder = processes.PROC / str(pid) / "task"
        self._futex = _FUTEX.get(os.uname().machine, "")
        self._data = parse_data_of_interpreter(read(processes.PROC / str(pid) / "maps") or "")
        self._threads_left = MOST_THREADS_LOOKED_AT
        self._states: Counter[str] = Counter()
        self._n = 0

    def look(self) -> None:
        """Count the threads that run and wait now."""
        try:
            threads = os.listdir(self._folder)
        except OSError:
            return
        if len(threads) > self._threads_left or not self._futex or not self._data:
            return
        self._threads_left -= len(threads)
        states = [self._state(thread) for thread in threads]
        if any(states):  # else the kernel lacks the file, or the right to read it is missing
            self._n += 1
            self._states.update(states)

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
        """Return the mean number of threads in a state; None if nothing could be seen."""
        return self._states[state] / self._n if self._n else None


def burst(spy: str, pid: int, seconds: int, rate: int, stopping: threading.Event) -> GilBurst | None:
    """Look at a process for some seconds, `rate` times in each. Raises RefusedPySpy.

    Returns None if it ended meanwhile, or if the rig is to stop. py-spy does not halt the process
    (--nonblocking): a look that finds its memory half changed is left out. A `py-spy dump` costs 12 ms and is
    a single look; a `record` of forty costs 15 ms, for both have to find their way through the process first.
    """
    raw = os.memfd_create("loadrig-gil")
    output = os.memfd_create("loadrig-gil-said")
    try:
        usage, status = _run(spy, pid, seconds, rate, stopping, (raw, output), looks := ThreadLooks(pid))
        if status is None:
            return None
        text = _text(output)
        if os.waitstatus_to_exitcode(status):
            reason = text.strip().partition("\n")[0].removeprefix("Error: ")
            raise RefusedPySpy(reason or ERRORS.py_spy_failed)
        if "process exited" in text:
            return None
        errors = re.search(r"Errors: (\d+)", text)
        # The last look ends py-spy and is not counted (py-spy 0.4: `intervals >= max_intervals`).
        n = seconds * rate - 1 - (int(errors[1]) if errors else 0)
        frames = parse_raw(_text(raw))
        held = min(n, sum(frames.values()))
        return GilBurst(pid, n, held, frames, looks.mean("running"), looks.mean("waiting"), usage)
    finally:
        os.close(raw)
        os.close(output)


def _run(
    spy: str, pid: int, seconds: int, rate: int, stopping: threading.Event, into: tuple[int, int],
    looks: ThreadLooks,
) -> tuple[float, int | None]:  # fmt: skip
    """Start py-spy, look at the threads until it ends.

    Return its CPU seconds and status; None if it was killed.
    """
    raw, output = into
    argv = [spy, "record", "--pid", str(pid), "--gil", "--nonblocking", "--function", "--format", "raw"]
    argv += ["--rate", str(rate), "--duration", str(seconds), "--output", "/proc/self/fd/3"]
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output, 1),
        (os.POSIX_SPAWN_DUP2, output, 2),
        (os.POSIX_SPAWN_DUP2, raw, 3),
    ]
    # A group of its own: an interrupt from the keyboard is for the rig, which then ends py-spy.
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
