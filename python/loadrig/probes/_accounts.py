"""Counters that stay right while those who carry them come and go."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loadrig.base.processes import Stat

Carrier = tuple[int, int, str]
"""Who carries a counter: a process's pid and start, and the thread in it, if it is a thread's."""


@dataclass(slots=True)
class Growth:
    """The sum of what many counters have grown by since the first look.

    A carrier that appears later brings its whole count (it began at zero), one that disappears
    keeps what it had when last seen.
    """

    total: float = 0.0
    _last: dict[Carrier, float] | None = None

    def add(self, values: Mapping[Carrier, float]) -> float:
        """Take the counts of now, by carrier. Returns the growth since the first call."""
        if self._last is not None:
            for carrier, value in values.items():
                self.total += max(0.0, value - self._last.get(carrier, 0.0))
        self._last = dict(values)
        return self.total


@dataclass(slots=True)
class TreeTime:
    """CPU time of a tree of processes, in ticks, that never falls when a process dies.

    A dead process's time goes to the parent that waits for it, so it is found in the survivors'
    times of dead children. If the parent is outside of the tree, or waits for none, it is found
    nowhere: then what was last seen of it is kept here.
    """

    _kept: tuple[int, int] = (0, 0)
    _last: dict[tuple[int, int], Stat] = field(default_factory=dict)

    def add(self, stats: Iterable[Stat]) -> tuple[int, int]:
        """Take the processes of now. Returns user and system ticks since the tree began."""
        now = {(one.pid, one.start): one for one in stats}
        dead = [one for key, one in self._last.items() if key not in now]
        lost = _times(dead)
        # Of a survivor's growth in dead children's time, what comes from our dead.
        inherited = _minus(
            _inherited(now.values()), _inherited(self._last[key] for key in now if key in self._last)
        )
        missing = (max(0, lost[0] - inherited[0]), max(0, lost[1] - inherited[1]))
        self._kept = (self._kept[0] + missing[0], self._kept[1] + missing[1])
        self._last = now
        alive = _times(now.values())
        return self._kept[0] + alive[0], self._kept[1] + alive[1]


def _times(stats: Iterable[Stat]) -> tuple[int, int]:
    user = system = 0
    for one in stats:
        user += one.user + one.dead_user
        system += one.system + one.dead_system
    return user, system


def _inherited(stats: Iterable[Stat]) -> tuple[int, int]:
    user = system = 0
    for one in stats:
        user += one.dead_user
        system += one.dead_system
    return user, system


def _minus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] - b[0], a[1] - b[1]
