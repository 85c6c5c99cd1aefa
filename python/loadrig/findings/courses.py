"""A level against the requests that were served: what a leak is judged by, of whatever it is.

Against requests, not against time: what leaks with each request has the same slope at twice the load.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadrig.base.series import Series
from loadrig.base.units import show_number, show_size
from loadrig.findings.case import Case
from loadrig.findings.evidence import Source
from loadrig.findings.tier import Tier
from loadrig.recording.steps import NS, Edges, Floats
from loadrig.stats.growth import Growth, endless

LEAST_BYTES = 4_000_000
"""Of growth in a run: pools, buffers and code that are made once in a worker are of a few megabytes."""

GIVEN_UP = ("timeout",)
"""Outcomes of requests that the generator no longer waits for, and the server may still have."""

LEAST_BYTES_A_REQUEST = 200
LEAST_OF_LEVEL = 0.02
SHORT_S, LEAST_OF_SHORT = 180.0, 0.15
"""A cache that fills for minutes grows along a line for seconds: in a run shorter than that, growth by a
smaller part of what was there at the beginning is no leak yet."""
LEAST_COUNT, LEAST_COUNT_OF_LEVEL = 40, 0.3
"""Of descriptors, threads, connections: pools grow by less than that after the warm-up."""

OWED, OWED_BYTES = 3.0, 64_000
"""Descriptors, threads and the like, and bytes, that a request may hold as long as the server has not done
it: in flight, or given up by the generator and still in the server's queue."""


@dataclass(frozen=True, eq=False)
class Course:
    """One level against the requests served.

    kind: "memory", "descriptors", "threads", "goroutines" or "connections". what: in words, "memory of the
    processes". requests, level: as they were read; t_s: when, in seconds of the load. growth: None with too
    few readings. is_leak: whether it grows without end, and by enough to matter. limit: what it may grow to;
    infinite where that is not known. lives: of processes that were restarted, how many were laid on each
    other; 0 where it is one course. workers: mean number of them at a time. is_sure: False where a collector
    may yet free it, as nobody saw what its collections leave.
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
        """By how much it grows with a request."""
        return self.growth.slope * self.workers if self.growth is not None else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of that."""
        if self.growth is None:
            return math.nan, math.nan
        return self.growth.low * self.workers, self.growth.high * self.workers

    def to_limit_s(self, requests_a_second: float) -> float:
        """Seconds until the limit, at this load; infinite where there is none to be known."""
        if self.growth is None or not self.is_leak or self.a_request * requests_a_second <= 0:
            return math.inf
        return max(0.0, self.limit - self.growth.level) / (self.a_request * requests_a_second)

    def shown(self, amount: float) -> str:
        """An amount of it, as read."""
        return show_size(amount) if self.kind == "memory" else show_number(amount)


def course(
    tier: Tier, kind: str, what: str, source: Source, t_ns: Edges, level: Floats, blocks: int | None = None
) -> Course:
    """A course that is judged by its own growth.

    blocks: of more readings so many, evenly spaced, are what it is judged by.
    """
    case = tier.case
    requests = requests_at(case, t_ns)
    places = np.arange(t_ns.size)
    if blocks is not None and places.size > blocks:
        places = np.linspace(0, places.size - 1, blocks).astype(int)
    found = endless(requests[places], level[places])
    limit, limit_text = limit_of(tier, kind, what, level)
    return Course(
        component=tier.name,
        kind=kind,
        what=what,
        source=source,
        t_s=(t_ns - case.origin_ns) / NS,
        requests=requests,
        level=level,
        growth=found,
        is_leak=found is not None and _matters(case, kind, found, float(level[0])),
        limit=limit,
        limit_text=limit_text,
    )


def served(case: Case) -> Floats:
    """Requests that have ended by each edge of the steps, logins and failures too."""
    load = case.load
    ended = (load.ok + load.failed + load.logins) * load.seconds
    found: Floats = np.concatenate(([0.0], np.cumsum(ended)))
    return found


def requests_at(case: Case, t_ns: Edges) -> Floats:
    """Requests that have ended by each of these instants."""
    found: Floats = np.interp(t_ns, case.edges_ns, served(case))
    return found


def readings(case: Case, series: Series) -> tuple[Edges, Floats]:
    """Known readings of the measured part."""
    from_ns, to_ns = case.window_ns
    good = np.isfinite(series.value) & (series.t_ns >= from_ns) & (series.t_ns <= to_ns)
    return series.t_ns[good], series.value[good]


def series_of(tier: Tier, name: str) -> dict[str, Series]:
    """Readings of "PROBE.METRIC" as they came, by subject."""
    probe, _, metric = name.partition(".")
    wanted: Any = (tier.name, probe, metric)
    return {key.subject: series for key, series in tier.case.series.items() if key[:3] == wanted}


def limit_of(tier: Tier, kind: str, what: str, level: Floats) -> tuple[float, str]:
    """What a level may grow to, and by whose word; infinite and empty where that is not known."""
    if kind == "descriptors":
        share = tier.track("process.fds_share", "tree")
        if share is not None and share.peak > 0 and level.size:
            return float(level.max()) / share.peak, "the limit of open descriptors"
    if kind != "memory":
        return math.inf, ""
    found = [(track.median, "its memory limit") for track in tier.parts("cgroup.memory_limit_bytes").values()]
    if "memory_bytes" in tier.limits:
        found.append((float(tier.limits["memory_bytes"]), "its memory limit"))
    if what.startswith("heap"):
        for name in ("jvm.memory_limit_bytes", "node.heap_limit_bytes"):
            for subject, track in tier.case.subjects(tier.name, name).items():
                if track.is_known and (subject in ("", "heap") or subject.startswith("pid:")):
                    found.append((track.median, "the greatest heap that it may have"))
    available = tier.case.track(tier.host, "memory.available_bytes")
    if available is not None and available.is_known and level.size:
        found.append((float(level.max()) + float(available.known[-1]), "the memory of the machine"))
    return min((one for one in found if one[0] > 0), default=(math.inf, ""))


def _matters(case: Case, kind: str, found: Growth, first: float) -> bool:
    if not found.is_endless():
        return False
    # What waits for an answer, or belongs to a user that has come since, is in use and not lost.
    held = _grew(case, case.load.in_flight) + _grew(case, case.load.users) + case.load.count(*GIVEN_UP)
    if case.load.failed_logins is not None:
        held += case.load.total(case.load.failed_logins)
    if kind == "memory":
        of_level = LEAST_OF_SHORT if case.measured_s < SHORT_S else LEAST_OF_LEVEL
        least = max(LEAST_BYTES, of_level * first)
        return found.grown - OWED_BYTES * held >= least and found.slope >= LEAST_BYTES_A_REQUEST
    return found.grown - OWED * held >= max(LEAST_COUNT, LEAST_COUNT_OF_LEVEL * first)


def _grew(case: Case, values: Floats) -> float:
    part = values[case.is_inside]
    sixth = max(1, part.size // 6)
    return max(0.0, float(part[-sixth:].max() - part[:sixth].mean())) if part.size else 0.0
