"""Threads that wait for a lock: those that were seen to, and programs that work on one request at a time."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.base.component import SERVER
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.constants import FAILING, FEW_INSIDE, FULL_SHARE, OF_REQUEST
from loadrig.judgement.evidence import SLIGHT, STRONG, Evidence, FormulaSource, SeriesSource, Sign, Source
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.carriers import carries_load
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import Alone, answered_alone, works_one_by_one
from loadrig.judgement.facts.dependencies import IDLE_SHARE, a_request, fullness, in_service, lock_waits
from loadrig.judgement.facts.slots import is_loop, serving, slots_of, threads_each, unread_each
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsLocksTexts

TEXTS = texts_of(JudgementFactsLocksTexts)

LOCK_CROWDED = 3.0
"""Requests in flight over requests worked on at once, and median response time over that of a request alone,
from which on requests mostly wait, and a lock is possible."""

FEWEST_THREADS = 3.0
"""Threads of a CPython process, its main thread among them. Below it no two of its threads serve, so
none waits for a lock of another."""

UNREAD_BYTES_OF_THREADS = 20.0
"""Unread bytes of each request in flight, which has some 100 bytes. Above it requests wait before they are
read."""

GIL_HELD = 0.6
"""Share of looks in which the lock was held, 0 to 1. Above it the threads of CPython wait for the interpreter
lock."""

SWITCHES_PER_REQUEST = 3.0
"""Times that threads give up their core for each request, from which on they may do so at a lock: a
request that is read, worked on and answered without waiting takes one or two."""

STANDING_SHARE = 0.25
"""Requests that stand inside longer than one alone does, over all in flight, 0 to 1, from which on something
may hold them up that was not seen: what requests of one route ask for differs by less."""

CONTENDED = 0.5
"""Times that threads of a JVM wait for a monitor for each request, from which on requests wait there: whoever
passes one of few locks meets another in it only where somebody has it all the time."""

SLEEPS_ALWAYS = ("go",)
"""Runtimes of which a thread sleeps that is none of a request: Go's monitor."""

FORMULA = FormulaSource(TEXTS.formula_of_a_lock)
"""Arithmetic by which a program that works on one request at a time is known."""

_IN_A_LOCK = re.compile(r"Semacquire(?:RW)?Mutex|\(\*(?:RW)?Mutex\)\.R?Lock")
"""Functions in which goroutines wait for a sync.Mutex or RWMutex (Go 1.20 to 1.26)."""


@dataclass(frozen=True, slots=True)
class Waiters:
    """Threads that were seen waiting for a lock. number: their mean number. file: whose lock it is."""

    number: float
    text: str
    source: Source
    file: str = ""


def waiters_of(tier: Tier) -> Waiters | None:
    """Return the threads or goroutines that wait for a lock; None where that cannot be read."""
    if (waiters := _waiters_of_file(tier)) is not None:
        return waiters
    outside = tier.track("thread_states.threads", "state:lock")
    if outside is not None and outside.mean >= 1:
        return Waiters(outside.mean, TEXTS.threads_waited_lock(show_number(outside.mean)), outside.source)
    standing = tier.parts("go.waiting_in")
    if standing:
        locks = {where: track for where, track in standing.items() if _IN_A_LOCK.search(where)}
        number = sum(track.mean for track in locks.values())
        name = max(locks, key=lambda where: locks[where].mean, default="")
        text = TEXTS.goroutines_stood_lock(show_number(number))
        return Waiters(number, text, SeriesSource(tier.name, "go.waiting_in", name))
    if tier.parts("jvm.threads"):
        number = mean_of_state(tier, "BLOCKED")
        text = TEXTS.threads_blocked_they(show_number(number))
        return Waiters(number, text, SeriesSource(tier.name, "jvm.threads", "BLOCKED"))
    return None


def _waiters_of_file(tier: Tier) -> Waiters | None:
    """Return the threads that wait for the lock of a file that was locked all the time; None without one.

    They stand in the kernel, or sleep and ask again, as those of SQLite do.
    """
    held = tier.parts("file_locks.held")
    name = max(held, key=lambda file: held[file].mean, default="")
    if not name or held[name].mean < FULL_SHARE:
        return None
    states = (tier.track("thread_states.threads", "state:lock"), asleep(tier))
    number = sum(track.mean for track in states if track is not None)
    if number < 1:
        return None
    text = TEXTS.threads_waited_file(show_number(number), name, show_share(held[name].mean))
    return Waiters(number, text, held[name].source, name)


def asleep(tier: Tier) -> Track | None:
    """Return the threads that sleep, maybe while they work for a request; None where that is not known."""
    return None if tier.runtime in SLEEPS_ALWAYS else tier.track("thread_states.threads", "state:sleeping")


@dataclass(frozen=True, slots=True)
class LockWait:
    """Requests that wait for a lock of a program, as its threads were seen to, or as it serves one at a time.

    in_hand: requests of which some wait. waiters: None where none were seen. served: None where that says
    nothing of the program. sign: that they wait; None where too little was seen to say so.
    """

    in_hand: float
    waiters: Waiters | None
    served: Alone | None
    sign: Sign | None

    @property
    def share(self) -> float | None:
        """Share of its time that a request waits for the lock, 0 to 1; None where that is not known."""
        if self.in_hand <= 0:
            return None
        if self.waiters is not None:
            return min(1.0, self.waiters.number / self.in_hand)
        return None if self.served is None else max(0.0, 1 - self.served.at_once / self.in_hand)


def lock_wait_of(case: Case, tier: Tier) -> LockWait | None:
    """Return how requests wait for a lock of a program; None where nothing speaks for that."""
    if not tier.is_application or tier.runtime == "node":
        return None
    waiters, served = waiters_of(tier), answered_alone(case) if carries_load(case, tier) else None
    # Not all locks can be seen: a thread that waits for a ReentrantLock looks like an idle one.
    if waiters is not None and waiters.number >= 1:
        # A request that still waits ahead of the program has no thread, and tells nothing of the lock.
        in_hand = max(in_service(case, tier), waiters.number)
        is_many = waiters.number >= max(FEW_INSIDE, OF_REQUEST * in_hand)
        text = TEXTS.of_in_flight(waiters.text, show_number(in_hand))
        return LockWait(in_hand, waiters, served, Sign(is_many, text, waiters.source, STRONG))
    if served is not None and is_serial(case, tier, served):
        return LockWait(case.load.waiting, None, served, _sign_of_lock(case, tier))
    return None


def standing_inside(case: Case) -> LockWait | None:
    """Return how requests stand inside the loaded server for longer than one alone; nobody saw for what.

    None where they are few, or where a loop or a pool in it may be what they wait for.
    """
    component, tier, served = case.account_of(SERVER), case.server, answered_alone(case)
    if component is None or served is None or is_loop(tier) or not tier.is_application:
        return None
    waiting = case.load.waiting * component.ms_in("inside") / component.total_ms - served.at_once
    if component.slots.kind("connections") or waiting < max(FEW_INSIDE, STANDING_SHARE * case.load.waiting):
        return None
    return LockWait(case.load.waiting, None, served, None)


def _sign_of_lock(case: Case, tier: Tier) -> Sign | None:
    """Return the sign that requests wait for a lock, as what is left where all else is idle."""
    contended = tier.track("jvm.monitors_contended")
    times = a_request(case, contended)
    if contended is not None and times >= CONTENDED:
        return Sign(True, TEXTS.monitors_contended(show_number(times)), contended.source, STRONG)
    held = tier.track("python.gil_share")
    if held is not None and held.mean >= GIL_HELD:
        return Sign(False, TEXTS.interpreter_lock, held.source)
    if (tier.runtime == "cpython" and held is None) or not are_idle_behind(case, tier):
        return None
    # Where all is answered in time, a mix of quick routes and of routes that wait looks the same.
    is_sure = case.load.failed_share < FAILING and set(case.harms) != {"tail"}
    return Sign(is_sure or None, TEXTS.works_singly, FORMULA)


def traces_of(case: Case, tier: Tier, served: Alone | None) -> Iterator[Evidence]:
    """Yield evidence that speaks for a lock in a program, and alone does not prove it."""
    load = case.load
    yield from observed.evidence(tier.track("go.mutex_wait_s"), 1, TEXTS.goroutines_waited("{}"))
    if served is not None and works_one_by_one(served, serving(tier)) and load.waiting >= LOCK_CROWDED:
        at_once = show_number(served.at_once)
        text = TEXTS.works_on(at_once, show_duration(served.fastest_s), show_number(load.ok_rps))
        yield Evidence(text, FormulaSource(TEXTS.formula_of_work(at_once)))
    switched = tier.track("process.voluntary_switches", "tree")
    switches = a_request(case, switched)
    if switched is not None and switches >= SWITCHES_PER_REQUEST:
        yield Evidence(TEXTS.gave_up_core(show_number(switches)), switched.source, SLIGHT)


def mean_of_state(tier: Tier, state: str) -> float:
    """Return the mean number of a JVM's threads in a state, which has no reading where no thread is in it."""
    states = tier.parts("jvm.threads")
    looks = max((track.inside.size for track in states.values()), default=0)
    return float(states[state].inside.sum()) / looks if state in states and looks else 0.0


def is_serial(case: Case, tier: Tier, served: Alone) -> bool:
    """Return whether a program works on one request at a time though it could work on more."""
    if is_loop(tier):
        return False
    slots = slots_of(tier)
    workers = slots.workers if slots is not None else serving(tier)
    could = slots.number if slots is not None else case.load.waiting
    if slots is None and unread_each(case, tier) >= UNREAD_BYTES_OF_THREADS:
        return False  # requests that no thread has taken yet wait for no lock
    return (
        works_one_by_one(served, workers)
        and min(case.load.waiting, could) >= LOCK_CROWDED * max(served.at_once, workers)
        and case.load.latency(0.5) >= LOCK_CROWDED * served.fastest_s
        and not (tier.runtime == "cpython" and threads_each(tier) < FEWEST_THREADS)
    )


def are_idle_behind(case: Case, tier: Tier) -> bool:
    """Return whether all dependencies were seen to wait for work; only caches and databases can be seen."""
    for behind in tier.callees:
        is_known = behind.kind in CACHES or (behind.is_database and math.isfinite(lock_waits(behind)))
        if not is_known or not fullness(case, behind) < IDLE_SHARE:
            return False
    return True
