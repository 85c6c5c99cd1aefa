"""One process of CPython runs Python code on one core at a time: its interpreter lock (GIL) is used up.

## Signature

A process with several threads uses one core and no more, while other cores are free; whenever one looks a
thread holds the lock, and others wait for it. More threads change nothing.

## Data

CPU time of each process; of the probe `python` how often the lock was held and how many threads waited for
it; threads and context switches (each waiting thread wakes every 5 ms to ask for the lock).

## Deciding test

`--prove` starts more processes, in turns, where their number is a knob: throughput rises in proportion. More
threads move nothing; a fifth less of the one core that it uses does, as with all that computes.

## Guard

A server that may use only one core is short of CPU, not of the lock. A process with one thread (a sync
worker, an event loop) waits for nobody: it needs more processes too, but for another reason. Extensions that
let the lock go use more than one core.

## Fix

More processes (`--workers` of gunicorn, uvicorn), work in C code that lets the lock go, or an interpreter
that was built without the lock.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.causes._hot import hot_function
from loadrig.judgement.causes._slots import serving, threads_each
from loadrig.judgement.causes.host_cpu import busy_cores
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    Evidence,
    FormulaSource,
    Hypothesis,
    Sign,
    Source,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.track import Track
from loadrig.judgement.gains import Law
from loadrig.judgement.proofs import Proof

TITLE = "the interpreter lock of one Python process is used up"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("cpu", "size", needs=("interpreter", "cores", "thread"))

PROOFS = (Proof("knob", ("workers",)), Proof("cpu", is_needed=False, is_own=False))

GAIN = Law("slots", "CPU")

READY_WITHOUT_CORE = 0.7
"""Share of one core in use, 0 to 1, that is enough where a thread was ready all the rest of the time and had
no core: others used the core that the thread with the lock needed."""

ONE_CORE = 1.10
"""Cores in use of a process. Above it some of its threads run without the lock."""

TRACE_LOCK_SHARE = 0.6
"""Share of one core, or of the looks at the lock, 0 to 1. Below it the lock is not suspected."""

LOCK_WAITERS_AT_FULL = 0.8
"""Mean number of threads that wait for the lock, from which on it is the limit: at full use there is nearly
always one."""

CORES_ROOM = 0.15
"""Cores that must be free for another process to gain anything."""

ASKING = 300.0
"""Waits a second of a process, from which on its threads wait for the lock: a thread asks 200 times a second
(interval of 5 ms)."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each Python program whose busiest process comes near to one core."""
    for tier in case.programs:
        if tier.runtime != "cpython" or tier.busiest is None:
            continue
        held = tier.track("python.gil_share")
        if tier.busiest.mean >= TRACE_LOCK_SHARE or (held is not None and held.mean >= TRACE_LOCK_SHARE):
            yield _hypothesis(case, tier, tier.busiest, held)


def _hypothesis(case: Case, tier: Tier, busiest: Track, held: Track | None) -> Hypothesis:
    used = _cores_each(tier)
    waiting = tier.track("python.waiting_threads")
    wanted = 1 + (waiting.mean if waiting is not None else max(1.0, min(case.load.waiting, 8.0)))
    gain = max(1.0, min(tier.cores / max(serving(tier), 1.0), wanted))
    top = hot_function(case, tier)
    return Hypothesis(
        component=tier.name,
        signs=(_full(tier, used, busiest, held), _is_wanted(tier, waiting), _room(case, tier)),
        more=tuple(_more(held, top)),
        effect=f"{show_number(used)} cores in use by a process, {show_number(wanted - 1)} threads waiting for"
        f" its lock, {show_number(case.load.ok_rps)}/s",
        mend=f"more processes instead of threads: {_processes(tier)}{_culprit(top)}",
        decides="one process more: throughput rises in proportion; more threads change nothing",
        bound=1 - 1 / gain,
        bound_text=f"{show_number(gain)} threads a process could run without it: 1 - 1 / {show_number(gain)}",
    )


def _cores_each(tier: Tier) -> float:
    """Return the mean of the cores in use by each process at work; 0 where no process is."""
    at_work = [track.mean for track in tier.parts("process.cpu_s").values() if track.mean >= 0.1]
    return sum(at_work) / len(at_work) if at_work else 0.0


def _full(tier: Tier, used: float, busiest: Track, held: Track | None) -> Sign:
    if held is not None and held.mean >= FULL_SHARE and busiest.mean < FULL_SHARE:
        text = f"a thread held the lock {show_share(held.mean)} of the time and ran little: it waits with it"
        return Sign(True, text, held.source, CLEAR)
    text = f"its processes at work used {show_number(used)} of one core each"
    delay = tier.track("process.run_delay_s", "tree")
    if READY_WITHOUT_CORE <= used < FULL_SHARE and delay is not None:
        waited = delay.mean / serving(tier)
        if used + waited >= 1:
            text += f", and their threads waited {show_duration(waited)} a second for one"
            return Sign(True, text, delay.source, CLEAR)
    return Sign(FULL_SHARE <= used <= ONE_CORE, text, busiest.source, CLEAR)


def _is_wanted(tier: Tier, waiting: Track | None) -> Sign:
    threads = threads_each(tier)
    if waiting is not None:
        text = f"{show_number(waiting.mean)} threads of its busiest process waited for the lock"
        return Sign(waiting.mean >= LOCK_WAITERS_AT_FULL, text, waiting.source, STRONG)
    source = FormulaSource(f"{show_number(threads)} threads of each process")
    if threads < 2:
        return Sign(False, "it serves in one thread, so nobody waits for the lock", source, 0.0)
    asked = tier.track("process.voluntary_switches", "tree")
    if asked is not None and asked.mean / serving(tier) >= ASKING and threads >= 3:
        text = (
            f"its {show_number(threads)} threads a process waited {show_number(asked.mean)} times a second,"
            " as threads do that ask for the lock every 5 ms"
        )
        return Sign(True, text, asked.source, CLEAR)
    text = "who waits for the lock was not seen: the probe python shows it (py-spy, as the same user)"
    return Sign(None, text, source, 0.0)


def _room(case: Case, tier: Tier) -> Sign:
    assert tier.cpu is not None or tier.busiest is not None
    used = tier.cpu.mean if tier.cpu is not None else 1.0
    busy = busy_cores(case, tier)
    free = min(tier.cores - used, tier.places - busy if math.isfinite(busy) else math.inf)
    source = FormulaSource(f"{show_cores(tier.cores)} allowed, {show_number(used)} used by itself")
    if tier.cores - used < CORES_ROOM:
        return Sign(False, f"it may use no more than {show_cores(tier.cores)}, and does", source, 0.0)
    if free < CORES_ROOM:
        # Other programs fill the rest. The threads wait for the lock all the same, and another process would
        # compete.
        return Sign(True, "others use what cores it leaves", source, 0.0)
    return Sign(True, f"{show_cores(free)} stood idle beside it", source, CLEAR)


def _more(held: Track | None, top: tuple[str, Source] | None) -> Iterator[Evidence]:
    if held is not None and held.mean >= FULL_SHARE:
        text = f"a thread held the lock in {show_share(held.mean)} of the looks"
        yield Evidence(text, held.source, SLIGHT)
    if top is not None:
        yield Evidence(f"whoever held it was mostly in {top[0]}", top[1], SLIGHT)


def _culprit(top: tuple[str, Source] | None) -> str:
    return f"; or make {top[0]} cheaper" if top is not None else ""


def _processes(tier: Tier) -> str:
    wanted = max(2, math.ceil(tier.cores))
    return {"gunicorn": f"--workers={wanted}", "uvicorn": f"--workers={wanted}"}.get(
        tier.kind, f"{wanted} of them behind one address, such as gunicorn --workers={wanted}"
    )
