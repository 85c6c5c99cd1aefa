"""Garbage collection takes the time of the requests.

## Signature

Collections take a good part of the time or of the CPU, or their pauses are the slow requests, or they stand
in the dips and are as long as the dips are deep.

## Data

Each pause with its length (GC log of a JVM, Go's and Node's own account, CPython where the server was started
with `inside: true`), work beside the threads (of Node the CPU time of all but its first), heap after
collections against its greatest size.

## Deciding test

`--prove` gives it more heap, or sets the collector's own knob (GOGC), in turns: the share and the pauses
fall, and what is wrong falls with them as predicted. Where collections only stood in the dips, spreading the
logins takes the dips away and leaves the collections.

## Guard

Collections are always to be seen, and often periodic. What counts is their time: a server that stands still
0.005 % of the time loses no more than that, whatever the charts look like.

## Fix

More heap where it is nearly full after collections; fewer allocations where they are frequent; another
collector (ZGC, generational) only where the pauses themselves are the slow requests.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import (
    CLEAR,
    STRONG,
    EventSource,
    Evidence,
    FormulaSource,
    Hypothesis,
    Sign,
    Source,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law, without
from loadrig.judgement.harms import dips
from loadrig.judgement.harms.dips import Dips
from loadrig.judgement.proofs import Proof

TITLE = "garbage collection takes the time"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips"})
ABOUT = About("cpu", "use")

PROOFS = (
    Proof("knob", ("heap",)),
    # A word for another collector may make it worse.
    Proof("knob", ("gc",), "other", is_needed=False),
    # Collecting uses CPU time, too; but where its pauses are the harm, there may be CPU time to spare.
    Proof("cpu", is_needed=False, is_own=False),
)

GAIN = Law("part", "CPU")

MUCH = 0.20
"""Share of the time in collections, 0 to 1, from which on they are what a server does: Go gives them a
quarter of the CPU by design, the throughput collectors of JVMs aim at 1 to 5 %."""

SOME = 0.10
"""Share of the time in collections, 0 to 1, that is enough where the heap is nearly full: the share then
grows without bound as less room is left."""

HEAP_FULL_SHARE = 0.85
"""Heap after collections over its greatest size, 0 to 1, from which on the heap is nearly full."""

CODE_BUSY = 0.85
"""Cores in use by Node's busiest process, from which on its own code is one of the threads that want a
core: the others are then helpers, as those of the collector."""

ROOMY = 0.6
"""Heap after collections over its greatest size, 0 to 1. Below it, marking that takes long is short of CPU
and not of memory, so its length says nothing of the CPU that it took."""

TAIL_OF_P99 = 0.5
"""Length of a pause over p99 less the median, from which on slow requests may have waited for such a
pause."""

TAIL_SHARE = 0.01
"""Share of the requests met by a pause, 0 to 1. Below it pauses do not make a p99."""

PAUSED = 0.02
"""Share of the time that a Node program spends in collections, 0 to 1: healthy ones spend 0.2 to 1 %. From
here on its other threads are counted, too: they collect beside its code, and do little else but for files and
cryptography."""

HELPERS = 1.7
"""Threads of Node that run or want to, from which on the collector's threads are suspected: 1.0 is its own
code, and now and then a look at the disk."""

OF_DIPS = 0.5
"""Share of the lost time that collections must have stood still to be what made the dips, 0 to 1."""

SIGNALS = ("gc_log.pause_s", "jvm.gc_s", "go.gc_pause_s", "node.gc_pause_s", "python.gc_pause_s")
"""Counters of what this cause blames: collections that go on after the harm has gone were not its cause."""
SIGNAL = "collections"
"""Name of what these counters count, for people."""
_FULL = ("Full", "Degenerated")


@dataclass(frozen=True, slots=True)
class _Collections:
    """Collections of one program. All shares are of the measured time, 0 to 1.

    paused: share in which the program stood still; beside: share of its cores that collection used beside its
    threads. lengths_s: lengths of the pauses, in seconds. full: number of collections of the whole heap.
    heap: heap after collections over the greatest; NaN where unknown.
    """

    paused: float
    beside: float
    source: Source
    lengths_s: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    full: int
    heap: float

    @property
    def share(self) -> float:
        """Share of what the program could do that collections take at most, 0 to 1."""
        return min(1.0, self.paused + (1 - self.paused) * self.beside)


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program whose collections were seen."""
    for tier in case.programs:
        seen = _collections(case, tier)
        if seen is not None:
            yield _best_hypothesis(case, tier, seen)
        elif tier.runtime == "node":
            yield from _helpers_hypothesis(tier)


def _helpers_hypothesis(tier: Tier) -> Iterator[Hypothesis]:
    """Yield the hypothesis of Node without its inspector: code runs in one thread, collection in more."""
    running = tier.track("process.threads", "state:R")
    if running is None or running.mean < HELPERS or tier.busiest is None or tier.busiest.mean < CODE_BUSY:
        return
    text = f"{show_number(running.mean)} of its threads wanted a core at a time, and its code runs in one"
    unseen = "whether they collect garbage was not seen: its inspector tells (node --inspect)"
    yield Hypothesis(
        component=tier.name,
        signs=(Sign(True, text, running.source, CLEAR), Sign(None, unseen, running.source)),
        effect=f"{show_number(running.mean - 1)} threads work beside its own code, as its collector does",
        mend="allocate less, or a larger heap (--max-old-space-size) and young generation",
        decides="the same load with twice the heap: the share of collections falls, and the harm with it",
    )


def _collections(case: Case, tier: Tier) -> _Collections | None:
    events = [
        event
        for event in case.events_of("gc_pause", component=tier.name)
        if event.facts.get("is_pause", True)
    ]
    tracks = [
        track
        for name in SIGNALS
        for track in case.subjects(tier.name, name).values()
        if track.is_known and not (name == "jvm.gc_s" and events)
    ]
    beside = _beside(tier)
    if not events and not tracks and not beside:
        return None
    lengths_s = np.array([float(event.facts.get("duration_s") or 0.0) for event in events])
    counted = max((track.mean for track in tracks), default=0.0)
    logged = float(lengths_s.sum() / case.measured_s) if case.measured_s else 0.0
    # The log has the events of all processes (CPython, Node), but each process stands still alone.
    processes = max(1, len({event.facts.get("pid") for event in events} - {None}))
    paused = counted if tracks else logged / processes
    source: Source = tracks[0].source if tracks else EventSource(tier.name, "gc_pause", len(events))
    return _Collections(
        paused=min(1.0, paused),
        beside=beside,
        source=source,
        lengths_s=lengths_s,
        full=sum(any(word in str(event.facts.get("kind")) for word in _FULL) for event in events),
        heap=_heap(tier),
    )


def _beside(tier: Tier) -> float:
    """Return the share of its cores that collection takes beside the threads, 0 to 1."""
    share = tier.track("go.gc_cpu_share")
    if share is not None:
        return share.mean
    if tier.runtime == "node":
        return _helpers_share(tier)
    concurrent = tier.track("gc_log.concurrent_s")
    if concurrent is not None and _heap(tier) < ROOMY:
        return 0.0
    # At least one thread collects, and on few cores exactly one.
    return min(1.0, concurrent.mean / max(1.0, tier.cores)) if concurrent is not None else 0.0


def _helpers_share(tier: Tier) -> float:
    """Return the share of its cores that Node's other threads used; 0 where its code hardly pauses."""
    code = tier.track("process.first_threads_s", "tree")
    paused = max((track.mean for track in tier.parts("node.gc_pause_s").values()), default=0.0)
    if code is None or tier.cpu is None or paused < PAUSED:
        return 0.0
    return max(0.0, tier.cpu.mean - code.mean) / max(1.0, tier.cores)


def _heap(tier: Tier) -> float:
    """Return the heap after collections over the greatest that it may have; NaN where one is unknown."""
    after = tier.track("gc_log.heap_after_bytes")
    most = tier.track("jvm.memory_limit_bytes", "heap") or tier.track("gc_log.heap_committed_bytes")
    if after is None or most is None or most.peak <= 0:
        return float("nan")
    return after.median / most.peak


def _best_hypothesis(case: Case, tier: Tier, seen: _Collections) -> Hypothesis:
    lost = dips.of(case)
    ways = [_throughput_way(case, tier, seen)]
    if "tail" in case.harms or "missed" in case.harms:
        ways.append(_tail_way(case, tier, seen))
    if lost is not None and lost.is_harm:
        ways.append(_dips_way(case, tier, seen, lost))
    return max(ways, key=lambda way: (way.signs[0].holds is True, way.bound or 0.0))


def _hypothesis(
    tier: Tier,
    seen: _Collections,
    sign: Sign,
    more: list[Evidence],
    bound: float,
    bound_text: str,
) -> Hypothesis:
    stood = f"it stood still {show_share(seen.paused)} of the time for collections"
    if seen.lengths_s.size:
        stood += (
            f" ({seen.lengths_s.size:,} pauses, the longest {show_duration(float(seen.lengths_s.max()))})"
        )
    if seen.beside >= 0.01:
        stood += f", and {show_share(seen.beside)} of its CPU went into them beside its threads"
    return Hypothesis(
        component=tier.name,
        signs=(sign,),
        more=tuple(more),
        effect=stood,
        mend=_mend(tier, seen),
        decides="the same load with twice the heap: the share of collections falls, and the harm with it",
        bound=bound,
        bound_text=bound_text,
        gain=without(seen.share),
    )


def _throughput_way(case: Case, tier: Tier, seen: _Collections) -> Hypothesis:
    """Return the hypothesis for throughput: collections take a share of all that it could do."""
    is_full = seen.heap >= HEAP_FULL_SHARE or seen.full >= 3
    enough = seen.share >= MUCH or (seen.share >= SOME and is_full)
    text = f"collections took {show_share(seen.share)} of what it could do"
    if not enough:
        text = _innocent(case, seen)
    more = []
    if is_full and seen.share >= SOME:
        room = (
            f"after collections {show_share(seen.heap)} of the greatest heap was still in use"
            if seen.heap >= HEAP_FULL_SHARE
            else f"{seen.full} collections were of the whole heap"
        )
        more.append(Evidence(room, seen.source, STRONG))
    if seen.share >= 2 * MUCH:
        text_more = f"without them it could do {show_number(1 / max(1e-9, 1 - seen.share))} times as much"
        more.append(Evidence(text_more, FormulaSource(f"1 / (1 - {seen.share:.2f})"), CLEAR))
    weight = STRONG + CLEAR if seen.share >= MUCH else CLEAR
    sign = Sign(enough, text, seen.source, weight)
    return _hypothesis(
        tier, seen, sign, more, seen.share,
        f"collections took {show_share(seen.paused)} of the time and {show_share(seen.beside)} of"
        f" the CPU beside the threads: they cost {show_share(seen.share)} at most",
    )  # fmt: skip


def _innocent(case: Case, seen: _Collections) -> str:
    """Return the sentence that clears collections, with what they would have to explain."""
    lost = dips.of(case)
    text = f"GC took {show_share(seen.share)} of the time"
    if lost is not None and lost.is_harm:
        return f"{text}: it cannot make a dip of {show_share(lost.depth)}"
    if seen.share < SOME:
        return f"{text}: it costs no more than that"
    return f"{text}: that alone does not limit it"


def _tail_way(case: Case, tier: Tier, seen: _Collections) -> Hypothesis:
    """Return the hypothesis for slow requests: enough pauses are as long as those requests waited."""
    p50, p99 = case.load.latency(0.5), case.load.latency(0.99)
    over_s = p99 - p50
    long_s = seen.lengths_s[seen.lengths_s >= TAIL_OF_P99 * over_s]
    # Requests come at random, so pauses meet the same share of requests as they take of the time.
    met = float(long_s.sum() / case.measured_s) if case.measured_s and over_s > 0 else 0.0
    longest = float(seen.lengths_s.max()) if seen.lengths_s.size else 0.0
    holds = met >= TAIL_SHARE
    if holds:
        text = (
            f"{long_s.size} pauses of {show_duration(float(np.median(long_s)))} met {show_share(met)}"
            f" of the requests; p99 is {show_duration(over_s)} above the median"
        )
    else:
        text = (
            f"the longest pause was {show_duration(longest)}, and pauses as long as the slow requests waited"
            f" ({show_duration(over_s)}) met {show_share(met)} of them"
        )
    bound = min(1.0, met / TAIL_SHARE)
    sign = Sign(holds, text, seen.source, STRONG + CLEAR)
    return _hypothesis(
        tier, seen, sign, [], bound, f"pauses met {show_share(met)} of the requests, p99 is of 1 %"
    )  # fmt: skip


def _dips_way(case: Case, tier: Tier, seen: _Collections, lost: Dips) -> Hypothesis:
    """Return the hypothesis for dips: collections stand in them, and are as long as the dips are deep."""
    beside = lost.beside("gc_pause", tier.name)
    stood_s = lost.stood_still(beside.stream) if beside is not None else 0.0
    bound = min(1.0, stood_s / lost.lost_s) if lost.lost_s > 0 else 0.0
    arithmetic = (
        f"{show_duration(stood_s)} of pauses in the dips, {show_duration(lost.lost_s)} of work lost in them:"
        f" {show_share(bound)} at most"
    )
    holds = beside is not None and beside.is_close and bound >= OF_DIPS
    more = []
    if beside is not None and holds:
        more.append(Evidence(dips.told(beside), beside.stream.source, CLEAR))
    text = arithmetic if holds or bound >= 0.1 else f"{_innocent(case, seen)}: {arithmetic}"
    return _hypothesis(tier, seen, Sign(holds, text, seen.source, STRONG + CLEAR), more, bound, arithmetic)


def _mend(tier: Tier, seen: _Collections) -> str:
    if tier.runtime == "go":
        return "allocate less (pprof: allocs), or raise GOGC or GOMEMLIMIT: fewer collections for more memory"
    if tier.runtime == "node":
        return (
            "allocate less, or a larger young generation (--max-semi-space-size) and heap"
            " (--max-old-space-size)"
        )
    if tier.runtime == "cpython":
        return "fewer objects in cycles, gc.freeze() after the start, or a higher gc.set_threshold"
    if seen.heap >= HEAP_FULL_SHARE or seen.full >= 3:
        return "more heap (-Xmx): it is nearly full after collections; then look for what holds it"
    return "allocate less (a profile of allocations shows where), or more heap (-Xmx) for fewer collections"
