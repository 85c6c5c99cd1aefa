"""Memory of programs as courses: of processes, of the lives of those that are restarted, of heaps.

A heap with a collector rises and falls whatever happens; only what its collections leave says anything, and
of long-lived objects only what collections of those leave.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

from loadrig.judgement.evidence import SeriesSource, Source
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.courses import (
    LEAST_BYTES_A_REQUEST,
    LEAST_GROWTH_BYTES,
    LEAST_OF_LEVEL,
    Course,
    course,
    limit_of,
    readings,
    requests_at,
    series_of,
)
from loadrig.judgement.facts.tier import Tier
from loadrig.recording.steps import NS, Edges, Floats
from loadrig.stats.distributions import binomial_quantile, normal_quantile
from loadrig.stats.growth import BLOCKS, Growth, endless

LIVES = 3
"""Fewest lives of restarted processes that are laid on each other."""

FEWEST_RISES = 10
"""Fewest pairs of readings that follow each other, in all lives together."""

LIFE_BLOCKS, FEWEST_AGES_OF_RUN = 12, 5
"""Number of ages at which lives are compared, and fewest ages at which the growth must be known."""

THERE_SHARE = 0.9
"""Share of the measured part that a process must have lived to count as lasting, 0 to 1, not as one of
several lives."""

EDGE_SHARE = 0.25
"""Share of the measured part at each end, 0 to 1. A process that is seldom read counts as lasting if it was
read in both."""

FEWEST_FLOORS = 10
OLD_COLLECTIONS = 2
"""Fewest collections of long-lived objects: before that nobody knows what is garbage."""

_OLD = ("Full", "Mixed")
_BESIDE = frozenset({"Remark", "Cleanup"})
"""Kinds of pauses of G1 that come while the young generation is full: the heap in use after them is no
floor."""

Readings = tuple[Edges, Floats]


def memory(tier: Tier) -> Course | None:
    """Return the course by which a program's memory is judged; None where the readings do not allow that."""
    match tier.runtime:
        case "jvm":
            return _heap_of_jvm(tier)
        case "go":
            return _heap_of_go(tier) if series_of(tier, "go.heap_alloc_bytes") else _unsure(tier)
        case "node":
            return _heap_of_node(tier) if series_of(tier, "node.heap_used_bytes") else _unsure(tier)
        case _:
            return _processes(tier)


def _processes(tier: Tier) -> Course | None:
    """Return the memory of the processes that lived throughout, or the lives of those that were restarted."""
    case = tier.case
    source = SeriesSource(tier.name, "process.pss_bytes", "tree")
    read = [
        (subject, known)
        for subject, series in series_of(tier, "process.pss_bytes").items()
        if subject.startswith("pid:") and (known := readings(case, series))[0].size
    ]
    if not read:
        return _whole(tier)
    from_ns, to_ns = case.window_ns
    changed = _came_or_went(tier)
    lasting, lives = [], []
    for subject, life in read:
        is_there = life[0][-1] - life[0][0] >= THERE_SHARE * (to_ns - from_ns) - 2 * NS
        edge_ns = EDGE_SHARE * (to_ns - from_ns)
        is_seldom = life[0][0] <= from_ns + edge_ns and life[0][-1] >= to_ns - edge_ns
        if is_there or (is_seldom and subject not in changed):
            lasting.append(life)
        elif life[0].size > 1:
            lives.append(life)
    recycled = _lives_course(tier, lives, source) if len(lives) >= LIVES else None
    if not lasting and recycled is None and not changed:
        # All processes lived throughout, but PSS was read too seldom to show that.
        return _whole(tier)
    if not lasting or (recycled is not None and recycled.is_leak):
        return recycled
    t_ns = lasting[0][0]
    for at, _ in lasting[1:]:
        t_ns = np.intersect1d(t_ns, at)
    if not t_ns.size:
        return recycled
    level = np.sum([values[np.searchsorted(at, t_ns)] for at, values in lasting], axis=0)
    whole = course(tier, "memory", "memory of the processes", source, t_ns, level)
    # PSS is dear to read where there are many processes; RSS of the tree is read every second.
    return whole if whole.growth is not None or lives else _whole(tier) or whole


def _came_or_went(tier: Tier) -> set[str]:
    """Return the processes that began or ended while load ran, as the subjects of their series."""
    events = tier.case.events_of(
        "process_born", "process_died", "worker_born", "worker_died", component=tier.name
    )
    return {f"pid:{event.facts['pid']}" for event in events if "pid" in event.facts}


def _whole(tier: Tier) -> Course | None:
    """Return the RSS of the whole tree, the only reading of another user's processes."""
    series = series_of(tier, "process.rss_bytes").get("tree")
    if series is None:
        return None
    t_ns, level = readings(tier.case, series)
    source = SeriesSource(tier.name, "process.rss_bytes", "tree")
    return course(tier, "memory", "memory (RSS)", source, t_ns, level) if t_ns.size else None


def _unsure(tier: Tier) -> Course | None:
    """Return the RSS of a program with a collector whose heap was not seen, as a course that is not sure."""
    whole = _whole(tier)
    return replace(whole, is_sure=False) if whole is not None else None


def _lives_course(tier: Tier, lives: Sequence[Readings], source: Source) -> Course | None:
    """Return the lives of restarted processes laid on each other, by the growth between two readings.

    A life has few readings, and begins while the program is still being loaded. But its growth from one
    reading to the next can be compared with the growth of other lives at the same age, in requests since
    birth.
    """
    case = tier.case
    ages = [(at := requests_at(case, t_ns)) - at[0] for t_ns, _ in lives]
    steps = np.concatenate([np.diff(age) for age in ages])
    rises = np.concatenate([np.diff(level) for _, level in lives])
    middles = np.concatenate([(age[1:] + age[:-1]) / 2 for age in ages])
    good = steps > 0
    if good.sum() < FEWEST_RISES:
        return None
    slopes, middles = rises[good] / steps[good], middles[good]
    growth = _by_age(slopes, middles, float(np.median([age[-1] for age in ages])))
    birth = float(np.median([level[0] for _, level in lives]))
    t_ns = np.concatenate([at for at, _ in lives])
    order = np.argsort(t_ns, kind="stable")
    limit, limit_text = limit_of(tier, "memory", "memory", np.array([birth]))
    return Course(
        component=tier.name,
        kind="memory",
        what="memory of the workers",
        source=source,
        t_s=(t_ns[order] - case.origin_ns) / NS,
        requests=np.concatenate(ages)[order],
        level=np.concatenate([level for _, level in lives])[order],
        growth=growth,
        is_leak=growth is not None
        and growth.is_endless()
        and growth.grown >= max(LEAST_GROWTH_BYTES / 4, LEAST_OF_LEVEL * birth)
        and growth.slope >= LEAST_BYTES_A_REQUEST / 4,
        limit=limit,
        limit_text=limit_text,
        lives=len(lives),
        # The number of workers read at the same time: each of them serves only its part of all requests.
        workers=float(np.median(np.unique(t_ns, return_counts=True)[1])),
    )


def _by_age(slopes: Floats, ages: Floats, span: float) -> Growth | None:
    """Return one growth made of the slopes of many lives by age, tested by how many of the slopes rise."""
    blocks = np.array_split(np.argsort(ages, kind="stable"), min(LIFE_BLOCKS, slopes.size // 2))
    at = np.array([float(np.median(ages[block])) for block in blocks])
    slope = np.array([float(np.median(slopes[block])) for block in blocks])
    level = np.concatenate(([0.0], np.cumsum(np.diff(at) * (slope[1:] + slope[:-1]) / 2)))
    distinct = np.concatenate(([True], np.diff(at) > 0))
    growth = endless(at[distinct], level[distinct], FEWEST_AGES_OF_RUN)
    if growth is None:
        return None
    rising = int(np.sum(slopes > 0))
    p = float(scipy.stats.binomtest(rising, slopes.size, alternative="greater").pvalue)
    ordered = np.sort(slopes)
    # The interval of a median by order statistics (Conover 1999, Practical Nonparametric Statistics, 3.2).
    reach = binomial_quantile(0.025, slopes.size, 0.5)
    return replace(
        growth,
        slope=float(np.median(slopes)),
        low=float(ordered[max(0, reach - 1)]),
        high=float(ordered[min(slopes.size - 1, slopes.size - reach)]),
        p=p,
        z=-normal_quantile(max(p, 1e-300)),
        rises=rising / slopes.size,
        span=span,
    )


def _floor(level: Floats) -> Floats:
    """Return the least value from each reading on: what collections of a heap could not free."""
    floor: Floats = np.minimum.accumulate(level[::-1])[::-1]
    return floor


def _floor_blocks(collections: float) -> int:
    """Return the number of blocks of a floor: so few that a collection can raise it in each block."""
    return int(min(BLOCKS, max(FEWEST_FLOORS, collections / 2)))


def _heap_of_jvm(tier: Tier) -> Course | None:
    pauses = [
        event
        for event in tier.case.events_of("gc_pause", component=tier.name)
        if event.facts.get("after_bytes") and event.facts.get("kind") not in _BESIDE
    ]
    old_ns = [
        event.t_ns for event in pauses if any(word in str(event.facts.get("kind") or "") for word in _OLD)
    ]
    if not _are_spread(tier.case, old_ns):
        return None
    t_ns = np.array([event.t_ns for event in pauses], dtype=np.int64)
    level = np.array([float(event.facts["after_bytes"]) for event in pauses])
    source = SeriesSource(tier.name, "gc_log.heap_after_bytes")
    what = "heap in use after collections"
    return course(tier, "memory", what, source, t_ns, _floor(level), _floor_blocks(len(old_ns)))


def _are_spread(case: Case, instants_ns: Sequence[int]) -> bool:
    """Return whether there were enough collections of long-lived objects, one of them in the last half."""
    from_ns, to_ns = case.window_ns
    return len(instants_ns) >= OLD_COLLECTIONS and max(instants_ns) >= (from_ns + to_ns) / 2


def _heap_of_go(tier: Tier) -> Course | None:
    cycles = tier.track("go.gc_cycles")
    series = series_of(tier, "go.heap_alloc_bytes").get("")
    if series is None or cycles is None or cycles.grew < 2 * OLD_COLLECTIONS:
        return None
    t_ns, level = readings(tier.case, series)
    if not t_ns.size:
        return None
    source = SeriesSource(tier.name, "go.heap_alloc_bytes")
    what = "heap left by collections"
    return course(tier, "memory", what, source, t_ns, _floor(level), _floor_blocks(cycles.grew))


def _heap_of_node(tier: Tier) -> Course | None:
    """Return the heap and external memory of the largest process, after collections of the whole heap."""
    used = {
        subject: known
        for subject, series in series_of(tier, "node.heap_used_bytes").items()
        if (known := readings(tier.case, series))[0].size
    }
    if not used:
        return None
    subject = max(used, key=lambda candidate: float(used[candidate][1].max()))
    major = tier.case.track(tier.name, "node.gc_major_pause_s", subject)
    if major is None:
        return None
    steps = np.flatnonzero((np.nan_to_num(major.values) > 0) & tier.case.is_inside)
    if not _are_spread(tier.case, [int(tier.case.edges_ns[step]) for step in steps]):
        return None
    t_ns, level = used[subject]
    outside = series_of(tier, "node.external_bytes").get(subject)
    if outside is not None and (known := readings(tier.case, outside))[0].size:
        level = level + np.interp(t_ns, *known)
    source = SeriesSource(tier.name, "node.heap_used_bytes", subject)
    what = "heap left by collections"
    return course(tier, "memory", what, source, t_ns, _floor(level), _floor_blocks(steps.size))
