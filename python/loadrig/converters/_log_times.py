"""Times of a log's requests: how many came in the busiest stretch, and when within a second each came."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

BUSIEST_S = 60
"""Length of the stretch whose rate a plan takes, in seconds: shorter ones take chance for a peak."""

MOST_BUCKETS = 100_000
"""Stretches that are counted apart, at most: a day of seconds. A longer log is counted in longer ones."""


class LogTimes:
    """Times of requests, in constant memory for logs of any length."""

    def __init__(self) -> None:
        self.count = 0
        self.first_s, self.last_s = math.inf, -math.inf
        self._width_s = 1
        self._buckets: dict[int, int] = {}

    def add(self, time_s: float) -> None:
        """Add the time of a request, in seconds since 1970."""
        self.count += 1
        self.first_s, self.last_s = min(self.first_s, time_s), max(self.last_s, time_s)
        bucket = int(time_s // self._width_s)
        self._buckets[bucket] = self._buckets.get(bucket, 0) + 1
        if len(self._buckets) > MOST_BUCKETS:
            self._widen()

    def _widen(self) -> None:
        self._width_s *= 2
        halved: dict[int, int] = {}
        for bucket, count in self._buckets.items():
            halved[bucket // 2] = halved.get(bucket // 2, 0) + count
        self._buckets = halved

    @property
    def length_s(self) -> float:
        """Time from the first to the last request, and the second that the last one stands for."""
        return self.last_s - self.first_s + 1 if self.count else 0.0

    @property
    def mean_per_s(self) -> float:
        """Requests a second over the whole log."""
        return self.count / self.length_s if self.count else 0.0

    def busiest(self) -> tuple[float, float]:
        """Return the requests a second in the busiest stretch, and when it began, in seconds since 1970."""
        if self.length_s <= BUSIEST_S:
            return self.mean_per_s, self.first_s
        span = max(1, BUSIEST_S // self._width_s)
        moments = sorted(self._buckets)
        most, begin, within, start = 0, 0, 0, 0
        for moment in moments:
            within += self._buckets[moment]
            while moments[start] <= moment - span:
                within -= self._buckets[moments[start]]
                start += 1
            if within > most:
                most, begin = within, max(moment - span + 1, moments[0])
        return most / (span * self._width_s), float(begin * self._width_s)


def spread(times: Sequence[float]) -> Iterator[float]:
    """Yield the times of requests, which are in order; those of one whole second spread evenly over it."""
    is_whole = all(time_s.is_integer() for time_s in times)
    for moment, equal in groupby(times):
        count = sum(1 for _ in equal)
        for number in range(count):
            yield moment + (number / count if is_whole else 0.0)
