"""A closed queueing network, event by event, while the speeds of its tiers change."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from bench.interventions.networks import Law, QueueNetwork

DRAWN = 4_096
"""Random numbers drawn at once."""
STEADY_SHAPE = 16.0
"""Shape of the gamma law: its standard deviation is a quarter of its mean."""
VARIED_SHARE, LONG, SHORT = 0.1, 4.674, 0.5918
"""Share of long requests and both means of the law "varied": a tenth of the requests is long: mean 1,
variance 4."""


class RunningNetwork:
    """A network that goes on. At the start all users think.

    answered: requests so far. waited_s: request-seconds in the tiers so far.

    A tier has a clock that runs as its work is done: what begins at reading v and takes w is done at v + w.
    Where more requests share its places than there are, the clock slows down.
    """

    def __init__(self, network: QueueNetwork, rng: np.random.Generator) -> None:
        self.answered, self.waited_s, self.now = 0, 0.0, 0.0
        count = len(network.tiers)
        self._users = network.users
        self._draw = [_source(tier.demand_s, tier.law, rng) for tier in network.tiers]
        self._think = _source(network.think_s, "exponential", rng)
        self._places = [tier.places for tier in network.tiers]
        self._is_shared = [tier.is_shared for tier in network.tiers]
        self._speeds = [1.0] * count
        self._clock, self._read_at, self._rate = [0.0] * count, [0.0] * count, [1.0] * count
        self._served: list[list[float]] = [[] for _ in range(count)]  # heaps of readings at which one is done
        self._waiting: list[deque[float]] = [deque() for _ in range(count)]  # what those in line will take
        self._thinking = sorted(self._think() for _ in range(network.users))
        # When something happens next: at each tier, and last to those who think.
        self._due = [math.inf] * count + [self._thinking[0]]

    def advance(self, until: float, speeds: Sequence[float]) -> None:
        """Go on until then, in seconds since the start, with these speeds of the tiers."""
        due, count, thinking = self._due, len(self._places), self._thinking
        for tier, speed in enumerate(speeds):
            if speed != self._speeds[tier]:
                self._read(tier, self.now)
                self._speeds[tier] = speed
                self._turn(tier)
        while (now := min(due)) < until:
            self.waited_s += (now - self.now) * (self._users - len(thinking))
            self.now = now
            tier = due.index(now)
            if tier == count:
                heappop(thinking)
                self._arrive(0, now)
            else:
                self._leave(tier, now)
                if tier + 1 < count:
                    self._arrive(tier + 1, now)
                else:
                    self.answered += 1
                    heappush(thinking, now + self._think())
            due[count] = thinking[0] if thinking else math.inf
        self.waited_s += (until - self.now) * (self._users - len(thinking))
        self.now = until

    def _arrive(self, tier: int, now: float) -> None:
        self._read(tier, now)
        if self._is_shared[tier] or len(self._served[tier]) < self._places[tier]:
            heappush(self._served[tier], self._clock[tier] + self._draw[tier]())
        else:
            self._waiting[tier].append(self._draw[tier]())
        self._turn(tier)

    def _leave(self, tier: int, now: float) -> None:
        self._read(tier, now)
        heappop(self._served[tier])
        if self._waiting[tier]:
            heappush(self._served[tier], self._clock[tier] + self._waiting[tier].popleft())
        self._turn(tier)

    def _read(self, tier: int, now: float) -> None:
        self._clock[tier] += (now - self._read_at[tier]) * self._rate[tier]
        self._read_at[tier] = now

    def _turn(self, tier: int) -> None:
        """Set the clock to the speed of now; what happens next at the tier follows."""
        served, places = self._served[tier], self._places[tier]
        if not served:
            self._rate[tier], self._due[tier] = self._speeds[tier], math.inf
            return
        is_crowded = self._is_shared[tier] and len(served) > places
        rate = self._speeds[tier] * (places / len(served) if is_crowded else 1.0)
        self._rate[tier] = rate
        # Rounding must not let a clock run backwards.
        self._due[tier] = self._read_at[tier] + max(0.0, served[0] - self._clock[tier]) / rate


def _source(mean: float, law: Law, rng: np.random.Generator) -> Callable[[], float]:
    """Draws times of this mean; many at once, as that is a hundred times faster."""
    if mean == 0:
        return lambda: 0.0

    def drawn() -> Iterator[float]:
        while True:
            # The exponential law is the gamma law of shape 1.
            shape = STEADY_SHAPE if law == "steady" else 1.0
            values = rng.gamma(shape, mean / shape, DRAWN)
            if law == "varied":
                values *= np.where(rng.random(DRAWN) < VARIED_SHARE, LONG, SHORT)
            yield from values.tolist()

    return drawn().__next__
