"""Programs of this machine that are none of those measured, and the cores on which they run.

## What it reads

The stat of every process, and of the threads of those that have run since the last look their CPU time
(schedstat) and the core on which they ran last.

## How to read it

What runs on the server's cores and is not part of the system under load is a neighbour: a batch job, a
backup, a build. Its name tells whom to move. Left out are the kernel's own threads, the rig with its
generator, and the programs of the map with all their children. Threads that begin and end between two looks
are not seen.

## Cost

2 ms of one core for a look at 115 processes. Where that is more than a thousandth of a core, it looks less
often than once a second.
Measured on Linux 6.18, Python 3.11.
"""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from loadrig._native import read_tasks
from loadrig.base import processes
from loadrig.base.clock import NS
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.processes import Stat
from loadrig.base.series import Metric, Sample
from loadrig.probes._session import Place, Session
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_host, need

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "cpu_s": Metric(
        "s",
        "counter",
        "CPU time of programs that are not measured, by core and program, with its first process.",
    ),
}

LOOKS_AT_FIRST = 10
COST_AT_FIRST, COST_SHARE = 0.005, 0.001
"""Shares of a core, 0 to 1, that looks may cost: the first for so many looks, so that a short load has enough
of them, the second from then on. After a long look the next one waits."""

LEAST_SHARE = 0.005
"""Share of a core, 0 to 1, below which a program is not listed: any machine has many that use so little."""

THREADS_MOST = 256
"""Largest number of threads that are read in a look: more would disturb what is measured."""

PROGRAMS_MOST = 8
"""Largest number of programs that are listed for a core: those that use most."""

NAMES_MOST = 1_000
"""Largest number of names that are followed: a machine that makes up a name for each process has no end of
them."""

KERNEL_THREADS = 2
"""Process whose children are the kernel's own threads (kthreadd)."""


class NeighboursWatch(Watch):
    """Session of the probe. components: programs of the map. own: root of the rig's own processes."""

    probe = "neighbours"

    def __init__(
        self, root: Path, components: Callable[[], Iterable[Component]], own: int | None = None
    ) -> None:
        super().__init__(root)
        self._proc, self._components = root / "proc", components
        self._own = os.getpid() if own is None else own
        self._ticks: dict[int, int] = {}
        self._ran_ns: dict[int, dict[int, int]] = {}
        self._names: dict[str, str] = {}
        self._used_ns: defaultdict[tuple[int, str], int] = defaultdict(int)
        self._first_ns = self._due_ns = self._looks = 0

    def sample(self, t_ns: int) -> list[Sample]:
        """Look at all processes, if a look is due, and return what each program has used since the first."""
        if t_ns < self._due_ns:
            return []
        began_ns = time.thread_time_ns()
        self._first_ns = self._first_ns or t_ns
        self._look(processes.table(self._proc))
        self._looks += 1
        share = COST_AT_FIRST if self._looks < LOOKS_AT_FIRST else COST_SHARE
        self._due_ns = t_ns + int((time.thread_time_ns() - began_ns) / share)
        least_ns = LEAST_SHARE * (t_ns - self._first_ns)
        listed: defaultdict[int, int] = defaultdict(int)
        values = {}
        for (core, program), used_ns in sorted(self._used_ns.items(), key=lambda item: -item[1]):
            if used_ns >= least_ns and listed[core] < PROGRAMS_MOST:
                listed[core] += 1
                values["cpu_s", f"cpu{core}:{program}"] = used_ns / NS
        return self.samples(t_ns, values)

    def _look(self, table: Mapping[int, Stat]) -> None:
        ours = {self._own, *(component.pid for component in self._components() if component.pid)}
        ticks = {pid: stat.user + stat.system for pid, stat in table.items()}
        busy = [
            pid
            for pid, used in ticks.items()
            if used > self._ticks.get(pid, used) and not _is_below(pid, {*ours, KERNEL_THREADS}, table)
        ]
        self._ticks = ticks
        self._ran_ns = {pid: threads for pid, threads in self._ran_ns.items() if pid in table}
        for thread, pid, _, ran_ns, core, _ in read_tasks(busy, THREADS_MOST, str(self._proc)):
            name = table[pid].name if pid in table else ""
            if not name or (name not in self._names and len(self._names) >= NAMES_MOST):
                continue
            program = self._names.setdefault(name, f"{name}, process {pid}")
            threads = self._ran_ns.setdefault(pid, {})
            # A thread that has run for less than before is another one with the same number.
            self._used_ns[core, program] += max(0, ran_ns - threads.get(thread, ran_ns))
            threads[thread] = ran_ns


def _is_below(pid: int, roots: Iterable[int], table: Mapping[int, Stat]) -> bool:
    """Return whether a process is one of some processes, or a descendant of one."""
    while pid in table:
        if pid in roots:
            return True
        pid = table[pid].parent
    return False


fits = is_host


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where the stat of processes cannot be read."""
    del options, component
    need(place.root, "proc/self/stat")
    return NeighboursWatch(place.root, place.components)
