"""Histograms with exponential buckets, as OTLP and Prometheus have them."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from loadrig._native import Histogram

SCALE = 4
"""Buckets for each doubling, as a power of two: 16 of them, each 4.4 % wide, are 160 from 1 ms to 1 s, which
is what OpenTelemetry's and Prometheus's own libraries keep at most. Both call it so: scale, and schema."""

PER_DECADE = 1000
"""Steps of a factor of ten in which times are read: 0.23 % wide, the precision of what was recorded."""


class ExponentialHistogram(NamedTuple):
    """Histogram of seconds: the bucket `first + i` holds times above 2^((first + i) / 16), up to the next.

    counts: of each bucket from the first that has any to the last.
    """

    first: int
    counts: list[int]
    total: int
    total_s: float

    def spans(self) -> Iterator[tuple[int, list[int]]]:
        """Yield runs of buckets with counts: how many empty ones lie before each, and its counts."""
        gap, run = 0, list[int]()
        for count in self.counts:
            if count:
                run.append(count)
                continue
            if run:
                yield gap, run
                gap, run = 0, []
            gap += 1
        if run:
            yield gap, run


def exponential(histogram: Histogram) -> ExponentialHistogram:
    """Return the histogram in exponential buckets, each time at the middle of the step that it was in."""
    by_place: dict[int, int] = {}
    for low_ns, high_ns, count in histogram.buckets(PER_DECADE):
        middle_s = math.sqrt(max(low_ns, 1.0) * high_ns) / 1e9
        place = math.ceil(math.log2(middle_s) * 2**SCALE) - 1
        by_place[place] = by_place.get(place, 0) + count
    first = min(by_place, default=0)
    counts = [by_place.get(place, 0) for place in range(first, max(by_place, default=-1) + 1)]
    return ExponentialHistogram(first, counts, sum(counts), histogram.mean_ns * histogram.count / 1e9)
