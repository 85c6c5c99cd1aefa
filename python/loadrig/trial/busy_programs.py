"""Programs of this machine that use CPU time while no load runs, the server and its dependencies too.

A program that is none of those measured is a neighbour, and here is its name. A measured one that works on
though nobody asks it anything works in the background, and the thread that does so is named too: its CPU time
under load is no part of any request.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import processes
from loadrig.base.component import HOST, Component
from loadrig.base.processes import PROC, Stat

LEAST_CORES = 0.1
"""Cores that a program uses at least to be named: as large as most differences that a study looks for."""

MOST_PROGRAMS = 5
"""Largest number of programs that are named, those that use most first."""

MOST_THREADS = 256
"""Largest number of threads of a measured process that are read; a thread takes 10 µs, after the load has
ended."""


@dataclass(frozen=True, slots=True)
class TickCounts:
    """CPU ticks at one instant, of every process and of the threads of components.

    owners: name of the component by pid. threads: by pid, then by thread.
    """

    stats: Mapping[int, Stat]
    owners: Mapping[int, str]
    threads: Mapping[int, Mapping[int, Stat]]


def look(components: Iterable[Component], proc: Path = PROC) -> TickCounts:
    """Read the CPU ticks of all processes.

    6 µs for each process, and 10 µs for each thread of a component.
    """
    stats = processes.table(proc)
    owners = _owners(components, stats)
    threads = {
        # A process of one thread is that thread.
        pid: _threads(pid, proc) if stats[pid].threads > 1 else {pid: stats[pid]}
        for pid in owners
    }
    return TickCounts(stats, owners, threads)


def _owners(components: Iterable[Component], stats: Mapping[int, Stat]) -> dict[int, str]:
    """Return the component of each process: the component of the nearest root above it."""
    roots = {
        component.pid: component.name
        for component in components
        if component.kind != HOST and component.pid is not None and component.pid in stats
    }
    members = {pid for root in roots for pid in processes.tree(root, stats)}
    return {pid: roots[_root_of(pid, roots, stats)] for pid in members}


def _root_of(pid: int, roots: Mapping[int, str], stats: Mapping[int, Stat]) -> int:
    """Return the nearest root: the process itself, or one above it."""
    while pid not in roots:
        pid = stats[pid].parent
    return pid


def _threads(pid: int, proc: Path) -> dict[int, Stat]:
    tasks = proc / str(pid) / "task"
    try:
        tids = processes.pids(tasks)[:MOST_THREADS]
    except OSError:  # it has ended in the meantime
        return {}
    stats = {tid: processes.stat(tid, tasks) for tid in tids}
    return {tid: stat for tid, stat in stats.items() if stat is not None}


@dataclass(frozen=True, slots=True)
class UsingThread:
    """Thread that used CPU time. cores: cores that it used on average."""

    tid: int
    name: str
    cores: float


@dataclass(frozen=True, slots=True)
class UsingProgram:
    """Program that used CPU time. component: "" for a program that was not measured.

    threads: those that used CPU time, of a component's process alone. A manifest keeps it as a `BusyProgram`.
    """

    name: str
    pid: int
    component: str
    cores: float
    threads: tuple[UsingThread, ...]


def busy(before: TickCounts, after: TickCounts, seconds: float) -> list[UsingProgram]:
    """Return the programs that used CPU time between two looks, the program that used most first."""
    if seconds <= 0:
        return []
    programs = []
    for pid, cores in _used(before.stats, after.stats, seconds):
        if pid == os.getpid():
            continue
        threads = tuple(
            UsingThread(tid, after.threads[pid][tid].name, round(part, 2))
            for tid, part in _used(before.threads.get(pid, {}), after.threads.get(pid, {}), seconds)
        )
        owner = after.owners.get(pid, "")
        programs.append(UsingProgram(after.stats[pid].name, pid, owner, round(cores, 2), threads))
    return programs[:MOST_PROGRAMS]


def _used(before: Mapping[int, Stat], after: Mapping[int, Stat], seconds: float) -> list[tuple[int, float]]:
    """Return the processes or threads that used enough, with the cores that they used, most first."""
    users = []
    for number, stat in after.items():
        first = before.get(number)
        if first is None or first.start != stat.start:
            continue
        ticks = stat.user + stat.system - first.user - first.system
        cores = ticks / processes.TICKS_PER_S / seconds
        if cores >= LEAST_CORES:
            users.append((number, cores))
    return sorted(users, key=lambda pair: (-pair[1], pair[0]))
