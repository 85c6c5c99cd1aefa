"""The measure that is watched during an experiment: a figure for each slot, from the generator's frames.

Below the knee a server answers all requests, whatever is changed, so only latency shows a change. At its
limit throughput shows it, as latency there is the length of a queue.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from loadrig.recording.frame import Frame
from loadrig.recording.steps import NS
from loadrig.stats.dips import running_median

Measure: TypeAlias = Literal["throughput", "latency", "dips", "growth"]
"""Name of the figure that is watched while something is changed; UNITS says what each is."""

UNITS: Mapping[Measure, str] = {"throughput": "1/s", "latency": "s", "dips": "share", "growth": "MB/min"}
"""Units of the measures. throughput: good answers a second. latency: mean time in flight. dips: share of
good answers missing in dips. growth: growth of the server's memory."""

IS_MORE_BETTER: Mapping[Measure, bool] = {
    "throughput": True, "latency": False, "dips": False, "growth": False
}  # fmt: skip
"""Sense of each measure: True where more of it is better."""

LEAST: Mapping[Measure, float] = {"throughput": 0.0, "latency": 1e-6, "dips": 0.004, "growth": 0.1}
"""Least value of each measure: smaller ones are as good as nothing, and a ratio of two of them would be
noise."""

IN_A_DIP = 0.9
"""Rate over the level around it. A second below it is in a dip."""

FEWEST_SECONDS = 8
"""Least number of rates, one a second, among which a dip can be told from the level around it."""

LIMIT_HARMS = frozenset({"short", "failing", "queueing", "saturated"})
"""Harms of a server that is at its limit."""


def measure_of(harms: Iterable[str], *, is_open: bool, thinks: bool, in_dips: bool = False) -> Measure:
    """Return the measure by which to watch some harms.

    in_dips: whether the first suspect is a cause that shows in dips alone.
    A server beyond its limit dips, too, and throughput is what shows a limit.
    """
    present = set(harms)
    if "dips" in present and (in_dips or not present & LIMIT_HARMS):
        return "dips"
    if present & LIMIT_HARMS or not (is_open or thinks):
        return "throughput"
    if present == {"growth"}:
        return "growth"
    return "latency"


@dataclass(frozen=True, slots=True)
class FrameCounts:
    """One frame of the generator.

    end_ns: when it ended. len_ns: how long it was. good: good answers. ended: requests that ended.
    in_flight_s: request-seconds in flight. generator_ns: CPU time that the generator used.
    """

    end_ns: int
    len_ns: int
    good: int
    ended: int
    in_flight_s: float
    generator_ns: int


def counts_in(frame: Frame) -> FrameCounts:
    """Return a frame of the generator as counts; logins do not count as good answers."""
    good = sum(row.count for row in frame.routes if (row.route_class, row.outcome) == ("service", "ok"))
    ended = sum(row.count for row in frame.routes)
    used_ns = sum(thread.cpu_ns for thread in frame.threads)
    return FrameCounts(frame.end_ns, frame.len_ns, good, ended, frame.in_flight_s, used_ns)


def outcome_of(measure: Measure, ticks: Sequence[FrameCounts]) -> float | None:
    """Return the figure of a slot; None where it says nothing. Frames do not show growth."""
    seconds = sum(tick.len_ns for tick in ticks) / NS
    if seconds <= 0:
        return None
    if measure == "throughput":
        # Half an answer is added, so that a slot without answers has a logarithm, too.
        return (sum(tick.good for tick in ticks) + 0.5) / seconds
    if measure == "latency":
        ended = sum(tick.ended for tick in ticks)
        # Little's law: request-seconds over requests are their mean time in flight.
        return max(sum(tick.in_flight_s for tick in ticks) / ended, LEAST["latency"]) if ended else None
    if measure == "dips":
        return dips_share(by_second(ticks))
    return None


def by_second(ticks: Sequence[FrameCounts]) -> list[float]:
    """Return the good answers a second, one value for each whole second."""
    if not ticks:
        return []
    start_ns = ticks[0].end_ns - ticks[0].len_ns
    seconds = [int((tick.end_ns - tick.len_ns // 2 - start_ns) // NS) for tick in ticks]
    whole = int((ticks[-1].end_ns - start_ns) // NS)
    sums = np.bincount(seconds, weights=[tick.good for tick in ticks], minlength=whole)
    return [float(rate) for rate in sums[:whole]]


def dips_share(rates: Sequence[float]) -> float | None:
    """Return the share of good answers missing in dips; None for fewer than FEWEST_SECONDS rates.

    rates: good answers a second.
    """
    if len(rates) < FEWEST_SECONDS:
        return None
    y = np.asarray(rates, dtype=np.float64)
    level = running_median(y)
    missing = np.where(y < IN_A_DIP * level, level - y, 0.0).sum()
    return max(float(missing / max(level.sum(), 1e-9)), LEAST["dips"])
