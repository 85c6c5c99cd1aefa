"""CPython: stacks of all threads, read from outside by py-spy, with no change to the program.

## What it reads

py-spy finds the interpreter in the memory of each process of the server (master and workers) and reads
the stack of each thread, 99 times a second. It is installed with loadrig.

## How to read it

By default only the thread that holds the interpreter lock (GIL) is counted: that is Python's CPU time, and
leaves out C code that has let the lock go, such as compression. How much that is, the report says: it sets
the time that was seen beside the CPU time that the processes used. With `threads: running` every thread
is counted that py-spy takes for running; of a server with many threads it takes many for running that only
wait for the lock or have just been woken: on one with four threads it saw 1.5 cores where 0.8 were used.
That is what a Python without the lock needs. With `threads: all` waiting threads are counted too: the time
is then time on the clock, and what waits most looks biggest. A frame's line is the line that ran.
C code has no frame: where the text of the line that ran calls a function in C that is known, as in
`zlib.compress(data)` or `PATTERN.sub("", text)`, that function stands below it. The collector of CPython has
no frame either, and its time is that of the line that set it off.
A burst that the rig takes by itself stops nobody (`pause: false`) and looks `with and without the GIL`: at
who holds the lock and at what runs, at once. What the processes have used beyond the time with the lock, by
the kernel's counters, is divided among what runs without it: kernel time among what makes system calls, the
rest among other C code.

## Cost

0.1 s of CPU time of its own for each second, with two workers of nine threads in all: they are stopped for
a fraction of a ms at each look. Throughput of that server while it was profiled, in turn with times when it
was not: −6 % ± 11 %; with `pause: false` 0 % ± 7 %. A rate of 400 used 0.5 s a second and took half of the
throughput. A burst of 2 s on six threads used 0.2 s.
Measured on Linux 6.18, two cores that others used too; ± is the 95 % interval of eight pairs.
"""

import shutil
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.shape import option
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers_members import ProfilersPySpyErrors
from loadrig.profilers import _rights
from loadrig.profilers._formats import NotAProfile, of_speedscope
from loadrig.profilers._lines import with_c_calls
from loadrig.profilers._shot import (
    GRACE_S,
    Capture,
    Ran,
    Shot,
    no_tool,
    pid_of,
    process_gone,
    run,
    those_that_run,
)
from loadrig.profilers._stacks import Profile
from loadrig.profilers._unlocked import joined

ERRORS = texts_of(ProfilersPySpyErrors)

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "pauses",
        "Each process for a fraction of a millisecond, 99 times a second; with `pause: false` none is.",
    ),
)

ONLY = {"runtime": ("cpython",)}

NAME = "py-spy"
RANK = 1


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the profiler: what is counted, and how often."""

    rate: int = option("Looks at each thread a second.", default=99, low=1, high=1000)
    threads: Literal["holding the GIL", "running", "with and without the GIL", "all"] = option(
        "Which threads are counted: the one that holds the interpreter lock, those that run, both joined by "
        "the CPU time that was used, or all.",
        default="holding the GIL",
    )
    pause: bool = option(
        "Stop the process while its stacks are read; without it some stacks are torn.", default=True
    )
    program: str | None = option(
        "The program py-spy; by default the one that came with loadrig, else the first of the PATH.",
        default=None,
        example="/usr/local/bin/py-spy",
    )


BURST = Options(rate=49, threads="with and without the GIL", pause=False)
"""Options of a burst that the rig takes by itself: all that runs, with and without the lock, no stops.
The rate is half the usual one, as there are two looks."""


def fits(component: Component) -> bool:
    """Return whether py-spy can profile a component."""
    return component.runtime == "cpython" and component.pid is not None


def take(options: Options, component: Component, shot: Shot) -> Capture:
    """Record for `shot.seconds`. Raises Unavailable."""
    root = those_that_run(pid_of(component), lambda name: name.startswith(("python", "uwsgi")))[0]
    began_ns, wall_ns = time.monotonic_ns(), time.time_ns()
    before = _used_s(root)
    if options.threads == "with and without the GIL":
        profile, cpu_s = _record_both(options, root, shot, before)
    else:
        profile, cpu_s = _record(options, options.threads, root, shot)
    ended_ns = time.monotonic_ns()
    profile.began_ns, profile.duration_ns = wall_ns, ended_ns - began_ns
    return Capture(profile, root, began_ns, ended_ns, cpu_s, sees_all=options.threads != "holding the GIL")


def _record_both(
    options: Options, root: int, shot: Shot, before: tuple[float, float, float]
) -> tuple[Profile, float]:
    """Record the threads that hold the lock, and all that run, at the same time."""
    from concurrent.futures import ThreadPoolExecutor

    def record(threads: str) -> tuple[Profile, float]:
        folder = shot.folder / threads.replace(" ", "-")
        folder.mkdir()
        return _record(options, threads, root, replace(shot, folder=folder))

    with ThreadPoolExecutor(2, "loadrig-py-spy") as pool:
        (locked, cost_s), (running, more_s) = pool.map(record, ("holding the GIL", "running"))
    after = _used_s(root)
    # py-spy watches for whole seconds but runs longer, so only a part of the CPU time was used while it
    # watched.
    watched = max(1, round(shot.seconds)) / max(after[2] - before[2], 1e-3)
    user_s, system_s = ((after[n] - before[n]) * min(1.0, watched) for n in (0, 1))
    return joined(locked, running, user_s, system_s), cost_s + more_s


def _record(options: Options, threads: str, root: int, shot: Shot) -> tuple[Profile, float]:
    """Record one kind of threads. Return their stacks, and the CPU seconds that this took."""
    file = shot.folder / "stacks.json"
    program = _program(options)
    argv = [
        program, "record", "--pid", str(root), "--subprocesses", "--threads", "--full-filenames",
        "--format", "speedscope", "--output", str(file), "--rate", str(options.rate),
        # py-spy takes whole seconds only.
        "--duration", str(max(1, round(shot.seconds))),
    ]  # fmt: skip
    argv += {"running": [], "holding the GIL": ["--gil"], "all": ["--idle"]}[threads]
    argv += [] if options.pause else ["--nonblocking"]
    ran = run(argv, shot, shot.seconds + GRACE_S)
    if ran.code or not file.is_file():
        # With --subprocesses py-spy only says that it found no process; for a single process it says why.
        raise _failed(run([program, "dump", "--pid", str(root)], shot, GRACE_S), root)
    kind: Literal["cpu", "wall"] = "wall" if threads == "all" else "cpu"
    return with_c_calls(_read(file, kind, 1_000_000_000 // options.rate), root), ran.cpu_s


def _used_s(root: int) -> tuple[float, float, float]:
    """Return the CPU seconds that a process tree has used, in user code and in the kernel, and when.

    when: time.monotonic() at the end of the reading.
    """
    table = processes.table()
    stats = [table[pid] for pid in processes.tree(root, table)]
    user, system = (
        sum(stat.user + stat.dead_user for stat in stats),
        sum(stat.system + stat.dead_system for stat in stats),
    )
    return user / processes.TICKS_PER_S, system / processes.TICKS_PER_S, time.monotonic()


def _read(file: Path, kind: Literal["cpu", "wall"], period_ns: int) -> Profile:
    try:
        return of_speedscope(file.read_text(encoding="utf-8"), kind, period_ns)
    except NotAProfile as error:
        raise Unavailable.of(ERRORS.output_unreadable(str(error)), code="probe.not-that") from None


def _program(options: Options) -> str:
    bundled = Path(sys.executable).with_name("py-spy")
    path = options.program or (str(bundled) if bundled.is_file() else shutil.which("py-spy"))
    if path is None or (options.program and shutil.which(path) is None):
        raise no_tool(ERRORS.not_here(path or "py-spy"))
    return path


def _failed(ran: Ran, pid: int) -> Unavailable:
    text = ran.err
    if "ermission denied" in text.lower() or "EPERM" in text or "not permitted" in text:
        return _rights.no_trace(NAME, pid)
    if "process exited" in text.lower() or "No such process" in text or "No such file" in text:
        return process_gone(pid)
    return Unavailable.of(ERRORS.not_understood(str(pid), ran.last_line), code="probe.not-that")
