"""Levels of a program against the requests that it served: what leaks of every kind are judged by."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from loadrig.base.series import Series
from loadrig.base.units import show_number, show_share, show_size
from loadrig.judgement.evidence import SeriesSource, Source
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.readings import ProcessReadings, within
from loadrig.judgement.facts.slopes import (
    COUNT_BLOCKS,
    OF_COUNTS,
    OF_MEMORY,
    OF_MEMORY_AT_FIRST,
    OF_MEMORY_IN_MINUTES,
    SHORT_S,
    SOAK_S,
    Matters,
    Slopes,
    slopes,
)
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsCoursesTexts
from loadrig.recording.steps import NS, Floats
from loadrig.stats.limits import BETTER_BIC, BLOCKS, FEWEST_RISES, LASTING, MOST_IN_ONE, SURE

TEXTS = texts_of(JudgementFactsCoursesTexts)

GIVEN_UP = ("timeout",)
"""Outcomes of requests that the generator no longer waits for, and the server may still have."""

OWED, OWED_BYTES = 3.0, 64_000
"""Number of descriptors, threads and the like, and bytes, that a request may hold until the server has
finished it. Such a request is in flight, or the generator gave it up and it is still in the server's
queue."""

MOST_POINTS = 240
"""Greatest number of points of a course in a chart."""

STILL_THERE_S = 60.0
"""Time before the last reading of a level in which a process must have been read to be there at the end,
in seconds. Where there are many processes, the memory of each is read seldom."""


@dataclass(frozen=True, eq=False)
class Course:
    """Level that could grow, and how it grew.

    kind: "memory", "descriptors", "threads", "goroutines" or "connections". what: in words, "memory of the
    processes". limit: what the level may grow to; infinite where that is not known. is_sure: False where a
    collector may yet free the memory, as nobody saw what its collections leave.
    """

    component: str
    kind: str
    what: str
    source: Source
    processes: tuple[ProcessReadings, ...]
    slopes: Slopes
    limit: float = math.inf
    limit_text: str = ""
    is_sure: bool = True

    @property
    def is_leak(self) -> bool:
        """Whether the level grows without end, and by enough to matter."""
        return self.slopes.is_leak

    @property
    def unit(self) -> str:
        """Unit of the level: "B", or "" for a count."""
        return "B" if self.kind == "memory" else ""

    @property
    def short(self) -> str:
        """The level in as few words as tell it from the component's other levels."""
        return TEXTS.memory if self.kind == "memory" and not is_heap(self.source) else self.what

    @property
    def a_request(self) -> float:
        """Growth of the level with each request; NaN where the growth is not known."""
        return self.slopes.a_request.value if self.slopes.a_request is not None else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the growth with each request; NaN where the growth is not known."""
        line = self.slopes.a_request
        return (line.low, line.high) if line is not None else (math.nan, math.nan)

    @property
    def grew_much(self) -> bool:
        """Whether memory surely grew, by as much as a leak of a short run, be it without end or not."""
        shape, least = self.slopes.shape, OF_MEMORY_AT_FIRST
        if self.kind != "memory" or shape is None or shape.growth.p > SURE:
            return False
        (_, level), grown = self.together, shape.growth.grown
        return grown >= max(least.least, least.of_level * float(level[0]))

    @property
    def why_no_leak(self) -> str:
        """Clause on why memory that grew is not taken for a leak; empty where nobody would suspect one."""
        shape = self.slopes.shape
        if self.is_leak or self.kind != "memory" or shape is None:
            return ""
        growth, (t_s, level) = shape.growth, self.together
        if growth.grown < OF_MEMORY.least or growth.p > SURE:
            return ""
        of_level = growth.grown / level[0]
        if growth.lasting < LASTING:
            return TEXTS.fills_up(show_share(max(0.0, growth.lasting)))
        if growth.largest > MOST_IN_ONE:
            return TEXTS.came_at_once(show_share(min(1.0, growth.largest)))
        if growth.bic < BETTER_BIC:
            return TEXTS.curve_fits(show_number(growth.bic))
        if growth.rises < FEWEST_RISES:
            return TEXTS.rose_seldom(show_share(growth.rises))
        if t_s[-1] - t_s[0] < SHORT_S and of_level < OF_MEMORY_AT_FIRST.of_level:
            return TEXTS.like_a_cache(show_share(of_level))
        return TEXTS.too_little(self.shown(growth.slope))

    def to_limit_s(self, requests_a_second: float) -> float:
        """Return the seconds until the limit at this load; infinite without a leak or a known limit."""
        if not self.is_leak or self.a_request * requests_a_second <= 0:
            return math.inf
        return max(0.0, self.limit - self.slopes.level) / (self.a_request * requests_a_second)

    def shown(self, amount: float) -> str:
        """Return an amount of the level as text, with its unit."""
        return show_size(amount) if self.kind == "memory" else show_number(amount)

    @cached_property
    def together(self) -> tuple[Floats, Floats]:
        """Instants in seconds of the load, and the level of all processes then: the least in some stretches.

        Between two readings of a process its level is interpolated.
        """
        from_s = min(float(process.t_s[0]) for process in self.processes)
        to_s = max(float(process.t_s[-1]) for process in self.processes)
        points = min(MOST_POINTS, max(process.t_s.size for process in self.processes))
        edges = np.linspace(from_s, np.nextafter(to_s, np.inf), points + 1)
        total, is_seen = np.zeros(points), np.zeros(points, dtype=bool)
        for process in self.processes:
            place = np.clip(np.searchsorted(edges, process.t_s, side="right") - 1, 0, points - 1)
            least = np.full(points, np.inf)
            np.minimum.at(least, place, process.level)
            filled, lived = np.flatnonzero(np.isfinite(least)), slice(int(place[0]), int(place[-1]) + 1)
            total[lived] += np.interp(np.arange(points)[lived], filled, least[filled])
            is_seen[lived] = True
        return ((edges[:-1] + edges[1:]) / 2)[is_seen], total[is_seen]


def is_heap(source: Source) -> bool:
    """Return whether a series is of a heap: what its collections leave, and not memory of processes."""
    return isinstance(source, SeriesSource) and "heap" in source.name


def course(
    tier: Tier,
    kind: str,
    what: str,
    source: Source,
    processes: Sequence[ProcessReadings],
    blocks: int | None = None,
) -> Course:
    """Return the course of the sum of some processes, judged. blocks: most blocks that it is judged by."""
    if blocks is None:
        blocks = BLOCKS if kind == "memory" else COUNT_BLOCKS
    growth = slopes(processes, within(tier.case), matters(tier.case, kind), blocks)
    last_s = max(float(process.t_s[-1]) for process in processes)
    there = [process for process in processes if last_s - process.t_s[-1] <= STILL_THERE_S]
    limit, limit_text = _limit(tier, kind, source, sum(float(process.level.max()) for process in there))
    return Course(tier.name, kind, what, source, tuple(processes), growth, limit, limit_text)


def read(case: Case, series: Series, subject: str = "", born_s: float | None = None) -> ProcessReadings:
    """Return the known readings of the measured part."""
    from_ns, to_ns = case.window_ns
    good = np.isfinite(series.value) & (series.t_ns >= from_ns) & (series.t_ns <= to_ns)
    return ProcessReadings(subject, (series.t_ns[good] - case.origin_ns) / NS, series.value[good], born_s)


def series_of(tier: Tier, name: str) -> Mapping[str, Series]:
    """Return the readings of "PROBE.METRIC" as they came, by subject."""
    probe, _, metric = name.partition(".")
    wanted: Any = (tier.name, probe, metric)
    return {key.subject: series for key, series in tier.case.series.items() if key[:3] == wanted}


def matters(case: Case, kind: str) -> Matters:
    """Return by how much a level must grow in a case to be reported."""
    # What belongs to a request without an answer, or to a user that has come since, is in use and not lost.
    held = _grew(case, case.load.in_flight) + _grew(case, case.load.users) + case.load.count(*GIVEN_UP)
    if case.load.failed_logins is not None:
        held += case.load.total(case.load.failed_logins)
    if kind != "memory":
        return replace(OF_COUNTS, in_use=OWED * held)
    least = OF_MEMORY if case.measured_s >= SOAK_S else OF_MEMORY_IN_MINUTES
    return replace(least if case.measured_s >= SHORT_S else OF_MEMORY_AT_FIRST, in_use=OWED_BYTES * held)


def _limit(tier: Tier, kind: str, source: Source, level: float) -> tuple[float, str]:
    """Return what a level may grow to, and what sets that limit; infinite and empty where it is not known.

    level: greatest level of the run.
    """
    if kind == "descriptors":
        share = tier.track("process.fds_share", "tree")
        if share is not None and share.peak > 0:
            return level / share.peak, TEXTS.limit_open_descriptors
    if kind == "threads":
        for track in tier.parts("cgroup.pids_limit").values():
            if track.is_known:
                return track.median, TEXTS.most_tasks_control
    if kind != "memory":
        return math.inf, ""
    limits = [
        (track.median, TEXTS.memory_limit) for track in tier.parts("cgroup.memory_limit_bytes").values()
    ]
    if "memory_bytes" in tier.limits:
        limits.append((float(tier.limits["memory_bytes"]), TEXTS.memory_limit))
    if is_heap(source):
        for name in ("jvm.memory_limit_bytes", "node.heap_limit_bytes"):
            for subject, track in tier.case.subjects(tier.name, name).items():
                if track.is_known and (subject in ("", "heap") or subject.startswith("pid:")):
                    limits.append((track.median, TEXTS.greatest_heap_may))
    available = tier.case.track(tier.host, "memory.available_bytes")
    if available is not None and available.is_known:
        limits.append((level + float(available.inside[-1]), TEXTS.memory_machine))
    return min((limit for limit in limits if limit[0] > 0), default=(math.inf, ""))


def _grew(case: Case, values: Floats) -> float:
    part = values[case.is_inside]
    sixth = max(1, part.size // 6)
    return max(0.0, float(part[-sixth:].max() - part[:sixth].mean())) if part.size else 0.0
