"""Ticks, which a search for a capacity sees: counts of a short time at one level."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NEARLY_S = 1e-6
"""Seconds by which sums of lengths of frames may differ by rounding alone."""


@dataclass(frozen=True, slots=True)
class Count:
    """Requests of a tick that a goal is about. hits: broke the goal; total: could have, in the same time."""

    hits: int
    total: int


@dataclass(frozen=True, slots=True)
class _LoadCounts:
    """Counts of some time at one level.

    seconds: how long. due: requests that became due. done: ended, well or not; good: ended well;
    failed: ended badly. counts: of each goal on a share, in the order of Goals.shares.
    """

    seconds: float
    due: int
    done: int
    good: int
    failed: int
    counts: tuple[Count, ...]
    in_flight: float


@dataclass(frozen=True, slots=True)
class Tick(_LoadCounts):
    """Counts of a tenth to a quarter of a second of load. in_flight: at the end.

    is_held_back: whether the generator could not offer what it was asked to; then nothing is of the server.
    """

    is_held_back: bool = False


@dataclass(frozen=True, slots=True)
class LevelWindow(_LoadCounts):
    """Sum of some ticks of one level. in_flight: mean."""

    @property
    def throughput(self) -> float:
        """Return the good answers a second."""
        return self.good / self.seconds if self.seconds else 0.0

    @property
    def response_s(self) -> float | None:
        """Return the mean time in flight by Little's law, in seconds; None where nothing ended."""
        return self.in_flight * self.seconds / self.done if self.done else None


def added(ticks: Sequence[Tick]) -> LevelWindow:
    """Return the sum of ticks in a row; of no ticks, an empty window."""
    seconds = sum(tick.seconds for tick in ticks)
    # A tick's mean in flight is that of its two ends: exact where the number changes evenly.
    area = sum((a + b) / 2 * tick.seconds for a, b, tick in _ends(ticks))
    counts = tuple(
        Count(sum(count.hits for count in column), sum(count.total for count in column))
        for column in zip(*(tick.counts for tick in ticks), strict=True)
    )
    return LevelWindow(
        seconds, sum(tick.due for tick in ticks), sum(tick.done for tick in ticks),
        sum(tick.good for tick in ticks), sum(tick.failed for tick in ticks), counts,
        area / seconds if seconds else 0.0,
    )  # fmt: skip


def _ends(ticks: Sequence[Tick]) -> Iterable[tuple[float, float, Tick]]:
    before = ticks[0].in_flight if ticks else 0.0
    for tick in ticks:
        yield before, tick.in_flight, tick
        before = tick.in_flight
