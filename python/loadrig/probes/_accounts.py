"""Counters that stay right while the processes and threads that hold them come and go."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

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

    _ended: Counter[str] = field(default_factory=Counter)
    _last: Mapping[tuple[int, int], Stat] = field(default_factory=dict)

    def add(self, stats: Iterable[Stat]) -> tuple[int, int]:
        """Take the present processes. Return user and system ticks since the tree began."""
        before, self._last = self._last, {(stat.pid, stat.start): stat for stat in stats}
        return self._ticks("user", before), self._ticks("system", before)

    def _ticks(self, clock: str, before: Mapping[tuple[int, int], Stat]) -> int:
        own: Callable[[Stat], int] = attrgetter(clock)
        of_dead: Callable[[Stat], int] = attrgetter(f"dead_{clock}")
        now = self._last
        lost = sum(own(stat) + of_dead(stat) for key, stat in before.items() if key not in now)
        # The part of the survivors' growth in dead children's time that comes from the dead of this tree.
        inherited = sum(
            of_dead(stat) - (of_dead(before[key]) if key in before else 0) for key, stat in now.items()
        )
        self._ended[clock] += max(0, lost - inherited)
        return self._ended[clock] + sum(own(stat) + of_dead(stat) for stat in now.values())
