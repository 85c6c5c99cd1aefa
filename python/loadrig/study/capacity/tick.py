"""What one frame says to a search for a capacity: counts of a short time at one level."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """hits: requests that broke a goal. of: requests that could have, in the same time."""

    hits: int
    of: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A tenth to a quarter of a second of load.

    seconds: how long. due: requests that became due. done: that ended, however they did; good: as asked;
    failed: not. counts: of each goal on a share, in the order of Goals.shares. in_flight: at the end.
    busy_s: CPU time that the server used, in seconds, where it is known. readings: of each goal that is
    judged over the window, in the order of Goals.readings, None where there is none. is_held_back: whether
    the generator could not offer what it was asked to; then nothing here is of the server.
    """

    seconds: float
    due: int
    done: int
    good: int
    failed: int
    counts: tuple[Count, ...]
    in_flight: float
    busy_s: float | None = None
    readings: tuple[float | None, ...] = ()
    is_held_back: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """Some ticks of one level added up. in_flight: mean; the rest as in a tick."""

    seconds: float
    due: int
    done: int
    good: int
    failed: int
    counts: tuple[Count, ...]
    in_flight: float
    busy_s: float | None

    @property
    def throughput(self) -> float:
        """Good answers a second."""
        return self.good / self.seconds if self.seconds else 0.0

    @property
    def response_s(self) -> float | None:
        """Mean time in flight by Little's law; None where nothing ended."""
        return self.in_flight * self.seconds / self.done if self.done else None


def added(ticks: Sequence[Tick]) -> Window:
    """The sum of ticks in a row; of none, an empty window."""
    seconds = sum(one.seconds for one in ticks)
    # Half of what was in flight at both ends of each tick: exact where it changes evenly.
    area = sum((a + b) / 2 * one.seconds for a, b, one in _ends(ticks))
    known = [one.busy_s for one in ticks if one.busy_s is not None]
    counts = tuple(
        Count(sum(count.hits for count in column), sum(count.of for count in column))
        for column in zip(*(one.counts for one in ticks), strict=True)
    )
    return Window(
        seconds, sum(one.due for one in ticks), sum(one.done for one in ticks),
        sum(one.good for one in ticks), sum(one.failed for one in ticks), counts,
        area / seconds if seconds else 0.0,
        sum(known) if ticks and len(known) == len(ticks) else None,
    )  # fmt: skip


def _ends(ticks: Sequence[Tick]) -> Iterable[tuple[float, float, Tick]]:
    before = ticks[0].in_flight if ticks else 0.0
    for one in ticks:
        yield before, one.in_flight, one
        before = one.in_flight
