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

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, STRONG, Evidence, Hypothesis, Sign, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.collecting import HEAP_FULL_SHARE, PAUSES, GarbageCollections, collections_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law, without
from loadrig.judgement.harms import dips
from loadrig.judgement.limits.holders import Holder
from loadrig.judgement.proofs import Proof
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.gc_pressure import GcPressureTexts

TEXTS = texts_of(GcPressureTexts)

TITLE = TEXTS.title
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

SIGNALS = PAUSES
SIGNAL = "collections"
"""Counters of what this cause blames, and their name for people: collections that go on after the harm has
gone were not its cause."""

CODE_BUSY = 0.85
"""Cores in use by Node's busiest process, from which on its own code is one of the threads that want a
core: the others are then helpers, as those of the collector."""

HELPERS = 1.7
"""Threads of Node that run or want to, from which on the collector's threads are suspected: 1.0 is its own
code, and now and then a look at the disk."""

TAIL_OF_P99 = 0.5
"""Length of a pause over p99 less the median, from which on slow requests may have waited for such a
pause."""

TAIL_SHARE = 0.01
"""Share of the requests met by a pause, 0 to 1. Below it pauses do not make a p99."""

OF_DIPS = 0.5
"""Share of the lost time that collections must have stood still to be what made the dips, 0 to 1."""

DECIDES = TEXTS.decides
"""Experiment that would decide, for people."""

BESIDE_TOLD = 0.01
"""Share of the CPU time spent on collections beside the threads, 0 to 1, from which on that is told."""


def wording_of_holder(case: Case, holder: Holder) -> Wording:
    """Return its words: how much of the time went into collections, and whether the heap is nearly full."""
    tier = case.tiers[holder.component]
    collections = collections_of(case, tier)
    if collections is None:  # a profile saw the collector at work
        return Wording(mend=_mend(tier, collections), decides=DECIDES)
    evidence = []
    if collections.is_nearly_full:
        text = (
            TEXTS.after_collections_greatest(show_share(collections.heap))
            if collections.heap >= HEAP_FULL_SHARE
            else TEXTS.collections_whole_heap(str(collections.full))
        )
        evidence.append(Evidence(text, collections.source, STRONG))
    return Wording(_effect(collections), _mend(tier, collections), DECIDES, evidence=tuple(evidence))


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield the hypotheses of pauses that are the slow requests or the dips, whatever is full."""
    lost = dips.of(case)
    for tier in case.programs:
        collections = collections_of(case, tier)
        if collections is None:
            yield from _helpers(tier)
            continue
        pauses = [_in_tail(case, collections)] if {"tail", "missed"} & set(case.harms) else []
        if lost is not None and lost.is_harm:
            pauses.append(_in_dips(tier, collections, lost))
        if pauses:
            signs, bound = max(pauses, key=lambda pair: (pair[0][0].holds, pair[1]))
            yield Hypothesis(
                tier.name, signs, _effect(collections), _mend(tier, collections), DECIDES,
                bound=bound, bound_text=signs[0].text, gain=without(collections.share),
            )  # fmt: skip


def _in_tail(case: Case, collections: GarbageCollections) -> tuple[tuple[Sign, ...], float]:
    """Return the sign that enough pauses are as long as slow requests waited, and how much they explain."""
    over_s = case.load.latency(0.99) - case.load.latency(0.5)
    long_s = collections.lengths_s[collections.lengths_s >= TAIL_OF_P99 * over_s]
    # Requests come at random, so pauses meet the same share of requests as they take of the time.
    met = float(long_s.sum() / case.measured_s) if case.measured_s and over_s > 0 else 0.0
    text = TEXTS.pauses_long_slow(str(long_s.size), show_duration(over_s), show_share(met))
    return (Sign(met >= TAIL_SHARE, text, collections.source, STRONG + CLEAR),), min(1.0, met / TAIL_SHARE)


def _in_dips(tier: Tier, collections: GarbageCollections, lost: dips.Dips) -> tuple[tuple[Sign, ...], float]:
    """Return the signs that pauses stand in the dips and are as long as these are deep, and their share."""
    beside = lost.beside("gc_pause", tier.name)
    stood_s = lost.stood_still(beside.stream) if beside is not None else 0.0
    bound = min(1.0, stood_s / lost.lost_s) if lost.lost_s > 0 else 0.0
    text = TEXTS.pauses_dips_work(show_duration(stood_s), show_duration(lost.lost_s), show_share(bound))
    if beside is None or not beside.is_close or bound < OF_DIPS:
        took = TEXTS.gc_took_time(show_share(collections.share))
        return (Sign(False, f"{took} {show_share(lost.depth)}: {text}", collections.source),), bound
    signs = (
        Sign(True, text, collections.source, STRONG + CLEAR),
        Sign(True, dips.beside(beside), beside.stream.source, CLEAR),
    )
    return signs, bound


def _helpers(tier: Tier) -> Iterator[Hypothesis]:
    """Yield the hypothesis of Node without its inspector: code runs in one thread, collection in more."""
    running = tier.track("process.threads", "state:R")
    if tier.runtime != "node" or running is None or tier.busiest is None:
        return
    if running.mean >= HELPERS and tier.busiest.mean >= CODE_BUSY:
        text = TEXTS.threads_wanted_core(show_number(running.mean))
        unseen = TEXTS.whether_they_collect
        signs = (Sign(True, text, running.source, CLEAR), Sign(None, unseen, running.source))
        effect = TEXTS.threads_work_beside(show_number(running.mean - 1))
        yield Hypothesis(tier.name, signs, effect, _mend(tier, None), DECIDES)


def _effect(collections: GarbageCollections) -> str:
    pauses_s = collections.lengths_s
    text = TEXTS.stood_still_time(show_share(collections.paused))
    if pauses_s.size:
        text += TEXTS.pauses_longest(f"{pauses_s.size:,}", show_duration(float(pauses_s.max())))
    if collections.beside >= BESIDE_TOLD:
        text += TEXTS.cpu_went_into(show_share(collections.beside))
    return text


MENDS = {
    "go": TEXTS.mend_go,
    "node": TEXTS.mend_node,
    "cpython": TEXTS.mend_cpython,
}


def _mend(tier: Tier, collections: GarbageCollections | None) -> str:
    if tier.runtime not in MENDS and collections is not None and collections.is_nearly_full:
        return TEXTS.more_heap_xmx
    jvm = TEXTS.allocate_less_profile
    return MENDS.get(tier.runtime, jvm)
