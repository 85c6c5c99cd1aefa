"""Saturation, the most that a server answers, measured now and then: servers get warmer, machines wander."""

import math
from collections.abc import Sequence

from loadrig.stats.intervals import Interval
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.probe import DoneProbe

WARMER = 1.04
"""Factor over what was measured before, above which that was of a server that was cold."""

BROKEN = 0.85

DOUBTFUL_USE, DOUBTFUL_LINE = 0.88, 0.3
"""Share of saturation from which a queue must be seen, and the least share of the law's queue length.
Where the queue is shorter, the level is not so near to saturation."""

AGAIN_AT = 0.4
"""Share of the budget after which saturation is measured once more."""
AGAIN_BUDGET_S = 60.0
"""Least budget in seconds for a second measurement: a shorter search has no time for it."""

MOST = 10

AGAIN_OVERLOAD, FARTHER = 1.2, 2.0
"""Loads of a further measurement: as a factor of saturation, and of a level that was answered in spite of
it."""


class Saturation:
    """Measurements of saturation, in good answers a second.

    since_s: what was seen before it was of a cold server.
    """

    def __init__(self) -> None:
        self.since_s = 0.0
        self.measured = 0
        self._intervals: list[Interval] = []

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """Return the measurements that are of the server as it is now."""
        return tuple(self._intervals)

    @property
    def value(self) -> float | None:
        """Return the mean of the measurements, each weighted by how long it took; None without any."""
        mean = self.mean
        return mean.value if mean is not None else None

    @property
    def mean(self) -> Interval | None:
        """Return the mean of the measurements with its interval; None without any."""
        frames = sum(interval.n for interval in self._intervals)
        if not frames:
            return None
        value = sum(interval.n * interval.value for interval in self._intervals) / frames
        half = math.hypot(*(interval.n * interval.half_width for interval in self._intervals)) / frames
        effective = sum(interval.effective_n for interval in self._intervals)
        return Interval(value, value - half, value + half, self._intervals[0].confidence, frames, effective)

    @property
    def ceiling(self) -> float:
        """Return the upper end of the highest measurement: no level above it can be met for long."""
        return max((interval.high for interval in self._intervals), default=math.inf)

    def add(self, interval: Interval, at_s: float, *, throughput: float = 0.0) -> bool:
        """Add a measurement, and return whether all before it were of a cold server.

        throughput: the highest that was met since.

        """
        self.measured += 1
        before = self.value
        if before is not None and interval.value > WARMER * before:
            self._intervals, self.since_s = [interval], at_s
            return True
        # A server that answers less than it just did at a level that it met, or much less than before, has
        # broken down meanwhile.
        if interval.value >= max(throughput, BROKEN * (before or 0.0)):
            self._intervals.append(interval)
        return False

    def is_doubtful(self, probes: Sequence[DoneProbe], clusters: Clusters) -> bool:
        """Return whether the last probe, right below saturation, saw no such queue as there would be."""
        if self.value is None or self.measured >= MOST or not probes:
            return False
        last = probes[-1]
        return (
            last.kind in ("search", "confirm_below", "confirm_above")
            and last.leans == "meets"
            and last.level > DOUBTFUL_USE * self.value
            and clusters.learned < DOUBTFUL_LINE
        )
