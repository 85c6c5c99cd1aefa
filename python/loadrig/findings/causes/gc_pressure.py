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
from loadrig.findings import dips
from loadrig.findings.about import About
from loadrig.findings.case import Case
from loadrig.findings.dips import Dips
from loadrig.findings.evidence import (
    CLEAR,
    STRONG,
    EventSource,
    Evidence,
    FormulaSource,
    Hypothesis,
    Sign,
    Source,
)
from loadrig.findings.gains import Law, without
from loadrig.findings.proofs import Proof
from loadrig.findings.tier import Tier

TITLE = "garbage collection takes the time"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips"})
ABOUT = About("cpu", "use")

PROOFS = (
    Proof("knob", ("heap",)),
    # A word for another collector may make it worse.
    Proof("knob", ("gc",), "other", is_needed=False),
    # Collecting is work, too; where its pauses are what is wrong, CPU time may be plenty.
    Proof("cpu", is_needed=False, is_own=False),
)

GAIN = Law("part", "CPU")

MUCH = 0.20
"""Share of the time from which on collection is what a server does: Go gives it a quarter of the CPU by
design, the throughput collectors of JVMs aim at 1 to 5 %."""

SOME = 0.10
"""Together with a heap that is nearly full: the share then grows without bound as less room is left."""

FULL_SHARE = 0.85
"""Heap after collections over its greatest size."""

ROOMY = 0.6
"""Heap after collections over its greatest size: with more room than that, marking that takes long is short
of CPU and not of memory; its length says nothing of the CPU that it took."""

TAIL_OF_P99 = 0.5
"""A pause must be so long, over p99 less the median, to be what the slow requests waited for."""

TAIL_SHARE = 0.01
"""Of the requests: fewer than one in a hundred met by a pause do not make a p99."""

PAUSED = 0.02
"""Of the time, in collections of a Node program: healthy ones spend 0.2 to 1 % of it. From here on its other
threads are counted, too: they collect beside its code, and do little else but for files and cryptography."""

HELPERS = 1.7
"""Threads of Node that run or want to: 1.0 is its own code, and now and then a look at the disk."""

OF_DIPS = 0.5
"""Of the lost time that collections must have stood still, to be what made the dips."""

SIGNALS = ("gc_log.pause_s", "jvm.gc_s", "go.gc_pause_s", "node.gc_pause_s", "python.gc_pause_s")
"""What it blames, as counters: collections that go on after what is wrong has gone were not its cause."""
SIGNAL = "collections"
"""What these counters count, for people."""
_FULL = ("Full", "Degenerated")


@dataclass(frozen=True, slots=True)
class _Collections:
    """What is known of a program's collections. All shares are of the measured time.

    paused: in which it stood still; beside: of its cores, for work beside its threads; long_s: of its long
    pauses, and met: share of the time within one of those or waiting behind it. heap: after collections
    over the greatest.
    """

    paused: float
    beside: float
    source: Source
    lengths_s: "np.ndarray[tuple[int], np.dtype[np.float64]]"
    full: int
    heap: float

    @property
    def share(self) -> float:
        """Of what the program could do, at most."""
        return min(1.0, self.paused + (1 - self.paused) * self.beside)


def examine(case: Case) -> Iterator[Hypothesis]:
    """One hypothesis for each program whose collections were seen."""
    for tier in case.programs:
        found = _collections(case, tier)
        if found is not None:
            yield _of(case, tier, found)
        elif tier.runtime == "node":
            yield from _by_its_helpers(tier)


def _by_its_helpers(tier: Tier) -> Iterator[Hypothesis]:
    """Of Node without its inspector: JavaScript runs in one thread, the collector in several."""
    running = tier.track("process.threads", "state:R")
    if running is None or running.mean < HELPERS or tier.busiest is None or tier.busiest.mean < FULL_SHARE:
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
    told = float(lengths_s.sum() / case.measured_s) if case.measured_s else 0.0
    # Of several processes (CPython, Node) events of all are in the log, but each stands still alone.
    processes = max(1, len({event.facts.get("pid") for event in events} - {None}))
    paused = counted if tracks else told / processes
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
    """Share of its cores that collection takes beside the threads."""
    share = tier.track("go.gc_cpu_share")
    if share is not None:
        return share.mean
    if tier.runtime == "node":
        return _helpers_share(tier)
    concurrent = tier.track("gc_log.concurrent_s")
    if concurrent is not None and _heap(tier) < ROOMY:
        return 0.0
    # At least one thread works on it, and on few cores it is one.
    return min(1.0, concurrent.mean / max(1.0, tier.cores)) if concurrent is not None else 0.0


def _helpers_share(tier: Tier) -> float:
    """Of Node: what its other threads took, where its code stands still for collections more than usual."""
    code = tier.track("process.first_threads_s", "tree")
    paused = max((track.mean for track in tier.parts("node.gc_pause_s").values()), default=0.0)
    if code is None or tier.cpu is None or paused < PAUSED:
        return 0.0
    return max(0.0, tier.cpu.mean - code.mean) / max(1.0, tier.cores)


def _heap(tier: Tier) -> float:
    """Heap after collections over the greatest that it may have; NaN where one is unknown."""
    after = tier.track("gc_log.heap_after_bytes")
    most = tier.track("jvm.memory_limit_bytes", "heap") or tier.track("gc_log.heap_committed_bytes")
    if after is None or most is None or most.peak <= 0:
        return float("nan")
    return after.median / most.peak


def _of(case: Case, tier: Tier, found: _Collections) -> Hypothesis:
    lost = dips.of(case)
    ways = [_of_all(case, tier, found)]
    if "tail" in case.harms or "missed" in case.harms:
        ways.append(_of_tail(case, tier, found))
    if lost is not None and lost.is_harm:
        ways.append(_of_dips(case, tier, found, lost))
    return max(ways, key=lambda way: (way.signs[0].holds is True, way.bound or 0.0))


def _hypothesis(
    tier: Tier,
    found: _Collections,
    sign: Sign,
    more: list[Evidence],
    bound: float,
    bound_text: str,
) -> Hypothesis:
    stood = f"it stood still {show_share(found.paused)} of the time for collections"
    if found.lengths_s.size:
        stood += (
            f" ({found.lengths_s.size:,} pauses, the longest {show_duration(float(found.lengths_s.max()))})"
        )
    if found.beside >= 0.01:
        stood += f", and {show_share(found.beside)} of its CPU went into them beside its threads"
    return Hypothesis(
        component=tier.name,
        signs=(sign,),
        more=tuple(more),
        effect=stood,
        mend=_mend(tier, found),
        decides="the same load with twice the heap: the share of collections falls, and the harm with it",
        bound=bound,
        bound_text=bound_text,
        gain=without(found.share),
    )


def _of_all(case: Case, tier: Tier, found: _Collections) -> Hypothesis:
    """Throughput: collections take a share of all that it could do."""
    is_full = found.heap >= FULL_SHARE or found.full >= 3
    enough = found.share >= MUCH or (found.share >= SOME and is_full)
    text = f"collections took {show_share(found.share)} of what it could do"
    if not enough:
        text = _innocent(case, found)
    more = []
    if is_full and found.share >= SOME:
        room = (
            f"after collections {show_share(found.heap)} of the greatest heap was still in use"
            if found.heap >= FULL_SHARE
            else f"{found.full} collections were of the whole heap"
        )
        more.append(Evidence(room, found.source, STRONG))
    if found.share >= 2 * MUCH:
        text_more = f"without them it could do {show_number(1 / max(1e-9, 1 - found.share))} times as much"
        more.append(Evidence(text_more, FormulaSource(f"1 / (1 - {found.share:.2f})"), CLEAR))
    weight = STRONG + CLEAR if found.share >= MUCH else CLEAR
    sign = Sign(enough, text, found.source, weight)
    return _hypothesis(
        tier, found, sign, more, found.share,
        f"collections took {show_share(found.paused)} of the time and {show_share(found.beside)} of"
        f" the CPU beside the threads: they cost {show_share(found.share)} at most",
    )  # fmt: skip


def _innocent(case: Case, found: _Collections) -> str:
    """The sentence that clears it, with what it would have to explain."""
    lost = dips.of(case)
    said = f"GC took {show_share(found.share)} of the time"
    if lost is not None and lost.is_harm:
        return f"{said}: it cannot make a dip of {show_share(lost.depth)}"
    if found.share < SOME:
        return f"{said}: it costs no more than that"
    return f"{said}: that alone does not limit it"


def _of_tail(case: Case, tier: Tier, found: _Collections) -> Hypothesis:
    """Slow requests: the pauses are as long as these waited, and there are enough of them."""
    p50, p99 = case.load.latency(0.5), case.load.latency(0.99)
    over_s = p99 - p50
    long_s = found.lengths_s[found.lengths_s >= TAIL_OF_P99 * over_s]
    # Requests come at random: as many are met by a pause as there is time within one.
    met = float(long_s.sum() / case.measured_s) if case.measured_s and over_s > 0 else 0.0
    longest = float(found.lengths_s.max()) if found.lengths_s.size else 0.0
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
    sign = Sign(holds, text, found.source, STRONG + CLEAR)
    return _hypothesis(
        tier, found, sign, [], bound, f"pauses met {show_share(met)} of the requests, p99 is of 1 %"
    )  # fmt: skip


def _of_dips(case: Case, tier: Tier, found: _Collections, lost: Dips) -> Hypothesis:
    """Dips: collections stand in them, and are as long as they are deep."""
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
    text = arithmetic if holds or bound >= 0.1 else f"{_innocent(case, found)}: {arithmetic}"
    return _hypothesis(tier, found, Sign(holds, text, found.source, STRONG + CLEAR), more, bound, arithmetic)


def _mend(tier: Tier, found: _Collections) -> str:
    if tier.runtime == "go":
        return "allocate less (pprof: allocs), or raise GOGC or GOMEMLIMIT: fewer collections for more memory"
    if tier.runtime == "node":
        return (
            "allocate less, or a larger young generation (--max-semi-space-size) and heap"
            " (--max-old-space-size)"
        )
    if tier.runtime == "cpython":
        return "fewer objects in cycles, gc.freeze() after the start, or a higher gc.set_threshold"
    if found.heap >= FULL_SHARE or found.full >= 3:
        return "more heap (-Xmx): it is nearly full after collections; then look for what holds it"
    return "allocate less (a profile of allocations shows where), or more heap (-Xmx) for fewer collections"
