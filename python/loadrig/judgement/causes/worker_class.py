"""Sync workers serve one request after the other, and spend that time waiting: the wrong worker class.

## Signature

Workers of class sync, all of them taken, using little CPU each: they wait for something slow (a database, a
call elsewhere, a slow client), and while they wait they serve nobody else.

## Data

The worker class and number of workers (`-k`, sync where it is left out and `--threads` is not above 1), CPU
time of a worker, requests in flight, connections that wait at the listener.

## Deciding test

`--prove` gives sync workers threads (which makes them gthread), or takes another class, in turns, where these
are knobs: throughput rises several times.

## Guard

Few sync workers lack workers first: below 2 × cores + 1, or 4 (gunicorn's advice), the cause is called
`too_few_workers`, and this is its other name; above it, it is the class. Workers that compute are not helped
by another class. Workers that all wait for a dependency which is used up are that dependency's symptom.

## Fix

`-k gthread --threads 8`, or an asynchronous class where all that it calls is asynchronous too; a proxy in
front that takes slow clients away.
"""

from collections.abc import Iterator

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.causes import too_few_workers
from loadrig.judgement.causes._alone import alone, turned_away
from loadrig.judgement.causes._behind import carries_load, full_dependency
from loadrig.judgement.causes._room import has_room
from loadrig.judgement.causes._slots import Slots, queued, slots_of
from loadrig.judgement.causes.too_few_workers import AS_ALONE, OVER, TOGETHER, TRACE_SLOTS_TAKEN
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    Evidence,
    FormulaSource,
    Hypothesis,
    Sign,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.proofs import Proof

TITLE = "workers of class sync wait, and serve nobody else meanwhile"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("workers", "size", states=("accept_queue", "unread"), refines="too_few_workers")

PROOFS = (
    Proof("knob", ("threads",)),
    # gthread with one thread serves no more than sync does.
    Proof("knob", ("class",), "other", is_needed=False),
)

GAIN = Law("slots", "threads")

MOSTLY_WAIT = 0.3
"""CPU time of a taken worker over the time, 0 to 1. Below it a thread for each request could serve three
times as much."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for the program that carries the load, where its sync workers are nearly taken."""
    for tier in case.programs:
        if tier.kind not in ("gunicorn", "uwsgi") or not carries_load(case, tier) or tier.cpu is None:
            continue
        slots = slots_of(case, tier)
        if (
            slots is not None
            and slots.kind == "sync"
            and case.load.waiting >= TRACE_SLOTS_TAKEN * slots.number
        ):
            yield _hypothesis(case, tier, slots)


def _hypothesis(case: Case, tier: Tier, slots: Slots) -> Hypothesis:
    assert tier.cpu is not None
    in_flight = case.load.waiting
    cpu_each = tier.cpu.mean / slots.number
    share = 1 - slots.number / in_flight if in_flight > slots.number else None
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                in_flight >= OVER * slots.number,
                f"{show_number(in_flight)} requests were in flight for {slots.text}",
                case.load.source("load.in_flight"),
                CLEAR,
            ),
            Sign(
                cpu_each <= MOSTLY_WAIT,
                f"a worker used {show_share(cpu_each)} of one core while it was taken",
                FormulaSource(f"{show_cores(tier.cpu.mean)} / {slots.number:g} workers"),
                CLEAR,
            ),
            has_room(case, tier),
            *_nothing_behind(case, tier),
            *_as_alone(case, slots),
            *turned_away(case, tier, slots),
        ),
        more=tuple(_more(case, tier)),
        against=tuple(_against(tier, slots)),
        effect=f"{show_number(in_flight)} requests in flight for {slots.text}, which use"
        f" {show_share(cpu_each)} of a core each; {show_number(case.load.ok_rps)}/s",
        mend="-k gthread --threads 8: the same processes serve eight at once each",
        decides="the same load with -k gthread --threads 8, in turn with sync",
        bound=share,
        bound_text=(
            f"a request waits {show_share(share)} of its time for a worker:"
            f" 1 - {show_number(slots.number)} / {show_number(in_flight)}"
            if share is not None
            else ""
        ),
    )


def _nothing_behind(case: Case, tier: Tier) -> Iterator[Sign]:
    full = full_dependency(case, tier)
    if full is not None:
        yield Sign(False, full.text, full.source, 0.0)


def _as_alone(case: Case, slots: Slots) -> Iterator[Sign]:
    served = alone(case)
    if served is None:
        return
    share = served.at_once / slots.number
    source = FormulaSource(f"throughput × time of a request alone = {show_number(served.at_once)} at once")
    text = f"its workers did the work of {show_number(served.at_once)}: requests take as long as alone"
    yield Sign(share >= TOGETHER, text, source, STRONG if share >= AS_ALONE else SLIGHT)


def _more(case: Case, tier: Tier) -> Iterator[Evidence]:
    waiting = queued(case, tier)
    if waiting is not None and waiting.mean >= 1:
        text = f"{show_number(waiting.mean)} connections waited at its listener to be accepted"
        yield Evidence(text, waiting.source, CLEAR)


def _against(tier: Tier, slots: Slots) -> Iterator[Evidence]:
    least = too_few_workers.advised(tier)
    if slots.workers < least:
        text = f"it has {slots.text}, fewer than the {least:g} that gunicorn advises here"
        yield Evidence(text, FormulaSource(f"2 × {tier.cores:g} + 1 = {least:g}"), CLEAR + SLIGHT)
