"""A closed load on a server with places and one line: users who wait for their answers, and think."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace

import numpy as np

from loadrig.study.capacity.tick import Count, Tick


@dataclass(frozen=True)
class ClosedLaw:
    """service_s: mean of a lognormal law with this spread, for one user alone. think_s: mean, exponential.

    agreeing: by how much each user more makes every service longer, as what all must agree on does.
    """

    service_s: float
    spread: float
    places: int
    think_s: float
    agreeing: float = 0.0


class RunningUsers:
    """A server that goes on, without users at first. Users that go finish what they have asked."""

    def __init__(self, law: ClosedLaw, limits_s: tuple[float, ...], rng: np.random.Generator) -> None:
        self.law, self._limits_s, self._rng = law, limits_s, rng
        self.now = 0.0
        self._free = [0.0] * law.places
        self._thinking: list[float] = []  # when each asks next
        self._asked: list[tuple[float, float]] = []  # done at, asked at

    def advance(self, seconds: float, users: float) -> Tick:
        """Keep so many users for so long."""
        until, count = self.now + seconds, round(users)
        own = self._thinking
        there = len(own) + len(self._asked)
        for _ in range(max(0, count - there)):
            heappush(own, self.now + float(self._rng.exponential(self.law.think_s)))
        leaving = max(0, there - count)
        while leaving and own:
            own.pop()
            leaving -= 1
        draws = self._draws()
        due = done = 0
        slow = [0] * len(self._limits_s)
        mean_s = self.law.service_s * (1 + self.law.agreeing * max(0, count - 1))
        while True:
            asks = own[0] if own else math.inf
            ends = self._asked[0][0] if self._asked else math.inf
            now = min(asks, ends)
            if now >= until:
                break
            if ends <= asks:
                _, at = heappop(self._asked)
                done += 1
                for place, limit_s in enumerate(self._limits_s):
                    slow[place] += ends - at > limit_s
                if leaving:
                    leaving -= 1
                else:
                    heappush(own, ends + next(draws)[1] * self.law.think_s)
            else:
                heappop(own)
                takes = next(draws)[0] * mean_s
                start = max(asks, self._free[0])
                heapreplace(self._free, start + takes)
                heappush(self._asked, (start + takes, asks))
                due += 1
        self.now = until
        counts = (*(Count(hits, done) for hits in slow), Count(0, done))
        return Tick(seconds, due, done, done, 0, counts, float(len(self._asked)))

    def _draws(self) -> Iterator[tuple[float, float]]:
        """Service times over their mean, and think times over theirs."""
        sigma = math.sqrt(math.log1p(self.law.spread**2))
        while True:
            services = self._rng.lognormal(-(sigma**2) / 2, sigma, 256).tolist()
            yield from zip(services, self._rng.exponential(1.0, 256).tolist(), strict=True)
