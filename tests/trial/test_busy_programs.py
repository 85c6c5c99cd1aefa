"""Programs that use CPU time while no load runs."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from loadrig.base.component import Component
from loadrig.trial import busy_programs
from tests.conftest import Deadline

BURN = """
import threading
def burn():
    while True:
        pass
threading.Thread(target=burn, daemon=True).start()
print("burns", flush=True)
threading.Event().wait()
"""
"""A server that does nothing but has a thread which never stops."""


def busy_since(
    components: Sequence[Component], pids: set[int], deadline: Deadline
) -> dict[int, busy_programs.UsingProgram]:
    """Return the programs that are busy, by their pid, once these have had as much of a core as is named."""
    before, began = busy_programs.look(components), time.monotonic()
    programs: dict[int, busy_programs.UsingProgram] = {}

    def are_named() -> bool:
        time.sleep(0.5)
        after = busy_programs.look(components)
        seconds = time.monotonic() - began
        programs.update((program.pid, program) for program in busy_programs.busy(before, after, seconds))
        # With a margin: the thread that burns has somewhat less than its process.
        named = {pid for pid, program in programs.items() if program.cores > 1.2 * busy_programs.LEAST_CORES}
        return pids <= named

    deadline.wait_for(are_named, "CPU time of these programs")
    return programs


def test_a_component_and_its_thread_that_run_on_are_named_and_a_stranger_is_nobodys(
    deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Those of other tests run as well.
    monkeypatch.setattr(busy_programs, "MOST_PROGRAMS", 1000)
    burning = subprocess.Popen([sys.executable, "-c", BURN], stdout=subprocess.PIPE)
    stranger = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        assert burning.stdout is not None
        burning.stdout.readline()
        components = [Component("server", "program", pid=burning.pid), Component("host", "host")]
        by_pid = busy_since(components, {burning.pid, stranger.pid}, deadline)
    finally:
        for process in (burning, stranger):
            process.kill()
            process.wait()
        burning.stdout.close() if burning.stdout is not None else None
    assert os.getpid() not in by_pid
    assert by_pid[stranger.pid].component == ""
    assert by_pid[stranger.pid].threads == ()
    own = by_pid[burning.pid]
    assert own.component == "server"
    # The first thread waits, and the other one burns.
    assert [thread.tid != burning.pid for thread in own.threads] == [True]
    assert own.cores >= busy_programs.LEAST_CORES


def test_a_process_of_one_thread_is_that_thread(deadline: Deadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy_programs, "MOST_PROGRAMS", 1000)
    burning = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        components = [Component("server", "program", pid=burning.pid)]
        own = busy_since(components, {burning.pid}, deadline)[burning.pid]
    finally:
        burning.kill()
        burning.wait()
    assert [(thread.tid, thread.cores) for thread in own.threads] == [(burning.pid, own.cores)]


def test_a_component_below_another_one_is_its_own_and_has_what_is_below_it() -> None:
    below = subprocess.Popen(
        ["sh", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert below.stdout is not None
        grandchild = int(below.stdout.readline())
        components = [
            Component("server", "program", pid=os.getpid()), Component("redis", "redis", pid=below.pid),
        ]  # fmt: skip
        owners = busy_programs.look(components).owners
    finally:
        os.killpg(below.pid, 9)
        below.wait()
        below.stdout.close() if below.stdout is not None else None
    assert owners[os.getpid()] == "server"
    assert owners[below.pid] == "redis"
    assert owners[grandchild] == "redis"


def test_a_number_that_another_process_has_got_counts_for_neither() -> None:
    now = busy_programs.look([])
    before = {pid: replace(stat, start=stat.start + 1, user=-10_000) for pid, stat in now.stats.items()}
    assert busy_programs.busy(busy_programs.TickCounts(before, {}, {}), now, 1.0) == []
