"""Memory of programs: how full it is, and its course, of processes, also of restarted ones, and of heaps.

A heap with a collector rises and falls whatever happens; only what its collections leave says anything, and
of long-lived objects only what collections of those leave.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadrig.base.units import show_share, show_size
from loadrig.judgement.constants import AT_LIMIT
from loadrig.judgement.evidence import STRONG, Evidence, FormulaSource, SeriesSource, Source
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.courses import Course, course, read, series_of
from loadrig.judgement.facts.disks import disk_s, durable_share, running_s
from loadrig.judgement.facts.observed import machine
from loadrig.judgement.facts.readings import ProcessReadings
from loadrig.judgement.facts.tier import PROXIES, Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.judgement.facts.work import USUAL_KERNEL_SHARE, works_of
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsMemoryTexts
from loadrig.recording.event_facts import CommonFacts, PauseFacts, SitesFacts, facts_of
from loadrig.recording.steps import NS, Floats
from loadrig.stats.limits import BLOCKS

TEXTS = texts_of(JudgementFactsMemoryTexts)

HEAPS = frozenset({"jvm", "go", "node"})
"""Runtimes with a collector of which the rig may see what its collections leave."""

FEWEST_FLOORS = 10
"""Stretches at least, each with a floor of the heap: fewer points make no slope."""

FILLED_AT_FIRST_BYTES = 16e6
"""Bytes that a heap fills before anything in it is collected: Go begins with 4 MB and lets them double, V8's
young generation has 16 MB."""

OLD_COLLECTIONS = 2
"""Fewest collections of long-lived objects: before that nobody knows what is garbage."""

ONE_PLACE = 0.3
"""Share of the growth at one line of code, 0 to 1, from which on the line is named."""

_OLD = ("Full", "Mixed")
_OF_ALL = ("full", "msc", "psparallelcompact")
"""Words in the names of a JVM's collections of the whole heap: "Serial full collection pauses"; in JDK 8
"MSC" and "PSParallelCompact"."""
_BESIDE = frozenset({"Remark", "Cleanup"})
"""Kinds of pauses of G1 that come while the young generation is full: the heap in use after them is no
floor."""

LITTLE_LEFT = 0.05
"""Share of the machine's memory that is available, 0 to 1. Below it memory is short: a part of that estimate
cannot be had."""


READ_BACK = 1.0
"""Pages read back for a request, from which on waits for a disk are waits for memory: the program reads back
what had been thrown out, and the kernel counts only a part of that as pressure on memory."""

READ_BACK_PAGE_S = 100e-6
"""CPU time in seconds that the kernel takes at most to make room for a page and to read it back. 33 µs were
seen with a file on a virtual disk."""


@dataclass(frozen=True, slots=True)
class MemoryRoom:
    """Fullness of a program's memory, by its group's limit or the machine's memory, whichever is nearer.

    share: in use, 0 to 1. is_short: whether the limit is reached. text: fullness as a clause.
    """

    share: float
    is_short: bool
    text: str
    source: Source


def memory_room(tier: Tier) -> MemoryRoom:
    """Return how full the memory of a program is; a share of 0 where no limit was read."""
    rooms = [MemoryRoom(0.0, False, TEXTS.room_unread, FormulaSource(TEXTS.limit_unread))]
    for group, limit in tier.parts("cgroup.memory_limit_bytes").items():
        used = tier.track("cgroup.memory_bytes", group)
        if used is not None and limit.median > 0:
            share = used.high() / limit.median
            text = TEXTS.group_uses(show_size(used.high()), show_size(limit.median))
            rooms.append(MemoryRoom(share, share >= AT_LIMIT, text, used.source))
    left, total = (machine(tier).track(f"memory.{name}_bytes") for name in ("available", "total"))
    if left is not None and total is not None and total.median > 0:
        share = left.median / total.median
        text = TEXTS.machine_has_left(show_share(share))
        rooms.append(MemoryRoom(1 - share, share < LITTLE_LEFT, text, left.source))
    return max(reversed(rooms), key=lambda room: (room.is_short, room.share))


def faults_each(tier: Tier) -> float:
    """Return the pages that a program reads back from the disk for a request; 0 where that was not read.

    Pages of a map are counted by the process that touches them, pages of a file that is read by its group.
    """
    ended_rps, counted = tier.case.load.ended_rps, pages_read_back(tier)
    return max((track.mean for track in counted), default=0.0) / ended_rps if ended_rps > 0 else 0.0


def pages_read_back(tier: Tier) -> list[Track]:
    """Return the counts of pages that a program reads back from the disk: by its group, and by itself."""
    faults = tier.track("process.major_faults", "tree")
    return [*tier.parts("cgroup.memory_refaults").values(), *([] if faults is None else [faults])]


def reads_back(tier: Tier) -> bool:
    """Return whether a program reads back what was thrown out, as its memory is at the limit.

    What the kernel then does with files for it, it does for want of memory.
    """
    return faults_each(tier) >= READ_BACK and memory_room(tier).is_short


def reading_back(case: Case, tier: Tier) -> float:
    """Return the cores on which the kernel makes room for pages of a program and reads them back; at least.

    That is what it does for the program's files, or all that it does but for connections, as far as so many
    pages can cost that. The kernel has other work for a program that makes its data durable, or that is there
    for files: a database, a proxy.
    """
    kernel, cpu = tier.track("process.cpu_system_s", "tree"), tier.cpu
    if cpu is None or not cpu.mean > 0 or not reads_back(tier):
        return 0.0
    if tier.keeps_data or tier.kind in PROXIES or durable_share(case, tier) is not None:
        return 0.0
    shares = {work.work: work.share for work in works_of(case, tier)}
    of_files = shares.get("kernel_file", 0.0) * cpu.mean
    of_connections = shares.get("kernel_net", USUAL_KERNEL_SHARE) * cpu.mean
    of_pages = READ_BACK_PAGE_S * faults_each(tier) * case.load.ended_rps
    return max(of_files, min(kernel.mean - of_connections, of_pages) if kernel is not None else 0.0)


def read_back_share(case: Case, tier: Tier) -> float | None:
    """Return the share of a request that pages take which are read back, 0 to 1; None where that is unknown.

    Of the time in which a request waits for no turn: it waits for the pages, and the kernel takes CPU time.
    """
    cores, disk, running = reading_back(case, tier), disk_s(case, tier), running_s(case, tier)
    if not cores > 0 or tier.cpu is None or not running > 0:
        return None
    return (disk + min(1.0, cores / tier.cpu.mean) * running) / (disk + running)


def growing_line(case: Case, tier: Tier) -> tuple[str, Evidence] | None:
    """Return the line of code at which most of a program's memory grows, and evidence; None without one."""
    events = case.events_of("memory_sites", component=tier.name)
    sites = facts_of(events[-1], SitesFacts).sites if events else ()
    grown = sum(max(0, site.growth_bytes) for site in sites)
    if not grown or sites[0].growth_bytes < ONE_PLACE * grown:
        return None
    place, here, blocks = sites[0].place, sites[0].growth_bytes, sites[0].growth_blocks
    text = TEXTS.place_holds(place, show_size(here), f"{blocks:,}", show_share(here / grown))
    return place, Evidence(text, SeriesSource(tier.name, "python.site_growth_bytes", place), STRONG)


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
    """Return the memory of the processes by PSS, or by RSS of all where PSS was read too seldom."""
    born_s = {
        f"pid:{facts_of(event, CommonFacts).pid}": (event.t_ns - tier.case.origin_ns) / NS
        for event in tier.case.events_of("process_born", "worker_born", component=tier.name)
    }
    processes = [
        process
        for subject, series in series_of(tier, "process.pss_bytes").items()
        if subject.startswith("pid:")
        and (process := read(tier.case, series, subject, born_s.get(subject))).t_s.size
    ]
    if not processes:
        return _whole(tier)
    source = SeriesSource(tier.name, "process.pss_bytes", "tree")
    each = course(tier, "memory", TEXTS.memory_processes, source, processes)
    if each.slopes.lives:
        each = replace(each, what=TEXTS.memory_workers)
    # PSS is dear to read where there are many processes; RSS of the tree is read every second.
    return each if each.slopes.word != "unsure" else _whole(tier) or each


def _whole(tier: Tier) -> Course | None:
    """Return the RSS of the whole tree, cut where a process ended.

    It is the only reading of another user's processes.
    """
    series = series_of(tier, "process.rss_bytes").get("tree")
    if series is None or not (tree := read(tier.case, series)).t_s.size:
        return None
    ended_s = sorted(
        (event.t_ns - tier.case.origin_ns) / NS
        for event in tier.case.events_of("worker_died", "process_died", component=tier.name)
    )
    cuts = np.searchsorted(tree.t_s, ended_s)
    pieces = [
        ProcessReadings(f"tree:{number}", t_s, level)
        for number, (t_s, level) in enumerate(
            zip(np.split(tree.t_s, cuts), np.split(tree.level, cuts), strict=True)
        )
        if t_s.size
    ]
    source = SeriesSource(tier.name, "process.rss_bytes", "tree")
    return course(tier, "memory", TEXTS.memory_rss, source, pieces)


def _unsure(tier: Tier) -> Course | None:
    """Return the RSS of a program with a collector whose heap was not seen, as a course that is not sure.

    None where it grew by no more than what any such program fills before its first collections.
    """
    whole = _whole(tier)
    shape = whole.slopes.shape if whole is not None else None
    if whole is None or (shape is not None and shape.growth.grown < FILLED_AT_FIRST_BYTES):
        return None
    return replace(whole, is_sure=False)


def _floor(tier: Tier, name: str, subject: str, t_s: Floats, level: Floats, collections: float) -> Course:
    """Return the course of the least value from each reading on: what collections of a heap could not free.

    It is judged by so few blocks that a collection can raise it in each.
    """
    floor: Floats = np.minimum.accumulate(level[::-1])[::-1]
    what = TEXTS.heap_use_after if name == "gc_log.heap_after_bytes" else TEXTS.heap_collections
    blocks = int(min(BLOCKS, max(FEWEST_FLOORS, collections / 2)))
    source = SeriesSource(tier.name, name, subject)
    return course(tier, "memory", what, source, [ProcessReadings(subject, t_s, floor)], blocks)


def _heap_of_jvm(tier: Tier) -> Course | None:
    pauses = [
        (event.t_ns, facts)
        for event in tier.case.events_of("gc_pause", component=tier.name)
        if (facts := facts_of(event, PauseFacts)).after_bytes and facts.kind not in _BESIDE
    ]
    old_ns = [t_ns for t_ns, facts in pauses if any(word in (facts.kind or "") for word in _OLD)]
    if not _are_spread(tier.case, old_ns):
        return None if pauses else _published_heap(tier)
    t_s = np.array([(t_ns - tier.case.origin_ns) / NS for t_ns, _ in pauses])
    level = np.array([facts.after_bytes for _, facts in pauses])
    return _floor(tier, "gc_log.heap_after_bytes", "", t_s, level, len(old_ns))


def _published_heap(tier: Tier) -> Course | None:
    """Return the heap that a JVM publishes, where it was collected as a whole; None without such collections.

    It is read once a second: what is least between two collections is near to what the first one left.
    """
    heap = series_of(tier, "jvm.heap_published_bytes").get("")
    if heap is None:
        return None
    readings = read(tier.case, heap)
    of_all = [
        track
        for name, track in tier.parts("jvm.collections").items()
        if any(word in name.lower() for word in _OF_ALL)
    ]
    inside = tier.case.is_inside
    steps = [step for track in of_all for step in np.flatnonzero((np.nan_to_num(track.values) > 0) & inside)]
    if not readings.t_s.size or not _are_spread(tier.case, [int(tier.case.edges_ns[step]) for step in steps]):
        return None
    collections = sum(track.grew for track in of_all)
    return _floor(tier, "jvm.heap_published_bytes", "", readings.t_s, readings.level, collections)


def _are_spread(case: Case, instants_ns: Sequence[int]) -> bool:
    """Return whether there were enough collections of long-lived objects, one of them in the last half."""
    from_ns, to_ns = case.window_ns
    return len(instants_ns) >= OLD_COLLECTIONS and max(instants_ns) >= (from_ns + to_ns) / 2


def _heap_of_go(tier: Tier) -> Course | None:
    cycles = tier.track("go.gc_cycles")
    series = series_of(tier, "go.heap_alloc_bytes").get("")
    if series is None or cycles is None or cycles.grew < 2 * OLD_COLLECTIONS:
        return None
    heap = read(tier.case, series)
    if not heap.t_s.size:
        return None
    return _floor(tier, "go.heap_alloc_bytes", "", heap.t_s, heap.level, cycles.grew)


def _heap_of_node(tier: Tier) -> Course | None:
    """Return the heap and external memory of the largest process, after collections of the whole heap."""
    used = [
        heap
        for subject, series in series_of(tier, "node.heap_used_bytes").items()
        if (heap := read(tier.case, series, subject)).t_s.size
    ]
    if not used:
        return None
    heap = max(used, key=lambda candidate: float(candidate.level.max()))
    major = tier.case.track(tier.name, "node.gc_major_pause_s", heap.subject)
    if major is None:
        return None
    steps = np.flatnonzero((np.nan_to_num(major.values) > 0) & tier.case.is_inside)
    if not _are_spread(tier.case, [int(tier.case.edges_ns[step]) for step in steps]):
        return None
    level = heap.level
    outside = series_of(tier, "node.external_bytes").get(heap.subject)
    if outside is not None and (external := read(tier.case, outside)).t_s.size:
        level = level + np.interp(heap.t_s, external.t_s, external.level)
    return _floor(tier, "node.heap_used_bytes", heap.subject, heap.t_s, level, steps.size)
