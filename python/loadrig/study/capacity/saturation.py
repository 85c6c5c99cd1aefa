"""What can be answered at most, as it was measured now and then: servers become warmer, machines wander."""

import math
from collections.abc import Sequence

from loadrig.stats.intervals import Interval
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.probe import DoneProbe

WARMER = 1.04
"""Times what was measured before: then that was of another server, one that was cold."""

BROKEN = 0.85

DOUBTFUL_USE, DOUBTFUL_LINE = 0.88, 0.3
"""So near to saturation a line is seen; where it is so much shorter than it should be, it is not so near."""

AGAIN_AT = 0.4
"""Share of the budget after which it is measured once more."""
AGAIN_BUDGET_S = 60.0
"""A shorter search has no time for that."""

MOST = 10

AGAIN_OVERLOAD, FARTHER = 1.2, 2.0
"""Times what it was, and times the level that was answered in spite of that."""


class Saturation:
    """Its measurements, in good answers a second. since_s: what was seen before that was of a cold server."""

    def __init__(self) -> None:
        self.since_s = 0.0
        self.measured = 0
        self._kept: list[Interval] = []

    @property
    def kept(self) -> tuple[Interval, ...]:
        """Those that are of the server as it is now."""
        return tuple(self._kept)

    @property
    def value(self) -> float | None:
        """Their mean, each weighted by how long it was looked at; None without any."""
        found = self.mean
        return found.value if found is not None else None

    @property
    def mean(self) -> Interval | None:
        """The same with its interval."""
        frames = sum(one.n for one in self._kept)
        if not frames:
            return None
        value = sum(one.n * one.value for one in self._kept) / frames
        half = math.hypot(*(one.n * one.half_width for one in self._kept)) / frames
        effective = sum(one.effective_n for one in self._kept)
        return Interval(value, value - half, value + half, self._kept[0].confidence, frames, effective)

    @property
    def ceiling(self) -> float:
        """The upper end of the highest: no level above it can be met for long."""
        return max((one.high for one in self._kept), default=math.inf)

    def add(self, found: Interval, at_s: float, *, throughput: float = 0.0) -> bool:
        """One more; whether all before was of a cold server. throughput: the highest that was met since."""
        self.measured += 1
        before = self.value
        if before is not None and found.value > WARMER * before:
            self._kept, self.since_s = [found], at_s
            return True
        # A server that answers less than it just did at a level that it met, or much less than before, has
        # broken down meanwhile.
        if found.value >= max(throughput, BROKEN * (before or 0.0)):
            self._kept.append(found)
        return False

    def is_doubtful(self, probes: Sequence[DoneProbe], clusters: Clusters) -> bool:
        """Whether the last probe, right below saturation, saw no such line as there would be."""
        if self.value is None or self.measured >= MOST or not probes:
            return False
        last = probes[-1]
        return (
            last.kind in ("search", "confirm_below", "confirm_above")
            and last.leans == "meets"
            and last.level > DOUBTFUL_USE * self.value
            and clusters.learned < DOUBTFUL_LINE
        )
