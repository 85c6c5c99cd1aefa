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

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.constants import BRIM, FULL_SHARE
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    Evidence,
    FormulaSource,
    Hypothesis,
    SeriesSource,
    Sign,
    Source,
)
from loadrig.judgement.facts.alone import ONE_BY_ONE, Alone, alone, is_one_by_one
from loadrig.judgement.facts.behind import PROXIES, carries_load, full_dependency
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import use_of
from loadrig.judgement.facts.hot import hot_function
from loadrig.judgement.facts.room import CORES_ROOM_SHARE, free_share
from loadrig.judgement.facts.slots import is_loop, serving, unread_each
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.judgement.facts.track import Track
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

LATE_S = 0.03
"""Delay of an event loop in seconds that a user feels: an idle loop is late by 1 ms, a busy healthy one by a
few. Short calls add up to it only where dozens of requests are ready at once."""

_SWITCHES = "process.voluntary_switches"

LATE_SHARE = 0.2
"""Share of the seconds with such a delay, 0 to 1. Below it the delay makes a tail, and is not what limits."""

APART = 4.0
"""Time alone of the slowest route over that of the quickest. Below it the two cannot be told apart."""

LONG_CALL_S = 0.05
"""Time of a call in seconds from which on users notice that it blocks, also where a full loop serves nothing
else."""

SPREAD_SHARE = 0.3
"""Delay of the quickest route as a share of the slowest route's time alone, 0 to 1, from which on one waits
for the other."""

WHOLE_SHARE = 0.8
"""Delay as a share of the slowest route's time alone, 0 to 1, from which on requests wait for the whole call:
a request that comes while the call runs waits for its rest, one that queues waits for all of it."""

LOOP_CROWDED = 2.0
"""Ratio from which on requests queue: requests in flight, and waits, over those that computing alone causes,
and latency over the time alone."""

MOST_USED = 0.95
"""Most that is counted of one core in use, 0 to 1: beyond it the formula of a queue has no end."""

UNREAD_BYTES_OF_LOOP = 6.0
"""Unread bytes of each request in flight, which has some 100, from which on a loop is blocked. Loops that
await read at once (below 3 was seen); with blocked loops 14 to 57 were seen."""

STOPPED = 0.2
"""Share of the time, 0 to 1. A quota or a collector that stops a loop for so long is the cause instead."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for the program that carries the load, where calls hold up its event loops."""
    for tier in case.programs:
        if tier.is_database or tier.kind in CACHES | PROXIES or not carries_load(case, tier):
            continue
        if not is_loop(case, tier):
            continue
        served = alone(case)
        late = _late(tier, served) or _together(case, tier, served)
        if late is not None:
            yield _hypothesis(case, tier, served, late)


def _hypothesis(case: Case, tier: Tier, served: Alone | None, late: Sign) -> Hypothesis:
    used = tier.busiest.mean if tier.busiest is not None else math.nan
    calls = _calls(case, tier, served, used)
    hot = hot_function(case, tier) if used >= FULL_SHARE / 2 else None
    more = [Evidence(f"most of its CPU time is spent in {hot[0]}", hot[1], SLIGHT)] if hot is not None else []
    if served is not None and _is_crowded(case, tier, served) and is_one_by_one(served, serving(tier)):
        text = (
            f"it works on {show_number(served.at_once)} of {show_number(case.load.waiting)} in flight at once"
        )
        more.append(Evidence(text, _formula(served), CLEAR))
    is_asleep = isinstance(late.source, SeriesSource) and late.source.name == _SWITCHES
    against = () if is_asleep else tuple(_against(tier, served))
    if served is not None and not against:
        more += _for_the_whole_call(case, served)
    p50 = case.load.latency(0.5)
    mean_alone = served.at_once / case.load.ok_rps if served is not None and case.load.ok_rps else math.nan
    share = 1 - mean_alone / p50 if p50 > mean_alone and "tail" not in case.harms else None
    waits = not used >= FULL_SHARE
    return Hypothesis(
        component=tier.name,
        signs=(late, calls, *_not_another(case, tier)),
        more=tuple(more),
        against=against,
        effect=f"{late.text}; {show_number(case.load.waiting)} requests in flight,"
        f" {show_number(case.load.ok_rps)}/s",
        mend=_mend(tier, hot, waits=waits),
        decides="the same load without the slow route: if this is the cause, the others are quick",
        bound=share,
        bound_text=(
            f"{show_duration(mean_alone)} of work in {show_duration(p50)}: the rest is waiting"
            if share is not None
            else ""
        ),
        detail=_detail(served, waits=waits),
    )


def _detail(served: Alone | None, *, waits: bool) -> str:
    """Return the kind of call, and the route that makes it where one stands out."""
    pair = _quick_and_slow(served) if served is not None else None
    kind = "a call that waits" if waits else "a call that computes"
    return f"{kind}: {pair[1]}" if pair is not None else kind


def _late(tier: Tier, served: Alone | None) -> Sign | None:
    """Return the sign by the loop's own delay, where a probe reads that; else None."""
    delays = tier.parts("node.delay_max_s")
    if not delays:
        return None
    worst = max(delays.values(), key=lambda track: track.mean)
    often = worst.share_above(LATE_S)
    if worst.peak < LATE_S:
        if served is None or worst.peak < LATE_S / 2:
            return None
        return Sign(False, f"its loop was late by {show_duration(worst.peak)} at most", worst.source, 0.0)
    text = (
        f"its loop was late by {show_duration(worst.mean)} on average ({show_duration(worst.peak)} at most)"
    )
    return Sign(often >= LATE_SHARE, text, worst.source, STRONG)


def _together(case: Case, tier: Tier, served: Alone | None) -> Sign | None:
    """Return the sign by a quick route that waits, a core without a pause, or requests that lie unread."""
    pair = _by_routes(case, tier, served) if served is not None else None
    if pair is not None and pair.holds:
        return pair
    if _is_full(tier):
        assert tier.busiest is not None
        text = f"its loop used {show_number(tier.busiest.mean)} of one core, without a pause"
        return Sign(True, text, tier.busiest.source, CLEAR) if served is not None else None
    if not _is_crowded(case, tier, served):
        return pair
    text = f"{show_number(case.load.waiting)} requests are in flight"
    if served is not None:
        p50 = show_duration(case.load.latency(0.5))
        text = f"requests take {p50}, and {show_duration(served.fastest_s)} alone"
    unread = unread_each(case, tier)
    if unread >= UNREAD_BYTES_OF_LOOP and (slept := _sleep(tier)) is not None:
        return slept
    if unread >= UNREAD_BYTES_OF_LOOP and (served is None or served.at_once <= ONE_BY_ONE * serving(tier)):
        text += f"; {show_number(unread)} bytes of each lie unread: the loop does not come round"
        source = SeriesSource(tier.host, "tcp_sockets.receive_queue_bytes", f"in:{tier.port}")
        return Sign(True, text, source, STRONG)
    if served is not None and is_one_by_one(served, serving(tier)):
        return Sign(True, f"{text}: they are served one by one", _formula(served), CLEAR)
    return pair


def _sleep(tier: Tier) -> Sign | None:
    """Return the sign by its sleeps' length: a loop with something to read sleeps only in a call."""
    switches, waited = tier.track(_SWITCHES, "tree"), tier.track("process.run_delay_s", "tree")
    if switches is None or tier.cpu is None or not switches.mean > 0:
        return None
    idle = serving(tier) - tier.cpu.mean - (waited.mean if waited is not None else 0.0)
    sleep_s = idle / switches.mean
    if sleep_s < LATE_S:
        return None
    text = (
        f"it slept {show_duration(sleep_s)} at a time though requests lay unread: in a call, not in its loop"
    )
    return Sign(True, text, switches.source, STRONG)


def _by_routes(case: Case, tier: Tier, served: Alone) -> Sign | None:
    pair = _quick_and_slow(served)
    if pair is None:
        return None
    quick, slow = pair
    delay = _delay(case, served, quick)
    if not delay > 0:
        return None
    text = (
        f"{quick} takes {show_duration(served.by_route[quick])} alone, and"
        f" {show_duration(served.by_route[quick] + delay)} beside {slow}, which takes"
        f" {show_duration(served.by_route[slow])} alone"
    )
    # A loop that only computes delays requests, too: a tenth by 2.3 times their mean time / (1 - use), M/M/1.
    used = _used(tier)
    queueing_s = math.log(10) * used * serving(tier) / case.load.ended_rps / (1 - used)
    least = SPREAD_SHARE * served.by_route[slow]
    is_held_up = delay >= (least if _is_full(tier) else max(least, LOOP_CROWDED * queueing_s))
    return Sign(is_held_up, text, case.load.source("load.routes"), STRONG)


def _used(tier: Tier) -> float:
    """Return the share of one core that a loop used, 0 to 1; 0 where that was not read."""
    return min(tier.busiest.mean, MOST_USED) if tier.busiest is not None else 0.0


def _quick_and_slow(served: Alone) -> tuple[str, str] | None:
    """Return the quickest and the slowest route, where they differ enough; else None."""
    quick = min(served.by_route, key=lambda route: served.by_route[route])
    slow = max(served.by_route, key=lambda route: served.by_route[route])
    apart = served.by_route[slow] >= max(APART * served.by_route[quick], LATE_S / 2)
    return (quick, slow) if apart else None


def _delay(case: Case, served: Alone, route: str) -> float:
    """Return the delay of a tenth of a route's requests, in seconds: not all meet the other route."""
    of_route = case.load.latency_of_route
    return of_route(route, 0.9) - served.by_route[route] if of_route is not None else math.nan


def _for_the_whole_call(case: Case, served: Alone) -> Iterator[Evidence]:
    pair = _quick_and_slow(served)
    if pair is not None and _delay(case, served, pair[0]) >= WHOLE_SHARE * served.by_route[pair[1]]:
        text = f"a tenth of {pair[0]} waits as long as all of {pair[1]} takes, or longer"
        yield Evidence(text, case.load.source("load.routes"), CLEAR)


def _against(tier: Tier, served: Alone | None) -> Iterator[Evidence]:
    """Yield evidence against a blocked loop, which does one thing at a time: more were worked on."""
    if served is None or tier.parts("node.delay_max_s") or _is_full(tier):
        return
    if served.at_once > 2 * ONE_BY_ONE * serving(tier):
        text = f"it works on {show_number(served.at_once)} requests at once, which a blocked loop does not"
        yield Evidence(text, _formula(served), STRONG if tier.callees else SLIGHT)


def _is_full(tier: Tier) -> bool:
    return tier.busiest is not None and tier.busiest.mean >= FULL_SHARE


def _is_crowded(case: Case, tier: Tier, served: Alone | None) -> bool:
    """Return whether more requests queue, and for longer, than computing alone makes queue."""
    is_slower = served is None or case.load.latency(0.5) >= LOOP_CROWDED * served.fastest_s
    return is_slower and case.load.waiting >= LOOP_CROWDED * serving(tier) / (1 - _used(tier))


def _formula(served: Alone) -> FormulaSource:
    return FormulaSource(f"throughput × time of a request alone = {show_number(served.at_once)} at once")


def _calls(case: Case, tier: Tier, served: Alone | None, used: float) -> Sign:
    """Return the sign that a call blocks, rather than many short ones."""
    if tier.busiest is None:
        text = f"whether it waits or computes was not seen: run loadrig where {tier.name} runs"
        return Sign(None, text, FormulaSource("no process.cpu_s"), 0.0)
    source = tier.busiest.source
    if used < FULL_SHARE:
        return Sign(
            True,
            f"it used {show_number(used)} of a core: it is held up without computing all the time",
            source,
        )
    cpu_s = serving(tier) / case.load.ended_rps if case.load.ended_rps else 0.0
    if cpu_s >= LONG_CALL_S:
        return Sign(True, f"a request computes for {show_duration(cpu_s)} without a pause", source)
    pair = _quick_and_slow(served) if served is not None else None
    is_serial = served is not None and served.at_once <= ONE_BY_ONE * serving(tier)
    if served is not None and pair is not None and is_serial and served.by_route[pair[1]] >= LONG_CALL_S:
        return Sign(
            True, f"{pair[1]} computes for {show_duration(served.by_route[pair[1]])} without a pause", source
        )
    if free_share(case, tier) >= CORES_ROOM_SHARE:
        text = f"one loop is full of calls of {show_duration(cpu_s)}, and other cores stand idle"
        return Sign(True, text, source)
    return Sign(False, f"its calls are short ({show_duration(cpu_s)} a request): it lacks CPU", source, 0.0)


def _not_another(case: Case, tier: Tier) -> Iterator[Sign]:
    """Yield the signs of what else stops a loop or the requests in it."""
    full = full_dependency(case, tier)
    if full is not None:
        yield Sign(False, full.text, full.source, 0.0)
    if tier.cpu is not None and tier.quota < 1 and tier.cpu.mean >= FULL_SHARE * tier.quota:
        text = f"its quota of {show_cores(tier.quota)} stops it"
        yield Sign(
            False, text, FormulaSource(f"{show_number(tier.cpu.mean)} of {show_cores(tier.quota)}"), 0.0
        )
    collected = [track for track in tier.parts("node.gc_pause_s").values() if track.mean >= STOPPED]
    for track in collected[:1]:
        text = f"collections of garbage stop it {show_share(track.mean)} of the time"
        yield Sign(False, text, track.source, 0.0)
    waited = _waited(tier)
    if waited is not None:
        text = f"its threads waited for a core {show_share(waited.mean)} of the time: others use it"
        yield Sign(False, text, waited.source, 0.0)
    use = use_of(case, tier)
    # While loops are held up they do not compute, and their dependencies have nothing to do.
    if use is not None and not _is_full(tier) and use.ours >= BRIM * tier.places:
        users = " and ".join(["it", *(sharer.name for sharer in use.sharers if sharer is not tier)])
        text = f"{users} used {show_number(use.ours)} of the {show_cores(tier.places)} it may use"
        yield Sign(False, f"{text}: it lacks CPU", FormulaSource(use.formula), 0.0)


def _waited(tier: Tier) -> Track | None:
    """Return the time in which threads had work and no core, where the loop had no pause; else None."""
    waited = tier.track("process.run_delay_s", "tree")
    if waited is None or tier.cpu is None or _is_full(tier):
        return None
    is_crowded = waited.mean >= STOPPED and tier.cpu.mean + waited.mean >= FULL_SHARE
    return waited if is_crowded else None


def _mend(tier: Tier, hot: tuple[str, Source] | None, *, waits: bool) -> str:
    what = f"what {hot[0]} does" if hot is not None else "the call that blocks"
    if waits:
        how = "await asyncio.to_thread(…)" if tier.runtime == "cpython" else "its asynchronous form"
        return f"take {what} out of the loop: {how}, or an asynchronous driver"
    how = "a process pool" if tier.runtime == "cpython" else "a worker thread (worker_threads)"
    return f"take {what} out of the loop: {how}; and more processes of the server, one a core"
