"""All workers or threads of a server are taken, while the CPU has room: requests wait for a slot.

## Signature

More requests are in flight than the server has slots (workers × threads), the rest wait at its listener or
in its queue; CPU stands idle; each request takes as long as it takes alone, once it has a slot.

## Data

Settings (`--workers`, `--threads`, Tomcat's threads), busy threads, connections that wait to be accepted,
requests in flight, throughput × the time of a request alone (what is really worked on at once), CPU time.

## Deciding test

`--prove` starts more workers or threads, in turns, where these are knobs: throughput rises by nearly as much.
A delay in front of what it asks lowers throughput where slots are short, and hardly where the CPU is.

## Guard

Busy workers that wait for something that is used up (a database, a pool, a lock) are a symptom: they take
longer under load than alone, and more of them would only wait together. A process that is full of CPU with
several threads is the interpreter lock. Sync workers that mostly wait, and are already as many as gunicorn
advises (2 × cores + 1, 4 at least), call for another worker class rather than for more of them.

## Fix

More workers or threads, up to what CPU and memory bear.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.causes._alone import IDLE_SLOTS_SHARE, ONE_BY_ONE, Alone, alone, turned_away
from loadrig.judgement.causes._behind import PROXIES, carries_load, full_dependency
from loadrig.judgement.causes._locks import mean_of_state
from loadrig.judgement.causes._room import has_room
from loadrig.judgement.causes._slots import Slots, is_loop, queued, slots_of, unread_each
from loadrig.judgement.causes.lock_contention import UNREAD_BYTES_OF_THREADS
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    Evidence,
    FormulaSource,
    Hypothesis,
    SeriesSource,
    Sign,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof

TITLE = "all workers are taken while the CPU has room"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("workers", "size", states=("accept_queue", "unread"))

OWN_WORDS = (OwnWords("workers", ("full",), is_once=True),)

PROOFS = (
    Proof("knob", ("workers", "threads")),
    # A delay of a dependency that few requests ask moves nothing either, however short slots are.
    Proof("delay", is_needed=False, is_own=False),
)

GAIN = Law("slots", "threads")

TAKEN = 0.9
"""Mean share of the slots that are busy, 0 to 1, from which on all are taken."""

OVER = 1.15
"""Requests in flight over slots, from which on requests queue: a queue of a seventh of the slots is no
accident."""

TRACE_SLOTS_TAKEN = 0.7
"""Requests in flight over slots. Below it the slots are not suspected."""

AS_ALONE = 0.4
"""Slots that requests would take alone, over slots, from which on the slots are at work. Workers share
connections unevenly, so half is common."""

TOGETHER = 0.25
"""Slots that requests would take alone, over slots. Below it slots are taken four times as long as the work
takes alone, so requests wait for something else."""

MOSTLY_WAITING = 0.25
"""Share of its CPU that a program uses, 0 to 1. Below it workers in the advised number mostly wait, so
more of them would wait as well."""

FEW = 3.0
"""Requests in flight, from which on unread ones are no accident."""

THREAD_FULL = 0.9
"""Share of one core in use, 0 to 1, from which on the interpreter lock limits a process with threads."""


def advised(tier: Tier) -> float:
    """Return the sync workers that gunicorn advises: 2 × cores + 1, 4 to 12 (docs.gunicorn.org, design)."""
    return max(2 * tier.cores + 1, 4.0)


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for the program that carries the load, where its slots are nearly taken."""
    for tier in case.programs:
        if not carries_load(case, tier) or tier.is_database or tier.kind in CACHES | PROXIES:
            continue
        slots = slots_of(case, tier)
        if slots is None:
            yield from _unknown(case, tier)
        elif slots.kind != "loop" and _is_near(case, tier, slots):
            yield _hypothesis(case, tier, slots)


def _is_near(case: Case, tier: Tier, slots: Slots) -> bool:
    waiting = queued(case, tier)
    return (
        case.load.waiting >= TRACE_SLOTS_TAKEN * slots.number
        or (slots.busy is not None and slots.busy.mean >= TRACE_SLOTS_TAKEN * slots.number)
        or (waiting is not None and waiting.mean >= 1)
    )


def _hypothesis(case: Case, tier: Tier, slots: Slots) -> Hypothesis:
    in_flight = case.load.waiting
    signs = [_taken(case, slots), has_room(case, tier), *_not_by_the_lock(tier, slots)]
    signs += [
        *_nothing_behind(case, tier),
        *_as_alone(alone(case), slots),
        *turned_away(case, tier, slots),
    ]
    share = 1 - slots.number / in_flight if in_flight > slots.number else None
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        more=tuple(_more(case, tier)),
        against=tuple(_against(tier, slots)),
        effect=f"{show_number(in_flight)} requests in flight for {slots.text};"
        f" {show_number(case.load.ok_rps)}/s",
        mend=f"more of them: {slots.more}",
        decides="a quarter more workers or threads: if this is the cause, throughput rises by nearly as much",
        bound=share,
        bound_text=(
            f"a request waits {show_share(share)} of its time for a slot:"
            f" 1 - {show_number(slots.number)} / {show_number(in_flight)}"
            if share is not None
            else ""
        ),
    )


def _taken(case: Case, slots: Slots) -> Sign:
    if slots.busy is not None:
        text = f"{show_number(slots.busy.mean)} of {slots.text} were busy"
        return Sign(slots.busy.mean >= TAKEN * slots.number, text, slots.busy.source, CLEAR)
    in_flight = case.load.waiting
    text = f"{show_number(in_flight)} requests were in flight for {slots.text}"
    return Sign(in_flight >= OVER * slots.number, text, case.load.source("load.in_flight"), CLEAR)


def _not_by_the_lock(tier: Tier, slots: Slots) -> Iterator[Sign]:
    if tier.runtime == "cpython" and slots.kind == "threads" and tier.busiest is not None:
        used = tier.busiest.mean
        if used >= THREAD_FULL:
            text = (
                f"its busiest process used {show_number(used)} of one core: its threads wait for each other"
            )
            yield Sign(False, text, tier.busiest.source, 0.0)


def _nothing_behind(case: Case, tier: Tier) -> Iterator[Sign]:
    full = full_dependency(case, tier)
    if full is not None:
        yield Sign(False, full.text, full.source, 0.0)
    elif tier.callees:
        names = ", ".join(callee.name for callee in tier.callees)
        yield Sign(True, f"nothing behind it is full ({names})", FormulaSource(f"callees: {names}"), SLIGHT)


def _as_alone(served: Alone | None, slots: Slots) -> Iterator[Sign]:
    if served is None or served.at_once <= 0:
        return
    source = FormulaSource(
        f"throughput × time of a request alone = {show_number(served.at_once)} at once, {slots.text}"
    )
    share = served.at_once / slots.number
    if share < TOGETHER:
        text = (
            f"its slots hold requests {show_number(1 / share)} times as long as these take alone:"
            " what they wait for is not a slot"
        )
        yield Sign(False, text, source, 0.0)
        return
    text = (
        f"its slots did the work of {show_number(served.at_once)}: requests take as long as alone, once begun"
    )
    yield Sign(True, text, source, STRONG if share >= AS_ALONE else SLIGHT)


def _inside(tier: Tier, unread: float) -> Iterator[Evidence]:
    if unread < UNREAD_BYTES_OF_THREADS / 4:
        text = "it has read all requests that are in flight: what they wait for is inside"
        yield Evidence(text, SeriesSource(tier.host, "tcp_sockets.receive_queue_bytes", f"in:{tier.port}"))


def _more(case: Case, tier: Tier) -> Iterator[Evidence]:
    waiting = queued(case, tier)
    if waiting is not None and waiting.mean >= 1:
        text = f"{show_number(waiting.mean)} connections waited at its listener to be accepted"
        yield Evidence(text, waiting.source, CLEAR)


def _against(tier: Tier, slots: Slots) -> Iterator[Evidence]:
    if slots.kind == "sync" and slots.workers >= advised(tier) and tier.cpu_share < MOSTLY_WAITING:
        text = f"it has {slots.text} already, enough for its cores, and they mostly wait"
        yield Evidence(text, FormulaSource(f"2 × {tier.cores:g} + 1 = {advised(tier):g}"), CLEAR)


def _unknown(case: Case, tier: Tier) -> Iterator[Hypothesis]:
    """Yield the hypothesis of a server with unknown slots that does not take its requests."""
    served = alone(case)
    if tier.runtime in ("go", "node") or is_loop(case, tier) or tier.cpu is None:
        return
    in_flight, unread = case.load.waiting, unread_each(case, tier)
    at_once = served.at_once if served is not None else math.nan
    is_few = at_once >= IDLE_SLOTS_SHARE and in_flight >= max(2 * at_once, 2.0)
    if not (is_few or (unread >= UNREAD_BYTES_OF_THREADS and in_flight >= FEW)):
        return
    yield Hypothesis(
        component=tier.name,
        signs=(
            _not_taken(case, tier, at_once),
            has_room(case, tier),
            *_nothing_behind(case, tier),
            *_no_lock(tier),
        ),
        more=tuple(_more(case, tier)),
        against=tuple(_inside(tier, unread)),
        effect=f"{show_number(in_flight)} requests in flight, and not enough threads or workers to take them;"
        f" {show_number(case.load.ok_rps)}/s",
        mend="more threads or workers; where they are set is not known",
        decides="a quarter more workers or threads: if this is the cause, throughput rises by nearly as much",
        bound=1 - at_once / in_flight if is_few else None,
        bound_text=f"a request waits 1 - {show_number(at_once)} / {show_number(in_flight)} of its time"
        if is_few
        else "",
    )


def _not_taken(case: Case, tier: Tier, at_once: float) -> Sign:
    """Return the sign that requests are not taken: by what lies unread, else by throughput."""
    unread = unread_each(case, tier)
    if unread >= UNREAD_BYTES_OF_THREADS:
        text = (
            f"{show_number(unread)} bytes of each request in flight lie unread: nobody has taken most of them"
        )
        source = SeriesSource(tier.host, "tcp_sockets.receive_queue_bytes", f"in:{tier.port}")
        return Sign(True, text, source, STRONG)
    formula = FormulaSource(f"throughput × time of a request alone = {show_number(at_once)}")
    if IDLE_SLOTS_SHARE <= at_once <= ONE_BY_ONE:
        why = "whether one thread serves all, or a lock lets one through, was not seen: look at its threads"
        return Sign(None, why, formula, 0.0)
    if tier.callees:
        behind = ", ".join(callee.name for callee in tier.callees)
        why = f"whether its threads are all taken, or a pool of connections to {behind}, was not seen"
        return Sign(None, why, formula, 0.0)
    text = (
        f"it works on {show_number(at_once)} requests at once, of {show_number(case.load.waiting)} in flight"
    )
    return Sign(True, text, formula, CLEAR)


def _no_lock(tier: Tier) -> Iterator[Sign]:
    """Yield the sign that no thread waits for a lock, where that is seen: a lock serves one by one, too."""
    if tier.parts("jvm.threads"):
        number = mean_of_state(tier, "BLOCKED")
        text = f"{show_number(number)} of its threads were BLOCKED by a lock"
        yield Sign(number < 1, text, SeriesSource(tier.name, "jvm.threads", "BLOCKED"), SLIGHT)
