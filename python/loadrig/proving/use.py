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
        new = [
            component
            for component in components
            if component.name not in self._first and component.pid and component.kind != HOST
        ]
        if new:
            now = time.monotonic()
            self._first |= {name: (now, used_s) for name, used_s in _used(new).items()}

    def cores(self, components: Sequence[Component]) -> dict[str, float]:
        """Return the mean cores that components with a first look have used since that look, by name."""
        now, cores = time.monotonic(), {}
        for name, used_s in _used(components).items():
            if name in self._first and now > self._first[name][0]:
                since, before_s = self._first[name]
                cores[name] = max(0.0, (used_s - before_s) / (now - since))
        return cores


def _used(components: Sequence[Component]) -> dict[str, float]:
    """Return the CPU seconds of each component's process tree until now, with those of dead children."""
    everyone = processes.table()
    roots = {component.pid for component in components if component.pid}
    seconds = {}
    for component in components:
        if not component.pid or component.kind == HOST or component.pid not in everyone:
            continue
        pids = _own(component.pid, everyone, roots)
        ticks = sum(
            stat.user + stat.system + stat.dead_user + stat.dead_system
            for pid in pids
            if (stat := everyone.get(pid)) is not None
        )
        seconds[component.name] = ticks * TICK_S
    return seconds


def _own(root: int, everyone: dict[int, processes.Stat], roots: set[int]) -> list[int]:
    """Return the processes of a tree, without the trees of other components in it."""
    own = processes.tree(root, everyone)
    inner = (roots - {root}) & set(own)
    foreign = {pid for inner_root in inner for pid in processes.tree(inner_root, everyone)}
    return [pid for pid in own if pid not in foreign]
