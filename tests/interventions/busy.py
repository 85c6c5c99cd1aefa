"""Processes that are busy, and what they use: what is changed is changed on them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Step
from tests.conftest import Deadline

CORE = max(os.sched_getaffinity(0))

BURN = "while True: pass"

FORKING = """
import os, signal, sys, time
born = []
def more(*_):
    pid = os.fork()
    if pid == 0:
        while True: pass
    print(pid, flush=True)
signal.signal(signal.SIGUSR1, more)
more()
while True:
    time.sleep(60)
"""
"""A master that sleeps. It has one child that is busy, and makes another at SIGUSR1; it prints their pids."""


@contextmanager
def program(code: str = BURN, *before: str) -> Iterator["subprocess.Popen[str]"]:
    """Yield a Python program on one core; before: words that are put before its command."""
    words = [*before, "taskset", "-c", str(CORE), sys.executable, "-c", code]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            deadline = Deadline()
            deadline.wait_for(lambda: os.sched_getaffinity(process.pid) == {CORE}, "it to be on its core")
            yield process
        finally:
            family = processes.tree(process.pid, processes.table())
            for pid in family:
                os.kill(pid, 9)


def component(pid: int, name: str = "server", runtime: str = "cpython") -> Component:
    return Component(name, "program", runtime=runtime, pid=pid, start=processes.start_of(pid), cpus=(CORE,))


def scene(*components: Component, **used: float) -> Scene:
    return Scene(components, used or {each.name: 1.0 for each in components})


def state(pid: int) -> str:
    stat = processes.stat(pid)
    return stat.state if stat else ""


def cores(pid: int, seconds: float = 1.0) -> float:
    """Return the cores that a process uses, by the kernel's own clock of it."""
    clock = (~pid) << 3 | 2
    before, began = time.clock_gettime(clock), time.monotonic()
    time.sleep(seconds)
    return (time.clock_gettime(clock) - before) / (time.monotonic() - began)


def share_stopped(pid: int, looks: int = 400) -> float:
    """Return how often a process was seen to be stopped."""
    stops = 0
    for _ in range(looks):
        stops += state(pid) == "T"
        time.sleep(0.001)
    return stops / looks


def refusal(member: object, lever: Lever, scene: Scene) -> Unavailable:
    """Return why a member cannot do it."""
    try:
        step: Step = member.able(lever, scene)  # type: ignore[attr-defined]
    except Unavailable as no:
        return no
    raise AssertionError(f"it could do it: {step.title}")
