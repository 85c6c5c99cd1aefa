"""Native code: stacks of all threads by the kernel's sampler, where it permits; for all else the last resort.

## What it reads

`perf record -e cpu-clock -F 99 -g` of all processes of the server, then `perf script`, of a burst once the
load is over. The event cpu-clock is a timer of the kernel and works on virtual machines, too, which have no
hardware counters.

## How to read it

The time is CPU time, in the program and in the kernel on its behalf. Stacks follow frame pointers: code that
was compiled without them has stacks that are cut short, and `stacks: dwarf` reads them at a greater cost.
Functions without symbols are "[unknown]", one for each library. Of a program in another language (taken
where its own profiler is missing) the interpreter or virtual machine is seen and not the program.
Frames have no file and line.

## Cost

0.35 s of CPU time of its own for 2 s of a Go server, most of it to name functions afterwards. Throughput
of that server, in turn with times when it was not profiled, the naming included: −16 % ± 10 %.
A burst that the rig takes by itself looks 49 times a second. Of a server of 20 processes it takes 0.12 s of
CPU time while the load runs, and 0.09 s to be read after it.
Measured on Linux 6.18, two cores that others used too; ± is the 95 % interval of eight pairs.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from loadrig.base.component import HOST, Component
from loadrig.base.effects import ServerEffect
from loadrig.base.shape import option
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers_members import ProfilersPerfErrors
from loadrig.profilers import _rights
from loadrig.profilers._formats import NotAProfile, of_perf
from loadrig.profilers._shot import GRACE_S, Capture, Ran, Shot, family, no_tool, pid_of, process_gone, run
from loadrig.profilers._stacks import Profile

ERRORS = texts_of(ProfilersPerfErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

NAME = "perf"
RANK = 9

MEND = "apt-get install linux-perf"
FILE = "perf.data"
ATTEMPTS = 3
"""Number of times that perf is asked: it gives up at once where one process of many has ended meanwhile, as
workers do that are replaced after some requests."""

FIELDS = "comm,pid,tid,period,ip,sym,dso"


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the profiler: how stacks are found, and how often."""

    rate: int = option("Looks at each core a second.", default=99, low=1, high=10_000)
    stacks: Literal["fp", "dwarf"] = option(
        "How callers are found: by frame pointers, or from debug information, at ten times the cost.",
        default="fp",
    )


BURST = Options(rate=49)
"""Options of a burst that the rig takes by itself: half the usual rate, as every look halts the server."""


def fits(component: Component) -> bool:
    """Return whether perf can profile a component."""
    return component.pid is not None and component.kind != HOST


def take(options: Options, component: Component, shot: Shot) -> Capture:
    """Record for `shot.seconds`, then read. Raises Unavailable."""
    return record(options, component, shot)(shot)


def record(options: Options, component: Component, shot: Shot) -> Callable[[Shot], Capture]:
    """Record for `shot.seconds`. Return a function that reads the recording, out of the same folder.

    Raises Unavailable, as does the function that it returns.
    """
    root = pid_of(component)
    program = shutil.which("perf")
    if program is None:
        raise no_tool(ERRORS.not_here(MEND))
    file = shot.folder / FILE
    # The identities (build ids) of all files are needed only to read a recording elsewhere, and finding them
    # takes half of perf's CPU time.
    argv = [
        program, "record", "--no-buildid", "--no-buildid-cache", "--event", "cpu-clock",
        "--freq", str(options.rate), "--call-graph", options.stacks, "--output", str(file),
    ]  # fmt: skip
    for attempt in range(1, ATTEMPTS + 1):
        pids = ",".join(str(pid) for pid in family(root))
        began_ns, wall_ns = time.monotonic_ns(), time.time_ns()
        last = [*argv, "--pid", pids, "--", "sleep", f"{shot.seconds:.3f}"]
        recorded = run(last, shot, shot.seconds + GRACE_S)
        ended_ns = time.monotonic_ns()
        if not _is_without_process(recorded) or attempt == ATTEMPTS:
            break
    if recorded.code or not file.is_file():
        raise _failed(recorded, root)

    def read(shot: Shot) -> Capture:
        profile, cpu_s = _read(program, root, shot)
        profile.began_ns, profile.duration_ns = wall_ns, ended_ns - began_ns
        return Capture(profile, root, began_ns, ended_ns, recorded.cpu_s + cpu_s)

    return read


def _read(program: str, root: int, shot: Shot) -> tuple[Profile, float]:
    """Return the profile of a recording, and the CPU seconds of reading it. Raises Unavailable."""
    file = shot.folder / FILE
    # Without inlined functions: to find them takes seconds for each library.
    script = [program, "script", "--input", str(file), "--no-inline", "--fields", FIELDS]
    read = run(script, shot, GRACE_S)
    if read.code:
        raise _failed(read, root)
    try:
        return of_perf(read.out.decode("utf-8", "replace")), read.cpu_s
    except NotAProfile as error:
        raise Unavailable.of(ERRORS.output_unreadable(str(error)), code="probe.not-that") from None


def _is_without_process(ran: Ran) -> bool:
    """Return whether perf gave up as one of the processes that it was to look at has ended."""
    return bool(ran.code) and ("No such process" in ran.err or "Couldn't create thread/CPU maps" in ran.err)


def _failed(ran: Ran, pid: int) -> Unavailable:
    text = ran.err
    if "paranoid" in text or "ermission" in text or "not permitted" in text:
        return _rights.no_events(pid)
    if _is_without_process(ran):
        return process_gone(pid)
    return Unavailable.of(ERRORS.no_samples(str(pid), ran.last_line), code="probe.refused")
