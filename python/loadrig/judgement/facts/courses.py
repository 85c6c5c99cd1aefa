"""Levels against the requests that were served: what leaks of every kind are judged by.

A level is set against requests, not against time: what leaks with each request has the same slope
at twice the load.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadrig.base.series import Series
from loadrig.base.units import show_number, show_size
from loadrig.judgement.evidence import Source
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.recording.steps import NS, Edges, Floats
from loadrig.stats.growth import Growth, endless

LEAST_GROWTH_BYTES = 4_000_000
"""Growth of memory in a run, in bytes. Below it: pools, buffers and code that a worker makes once take a few
MB."""

GIVEN_UP = ("timeout",)
"""Outcomes of requests that the generator no longer waits for, and the server may still have."""

LEAST_BYTES_A_REQUEST = 200
"""Growth of memory with each request, in bytes. Below it nothing is called a leak."""

LEAST_OF_LEVEL = 0.02
"""Growth of memory as a share of the first level, 0 to 1. Below it nothing is called a leak."""

SHORT_S, LEAST_OF_SHORT = 180.0, 0.15
"""Length of a short run in seconds, and the share of the first level by which memory must grow in it, 0 to 1.
A cache that fills for minutes grows along a line for seconds, so less growth is no leak yet in a short
run."""

LEAST_COUNT, LEAST_COUNT_OF_LEVEL = 40, 0.3
"""Growth of descriptors, threads or connections, as a number and as a share of the first level. Below the
greater of both it is no leak: pools grow by less than that after the warm-up."""

OWED, OWED_BYTES = 3.0, 64_000
"""Number of descriptors, threads and the like, and bytes, that a request may hold until the server has
finished it. Such a request is in flight, or the generator gave it up and it is still in the server's
queue."""


@dataclass(frozen=True, eq=False)
class Course:
    """Level against the requests served.

    kind: "memory", "descriptors", "threads", "goroutines" or "connections". what: in words, "memory of the
    processes". requests, level: as they were read; t_s: when, in seconds of the load. growth: None with too
    few readings. is_leak: whether the level grows without end, and by enough to matter. limit: what the level
    may grow to; infinite where that is not known. lives: how many lives of restarted processes were laid on
    each other; 0 where it is one course. workers: mean number of processes at a time. is_sure: False where a
    collector may yet free the memory, as nobody saw what its collections leave.
    """

    component: str
    kind: str
    what: str
    source: Source
    t_s: Floats
    requests: Floats
    level: Floats
    growth: Growth | None
    is_leak: bool
    limit: float = math.inf
    limit_text: str = ""
    lives: int = 0
    workers: float = 1.0
    is_sure: bool = True

    @property
    def a_request(self) -> float:
        """Growth of the level with each request; NaN where the growth is not known."""
        return self.growth.slope * self.workers if self.growth is not None else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the growth with each request; NaN where the growth is not known."""
        if self.growth is None:
            return math.nan, math.nan
        return self.growth.low * self.workers, self.growth.high * self.workers

    def to_limit_s(self, requests_a_second: float) -> float:
        """Return the seconds until the limit at this load; infinite without a leak or a known limit."""
        if self.growth is None or not self.is_leak or self.a_request * requests_a_second <= 0:
            return math.inf
        return max(0.0, self.limit - self.growth.level) / (self.a_request * requests_a_second)

    def shown(self, amount: float) -> str:
        """Return an amount of the level as text, with its unit."""
        return show_size(amount) if self.kind == "memory" else show_number(amount)


def course(
    tier: Tier, kind: str, what: str, source: Source, t_ns: Edges, level: Floats, blocks: int | None = None
) -> Course:
    """Return a course that is judged by its own growth.

    blocks: number of evenly spaced readings that the course is judged by, where there are more readings.
    """
    case = tier.case
    requests = requests_at(case, t_ns)
    places = np.arange(t_ns.size)
    if blocks is not None and places.size > blocks:
        places = np.linspace(0, places.size - 1, blocks).astype(int)
    growth = endless(requests[places], level[places])
    limit, limit_text = limit_of(tier, kind, what, level)
    return Course(
        component=tier.name,
        kind=kind,
        what=what,
        source=source,
        t_s=(t_ns - case.origin_ns) / NS,
        requests=requests,
        level=level,
        growth=growth,
        is_leak=growth is not None and _matters(case, kind, growth, float(level[0])),
        limit=limit,
        limit_text=limit_text,
    )


def served(case: Case) -> Floats:
    """Return the number of requests that have ended by each edge of the steps, logins and failures too."""
    load = case.load
    ended_in_step = (load.ok + load.failed + load.logins) * load.seconds
    ended: Floats = np.concatenate(([0.0], np.cumsum(ended_in_step)))
    return ended


def requests_at(case: Case, t_ns: Edges) -> Floats:
    """Return the number of requests that have ended by each of these instants."""
    ended: Floats = np.interp(t_ns, case.edges_ns, served(case))
    return ended


def readings(case: Case, series: Series) -> tuple[Edges, Floats]:
    """Return instants and values of the known readings of the measured part."""
    from_ns, to_ns = case.window_ns
    good = np.isfinite(series.value) & (series.t_ns >= from_ns) & (series.t_ns <= to_ns)
    return series.t_ns[good], series.value[good]


def series_of(tier: Tier, name: str) -> dict[str, Series]:
    """Return the readings of "PROBE.METRIC" as they came, by subject."""
    probe, _, metric = name.partition(".")
    wanted: Any = (tier.name, probe, metric)
    return {key.subject: series for key, series in tier.case.series.items() if key[:3] == wanted}


def limit_of(tier: Tier, kind: str, what: str, level: Floats) -> tuple[float, str]:
    """Return what a level may grow to, and what sets that limit; infinite and empty where it is not known."""
    if kind == "descriptors":
        share = tier.track("process.fds_share", "tree")
        if share is not None and share.peak > 0 and level.size:
            return float(level.max()) / share.peak, "the limit of open descriptors"
    if kind != "memory":
        return math.inf, ""
    limits = [
        (track.median, "its memory limit") for track in tier.parts("cgroup.memory_limit_bytes").values()
    ]
    if "memory_bytes" in tier.limits:
        limits.append((float(tier.limits["memory_bytes"]), "its memory limit"))
    if what.startswith("heap"):
        for name in ("jvm.memory_limit_bytes", "node.heap_limit_bytes"):
            for subject, track in tier.case.subjects(tier.name, name).items():
                if track.is_known and (subject in ("", "heap") or subject.startswith("pid:")):
                    limits.append((track.median, "the greatest heap that it may have"))
    available = tier.case.track(tier.host, "memory.available_bytes")
    if available is not None and available.is_known and level.size:
        limits.append((float(level.max()) + float(available.known[-1]), "the memory of the machine"))
    return min((limit for limit in limits if limit[0] > 0), default=(math.inf, ""))


def _matters(case: Case, kind: str, growth: Growth, first: float) -> bool:
    if not growth.is_endless():
        return False
    # What belongs to a request without an answer, or to a user that has come since, is in use and not lost.
    held = _grew(case, case.load.in_flight) + _grew(case, case.load.users) + case.load.count(*GIVEN_UP)
    if case.load.failed_logins is not None:
        held += case.load.total(case.load.failed_logins)
    if kind == "memory":
        share = LEAST_OF_SHORT if case.measured_s < SHORT_S else LEAST_OF_LEVEL
        least = max(LEAST_GROWTH_BYTES, share * first)
        return growth.grown - OWED_BYTES * held >= least and growth.slope >= LEAST_BYTES_A_REQUEST
    return growth.grown - OWED * held >= max(LEAST_COUNT, LEAST_COUNT_OF_LEVEL * first)


def _grew(case: Case, values: Floats) -> float:
    part = values[case.is_inside]
    sixth = max(1, part.size // 6)
    return max(0.0, float(part[-sixth:].max() - part[:sixth].mean())) if part.size else 0.0
