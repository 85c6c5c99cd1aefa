"""CPU quotas of control groups: what it allows, what was used of it, how long its programs stood still."""

import math
from dataclasses import dataclass

import numpy as np

from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsQuotaTexts
from loadrig.recording.steps import Floats

TEXTS = texts_of(JudgementFactsQuotaTexts)

PERIOD_S = 0.1
"""Period of a quota in seconds: the kernel's default, which Docker and Kubernetes keep. Source:
Documentation/scheduler/sched-bwc.rst."""

SAME_GROUP = 1.1
"""Use of a group over its quota, above which what counts is another group: no quota is passed by a tenth."""

FULL_STEP, FULL_STEPS = 0.9, 0.3
"""Share of the quota in use in a step, and share of such steps, 0 to 1, from which on the quota is used up:
the load is too much for part of the time."""

CLEAN_SHARE = 0.05
"""Share of the requests that failed, 0 to 1. Above it the CPU time of answers that nobody waited for cannot
be told apart."""

FEWEST_CLEAN = 3
"""Steps with few failures, from which on the cost of a request is taken from these alone."""


EXCESS_OVER_QUOTA = 2.0
"""Threads at once over those that a quota feeds. Below it they are spread out by chance."""


@dataclass(frozen=True, slots=True)
class Parallel:
    """Number of threads that a program lets run at once, and the source of that number."""

    threads: float
    text: str
    source: SeriesSource


@dataclass(frozen=True, eq=False)
class Quota:
    """Tightest quota over a program. cores: allowed; group: its path, "" where only the limit is known.

    values: float64[n], cores in use by all that the group holds, NaN where unknown. sharers: the programs
    known to be under it. throttled_share: share of the periods in which the group used its quota up; stood_s:
    seconds a second in which the group stood still, summed over cores. Both are NaN where they were not read.
    """

    cores: float
    group: str
    values: Floats
    is_inside: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
    sharers: tuple[Tier, ...]
    periods: float
    throttled: float
    stood_s: float
    source: SeriesSource

    @property
    def _readings(self) -> Floats:
        readings: Floats = self.values[self.is_inside & np.isfinite(self.values)]
        return readings

    @property
    def used(self) -> float:
        """Cores in use on average; NaN where unknown."""
        readings = self._readings
        return float(readings.mean()) if readings.size else math.nan

    @property
    def used_share(self) -> float:
        """Mean share of the quota in use, 0 to 1; NaN where unknown."""
        return self.used / self.cores

    @property
    def is_full(self) -> bool | None:
        """Whether the quota was used up, on average or for a good part of the time; None where unknown."""
        if not self._readings.size:
            return None
        is_often = bool((self._readings >= FULL_STEP * self.cores).mean() >= FULL_STEPS)
        return is_often or self.used_share >= FULL_SHARE

    @property
    def throttled_share(self) -> float:
        """Share of the periods in which the group stood still, 0 to 1; NaN where unknown."""
        return self.throttled / self.periods if self.periods > 0 else math.nan

    @property
    def still_share(self) -> float:
        """Share of the time in which the group stood still, 0 to 1. Two still cores count as one."""
        return min(self.stood_s, self.throttled_share)

    @property
    def fed(self) -> int:
        """Number of threads that the quota feeds at once: its cores, rounded up."""
        return math.ceil(self.cores)

    def is_exceeded_by(self, parallel: Parallel) -> bool:
        """Return whether so many threads run at once that they use it up before each period ends."""
        return parallel.threads >= EXCESS_OVER_QUOTA * self.fed

    def stall_s(self, threads: float) -> float:
        """Return the seconds of each period that so many busy threads stand still: they share the quota."""
        return PERIOD_S * max(0.0, 1 - self.cores / threads) if threads > 0 else 0.0


def quota_of(case: Case, tier: Tier) -> Quota | None:
    """Return the quota that a program ran into most; None where it has none."""
    quotas = tier.parts("cgroup.quota_cores")
    if not quotas and not math.isfinite(tier.quota):
        return None

    def stood(group: str) -> float:
        track = tier.track("cgroup.throttled_s", group)
        return track.mean if track is not None else 0.0

    group = min(quotas, key=lambda path: (-stood(path), quotas[path].median), default="")
    cores = quotas[group].median if group else tier.quota
    sharers = tuple(
        program
        for program in case.programs
        if program is tier
        or (group and program.host == tier.host and group in program.parts("cgroup.quota_cores"))
    )
    periods = tier.track("cgroup.periods", group) if group else None
    throttled = tier.track("cgroup.throttled_periods", group) if group else None
    values, source = _used(case, tier, sharers, group, cores)
    return Quota(
        cores, group, values, case.is_inside, sharers, _grown(periods), _grown(throttled),
        stood(group) if throttled is not None else math.nan, source,
    )  # fmt: skip


def _grown(track: Track | None) -> float:
    return track.grew if track is not None else math.nan


def _used(
    case: Case, tier: Tier, sharers: tuple[Tier, ...], group: str, cores: float
) -> tuple[Floats, SeriesSource]:
    whole = tier.track("cgroup.usage_s", group) if group else None
    # In v1 another tree counts time: a group of the same path there may hold more processes than this one.
    if whole is not None and whole.mean <= SAME_GROUP * cores:
        return whole.values, whole.source
    parts = [sharer.cpu for sharer in sharers if sharer.cpu is not None]
    if tier.cpu is None:
        return np.full(case.is_inside.size, np.nan), SeriesSource(tier.name, "process.cpu_s", "tree")
    total: Floats = np.nansum([part.values for part in parts], axis=0)
    total[~np.isfinite(tier.cpu.values)] = np.nan
    return total, tier.cpu.source


def cost_of_request(case: Case, tier: Tier, quota: Quota) -> tuple[float, float]:
    """Return the CPU seconds of a request, least and most; 0 and 0 if unknown.

    Where requests were given up, some of the time went into answers that nobody waited for: each of them took
    between nothing and the whole time of an answer.
    """
    load, used = case.load, quota.values
    for name in ("access_log.requests", "tomcat.requests", "nginx.requests"):
        own = tier.track(name)
        if own is not None and own.mean > 0 and math.isfinite(quota.used):
            return quota.used / own.mean, quota.used / own.mean
    good: Floats = load.ok + load.logins
    ended: Floats = good + load.failed
    is_known = np.isfinite(used) & (ended > 0)
    clean = is_known & (load.failed <= CLEAN_SHARE * ended)
    if clean.sum() >= FEWEST_CLEAN:
        cost_s = float(used[clean].sum() / ended[clean].sum())
        return cost_s, cost_s
    if not is_known.any() or good[is_known].sum() <= 0:
        return 0.0, 0.0
    in_all = used[is_known].sum()
    return float(in_all / ended[is_known].sum()), float(in_all / good[is_known].sum())


def biggest(quota: Quota) -> Tier:
    """Return the program under a quota that used most of it."""
    return max(quota.sharers, key=lambda tier: tier.cpu.mean if tier.cpu is not None else -1.0)


def parallel_of(tier: Tier) -> Parallel | None:
    """Return the most threads of a program that are known to run at once, at most one for each core.

    Candidates are GOMAXPROCS, the processors that a JVM counts, and the threads that were seen running; the
    greatest of them counts.
    """
    candidates: list[tuple[float, str, SeriesSource]] = []
    for name, text in (("go.gomaxprocs", TEXTS.gomaxprocs_is), ("jvm.cpus", TEXTS.jvm_counts_processors)):
        track = tier.track(name)
        if track is not None:
            candidates.append((track.median, text, track.source))
    running = tier.track("process.threads", "state:R")
    if running is not None:
        candidates.append((running.high(), TEXTS.threads_wanted_run, running.source))
    if not candidates:
        return None
    threads, text, source = max(candidates, key=lambda row: row[0])
    at_once = min(threads, float(tier.places))
    return Parallel(at_once, text.format(f"{threads:.0f}"), source)
