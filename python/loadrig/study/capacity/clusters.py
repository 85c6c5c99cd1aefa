"""Clusters of late answers: the number of requests that carry as much information as an independent one.

The delays of one long queue are one event, however many requests stand in the queue. Near the limit a cluster
is hundreds of requests long, and a search that counts each of them is sure of what is not so.
"""

import math
from collections.abc import Sequence

from loadrig.stats.sequential import inflation
from loadrig.study.capacity.goals import ShareGoal
from loadrig.study.capacity.tick import LevelWindow, Tick

QUEUE_FACTOR = 1.3
"""Inflation over (1 + 2 * requests that wait)², simulated: 0.9 to 1.6 for one to four places and exponential
service from 80 to 95 % use, 0.4 for service that varies twice as much (bench/capacity)."""

LEAST_FACTOR = 0.6
"""Least factor on the supposed inflation of late answers, however much less is seen."""

PRIOR_CLUSTERS = 4.0
"""Weight of what is supposed, in clusters that were seen."""

FULL_USE = 0.995
LAW_UP_TO = 0.97
"""Share of saturation up to which queues are compared with the law.
Nearer to it a queue of seconds tells nothing of the mean."""
PRIOR_WAITED_S = 20.0
"""Weight of the law's factor 1, in request-seconds spent waiting that were seen."""

MOST_HITS = 0.3
LEAST_TICKS = 8
MOST_CLUSTERS = 20.0
"""Most clusters that one look counts for; its ticks are not worth more."""

CLOSED = 0.5
"""Inflation per user of a closed load, simulated (bench/capacity).
Where users wait for their answers a queue is forgotten as soon as all of them have asked once."""

ERRORS = 10.0
"""Inflation supposed of errors until some were seen: refusals come in bursts."""

ENOUGH_ENDED = 3.0
"""Requests that ended without an error, as a factor of one over the goal's share: then it is kept.
Source: the rule of three."""


class Clusters:
    """Knowledge of the clusters of each goal, learned from probes as they end.

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
        self._clusters = [0.0] * len(self._goals)
        self._logs = [0.0] * len(self._goals)

    def expected(self, place: int, level: float, window: LevelWindow) -> float:
        """Return the inflation of goal number `place` at a level of which `window` was seen; at least 1."""
        weight = self._clusters[place] + PRIOR_CLUSTERS
        # Windows of some seconds see the ends of clusters cut off, and think them shorter.
        least = LEAST_FACTOR if self._goals[place].limit_s is not None else 0.0
        factor = max(math.exp(self._logs[place] / weight), least)
        return max(1.0, self._supposed(place, level, window) * factor)

    def note(self, window: LevelWindow) -> None:
        """Record which goals were ever broken, at whatever level."""
        for place, count in enumerate(window.counts):
            self._hits[place] += count.hits
        self._ended += window.done

    def is_quiet(self, place: int, window: LevelWindow) -> bool:
        """Return whether nothing has broken the goal yet: then the goal limits nothing here.

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
        """Forget how many requests waited: those lengths of queues were of a cold server."""
        self._waited = self._waited_by_law = 0.0

    def learn(self, level: float, ticks: Sequence[Tick], window: LevelWindow) -> None:
        """Compare what was supposed with the queue's length, and with how the hits of ticks scatter."""
        by_law = self._by_law(level)
        if by_law is not None and self.saturation is not None and level < LAW_UP_TO * self.saturation:
            self._waited += self._waiting(window) * window.seconds
            self._waited_by_law += by_law * window.seconds
        for place in range(len(self._goals)):
            hits = [tick.counts[place].hits for tick in ticks]
            total, count = sum(hits), window.counts[place]
            # Where nearly all requests are hits, their clusters do not show.
            if not total or len(ticks) < LEAST_TICKS or total > MOST_HITS * count.total:
                continue
            clustering = inflation(hits, [tick.counts[place].total for tick in ticks])
            # A single cluster shows no scatter, and looks half as large as many clusters would show it to be.
            clusters = min(max(total / clustering, 1.0), MOST_CLUSTERS)
            clustering *= 1 + 1 / clusters
            self._clusters[place] += clusters
            self._logs[place] += clusters * math.log(clustering / self._supposed(place, level, window))

    def _supposed(self, place: int, level: float, window: LevelWindow) -> float:
        own = self._goals[place]
        if self._is_closed:
            return 1 + CLOSED * level
        if own.limit_s is None:
            return ERRORS
        # The queue of this window alone is no measure: while it happens to be short nothing is late, and the
        # requests in time would count as many independent ones, and make a search sure of what is not so.
        by_law = self._by_law(level)
        waiting = self._waiting(window) if by_law is None else by_law * self.learned
        # Where the goal is just met, response times with an exponential tail have a mean of limit / ln(1 /
        # share). A longer queue tells that the goal is missed, not that less is known.
        waiting = min(waiting, level * own.limit_s / math.log(1 / own.most))
        return QUEUE_FACTOR * (1 + 2 * waiting) ** 2

    @property
    def learned(self) -> float:
        """Return the requests that wait over those by the law."""
        return (self._waited + PRIOR_WAITED_S) / (self._waited_by_law + PRIOR_WAITED_S)

    def _waiting(self, window: LevelWindow) -> float:
        """Return the requests that wait: those in flight beyond those being served."""
        return max(0.0, window.in_flight - self.base_s * window.done / max(window.seconds, 1e-9))

    def _by_law(self, level: float) -> float | None:
        """Return the requests that wait at a level by the law of one queue, up to a learned factor."""
        if self.saturation is None:
            return None
        use = min(level / self.saturation, FULL_USE)
        return use * use / (1 - use)
