"""Offset of another host's monotonic clock from ours, as an interval that surely holds it.

The reading of a clock there was made between our question and its answer, so each exchange bounds the offset
from both sides, however unequal the two ways are; what several exchanges bound is bounded by all of them.
Monotonic clocks of two hosts begin at their boots, so the offset itself may be days. Source: Marzullo &
Owicki 1983, "Maintaining the time in a distributed system": intersection of intervals.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from loadrig.fleet.hosts import ClockReading

EXCHANGES = 8
"""Exchanges with a host by which its clock is compared: the quickest decides, and the first ones of a
connection are slow."""

PPM = 1e6


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """Interval of the lead of another clock over ours, in nanoseconds, at an instant of ours.

    round_trip_ns: the quickest question and answer.
    """

    low_ns: int
    high_ns: int
    at_ns: int
    round_trip_ns: int

    @classmethod
    def of(cls, readings: Iterable[ClockReading]) -> "ClockOffset":
        """Return what some readings bound together. Raises ValueError where there are none.

        Where they exclude each other a clock was set between them; then the quickest alone is believed.
        """
        every = list(readings)
        quickest = min(every, key=lambda each: each.answered_ns - each.asked_ns)
        low = max(each.there_ns - each.answered_ns for each in every)
        high = min(each.there_ns - each.asked_ns for each in every)
        if low > high:
            low, high = quickest.there_ns - quickest.answered_ns, quickest.there_ns - quickest.asked_ns
        return cls(low, high, quickest.answered_ns, quickest.answered_ns - quickest.asked_ns)

    @property
    def ns(self) -> int:
        """Middle of the interval: what is reckoned with."""
        return (self.low_ns + self.high_ns) // 2

    def drift_ppm(self, later: "ClockOffset") -> float | None:
        """Return how many microseconds the other clock gained in a second, until a later comparison.

        None where no time has passed.
        """
        if later.at_ns <= self.at_ns:
            return None
        return (later.ns - self.ns) / (later.at_ns - self.at_ns) * PPM
