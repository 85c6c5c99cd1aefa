"""A server with places and one line, offered requests at a rate, in slices of simulated time.

Whoever comes first is served first. Without more than one place and without a bound on the line that is
Lindley's recursion, and a slice is a few operations on arrays; else a heap of when each place is free.
What the machine does to all at once (pauses, a speed that wanders) is a clock of work: requests are served in
its time, and its time is mapped to that of the wall. That is exact for every number of places.
Source: Lindley 1952, Math. Proc. Camb. Phil. Soc. 48, 277-289; Kiefer & Wolfowitz 1955, Trans. AMS 78, 1-18.
"""

import math
from dataclasses import dataclass
from heapq import heapreplace

import numpy as np
from numpy.typing import NDArray

from loadrig.study.capacity.tick import Count, Tick

Floats = NDArray[np.float64]

WANDERS_S, RETRIES_S = 0.25, 0.05
"""Slices where speed wanders, which is even within one, and where attempts time out, which must take longer
than one. Else what is asked for is done in one go."""


@dataclass(frozen=True)
class QueueLaw:
    """service_s: mean. spread: standard deviation over mean; lognormal, 1.0: exponential.

    places: served at once. pause_every_s, pause_s: the server stands still (mean of exponential gaps; all
    pauses are as long). wander, wander_s: standard deviation and time constant of the logarithm of its speed
    (an Ornstein-Uhlenbeck walk). cold, warm_after: the first request takes (1 + cold) times as long, and that
    falls by e with so many requests. most_wait_s: who would wait longer is refused at once. timeout_s,
    attempts: an attempt without an answer by then is made again, so many times in all; the server does the
    work of each.
    """

    service_s: float
    spread: float = 1.0
    places: int = 1
    pause_every_s: float = math.inf
    pause_s: float = 0.0
    wander: float = 0.0
    wander_s: float = 10.0
    cold: float = 0.0
    warm_after: float = 5_000.0
    most_wait_s: float = math.inf
    timeout_s: float = math.inf
    attempts: int = 1

    @property
    def most_per_second(self) -> float:
        """Throughput of all places when they have always work, in the long run, warm and without retries."""
        standing = self.pause_s / (self.pause_every_s + self.pause_s) if self.pause_s else 0.0
        return self.places / self.service_s * (1 - standing)


class RunningQueue:
    """A server that goes on, empty at first. limits_s: above which an answer counts as slow."""

    def __init__(self, law: QueueLaw, limits_s: tuple[float, ...], rng: np.random.Generator) -> None:
        self.law, self._limits_s, self._rng = law, limits_s, rng
        self.now = 0.0
        self._work = 0.0  # reading of the clock of work
        self._free = [0.0] * law.places  # when each place is, in work time; a heap
        self._served = 0
        self._log_speed = 0.0
        self._pause_at = rng.exponential(law.pause_every_s) if law.pause_s else math.inf
        self._pause_left = 0.0
        # Of all attempts that are under way: when its request was due, when it is done in work time.
        self._due, self._ready = np.zeros(0), np.zeros(0)
        self._retries: list[tuple[float, float, int]] = []  # at, first due, attempt

    def advance(self, seconds: float, rate: float) -> Tick:
        """Offer `rate` requests a second, at random, for so long."""
        law = self.law
        slice_s = RETRIES_S if math.isfinite(law.timeout_s) else WANDERS_S if law.wander else seconds
        slices = max(1, round(seconds / slice_s))
        due = done = failed = 0
        slow = [0] * len(self._limits_s)
        for _ in range(slices):
            number, late, refused = self._slice(seconds / slices, rate)
            due += number
            done += late.size + refused
            failed += refused + int(np.count_nonzero(np.isinf(late)))
            good = late[np.isfinite(late)]
            for place, limit_s in enumerate(self._limits_s):
                slow[place] += int(np.count_nonzero(good > limit_s))
        counts = [Count(hits, done - failed) for hits in slow] + [Count(failed, done)]
        return Tick(
            seconds, due, done, done - failed, failed, tuple(counts),
            float(self._due.size + len(self._retries)),
        )  # fmt: skip

    def _slice(self, seconds: float, rate: float) -> tuple[int, Floats, int]:
        """Return how many became due, the response times (inf: timed out), and how many were refused."""
        law, rng, until = self.law, self._rng, self.now + seconds
        stops, works = self._clock(seconds)
        fresh = np.sort(rng.uniform(self.now, until, rng.poisson(rate * seconds)))
        number, timed_out = fresh.size, 0
        if law.attempts > 1 or math.isfinite(law.timeout_s):
            refused = 0
            timed_out = self._attempts(fresh, until)
        else:
            refused = self._join(fresh, np.interp(fresh, stops, works))
        self.now, self._work = until, float(works[-1])
        is_over = self._ready <= self._work
        at = np.interp(self._ready[is_over], works, stops)
        late: Floats = np.concatenate([at - self._due[is_over], np.full(timed_out, np.inf)])
        self._due, self._ready = self._due[~is_over], self._ready[~is_over]
        return number, late, refused

    def _clock(self, seconds: float) -> tuple[Floats, Floats]:
        """Readings of the wall and of work at the corners of this slice; work stands still in a pause."""
        law, until = self.law, self.now + seconds
        if law.wander:
            keeps = math.exp(-seconds / law.wander_s)
            self._log_speed = keeps * self._log_speed + law.wander * math.sqrt(1 - keeps**2) * float(
                self._rng.standard_normal()
            )
        speed = math.exp(self._log_speed)
        stops, works, at, work = [self.now], [self._work], self.now, self._work
        while at < until:
            if self._pause_left > 0:
                step = min(self._pause_left, until - at)
                self._pause_left -= step
                at += step
                if self._pause_left <= 0:
                    self._pause_left, self._pause_at = 0.0, at + self._rng.exponential(law.pause_every_s)
            else:
                step = min(self._pause_at, until) - at
                at, work = at + step, work + step * speed
                if at >= self._pause_at:
                    self._pause_left = law.pause_s
            # A hair of work in a pause keeps the map one to one.
            stops.append(at)
            works.append(max(work, works[-1] + 1e-12))
        self._work = work
        return np.array(stops), np.array(works)

    def _takes(self, count: int) -> Floats:
        law = self.law
        if law.spread == 1.0:
            times = self._rng.exponential(law.service_s, count)
        elif law.spread == 0.0:
            times = np.full(count, law.service_s)
        else:
            sigma = math.sqrt(math.log1p(law.spread**2))
            times = self._rng.lognormal(math.log(law.service_s) - sigma**2 / 2, sigma, count)
        if law.cold:
            times *= 1 + law.cold * np.exp(-(self._served + np.arange(count)) / law.warm_after)
        self._served += count
        return times

    def _join(self, due: Floats, arrivals: Floats) -> int:
        """Those at these instants of work time get in line; how many were refused."""
        times = self._takes(due.size)
        if not due.size:
            return 0
        if self.law.places == 1 and math.isinf(self.law.most_wait_s):
            # Done at d[n] = max(a[n], d[n-1]) + s[n], unrolled.
            sums = np.cumsum(times)
            starts = arrivals.copy()
            starts[0] = max(starts[0], self._free[0])
            ready: Floats = sums + np.maximum.accumulate(starts - (sums - times))
            self._free[0] = float(ready[-1])
            begun_due = due
        else:
            free, most_wait_s = self._free, self.law.most_wait_s
            done_at: list[float] = []
            places: list[int] = []
            for place, (at, takes) in enumerate(zip(arrivals.tolist(), times.tolist(), strict=True)):
                start = free[0] if free[0] > at else at
                if start - at > most_wait_s:
                    continue
                heapreplace(free, start + takes)
                done_at.append(start + takes)
                places.append(place)
            ready, begun_due = np.array(done_at), due[places]
        self._due = np.concatenate([self._due, begun_due])
        self._ready = np.concatenate([self._ready, ready])
        return int(due.size - begun_due.size)

    def _attempts(self, fresh: Floats, until: float) -> int:
        """Return how many gave up where attempts time out and are made again; work time is wall time."""
        law, free = self.law, self._free
        now = [retry for retry in self._retries if retry[0] < until]
        self._retries = [retry for retry in self._retries if retry[0] >= until]
        due: list[float] = []
        ready: list[float] = []
        given_up = 0
        every = sorted([*((at, at, 1) for at in fresh.tolist()), *now])
        for (at, first, attempt), takes in zip(every, self._takes(len(every)).tolist(), strict=True):
            if attempt > law.attempts:
                given_up += 1
                continue
            start = free[0] if free[0] > at else at
            heapreplace(free, start + takes)
            if start + takes - at <= law.timeout_s:
                due.append(first)
                ready.append(start + takes)
            else:
                self._retries.append((at + law.timeout_s, first, attempt + 1))
        self._due = np.concatenate([self._due, due])
        self._ready = np.concatenate([self._ready, ready])
        return given_up
