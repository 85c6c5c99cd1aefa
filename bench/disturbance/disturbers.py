"""Disturbers: they take time away from a trial, in short bursts, as neighbours and hypervisors do.

A competitor takes the cores from everybody; a stopped generator sends nothing; a throttled group takes the
cores from the whole rig and from nobody else. Bursts and pauses are of random lengths, so that nothing keeps
step with them. Each ends with its block, and leaves nothing.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench.costs import Failed
from loadrig.base import cgroups

BURST_S, LONGEST_S = 0.012, 0.06
"""A burst lasts so long on average, and at most: some turns of a scheduler, as with stolen time."""

THROTTLE_S = 0.1
"""The same for a throttled group: as long as the period of its quota."""

PERIOD_US, NEARLY_NOTHING_US = 100_000, 1_000
"""Period of a throttled group, the kernel's usual one, and the least that it takes for a quota."""

PRIORITY = 50
"""Priority of the competitor among real-time programs: above whatever has an ordinary priority."""

GENERATOR = b"loadrig/engine/__main__.py"
"""Words that stand in the command line of a generator and of no other process of the rig."""

FOUND_EVERY_S = 0.02

EMPTIED_WITHIN_S = 10.0
"""A process that has just ended keeps its group for some milliseconds, longer on a crowded machine."""

_COMPETE = """
import os, random, sys, time
core, priority, seed = map(int, sys.argv[1:4])
share, burst_s, longest_s = map(float, sys.argv[4:])
os.sched_setaffinity(0, {core})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
rolls = random.Random(seed)
print("ready", flush=True)
while os.getppid() != 1:
    length_s = min(rolls.expovariate(1 / burst_s), longest_s)
    end = time.monotonic() + length_s
    while time.monotonic() < end:
        pass
    time.sleep(length_s * (1 - share) / share)
"""


def pauses(share: float, burst_s: float, seed: int) -> Iterator[tuple[float, float]]:
    """Yield without end how long a burst lasts and how long the pause after it, in seconds."""
    rolls = random.Random(seed)
    while True:
        length_s = min(rolls.expovariate(1 / burst_s), LONGEST_S * burst_s / BURST_S)
        yield length_s, length_s * (1 - share) / share


@contextlib.contextmanager
def competitor(share: float, seed: int) -> Iterator[Callable[[int], None]]:
    """Run a program with real-time priority on each core; the cores lose their time apart from each other."""
    argv = [sys.executable, "-I", "-S", "-c", _COMPETE]
    with contextlib.ExitStack() as stack:
        for core in sorted(os.sched_getaffinity(0)):
            words = map(str, (core, PRIORITY, seed + core, share, BURST_S, LONGEST_S))
            process = stack.enter_context(
                subprocess.Popen([*argv, *words], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
            )
            stack.callback(process.kill)
            assert process.stdout is not None
            if process.stdout.readline() != b"ready\n":
                raise Failed("no real-time priority is to be had here (it takes CAP_SYS_NICE)")
        yield lambda _: None


@contextlib.contextmanager
def stopped_generator(share: float, seed: int) -> Iterator[Callable[[int], None]]:
    """Stops the generator of the rig whose pid it is told, and lets it go on."""
    is_over = threading.Event()
    threads = []

    def disturb(pid: int) -> None:
        generator = None
        while generator is None and not is_over.wait(FOUND_EVERY_S):
            generator = generator_of(pid)
        try:
            for burst_s, pause_s in pauses(share, BURST_S, seed):
                if generator is None or is_over.is_set():
                    return
                os.kill(generator, signal.SIGSTOP)
                time.sleep(burst_s)
                os.kill(generator, signal.SIGCONT)
                is_over.wait(pause_s)
        except ProcessLookupError:
            return  # its load is over

    def begin(pid: int) -> None:
        thread = threading.Thread(target=disturb, args=(pid,))
        threads.append(thread)
        thread.start()

    try:
        yield begin
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


@contextlib.contextmanager
def throttled_group(share: float, seed: int) -> Iterator[Callable[[int], None]]:
    """Gives the rig whose pid it is told, and all that it starts, next to no time now and then."""
    own = cgroups.of().get("cpu")
    if own is None:
        raise Failed("a group of the kind v1 with a quota is needed")
    group = own / f"disturbed-{os.getpid()}"
    group.mkdir()
    quota, is_over = group / "cpu.cfs_quota_us", threading.Event()
    (group / "cpu.cfs_period_us").write_text(str(PERIOD_US), encoding="ascii")

    def throttle() -> None:
        for burst_s, pause_s in pauses(share, THROTTLE_S, seed):
            if is_over.wait(pause_s):
                return
            quota.write_text(str(NEARLY_NOTHING_US), encoding="ascii")
            time.sleep(burst_s)
            quota.write_text("-1", encoding="ascii")

    thread = threading.Thread(target=throttle)
    try:
        thread.start()
        yield lambda pid: _enter_all(group, pid)
    finally:
        is_over.set()
        thread.join()
        _empty(group, own)


KINDS: Mapping[str, Callable[[float, int], contextlib.AbstractContextManager[Callable[[int], None]]]] = {
    "competitor": competitor,
    "stopped generator": stopped_generator,
    "throttled group": throttled_group,
}
"""Each is given the share of the time that it takes, below one, and a seed. In its block it yields what is to
be called with the pid of a rig that has just begun."""


def generator_of(pid: int) -> int | None:
    """Return the generator that a rig has started; None as long as there is none."""
    for child in _children(pid):
        try:
            line = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if GENERATOR in line:
            return child
        if (generator := generator_of(child)) is not None:
            return generator
    return None


def _children(pid: int) -> list[int]:
    try:
        texts = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    return [int(word) for word in " ".join(texts).split()]


def _enter_all(group: Path, pid: int) -> None:
    """Move a process and what it has started already; what it starts later begins where it is."""
    _enter(group, pid)
    for child in _children(pid):
        _enter_all(group, child)


def _empty(group: Path, own: Path) -> None:
    """Move everybody out of a group and remove it; again where somebody has been born in it meanwhile."""
    end = time.monotonic() + EMPTIED_WITHIN_S
    while True:
        for pid in cgroups.everybody(group):
            _enter(own, pid)
        if cgroups.remove(group):
            return
        if time.monotonic() > end:
            raise Failed(f"the group {group} does not get empty: end who is in it, then rmdir it")
        time.sleep(FOUND_EVERY_S)


def _enter(group: Path, pid: int) -> None:
    with contextlib.suppress(OSError):  # it has ended
        (group / "cgroup.procs").write_text(str(pid), encoding="ascii")
