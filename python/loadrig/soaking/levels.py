"""Levels of a case that could grow: memory of each process, heaps, descriptors, threads, connections.

Databases and caches are left out: they are meant to hold more with time. Where the heap of a runtime was
seen, it stands for its memory, as a collector gives memory back at any time.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from loadrig.base.series import Series
from loadrig.judgement.facts import courses
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.memory import memory
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.recording.steps import NS
from loadrig.soaking.forecast import Limit
from loadrig.soaking.served import Served
from loadrig.soaking.shape import BLOCKS
from loadrig.soaking.slopes import COUNT_BLOCKS, OF_COUNTS, OF_MEMORY, Matters, Readings
from loadrig.stats.arrays import Floats

STILL_THERE_S = 60.0
"""Time before the last reading of a level in which a process must have been read to be there at the end,
in seconds. Where there are many processes, the memory of each is read seldom."""

HEAPS = frozenset({"jvm", "go", "node"})
"""Runtimes with a collector of which the rig may see what its collections leave."""

_COUNTED = (
    ("descriptors", "process.fds", "tree", "open descriptors"),
    ("threads", "process.threads", "tree", "threads"),
    ("goroutines", "go.goroutines", "", "goroutines"),
)
"""Kind, series, subject and words of the levels that are counts."""


@dataclass(frozen=True, eq=False)
class Level:
    """Amount of one thing that could grow.

    kind: "memory", "descriptors", "threads", "goroutines" or "connections". what: the level in words. unit:
    "B", or "" for a count. readings: readings of its processes. matters: growth that matters. blocks: number
    of blocks by which it is judged. limit: None where none is known.
    """

    component: str
    kind: str
    what: str
    unit: str
    readings: tuple[Readings, ...]
    matters: Matters
    blocks: int
    limit: Limit | None

    @property
    def name(self) -> str:
        """Return the name that is unique among levels: "server memory"."""
        return f"{self.component} {self.what}"


def served(case: Case) -> Served:
    """Return the requests that had ended by each edge of the steps of a case."""
    return Served.of((case.edges_ns - case.origin_ns) / NS, courses.served(case))


def within(case: Case) -> Served:
    """Return the requests that had ended by each edge of the steps, over the measured part alone."""
    whole = served(case)
    from_ns, to_ns = case.window_ns
    ends = (np.array([from_ns, to_ns]) - case.origin_ns) / NS
    inside = (whole.t_s > ends[0]) & (whole.t_s < ends[1])
    t_s = np.concatenate((ends[:1], whole.t_s[inside], ends[1:]))
    return Served.of(t_s, whole.at(t_s))


def levels(case: Case) -> Iterator[Level]:
    """Yield every level of a case that could grow and was read."""
    for tier in case.programs:
        if tier.is_database or tier.kind in CACHES:
            continue
        yield from _memory(case, tier)
        for kind, name, subject, what in _COUNTED:
            yield from _counted(case, tier, tier, kind, name, subject, what)
        host = case.tiers.get(tier.host, case.host)
        for edge in case.edges:
            if edge.source == tier.name:
                for state, state_text in (("established", "open"), ("close_wait", "half closed")):
                    what = f"{state_text} connections to {edge.to}"
                    name = f"tcp_sockets.{state}"
                    yield from _counted(case, tier, host, "connections", name, edge.role, what)


def _memory(case: Case, tier: Tier) -> Iterator[Level]:
    if tier.runtime in HEAPS:
        course = memory(tier)
        if course is not None:
            readings = (Readings("", course.t_s, course.level),)
            yield _level(tier, "memory", course.what, "B", readings, OF_MEMORY, BLOCKS)
        return
    born = _births(case, tier)
    per_process = [
        Readings(subject, t_s, level, born.get(subject))
        for subject, series in courses.series_of(tier, "process.pss_bytes").items()
        if subject.startswith("pid:")
        for t_s, level in [_times_and_levels(case, series)]
        if t_s.size
    ]
    if not per_process:
        per_process = _cut_at_restarts(case, tier)
    if per_process:
        yield _level(tier, "memory", "memory", "B", tuple(per_process), OF_MEMORY, BLOCKS)


def _cut_at_restarts(case: Case, tier: Tier) -> list[Readings]:
    """Return the RSS of the whole process tree, cut where a process was restarted.

    It is all that can be read of another user's processes.
    """
    series = courses.series_of(tier, "process.rss_bytes").get("tree")
    if series is None:
        return []
    t_s, level = _times_and_levels(case, series)
    restarts = sorted(
        (event.t_ns - case.origin_ns) / NS
        for event in case.events_of("worker_died", "process_died", component=tier.name)
    )
    cuts = np.searchsorted(t_s, restarts)
    pieces = zip(np.split(t_s, cuts), np.split(level, cuts), strict=True)
    return [Readings(f"tree:{n}", t, y) for n, (t, y) in enumerate(pieces) if t.size]


def _counted(
    case: Case, tier: Tier, seen_at: Tier, kind: str, name: str, subject: str, what: str
) -> Iterator[Level]:
    series = courses.series_of(seen_at, name).get(subject)
    if series is None:
        return
    t_s, level = _times_and_levels(case, series)
    if t_s.size:
        yield _level(tier, kind, what, "", (Readings(subject, t_s, level),), OF_COUNTS, COUNT_BLOCKS)


def _level(
    tier: Tier, kind: str, what: str, unit: str, readings: tuple[Readings, ...], matters: Matters, blocks: int
) -> Level:
    last_s = max(float(reading.t_s[-1]) for reading in readings)
    there = [reading for reading in readings if last_s - reading.t_s[-1] <= STILL_THERE_S]
    together = np.array([sum(float(reading.level.max()) for reading in there)])
    amount, text = courses.limit_of(tier, kind, what, together)
    limit = Limit(amount, text, unit) if math.isfinite(amount) else _limit_of_tasks(tier, kind, unit)
    return Level(tier.name, kind, what, unit, readings, matters, blocks, limit)


def _limit_of_tasks(tier: Tier, kind: str, unit: str) -> Limit | None:
    """Return a limit that findings do not know: the most tasks of a control group."""
    if kind in ("threads", "processes"):
        for track in tier.parts("cgroup.pids_limit").values():
            if track.is_known:
                return Limit(track.median, "the most tasks of its control group", unit)
    return None


def _births(case: Case, tier: Tier) -> Mapping[str, float]:
    return {
        f"pid:{event.facts['pid']}": (event.t_ns - case.origin_ns) / NS
        for event in case.events_of("process_born", "worker_born", component=tier.name)
        if "pid" in event.facts
    }


def _times_and_levels(case: Case, series: Series) -> tuple[Floats, Floats]:
    t_ns, level = courses.readings(case, series)
    t_s: Floats = (t_ns - case.origin_ns) / NS
    return t_s, level
