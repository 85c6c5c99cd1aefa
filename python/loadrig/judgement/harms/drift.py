"""Cost of the same requests through a run: whether it rose, or was high only at the beginning.

Cost is CPU time of the server for each request that ended, and the median latency, step by step.
"""

from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_duration, show_number
from loadrig.judgement.constants import NOTICED_S, WORTH
from loadrig.judgement.facts.case import Case
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsDriftTexts
from loadrig.recording.steps import Bools, Floats
from loadrig.stats.drift import Drift, drift
from loadrig.stats.limits import SURE_OF_DRIFT

TEXTS = texts_of(JudgementHarmsDriftTexts)

FEWEST_STEPS_FOR_DRIFT = 10
"""Steps below which early and late cannot be told apart."""

SETTLED_RATIO = 1.25
"""Ratio to the level of the second half. A course that stays below it from some step on has settled."""

SETTLED_OF_FALL, PEAKS = 0.1, 3
"""Share of the whole fall above the level of the second half, 0 to 1. A course that stays below it has
settled too: what fills or is compiled step by step goes on falling by ever less. The fall is from the third
of the highest steps of the first half, as one or two may be chance."""

LEAST_BEGINNING_SHARE = 0.15
"""Share of the measured part that a beginning must last to be more than the first requests, 0 to 1."""

LATENCY_FALL = 3.0
"""Median latency of the beginning over the level after it. Below it, or where nobody notices that latency, it
is no harm: a first second of 5 ms instead of 1 ms hurts nobody."""

DEARER = 1.5
"""CPU time of a request in one part of a run over that in another, from which on it differs: the noise of a
step is a tenth, and the first requests always cost more."""

RISE_USED = 0.25
"""Share of the server's cores in use at the end, 0 to 1. Below it a request mostly costs the waking up of an
idle server."""

LATER_HIGH_SHARE = 0.2
"""Share of the steps of the second half that may be high, 0 to 1: with more of them it has not settled."""

BEGIN_HIGH_SHARE = 0.6
"""Least share of the steps of a beginning that are high, 0 to 1: with fewer of them it is noise."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """Beginning of a course that was high at first and settled.

    steps: number of measured steps that it lasted; head: its mean; level: the median of the second half.
    """

    steps: int
    head: float
    level: float

    @property
    def ratio(self) -> float:
        """Mean of the beginning over the level after it; 1 where that level is 0."""
        return self.head / self.level if self.level > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Parted:
    """Measured part of a case, parted where its beginning ends. is_first, is_later: bool[n], by step."""

    case: Case
    is_first: Bools
    is_later: Bools

    @property
    def first_s(self) -> float:
        """Length of the beginning, in seconds."""
        return float(self.case.seconds[self.is_first].sum())

    def means(self, values: Floats) -> tuple[float, float]:
        """Return the means of a value of each step in the beginning and later; 0 where it was not read."""
        first, later = (values[part & np.isfinite(values)] for part in (self.is_first, self.is_later))
        return float(first.mean()) if first.size else 0.0, float(later.mean()) if later.size else 0.0

    @property
    def failed_later_share(self) -> float:
        """Share of the requests after the beginning that failed, 0 to 1."""
        load, seconds = self.case.load, self.case.seconds
        failed, ok = (float((rate * seconds)[self.is_later].sum()) for rate in (load.failed, load.ok))
        return failed / max(failed + ok, 1.0)

    def harm_share(self, slow: Beginning | None) -> float:
        """Return the share of what is wrong that lies in the beginning, 0 to 1. slow: that of the latency."""
        load, harms = self.case.load, self.case.harms
        if "failing" in harms or "short" in harms:
            lost: Floats = load.failed + (np.maximum(0.0, load.offered - load.ok) if load.is_open else 0.0)
            total, first = (float(lost[part].sum()) for part in (self.case.is_inside, self.is_first))
            # What is lost later all the time would have been lost in the beginning, too.
            usual = float(lost[self.is_later].mean()) * self.is_first.sum() if self.is_later.any() else 0.0
            return max(0.0, first - usual) / total if total else 0.0
        if load.latency_by_step is None or slow is None:
            return 1.0 if "drift" in harms else 0.0
        p99 = load.latency_by_step(0.99)
        later = p99[self.is_later & np.isfinite(p99)]
        peak = float(np.nanmax(p99[self.is_first], initial=0.0))
        return max(0.0, 1 - float(np.median(later)) / peak) if later.size and peak > 0 else 0.0


def parted(case: Case, beginning: Beginning) -> Parted:
    """Return the measured part of a case, parted where a beginning ends."""
    is_first = np.zeros(case.is_inside.size, dtype=np.bool_)
    is_first[np.flatnonzero(case.is_inside)[: beginning.steps]] = True
    return Parted(case, is_first, case.is_inside & ~is_first)


def beginning_of(values: Floats) -> Beginning | None:
    """Return the high beginning of a course, one value a step; None without one that settled."""
    course = values[np.isfinite(values)]
    if course.size < FEWEST_STEPS_FOR_DRIFT:
        return None
    half = course.size // 2
    level = float(np.median(course[half:]))
    peak = float(np.sort(course[:half])[-PEAKS])
    is_high = course > _settled(level, peak)
    # High steps later on have another reason, but most of the second half must lie at the level.
    early = np.flatnonzero(is_high[:half])
    if not early.size or is_high[half:].mean() > LATER_HIGH_SHARE:
        return None
    before, last = np.array_split(course[half:], 2)
    steps = int(early[-1]) + 1
    goes_on_falling = np.median(before) > _settled(float(np.median(last)), peak)
    if goes_on_falling or is_high[:steps].mean() < BEGIN_HIGH_SHARE:
        return None
    return Beginning(steps, float(course[:steps].mean()), level)


def _settled(level: float, peak: float) -> float:
    """Return the value up to which a course that fell from a peak has settled at a level."""
    return max(SETTLED_RATIO * level, level + SETTLED_OF_FALL * (peak - level))


def cpu_a_request(case: Case) -> Floats:
    """Return the server's CPU seconds for each request that ended, by measured step; NaN where unknown."""
    load, cpu = case.load, case.server.cpu
    inside = case.is_inside
    if cpu is None:
        return np.full(int(inside.sum()), np.nan)
    ended = (load.ok + load.failed + load.logins)[inside]
    cost_s: Floats = np.divide(
        cpu.values[inside], ended, out=np.full(ended.size, np.nan), where=ended >= 1
    )  # fmt: skip
    return cost_s


def latency(case: Case) -> Floats:
    """Return the median latency in each measured step, in seconds; NaN where unknown."""
    by_step = case.load.latency_by_step
    if by_step is None:
        return np.full(int(case.is_inside.sum()), np.nan)
    median_s: Floats = by_step(0.5)[case.is_inside]
    return median_s


def harm(case: Case) -> str | None:
    """Return the harm "drift" as a sentence; None where the requests cost the same throughout."""
    slow = beginning_of(latency(case))
    is_fall = slow is not None and slow.head >= NOTICED_S and slow.ratio >= LATENCY_FALL
    if slow is not None and is_fall and slow.steps >= LEAST_BEGINNING_SHARE * case.is_inside.sum():
        length = show_duration(float(case.seconds[case.is_inside][: slow.steps].sum()))
        return TEXTS.requests_took_first(show_duration(slow.head), length, show_duration(slow.level))
    rise = rise_of(case)
    return rise_in_words(rise) if rise is not None else None


def rise_of(case: Case) -> Drift | None:
    """Return how the CPU time of a request rose through the run; None where it did not rise by enough.

    It is sure where hardly any noise rises so, or where the least that it may have risen by is worth a mend:
    a step's noise of a tenth makes no medians that are half as high again.
    """
    rise = drift(case.t_s[case.is_inside], cpu_a_request(case))
    if rise is None or rise.ratio < DEARER or (rise.p > SURE_OF_DRIFT and rise.low < WORTH):
        return None
    if rise.after * case.load.ended_rps < RISE_USED * case.server.cores:
        return None
    return rise


def rise_in_words(rise: Drift) -> str:
    """Return a rise of the CPU time of a request as a sentence."""
    return TEXTS.request_took_cpu(
        show_duration(rise.before), show_duration(rise.after), show_number(rise.ratio)
    )
