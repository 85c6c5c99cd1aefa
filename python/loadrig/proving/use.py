"""Cores that each component uses, between two looks at its processes."""

import os
import time
from collections.abc import Sequence

from loadrig.base import processes
from loadrig.base.component import HOST, Component

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
"""Length of the kernel's unit of CPU time, in seconds."""


class CpuUse:
    """CPU use of components, in cores, since the first look at each; `cores` returns it."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[float, float]] = {}

    def look(self, components: Sequence[Component]) -> None:
        """Note the CPU time of those components that were not looked at before."""
        unseen = [component for component in components if component.name not in self._first]
        if any(component.pid and component.kind != HOST for component in unseen):
            now, used_s = time.monotonic(), _used_s(components)
            self._first = {name: (now, seconds) for name, seconds in used_s.items()} | self._first

    def cores(self, components: Sequence[Component]) -> dict[str, float]:
        """Return the mean cores that components with a first look have used since that look, by name."""
        now, cores = time.monotonic(), {}
        for name, used_s in _used_s(components).items():
            since, before_s = self._first.get(name, (now, used_s))
            if now > since:
                cores[name] = max(0.0, (used_s - before_s) / (now - since))
        return cores


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
