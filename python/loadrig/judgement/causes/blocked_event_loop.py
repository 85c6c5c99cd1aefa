"""A call that does not return holds up an event loop, and with it every request that the loop serves.

## Signature

Routes that are quick alone are slow together with a slow one: each waits until the loop comes round. The
loop is late (Node tells by how much). A call that waits (sleep, a file, a driver that is not asynchronous)
leaves the CPU idle meanwhile; one that computes fills one core, however many there are.

## Data

Delay of the event loop (probe `node`); latency of each route under load against its fastest answers;
throughput × the time of a request alone (one loop works on one at a time when its calls block); CPU time.

## Deciding test

`--prove` starts more processes, each with a loop of its own, in turns, where their number is a knob:
throughput rises. It also leaves out the slow route, where one stands out: the others are quick without it,
which alone proves no more than that it is heavy.

## Guard

A loop that is full of many short calls is short of CPU: with one core to itself that is `host_cpu`; where
other cores are free it is named here, as more loops are what helps. A CPU quota and collections of garbage
stop a loop too. A dependency that is slow, but is awaited, holds up only those who need it.

## Fix

What waits: an asynchronous driver, or a thread (`asyncio.to_thread`, `run_in_executor`). What computes: a
worker thread or process; more processes of the server.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_duration, show_number
from loadrig.judgement.about import About
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
from loadrig.judgement.facts.alone import ONE_BY_ONE, Alone, alone, is_one_by_one
from loadrig.judgement.facts.behind import PROXIES, carries_load
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.hot import hot_function
from loadrig.judgement.facts.loops import (
    Delayed,
    at_once_formula,
    delayed,
    is_crowded,
    is_full,
    quick_and_slow,
    stopped_by,
)  # fmt: skip
from loadrig.judgement.facts.room import CORES_ROOM_SHARE, free_share
from loadrig.judgement.facts.slots import is_loop, serving
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.proofs import Proof

TITLE = "a call that does not return holds up the event loop"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("cpu", "use", refines="host_cpu")

PROOFS = (
    # More workers help whoever fills them, so against the signs they convict nobody.
    Proof("knob", ("workers",), is_needed=False, is_conviction=False),
    Proof("cpu", is_needed=False, is_own=False, of=("a call that computes",)),
    # Whatever limits a server, it does more without its heaviest route.
    Proof("load", ("without",), is_needed=False, is_own=False),
)
"""Experiments. More loops are not needed to help: calls that compute may fill every core that there is."""

GAIN = Law("slots", "CPU")

LONG_CALL_S = 0.05
"""Time of a call in seconds from which on users notice that it blocks, also where a full loop serves nothing
else."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for the program that carries the load, where calls hold up its event loops."""
    for tier in case.programs:
        is_asked = carries_load(case, tier) and not tier.is_database and tier.kind not in CACHES | PROXIES
        late = delayed(case, tier, alone(case)) if is_asked and is_loop(case, tier) else None
        if late is not None:
            yield _hypothesis(case, tier, alone(case), late)


def _hypothesis(case: Case, tier: Tier, served: Alone | None, late: Delayed) -> Hypothesis:
    load, used = case.load, tier.busiest.mean if tier.busiest is not None else math.nan
    pair = quick_and_slow(served) if served is not None else None
    hot = hot_function(case, tier) if used >= FULL_SHARE / 2 else None
    more = [Evidence(f"most of its CPU time is spent in {hot[0]}", hot[1], SLIGHT)] if hot is not None else []
    against = []
    if served is not None:
        text = f"it works on {show_number(served.at_once)} of {show_number(load.waiting)} in flight at once"
        if is_crowded(case, tier, served) and is_one_by_one(served, serving(tier)):
            more.append(Evidence(text, at_once_formula(served), CLEAR))
        is_told = late.is_asleep or is_full(tier) or bool(tier.parts("node.delay_max_s"))
        if served.at_once > 2 * ONE_BY_ONE * serving(tier) and not is_told:
            text = f"{text}, which a blocked loop does not"
            against.append(Evidence(text, at_once_formula(served), STRONG if tier.callees else SLIGHT))
    p50 = load.latency(0.5)
    mean_alone = served.at_once / load.ok_rps if served is not None and load.ok_rps else math.nan
    is_waiting = p50 > mean_alone and "tail" not in case.harms
    text = f"{show_duration(mean_alone)} of work in {show_duration(p50)}: the rest is waiting"
    waits = not used >= FULL_SHARE
    kind = "a call that waits" if waits else "a call that computes"
    return Hypothesis(
        component=tier.name,
        signs=(late.sign, _calls(case, tier, served, used), *stopped_by(case, tier)),
        more=tuple(more),
        against=tuple(against),
        effect=f"{late.sign.text}; {show_number(load.waiting)} requests in flight,"
        f" {show_number(load.ok_rps)}/s",
        mend=_mend(tier, hot, waits=waits),
        decides="the same load without the slow route: if this is the cause, the others are quick",
        bound=1 - mean_alone / p50 if is_waiting else None,
        bound_text=text if is_waiting else "",
        detail=f"{kind}: {pair[1]}" if pair is not None else kind,
    )


def _calls(case: Case, tier: Tier, served: Alone | None, used: float) -> Sign:
    """Return the sign that a call blocks, rather than many short ones."""
    if tier.busiest is None:
        text = f"whether it waits or computes was not seen: run loadrig where {tier.name} runs"
        return Sign(None, text, FormulaSource("no process.cpu_s"), 0.0)
    source = tier.busiest.source
    if used < FULL_SHARE:
        text = f"it used {show_number(used)} of a core: it is held up without computing all the time"
        return Sign(True, text, source)
    cpu_s = serving(tier) / case.load.ended_rps if case.load.ended_rps else 0.0
    longest_s, what = cpu_s, "a request"
    pair = quick_and_slow(served) if served is not None else None
    if served is not None and pair is not None and served.at_once <= ONE_BY_ONE * serving(tier):
        longest_s, what = max((cpu_s, what), (served.by_route[pair[1]], pair[1]))
    if longest_s >= LONG_CALL_S:
        return Sign(True, f"{what} computes for {show_duration(longest_s)} without a pause", source)
    if free_share(case, tier) >= CORES_ROOM_SHARE:
        text = f"one loop is full of calls of {show_duration(cpu_s)}, and other cores stand idle"
        return Sign(True, text, source)
    return Sign(False, f"its calls are short ({show_duration(cpu_s)} a request): it lacks CPU", source, 0.0)


def _mend(tier: Tier, hot: tuple[str, Source] | None, *, waits: bool) -> str:
    what = f"what {hot[0]} does" if hot is not None else "the call that blocks"
    if waits:
        how = "await asyncio.to_thread(…)" if tier.runtime == "cpython" else "its asynchronous form"
        return f"take {what} out of the loop: {how}, or an asynchronous driver"
    how = "a process pool" if tier.runtime == "cpython" else "a worker thread (worker_threads)"
    return f"take {what} out of the loop: {how}; and more processes of the server, one a core"
