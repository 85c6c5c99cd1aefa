"""How many requests are worth one independent one, at a level of load: late answers come in clusters.

What one long queue delays is one event, however many requests stand in it. Near the limit a cluster is
hundreds of requests long, and who counts each of them is sure of what is not so.
"""

import math
from collections.abc import Sequence

from loadrig.stats.sequential import inflation
from loadrig.study.capacity.goals import ShareGoal
from loadrig.study.capacity.tick import Tick, Window

QUEUE_FACTOR = 1.3
"""Inflation over (1 + 2 * requests that wait)², simulated: 0.9 to 1.6 for one to four places and exponential
service from 80 to 95 % use, 0.4 for service that varies twice as much (bench/capacity)."""

LEAST_FACTOR = 0.6
"""Of what is supposed of late answers, however much less is seen."""

PRIOR_CLUSTERS = 4.0
"""What is supposed weighs as much as so many clusters that were seen."""

FULL_USE = 0.995
LAW_UP_TO = 0.97
"""Of saturation: nearer to it a queue of seconds tells nothing of the mean."""
PRIOR_WAITED_S = 20.0
"""Request-seconds in line of the law's factor 1, against which those that are seen weigh."""

MOST_HITS = 0.3
LEAST_TICKS = 8
MOST_CLUSTERS = 20.0
"""Seen in one look; its ticks are not worth more."""

CLOSED = 0.5
"""Where users wait for their answers a queue is forgotten as soon as all of them have asked once: inflation
over users, simulated (bench/capacity)."""

ERRORS = 10.0
"""Refusals come in bursts; supposed until some were seen."""

ENOUGH_ENDED = 3.0
"""Times one over its share: by the rule of three a goal is kept then."""


class Clusters:
    """What has been learned of the clusters of each goal. Told probes as they end.

    base_s: mean response time at the lowest level, where nobody waits; set when it is known. saturation: good
    answers a second at most, of an open load, set when it is known.
    """

    def __init__(self, goals: Sequence[ShareGoal], *, is_closed: bool = False) -> None:
        self._goals, self._is_closed = tuple(goals), is_closed
        self.base_s = 0.0
        self.saturation: float | None = None
        self._waited = self._waited_by_law = 0.0
        self._hits = [0] * len(self._goals)
        self._ended = 0
        self._seen = [0.0] * len(self._goals)
        self._logs = [0.0] * len(self._goals)

    def expected(self, place: int, level: float, window: Window) -> float:
        """Of goal number `place`, at a level of which this was seen; at least 1."""
        weight = self._seen[place] + PRIOR_CLUSTERS
        # Windows of some seconds see the ends of clusters cut off, and think them shorter.
        least = LEAST_FACTOR if self._goals[place].limit_s is not None else 0.0
        factor = max(math.exp(self._logs[place] / weight), least)
        return max(1.0, self._supposed(place, level, window) * factor)

    def note(self, window: Window) -> None:
        """Which goals were ever broken, at whatever level."""
        for place, count in enumerate(window.counts):
            self._hits[place] += count.hits
        self._ended += window.done

    def is_quiet(self, place: int, window: Window) -> bool:
        """Whether nothing has broken it yet, in this window or before: then it limits nothing here.

        That is known where something broke another goal; or, of a goal on errors, which no queue keeps back
        until it is long, where many requests have ended without one.
        """
        if self._hits[place] or (window.counts and window.counts[place].hits):
            return False
        if any(self._hits):
            return True
        goal = self._goals[place]
        ended = self._ended + window.done
        return goal.limit_s is None and ended * goal.most >= ENOUGH_ENDED

    def forget(self) -> None:
        """The lengths of lines: they were of a server that was cold."""
        self._waited = self._waited_by_law = 0.0

    def learn(self, level: float, ticks: Sequence[Tick], window: Window) -> None:
        """Compare what was supposed with how long the queue was, and with how the hits of ticks scatter."""
        by_law = self._by_law(level)
        if by_law is not None and self.saturation is not None and level < LAW_UP_TO * self.saturation:
            self._waited += self._waiting(window) * window.seconds
            self._waited_by_law += by_law * window.seconds
        for place in range(len(self._goals)):
            hits = [one.counts[place].hits for one in ticks]
            total, count = sum(hits), window.counts[place]
            # A look of nothing but hits shows nothing of their clusters.
            if not total or len(ticks) < LEAST_TICKS or total > MOST_HITS * count.of:
                continue
            found = inflation(hits, [one.counts[place].of for one in ticks])
            # One cluster looks half as large as a count of many shows: nothing of its scatter is seen.
            clusters = min(max(total / found, 1.0), MOST_CLUSTERS)
            found *= 1 + 1 / clusters
            self._seen[place] += clusters
            self._logs[place] += clusters * math.log(found / self._supposed(place, level, window))

    def _supposed(self, place: int, level: float, window: Window) -> float:
        own = self._goals[place]
        if self._is_closed:
            return 1 + CLOSED * level
        if own.limit_s is None:
            return ERRORS
        # Not the queue of this window alone: while it happens to be short nothing is late, and who took that
        # for many independent requests in time would be sure of what is not so.
        by_law = self._by_law(level)
        waiting = self._waiting(window) if by_law is None else by_law * self.learned
        # Where the goal is just met, response times with an exponential tail have a mean of limit / ln(1 /
        # share). A longer queue tells that it is missed, not that less is known.
        waiting = min(waiting, level * own.limit_s / math.log(1 / own.most))
        return QUEUE_FACTOR * (1 + 2 * waiting) ** 2

    @property
    def learned(self) -> float:
        """Requests that wait over those by the law."""
        return (self._waited + PRIOR_WAITED_S) / (self._waited_by_law + PRIOR_WAITED_S)

    def _waiting(self, window: Window) -> float:
        """Requests that wait, by what is in flight beyond what is served."""
        return max(0.0, window.in_flight - self.base_s * window.done / max(window.seconds, 1e-9))

    def _by_law(self, level: float) -> float | None:
        """Requests that wait at a level, as the law of one line has it, up to a factor that is learned."""
        if self.saturation is None:
            return None
        use = min(level / self.saturation, FULL_USE)
        return use * use / (1 - use)
