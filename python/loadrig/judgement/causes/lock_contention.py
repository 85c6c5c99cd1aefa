"""Threads of the application wait for a lock that one of them holds.

## Signature

Many requests in flight and CPU idle; the threads (or goroutines) that serve them stand in a lock; throughput
is that of one request at a time, whatever the number of threads.

## Data

Go: goroutines by where they stand, the mutex profile where it is on. JVM: threads in the state BLOCKED.
Python: threads that wait for neither the interpreter lock nor another program. Everywhere: throughput × the
time of a request alone, which is one for a lock that all requests take.

## Deciding test

More threads: throughput stays, or falls. The lock narrowed, or split, in a copy: it rises. `--prove` can
clear its rivals by their knobs, and does not change the program.

## Guard

Threads that wait for work are idle, not contended. Waits within a dependency (row locks, a full pool) are
its own. The interpreter lock of CPython is `gil`.

## Fix

Hold it for less: no I/O under it; split it by key; a structure without locks.
"""

from collections.abc import Iterator, Mapping

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.alone import Alone, answered_alone, is_one_by_one
from loadrig.judgement.facts.behind import PROXIES, carries_load, full_dependency
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import in_service
from loadrig.judgement.facts.locks import LOCK_CROWDED, Waiters, are_idle_behind, is_serial, waiters_of
from loadrig.judgement.facts.room import has_room
from loadrig.judgement.facts.slots import serving
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.harms import standstill
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.lock_contention import LockContentionTexts

TEXTS = texts_of(LockContentionTexts)

TITLE = TEXTS.title
HARMS = frozenset({"short", "failing", "stopped", "queueing", "saturated", "tail", "missed"})
ABOUT = About("lock", "use")

GAIN = Law("share")

FEWEST_IN_LOCK = 2.0
"""Mean number of threads in a lock, from which on they contend: one may just be passing through."""

OF_IN_FLIGHT = 0.3
"""Threads in the lock over requests in flight, from which on most requests wait there most of their time."""

SWITCHES_PER_REQUEST = 3.0
"""Times that threads give up their core for each request, from which on they may do so at a lock: a
request that is read, worked on and answered without waiting takes one or two."""

FAILING = 0.02
"""Share of requests that failed, 0 to 1. Above it throughput says too little of what was worked on at
once."""

GIL_HELD = 0.6
"""Share of looks in which the lock was held, 0 to 1. Above it the threads of CPython wait for the interpreter
lock."""

SHOWN_BY: Mapping[str, tuple[str, str]] = {
    "go": (TEXTS.go_shows, TEXTS.go_names),
    "jvm": (TEXTS.jvm_shows, TEXTS.jvm_names),
    "cpython": (TEXTS.python_shows, TEXTS.python_names),
}
"""Clauses on what shows where a program's threads stand, and on the way to the lock, by runtime."""

SHOWN_ELSEWHERE = (TEXTS.stacks_show, TEXTS.stacks_name)
"""The same for all other runtimes."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program with threads in a lock, or that works like such a program."""
    standing = standstill.of(case)
    if standing is not None and standstill.is_deadlocked(case, standing):
        yield _deadlock(case, standing)
        return
    for tier in case.programs:
        if tier.is_database or tier.kind in CACHES | PROXIES or tier.runtime == "node":
            continue
        waiters, served = waiters_of(tier), answered_alone(case) if carries_load(case, tier) else None
        # Not all locks can be seen: a thread that waits for a ReentrantLock looks like an idle one.
        is_seen = waiters is not None and waiters.number >= 1
        if is_seen or (served is not None and is_serial(case, tier, served)):
            yield _hypothesis(case, tier, served, waiters if is_seen else None)


def _deadlock(case: Case, standing: standstill.Standstill) -> Hypothesis:
    """Return the hypothesis of requests that wait for each other, or for what nobody gives back."""
    tier, waiting = case.server, show_number(standing.waiting)
    assert tier.cpu is not None  # without it no program is known to stand idle
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(True, TEXTS.stood_idle(waiting), tier.cpu.source, STRONG),
            Sign(None, TEXTS.deadlock_unseen(_how(tier)), tier.cpu.source, 0.0),
        ),
        effect=TEXTS.wait_for_each_other(waiting, show_duration(standing.seconds)),
        mend=TEXTS.mend_deadlock,
        decides=TEXTS.decides_deadlock,
    )


def _hypothesis(case: Case, tier: Tier, served: Alone | None, waiters: Waiters | None) -> Hypothesis:
    in_flight, full, share = _in_hand(case, tier, waiters), full_dependency(case, tier), None
    if waiters is not None and in_flight > 0:
        share = min(1.0, waiters.number / in_flight)
    elif served is not None and in_flight > 0:
        share = max(0.0, 1 - served.at_once / in_flight)
    shown = waiters.text if waiters is not None else TEXTS.in_flight(show_number(in_flight))
    rate = show_number(case.load.ok_rps)
    signs = [_seen(case, tier, waiters), has_room(case, tier)]
    if full is not None:
        # Threads that were seen in a lock do wait for it. Whether a full dependency makes them hold the lock
        # for long is said by the dependency's own cause.
        signs.append(Sign(waiters is not None, full.text, full.source, 0.0))
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        more=tuple(_more(case, tier, served)),
        effect=TEXTS.at_unknown_cores(shown, rate)
        if tier.cpu is None
        else TEXTS.at_cores(shown, rate, show_number(tier.cpu.mean)),
        mend=TEXTS.mend(SHOWN_BY.get(tier.runtime, SHOWN_ELSEWHERE)[1]),
        decides=TEXTS.decides,
        bound=share,
        bound_text="" if share is None else TEXTS.waits_share(show_share(share)),
    )


def _in_hand(case: Case, tier: Tier, waiters: Waiters | None) -> float:
    """Return the requests of which some wait in the lock.

    Where threads were seen in it, they are those that the program has taken up: a request that still waits
    ahead of it has no thread, and tells nothing of the lock.
    """
    return max(in_service(case, tier), waiters.number) if waiters is not None else case.load.waiting


def _seen(case: Case, tier: Tier, waiters: Waiters | None) -> Sign:
    """Return the sign that threads stand in a lock, as seen, or as what is left where all else is idle."""
    in_flight, formula = _in_hand(case, tier, waiters), FormulaSource(TEXTS.formula_of_a_lock)
    if waiters is not None:
        is_many = waiters.number >= max(FEWEST_IN_LOCK, OF_IN_FLIGHT * in_flight)
        text = TEXTS.of_in_flight(waiters.text, show_number(in_flight))
        return Sign(is_many, text, waiters.source, STRONG)
    held = tier.track("python.gil_share")
    if held is not None and held.mean >= GIL_HELD:
        return Sign(False, TEXTS.interpreter_lock, held.source, 0.0)
    if (tier.runtime != "cpython" or held is not None) and are_idle_behind(case, tier):
        # Where all is answered in time, a mix of quick routes and of routes that wait looks the same.
        is_sure = case.load.failed_share < FAILING and set(case.harms) != {"tail"}
        return Sign(is_sure or None, TEXTS.works_singly, formula, CLEAR)
    return Sign(None, TEXTS.waits_unseen(_how(tier)), formula, 0.0)


def _how(tier: Tier) -> str:
    return SHOWN_BY.get(tier.runtime, SHOWN_ELSEWHERE)[0]


def _more(case: Case, tier: Tier, served: Alone | None) -> Iterator[Evidence]:
    waited = tier.track("go.mutex_wait_s")
    if waited is not None and waited.mean >= 1:
        yield Evidence(TEXTS.goroutines_waited(show_number(waited.mean)), waited.source, CLEAR)
    if served is not None and is_one_by_one(served, serving(tier)) and case.load.waiting >= LOCK_CROWDED:
        at_once, rate = show_number(served.at_once), show_number(case.load.ok_rps)
        text = TEXTS.works_on(at_once, show_duration(served.fastest_s), rate)
        yield Evidence(text, FormulaSource(TEXTS.formula_of_work(at_once)), CLEAR)
    switched = tier.track("process.voluntary_switches", "tree")
    switches = switched.mean / case.load.ended_rps if switched is not None and case.load.ended_rps else 0.0
    if switched is not None and switches >= SWITCHES_PER_REQUEST:
        yield Evidence(TEXTS.gave_up_core(show_number(switches)), switched.source, SLIGHT)
