"""What is watched while something is changed: a figure for each slot of time, from the generator's frames.

Below the knee a server answers all that is asked, whatever is changed, and only latency tells; at its limit
throughput does, as latency there is the length of a queue.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from loadrig.recording.frame import Frame
from loadrig.stats.dips import running_median

NS = 1_000_000_000

Measure: TypeAlias = Literal["throughput", "latency", "dips", "growth"]

UNITS: Mapping[Measure, str] = {"throughput": "1/s", "latency": "s", "dips": "share", "growth": "MB/min"}
"""throughput: good answers. latency: mean time in flight. dips: share of good answers missing in dips.
growth: of the server's memory."""

IS_MORE_BETTER: Mapping[Measure, bool] = {
    "throughput": True, "latency": False, "dips": False, "growth": False
}  # fmt: skip

LEAST: Mapping[Measure, float] = {"throughput": 0.0, "latency": 1e-6, "dips": 0.004, "growth": 0.1}
"""Below this a figure is as good as none; a ratio of two such would be of noise."""

LIMIT_HARMS = frozenset({"short", "failing", "queueing", "saturated"})


def measure_of(harms: Iterable[str], *, is_open: bool, thinks: bool, in_dips: bool = False) -> Measure:
    """What to watch for what is wrong. in_dips: whether the first suspect is one who shows in dips alone.

    A server beyond its limit dips too, and a limit is told by throughput.
    """
    found = set(harms)
    if "dips" in found and (in_dips or not found & LIMIT_HARMS):
        return "dips"
    if found & LIMIT_HARMS or not (is_open or thinks):
        return "throughput"
    if found == {"growth"}:
        return "growth"
    return "latency"


@dataclass(frozen=True, slots=True)
class Tick:
    """One frame: when it ended, how long it was, good answers, all that ended, request-seconds in flight.

    generator_ns: CPU time that the generator used.
    """

    end_ns: int
    len_ns: int
    good: int
    ended: int
    in_flight_s: float
    generator_ns: int


def tick(frame: Mapping[str, Any]) -> Tick:
    """What a frame of the generator says as it comes; logins are left out of the good answers."""
    routes = [(row["class"], row["outcome"], row["count"]) for row in frame["routes"]]
    used_ns = sum(one["cpu_ns"] for one in frame["threads"])
    end_ns = frame["t_ns"] + frame["len_ns"]
    return _tick(end_ns, frame["len_ns"], routes, float(frame["in_flight_s"]), used_ns)


def recorded_tick(frame: Frame) -> Tick:
    """The same of a frame that was recorded."""
    routes = [(row.route_class, row.outcome, row.count) for row in frame.routes]
    used_ns = sum(one.cpu_ns for one in frame.threads)
    return _tick(frame.end_ns, frame.len_ns, routes, frame.in_flight_s, used_ns)


def _tick(
    end_ns: int, len_ns: int, routes: Iterable[tuple[str, str, int]], in_flight_s: float, used_ns: int
) -> Tick:
    good = ended = 0
    for whose, ending, count in routes:
        ended += count
        good += count if (whose, ending) == ("service", "ok") else 0
    return Tick(end_ns, len_ns, good, ended, in_flight_s, used_ns)


def outcome_of(measure: Measure, ticks: Sequence[Tick]) -> float | None:
    """The figure of a slot; None where it says nothing. Growth is not told by frames."""
    seconds = sum(one.len_ns for one in ticks) / NS
    if seconds <= 0:
        return None
    if measure == "throughput":
        # Half an answer more, so that a slot without any has a logarithm that is of its length.
        return (sum(one.good for one in ticks) + 0.5) / seconds
    if measure == "latency":
        ended = sum(one.ended for one in ticks)
        # Little's law: request-seconds over requests are their mean time in flight.
        return max(sum(one.in_flight_s for one in ticks) / ended, LEAST["latency"]) if ended else None
    if measure == "dips":
        return dips_share(by_second(ticks))
    return None


def by_second(ticks: Sequence[Tick]) -> list[float]:
    """Good answers a second, over whole seconds."""
    if not ticks:
        return []
    start_ns = ticks[0].end_ns - ticks[0].len_ns
    sums: dict[int, float] = {}
    for one in ticks:
        second = int((one.end_ns - one.len_ns // 2 - start_ns) // NS)
        sums[second] = sums.get(second, 0.0) + one.good
    whole = int((ticks[-1].end_ns - start_ns) // NS)
    return [sums.get(second, 0.0) for second in range(whole)]


def dips_share(rates: Sequence[float]) -> float | None:
    """Share of the good answers that are missing below nine tenths of the level around; None for too few."""
    if len(rates) < 8:
        return None
    y = np.asarray(rates, dtype=np.float64)
    level = running_median(y)
    missing = np.where(y < 0.9 * level, level - y, 0.0).sum()
    return max(float(missing / max(level.sum(), 1e-9)), LEAST["dips"])
