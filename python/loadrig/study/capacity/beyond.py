"""An overload on purpose, and whether the server recovers from it at four fifths of its capacity.

A server whose retries or queues keep it overloaded after the load has gone is in a metastable failure: it
would have to be taken off the net. Source: Bronson et al. 2021, HotOS, 221-227.
"""

import math
from typing import Annotated

from loadrig.base.documents import Document, Says
from loadrig.stats.intervals import Interval
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.probe import DoneProbe, Kind, Probe
from loadrig.study.capacity.ramp import saturation_of
from loadrig.study.capacity.tick import Tick

OVERLOAD_S = 4.0
OVERLOAD = 1.3
"""Load of an overload, as a factor of the most good answers a second that the server can give."""

RECOVERY_SHARE = 0.8
RECOVERY_MOST_S = 15.0
LOOK_S = 2.0
"""Time in seconds over which the server must keep its goals again to have recovered."""


WORKS_OFF, SPARE = 1.1, 3
"""Answers as a factor of the requests due, and answers more than that, above which the server still works off
what has piled up."""


class Beyond(Document, frozen=True):
    """Overload on purpose, and the recovery from it."""

    level: Annotated[float, Says("level of the overload")]
    throughput: Annotated[float, Says("good answers a second at it")]
    failed_share: Annotated[float, Says("share of the requests that ended at it and had failed, 0 to 1")]
    peak_in_flight: Annotated[float, Says("most requests in flight")]
    recovery_level: Annotated[float, Says("level that was offered after it")]
    has_recovered: Annotated[
        bool | None, Says("whether the goals were kept again; null where there was no time to see it")
    ]
    after_s: Annotated[
        float | None, Says("seconds until the goals were kept again; null where they were not")
    ]


class Overload:
    """Both phases: overload, then recovery. capacity, saturation: as known.

    most: that the generator may offer.
    """

    kind = "overload"

    def __init__(
        self,
        goals: Goals,
        clusters: Clusters,
        *,
        capacity: float,
        saturation: float,
        most: float,
        at_s: float,
        is_closed: bool = False,
    ) -> None:
        self._goals, self._clusters, self._at_s = goals, clusters, at_s
        self._recovery_level = RECOVERY_SHARE * capacity
        level = min(OVERLOAD * max(saturation, capacity), most)
        if is_closed:
            level, self._recovery_level = math.ceil(level), max(math.floor(self._recovery_level), 1)
        self._probe = self._new_probe("overload", level, OVERLOAD_S)
        self._peak = self._after_s = 0.0
        self._recent: list[Tick] = []
        self._has_recovered: bool | None = None
        self.is_over = False
        self.saturation: Interval | None = None
        self.steps: list[DoneProbe] = []

    @property
    def level(self) -> float:
        """Return the level to offer now."""
        return self._probe.level

    @property
    def is_held_back(self) -> bool:
        """Return whether the generator could not offer the level."""
        return self._probe.is_held_back

    def see(self, tick: Tick) -> None:
        """Take one frame of the load."""
        self._at_s += tick.seconds
        self._probe.see(tick)
        if self._probe.kind == "overload":
            self._peak = max(self._peak, tick.in_flight)
            if self._probe.is_over:
                self.steps.append(self._probe.done())
                self.saturation = saturation_of(self._probe.ticks)
                self._probe = self._new_probe("recovery", self._recovery_level, RECOVERY_MOST_S)
            return
        self._after_s += tick.seconds
        self._recent = [*self._recent, tick][-max(1, round(LOOK_S / tick.seconds)) :]
        if self._after_s >= LOOK_S and self._keeps_goals():
            self._has_recovered = self.is_over = True
        elif self._probe.is_over:
            self._has_recovered, self.is_over = False, True
        if self.is_over:
            self.steps.append(self._probe.done())

    def result(self) -> Beyond | None:
        """Return what overload and recovery came to; None as long as the overload was not over."""
        if not self.steps:
            return None
        window = self.steps[0].window
        failed = window.failed / window.done if window.done else 0.0
        after_s = self._after_s if self._has_recovered else None
        return Beyond(
            self.steps[0].level, window.throughput, failed, self._peak, self._recovery_level,
            self._has_recovered, after_s,
        )  # fmt: skip

    def _keeps_goals(self) -> bool:
        """Return whether the last seconds kept every goal on a share, with as much going as came."""
        due, done = sum(tick.due for tick in self._recent), sum(tick.done for tick in self._recent)
        if done > WORKS_OFF * due + SPARE or not done:
            return False  # the server still works off what has piled up
        for place, goal in enumerate(self._goals.shares):
            counts = [tick.counts[place] for tick in self._recent]
            # Two late requests are forgiven: a single late one of a hundred is already a percent.
            if sum(count.hits for count in counts) > goal.most * sum(count.total for count in counts) + 2:
                return False
        return True

    def _new_probe(self, kind: Kind, level: float, most_s: float) -> Probe:
        return Probe(
            kind, level, self._goals, self._clusters, at_s=self._at_s, most_s=most_s, settles=False,
            stops_early=False,
        )  # fmt: skip
