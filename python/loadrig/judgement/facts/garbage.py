"""Collections of garbage: how much of what a program could do they take, and how long it stood still."""

from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_duration, show_share
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import EventSource, Source
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsGarbageTexts
from loadrig.recording.event_facts import PauseFacts, facts_of
from loadrig.recording.steps import Floats

TEXTS = texts_of(JudgementFactsGarbageTexts)

OWN_PAUSES = ("gc_log.pause_s", "go.gc_pause_s", "node.gc_pause_s", "python.gc_pause_s")
PAUSES = (*OWN_PAUSES, "jvm.gc_s")
"""Counters of the time in which collections stood a program still; the last one is of a JVM without a log."""

HEAP_FULL_SHARE = 0.85
"""Heap after collections over its greatest size, 0 to 1, from which on the heap is nearly full."""

FEWEST_FULL = 3
"""Collections of the whole heap from which on it is nearly full: one or two come with a start."""

ROOMY = 0.6
"""Heap after collections over its greatest size, 0 to 1. Below it, marking that takes long is short of CPU
and not of memory, so its length says nothing of the CPU that it took."""

PAUSED = 0.02
"""Share of the time that a Node program spends in collections, 0 to 1: healthy ones spend 0.2 to 1 %. From
here on its other threads are counted, too: they collect beside its code, and do little else but for files and
cryptography."""

WHOLE_HEAP = ("Full", "Degenerated")
"""Words in the kind of a collection that is of the whole heap."""

HELPERS = 1.7
"""Threads of Node that run or want to, from which on the collector's threads are suspected: 1.0 is its own
code, and now and then a look at the disk."""

BESIDE_TOLD = 0.01
"""Share of the CPU time spent on collections beside the threads, 0 to 1, from which on that is told."""


@dataclass(frozen=True, slots=True)
class GarbageCollections:
    """Collections of one program. All shares are of the measured time, 0 to 1.

    paused: share in which the program stood still; beside: share of its cores that collection used beside its
    threads. lengths_s: lengths of the pauses, in seconds. full: number of collections of the whole heap.
    heap: heap after collections over the greatest; NaN where unknown.
    """

    paused: float
    beside: float
    source: Source
    lengths_s: Floats
    full: int
    heap: float

    @property
    def share(self) -> float:
        """Share of what the program could do that collections take at most, 0 to 1."""
        return min(1.0, self.paused + (1 - self.paused) * self.beside)

    @property
    def is_nearly_full(self) -> bool:
        """Whether the heap has hardly any room left after a collection."""
        return self.heap >= HEAP_FULL_SHARE or self.full >= FEWEST_FULL

    @property
    def heap_text(self) -> str:
        """Clause that says why the heap is nearly full."""
        if self.heap >= HEAP_FULL_SHARE:
            return TEXTS.after_collections_greatest(show_share(self.heap))
        return TEXTS.collections_whole_heap(str(self.full))

    @property
    def text(self) -> str:
        """Clauses on how long the program stood still, and on the CPU time that collections took beside."""
        text, pauses_s = TEXTS.stood_still_time(show_share(self.paused)), self.lengths_s
        if pauses_s.size:
            text += TEXTS.pauses_longest(f"{pauses_s.size:,}", show_duration(float(pauses_s.max())))
        return text + (TEXTS.cpu_went_into(show_share(self.beside)) if self.beside >= BESIDE_TOLD else "")


def threads_beside_code(tier: Tier) -> Track | None:
    """Return the threads of Node that want a core, where some do so beside its code, as its collector does.

    None where that is not so. Code runs in one thread, and only the inspector tells of collections.
    """
    running = tier.track("process.threads", "state:R")
    if tier.runtime != "node" or running is None or tier.busiest is None:
        return None
    return running if running.mean >= HELPERS and tier.busiest.mean >= FULL_SHARE else None


def collections_of(case: Case, tier: Tier) -> GarbageCollections | None:
    """Return the collections of a program; None where none was seen."""
    pauses = [
        facts
        for event in case.events_of("gc_pause", component=tier.name)
        if (facts := facts_of(event, PauseFacts)).is_pause
    ]
    tracks = [
        track
        for name in PAUSES
        for track in case.subjects(tier.name, name).values()
        if track.is_known and not (name == "jvm.gc_s" and pauses)
    ]
    beside = _beside(tier)
    if not pauses and not tracks and not beside:
        return None
    lengths_s = np.array([pause.duration_s or 0.0 for pause in pauses])
    # The log has the events of all processes (CPython, Node), but each process stands still alone.
    processes = max(1, len({pause.pid for pause in pauses} - {None}))
    logged = float(lengths_s.sum() / case.measured_s) / processes if case.measured_s else 0.0
    return GarbageCollections(
        paused=min(1.0, max(track.mean for track in tracks) if tracks else logged),
        beside=beside,
        source=tracks[0].source if tracks else EventSource(tier.name, "gc_pause", len(pauses)),
        lengths_s=lengths_s,
        full=sum(any(word in str(pause.kind) for word in WHOLE_HEAP) for pause in pauses),
        heap=_heap(tier),
    )


def _beside(tier: Tier) -> float:
    """Return the share of its cores that collection takes beside the threads, 0 to 1."""
    share, concurrent = tier.track("go.gc_cpu_share"), tier.track("gc_log.concurrent_s")
    if share is not None:
        return share.mean
    if tier.runtime == "node":
        # Code runs in the first thread of Node, and its collector in others.
        code = tier.track("process.first_threads_s", "tree")
        paused = max((track.mean for track in tier.parts("node.gc_pause_s").values()), default=0.0)
        if code is None or tier.cpu is None or paused < PAUSED:
            return 0.0
        return max(0.0, tier.cpu.mean - code.mean) / max(1.0, tier.cores)
    if concurrent is None or _heap(tier) < ROOMY:
        return 0.0
    # At least one thread collects, and on few cores exactly one.
    return min(1.0, concurrent.mean / max(1.0, tier.cores))


def _heap(tier: Tier) -> float:
    """Return the heap after collections over the greatest that it may have; NaN where one is unknown."""
    after = tier.track("gc_log.heap_after_bytes")
    most = tier.track("jvm.memory_limit_bytes", "heap") or tier.track("gc_log.heap_committed_bytes")
    return after.median / most.peak if after is not None and most is not None and most.peak > 0 else np.nan
