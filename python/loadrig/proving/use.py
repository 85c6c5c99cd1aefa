"""Cores that each component uses, between two looks at its processes."""

import os
import time
from collections.abc import Sequence

from loadrig.base import processes
from loadrig.base.component import HOST, Component

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Use:
    """Looks at components from time to time; `cores` says what they used since the first look at each."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[float, float]] = {}

    def look(self, components: Sequence[Component]) -> None:
        """Note what those have used that were not looked at before."""
        new = [one for one in components if one.name not in self._first and one.pid and one.kind != HOST]
        if new:
            now = time.monotonic()
            self._first |= {name: (now, used_s) for name, used_s in _used(new).items()}

    def cores(self, components: Sequence[Component]) -> dict[str, float]:
        """Mean cores since the first look, by name; without those that were never looked at before."""
        now, found = time.monotonic(), {}
        for name, used_s in _used(components).items():
            if name in self._first and now > self._first[name][0]:
                since, before_s = self._first[name]
                found[name] = max(0.0, (used_s - before_s) / (now - since))
        return found


def _used(components: Sequence[Component]) -> dict[str, float]:
    """CPU seconds of each component's tree until now, its dead children's too."""
    everyone = processes.table()
    roots = {one.pid for one in components if one.pid}
    found = {}
    for one in components:
        if not one.pid or one.kind == HOST or one.pid not in everyone:
            continue
        pids = _own(one.pid, everyone, roots)
        ticks = sum(
            stat.user + stat.system + stat.dead_user + stat.dead_system
            for pid in pids
            if (stat := everyone.get(pid)) is not None
        )
        found[one.name] = ticks * TICK_S
    return found


def _own(root: int, everyone: dict[int, processes.Stat], roots: set[int]) -> list[int]:
    """A tree without the trees of other components in it."""
    own = processes.tree(root, everyone)
    inner = (roots - {root}) & set(own)
    foreign = {pid for other in inner for pid in processes.tree(other, everyone)}
    return [pid for pid in own if pid not in foreign]
