"""Counters that stay right while the processes and threads that hold them come and go."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loadrig.base.processes import Stat

Carrier = tuple[int, int, str]
"""Process or thread that holds a counter: pid and start of the process, and the thread, or ""."""


@dataclass(slots=True)
class CounterGrowth:
    """Sum by which many counters have grown since the first look.

    A carrier that appears later brings its whole count (it began at zero), a carrier that disappears
    keeps the count that it had when last seen.
    """

    total: float = 0.0
    _last: dict[Carrier, float] | None = None

    def add(self, values: Mapping[Carrier, float]) -> float:
        """Take the present counts, by carrier. Return the growth since the first call."""
        if self._last is not None:
            for carrier, value in values.items():
                self.total += max(0.0, value - self._last.get(carrier, 0.0))
        self._last = dict(values)
        return self.total


@dataclass(slots=True)
class TreeTime:
    """CPU time of a process tree, in ticks, which never falls when a process dies.

    A dead process's time goes to the parent that waits for it, so it shows in the survivors'
    times of dead children. If the parent is outside of the tree, or does not wait, it shows
    nowhere: then the time that was last seen is kept here.
    """

    _ended: tuple[int, int] = (0, 0)
    _last: dict[tuple[int, int], Stat] = field(default_factory=dict)

    def add(self, stats: Iterable[Stat]) -> tuple[int, int]:
        """Take the present processes. Return user and system ticks since the tree began."""
        now = {(stat.pid, stat.start): stat for stat in stats}
        dead = [stat for key, stat in self._last.items() if key not in now]
        lost = _times(dead)
        # The part of the survivors' growth in dead children's time that comes from the dead of this tree.
        inherited = _minus(
            _inherited(now.values()), _inherited(self._last[key] for key in now if key in self._last)
        )
        missing = (max(0, lost[0] - inherited[0]), max(0, lost[1] - inherited[1]))
        self._ended = (self._ended[0] + missing[0], self._ended[1] + missing[1])
        self._last = now
        alive = _times(now.values())
        return self._ended[0] + alive[0], self._ended[1] + alive[1]


def _times(stats: Iterable[Stat]) -> tuple[int, int]:
    user = system = 0
    for stat in stats:
        user += stat.user + stat.dead_user
        system += stat.system + stat.dead_system
    return user, system


def _inherited(stats: Iterable[Stat]) -> tuple[int, int]:
    user = system = 0
    for stat in stats:
        user += stat.dead_user
        system += stat.dead_system
    return user, system


def _minus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] - b[0], a[1] - b[1]
