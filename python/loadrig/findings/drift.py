"""What the same requests cost through a run: whether they became dearer, or were dear only at its beginning.

Cost is CPU time of the server for each request that ended, and the median latency, step by step.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from loadrig.base.units import show_duration, show_number
from loadrig.findings.case import Case
from loadrig.recording.steps import Floats

FEWEST_STEPS = 10

SETTLED = 1.25
"""Times the level of the second half: what stays below that from some step on has settled."""

LEAST_SHARE = 0.15
"""Of the measured part that the beginning must last, to be more than the first requests."""

FALL, FALL_S = 3.0, 0.1
"""Median latency of the beginning over the level after it, and itself: a first second of 5 ms instead of 1 ms
hurts nobody."""

RISE = 1.5
RISE_TAU = 0.6
"""CPU time a request of the last third over that of the first, and Kendall's tau of it with time: 0.6 comes
once in 400 runs of twelve steps by chance. Source: Kendall 1938, Biometrika 30, 81-93."""

RISE_USED = 0.25
"""Of its cores, at the end: of a server that is all but idle the cost of a request is that of waking up."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A course that was high at first and settled.

    steps: of the measured part that it lasted; head: its mean; level: the median of the second half.
    """

    steps: int
    head: float
    level: float

    @property
    def ratio(self) -> float:
        """Of the beginning over what came after."""
        return self.head / self.level if self.level > 0 else 1.0


def beginning_of(values: Floats) -> Beginning | None:
    """The high beginning of a course, one value a step; None where there is none or it did not settle."""
    known = values[np.isfinite(values)]
    if known.size < FEWEST_STEPS:
        return None
    late = known[known.size // 2 :]
    level = float(np.median(late))
    high = np.flatnonzero(known > SETTLED * level)
    # A step that is high later on is of another kind; but most of the second half must lie at the level.
    early = high[high < known.size // 2]
    if not early.size or (late > SETTLED * level).mean() > 0.2:
        return None
    before, last = np.array_split(late, 2)
    if np.median(before) > SETTLED * np.median(last):
        return None  # it goes on falling
    steps = int(early[-1]) + 1
    if (known[:steps] > SETTLED * level).mean() < 0.6:
        return None
    return Beginning(steps, float(known[:steps].mean()), level)


def cpu_a_request(case: Case) -> Floats:
    """CPU seconds of the server for each request that ended, in each measured step; NaN where unknown."""
    load, cpu = case.load, case.server.cpu
    inside = case.is_inside
    if cpu is None:
        return np.full(int(inside.sum()), np.nan)
    ended = (load.ok + load.failed + load.logins)[inside]
    found: Floats = np.divide(
        cpu.values[inside], ended, out=np.full(ended.size, np.nan), where=ended >= 1
    )  # fmt: skip
    return found


def latency(case: Case) -> Floats:
    """Median latency in each measured step."""
    by_step = case.load.latency_by_step
    if by_step is None:
        return np.full(int(case.is_inside.sum()), np.nan)
    found: Floats = by_step(0.5)[case.is_inside]
    return found


def harm(case: Case) -> str | None:
    """The harm "drift" as a sentence; None where the requests cost the same throughout."""
    slow = beginning_of(latency(case))
    steps = int(case.is_inside.sum())
    if slow is not None and slow.steps >= LEAST_SHARE * steps and slow.head >= FALL_S and slow.ratio >= FALL:
        length = show_duration(_seconds(case, slow.steps))
        return (
            f"requests took {show_duration(slow.head)} in the first {length}"
            f" and {show_duration(slow.level)} after that"
        )
    cost = cpu_a_request(case)
    cost = cost[np.isfinite(cost)]
    if cost.size < FEWEST_STEPS:
        return None
    third = cost.size // 3
    first, last = float(np.median(cost[:third])), float(np.median(cost[-third:]))
    if last * case.load.ended_rps < RISE_USED * case.server.cores:
        return None
    if (
        first > 0
        and last >= RISE * first
        and scipy.stats.kendalltau(np.arange(cost.size), cost)[0] >= RISE_TAU
    ):
        return (
            f"a request took {show_duration(first)} of CPU time at first and {show_duration(last)} at the"
            f" end, {show_number(last / first)} times as much"
        )
    return None


def _seconds(case: Case, steps: int) -> float:
    return float(case.seconds[case.is_inside][:steps].sum())
