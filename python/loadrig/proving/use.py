"""Cores that each component uses, between two looks at its processes, and what is left to strangers."""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadrig.base import kernel_files, processes
from loadrig.base.component import HOST, Component

STAT = Path("/proc/stat")

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
"""Length of the kernel's unit of CPU time, in seconds."""


class CpuUse:
    """CPU use of components, in cores, since the first look at each; `cores` returns it."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[float, float]] = {}
        self._busy: tuple[float, Mapping[int, float]] | None = None

    def look(self, components: Sequence[Component]) -> None:
        """Note the CPU time of those components that were not looked at before."""
        unseen = [component for component in components if component.name not in self._first]
        if any(component.pid and component.kind != HOST for component in unseen):
            now, used_s = time.monotonic(), _used_s(components)
            self._busy = self._busy or (now, busy_s(_stat()))
            self._first = {name: (now, seconds) for name, seconds in used_s.items()} | self._first

    def cores(self, components: Sequence[Component]) -> dict[str, float]:
        """Return the mean cores that components with a first look have used since that look, by name."""
        now, cores = time.monotonic(), {}
        for name, used_s in _used_s(components).items():
            since, before_s = self._first.get(name, (now, used_s))
            if now > since:
                cores[name] = max(0.0, (used_s - before_s) / (now - since))
        return cores

    def strangers(
        self,
        components: Sequence[Component],
        used: Mapping[str, float],
        cpus: Sequence[int],
        generator: float,
    ) -> dict[int, float]:
        """Return the share of each core's time that strangers have used since the first look.

        used: cores that each component uses, by name. cpus, generator: the generator's cores, and how many of
        them it uses. A program is taken to use all the cores that it may run on alike.
        """
        if self._busy is None:
            return {}
        (began, before), now, after = self._busy, time.monotonic(), busy_s(_stat())
        shares = {
            core: (seconds - before[core]) / (now - began)
            for core, seconds in after.items()
            if core in before and now > began
        }
        ours = [(tuple(cpus), generator)] + [
            (component.cpus or tuple(shares), used.get(component.name, 0.0))
            for component in components
            if component.pid is not None and component.kind != HOST
        ]
        for cores, amount in ours:
            for core in cores:
                if core in shares:
                    shares[core] -= amount / len(cores)
        return {core: share for core, share in shares.items() if share > 0}


def busy_s(stat: str) -> dict[int, float]:
    """Return the seconds that each core has worked for this machine, from the text of /proc/stat."""
    busy = {}
    for line in stat.splitlines():
        name, *ticks = line.split()
        if name[:3] == "cpu" and name[3:].isdecimal():
            user, nice, system, _idle, _waits, *interrupts = map(int, ticks[:7])
            busy[int(name[3:])] = (user + nice + system + sum(interrupts)) * TICK_S
    return busy


def _stat() -> str:
    return kernel_files.read(STAT) or ""  # elsewhere than on Linux nobody knows of strangers


def _used_s(components: Sequence[Component]) -> dict[str, float]:
    """Return the CPU seconds of each component until now, with those of dead children.

    Processes of another component that was started by this one are not counted.
    """
    table = processes.table()
    trees = {
        component.name: set(processes.tree(component.pid, table))
        for component in components
        if component.pid in table and component.kind != HOST
    }
    used_s = {}
    for name, tree in trees.items():
        own = tree.difference(*(inner for inner in trees.values() if inner < tree))
        stats = [table[pid] for pid in own if pid in table]
        ticks = sum(stat.user + stat.system + stat.dead_user + stat.dead_system for stat in stats)
        used_s[name] = ticks * TICK_S
    return used_s
