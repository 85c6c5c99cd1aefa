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
from loadrig.findings.about import About
from loadrig.findings.case import Case
from loadrig.findings.causes._alone import ONE_BY_ONE, Alone, alone, is_one_by_one
from loadrig.findings.causes._behind import PROXIES, carries_load, full_dependency
from loadrig.findings.causes._cores import use_of
from loadrig.findings.causes._hot import hot_function
from loadrig.findings.causes._room import ROOM, free_share
from loadrig.findings.causes._slots import is_loop, serving, unread_each
from loadrig.findings.causes.host_cpu import BRIM
from loadrig.findings.evidence import (
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
from loadrig.findings.gains import Law
from loadrig.findings.proofs import Proof
from loadrig.findings.tier import CACHES, Tier
from loadrig.findings.track import Track

TITLE = "a call that does not return holds up the event loop"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("cpu", "use", refines="host_cpu")

PROOFS = (
    Proof("knob", ("workers",), is_needed=False),
    Proof("cpu", is_needed=False, is_own=False, of=("a call that computes",)),
    # Whatever limits a server, it does more without its heaviest route.
    Proof("load", ("without",), is_needed=False, is_own=False),
)
"""More loops are not needed to help: calls that compute may fill every core that there is."""

GAIN = Law("slots", "CPU")

LATE_S = 0.03
"""Delay of a loop that a user feels: an idle one is late by 1 ms, a busy healthy one by a few; short calls
add up to it only where dozens of requests are ready at once."""

_SWITCHES = "process.voluntary_switches"

LATE_SHARE = 0.2
"""Of the seconds with such a delay: a rare one is a tail, and not what limits."""

APART = 4.0
"""Time alone of the slowest route over that of the quickest: below it they cannot be told apart."""

LONG_S = 0.05
"""A call of which one notices that it blocks, also where a full loop serves nothing else."""

SPREAD_SHARE = 0.3
"""Of the slowest route's time alone, by which the quickest is delayed when one waits for the other."""

WHOLE_SHARE = 0.8
"""Of the slowest route's time alone: who comes while it runs waits for the rest of it, who queues for all."""

FULL = 0.85
"""Of one core: a loop that uses so much has no pause."""

CROWDED = 2.0
"""Requests in flight, and waits, over those that computing alone causes; latency over the time alone."""

MOST_USED = 0.95
"""Of one core: beyond it the formula of a queue has no end."""

UNREAD_BYTES = 6.0
"""Of each request in flight, which has some 100. Loops that await read at once (below 3 was seen); of blocked
ones 14 to 57 were."""

STOPPED = 0.2
"""Of the time: a quota or a collector that stops a loop so long is the cause instead."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """One hypothesis for the program that carries the load, where it serves in event loops and is held up."""
    for tier in case.programs:
        if tier.is_database or tier.kind in CACHES | PROXIES or not carries_load(case, tier):
            continue
        if not is_loop(case, tier):
            continue
        found = alone(case)
        late = _late(tier, found) or _together(case, tier, found)
        if late is not None:
            yield _of(case, tier, found, late)


def _of(case: Case, tier: Tier, found: Alone | None, late: Sign) -> Hypothesis:
    used = tier.busiest.mean if tier.busiest is not None else math.nan
    calls = _calls(case, tier, found, used)
    hot = hot_function(case, tier) if used >= FULL / 2 else None
    more = [Evidence(f"most of its CPU time is spent in {hot[0]}", hot[1], SLIGHT)] if hot is not None else []
    if found is not None and _is_crowded(case, tier, found) and is_one_by_one(found, serving(tier)):
        text = (
            f"it works on {show_number(found.at_once)} of {show_number(case.load.waiting)} in flight at once"
        )
        more.append(Evidence(text, _formula(found), CLEAR))
    is_asleep = isinstance(late.source, SeriesSource) and late.source.name == _SWITCHES
    against = () if is_asleep else tuple(_against(tier, found))
    if found is not None and not against:
        more += _for_the_whole_call(case, found)
    p50 = case.load.latency(0.5)
    mean_alone = found.at_once / case.load.ok_rps if found is not None and case.load.ok_rps else math.nan
    share = 1 - mean_alone / p50 if p50 > mean_alone and "tail" not in case.harms else None
    waits = not used >= FULL
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
        detail=_detail(found, waits=waits),
    )


def _detail(found: Alone | None, *, waits: bool) -> str:
    """What kind of call it is, and of which route, where one stands out."""
    pair = _quick_and_slow(found) if found is not None else None
    kind = "a call that waits" if waits else "a call that computes"
    return f"{kind}: {pair[1]}" if pair is not None else kind


def _late(tier: Tier, found: Alone | None) -> Sign | None:
    """By the loop's own delay, where a probe reads it."""
    delays = tier.parts("node.delay_max_s")
    if not delays:
        return None
    worst = max(delays.values(), key=lambda track: track.mean)
    often = worst.share_above(LATE_S)
    if worst.peak < LATE_S:
        if found is None or worst.peak < LATE_S / 2:
            return None
        return Sign(False, f"its loop was late by {show_duration(worst.peak)} at most", worst.source, 0.0)
    text = (
        f"its loop was late by {show_duration(worst.mean)} on average ({show_duration(worst.peak)} at most)"
    )
    return Sign(often >= LATE_SHARE, text, worst.source, STRONG)


def _together(case: Case, tier: Tier, found: Alone | None) -> Sign | None:
    """By a quick route that waits for a slow one, by a core without a pause, by requests that lie unread."""
    pair = _by_routes(case, tier, found) if found is not None else None
    if pair is not None and pair.holds:
        return pair
    if _is_full(tier):
        assert tier.busiest is not None
        text = f"its loop used {show_number(tier.busiest.mean)} of one core, without a pause"
        return Sign(True, text, tier.busiest.source, CLEAR) if found is not None else None
    if not _is_crowded(case, tier, found):
        return pair
    text = f"{show_number(case.load.waiting)} requests are in flight"
    if found is not None:
        p50 = show_duration(case.load.latency(0.5))
        text = f"requests take {p50}, and {show_duration(found.fastest_s)} alone"
    unread = unread_each(case, tier)
    if unread >= UNREAD_BYTES and (slept := _sleep(tier)) is not None:
        return slept
    if unread >= UNREAD_BYTES and (found is None or found.at_once <= ONE_BY_ONE * serving(tier)):
        text += f"; {show_number(unread)} bytes of each lie unread: the loop does not come round"
        source = SeriesSource(tier.host, "tcp_sockets.receive_queue_bytes", f"in:{tier.port}")
        return Sign(True, text, source, STRONG)
    if found is not None and is_one_by_one(found, serving(tier)):
        return Sign(True, f"{text}: they are served one by one", _formula(found), CLEAR)
    return pair


def _sleep(tier: Tier) -> Sign | None:
    """By how long it sleeps at a time: a loop that has something to read does not sleep, but in a call."""
    switches, waited = tier.track(_SWITCHES, "tree"), tier.track("process.run_delay_s", "tree")
    if switches is None or tier.cpu is None or not switches.mean > 0:
        return None
    idle = serving(tier) - tier.cpu.mean - (waited.mean if waited is not None else 0.0)
    each_s = idle / switches.mean
    if each_s < LATE_S:
        return None
    text = (
        f"it slept {show_duration(each_s)} at a time though requests lay unread: in a call, not in its loop"
    )
    return Sign(True, text, switches.source, STRONG)


def _by_routes(case: Case, tier: Tier, found: Alone) -> Sign | None:
    pair = _quick_and_slow(found)
    if pair is None:
        return None
    quick, slow = pair
    delay = _delay(case, found, quick)
    if not delay > 0:
        return None
    text = (
        f"{quick} takes {show_duration(found.by_route[quick])} alone, and"
        f" {show_duration(found.by_route[quick] + delay)} beside {slow}, which takes"
        f" {show_duration(found.by_route[slow])} alone"
    )
    # A loop that only computes delays them too: a tenth by 2.3 times their mean time / (1 - use), M/M/1.
    used = _used(tier)
    queueing_s = math.log(10) * used * serving(tier) / case.load.ended_rps / (1 - used)
    least = SPREAD_SHARE * found.by_route[slow]
    is_held_up = delay >= (least if _is_full(tier) else max(least, CROWDED * queueing_s))
    return Sign(is_held_up, text, case.load.source("load.routes"), STRONG)


def _used(tier: Tier) -> float:
    """Of one core, what a loop used; 0 where it was not read."""
    return min(tier.busiest.mean, MOST_USED) if tier.busiest is not None else 0.0


def _quick_and_slow(found: Alone) -> tuple[str, str] | None:
    """The quickest and the slowest route, where they differ enough."""
    quick = min(found.by_route, key=lambda route: found.by_route[route])
    slow = max(found.by_route, key=lambda route: found.by_route[route])
    apart = found.by_route[slow] >= max(APART * found.by_route[quick], LATE_S / 2)
    return (quick, slow) if apart else None


def _delay(case: Case, found: Alone, route: str) -> float:
    """By how much a tenth of its requests take longer than alone: not each meets the other route."""
    of_route = case.load.latency_of_route
    return of_route(route, 0.9) - found.by_route[route] if of_route is not None else math.nan


def _for_the_whole_call(case: Case, found: Alone) -> Iterator[Evidence]:
    pair = _quick_and_slow(found)
    if pair is not None and _delay(case, found, pair[0]) >= WHOLE_SHARE * found.by_route[pair[1]]:
        text = f"a tenth of {pair[0]} waits as long as all of {pair[1]} takes, or longer"
        yield Evidence(text, case.load.source("load.routes"), CLEAR)


def _against(tier: Tier, found: Alone | None) -> Iterator[Evidence]:
    """A loop that is held up by calls does one thing at a time; one that awaits a pool does a few."""
    if found is None or tier.parts("node.delay_max_s") or _is_full(tier):
        return
    if found.at_once > 2 * ONE_BY_ONE * serving(tier):
        text = f"it works on {show_number(found.at_once)} requests at once, which a blocked loop does not"
        yield Evidence(text, _formula(found), STRONG if tier.callees else SLIGHT)


def _is_full(tier: Tier) -> bool:
    return tier.busiest is not None and tier.busiest.mean >= FULL


def _is_crowded(case: Case, tier: Tier, found: Alone | None) -> bool:
    """Whether requests queue for longer than they take, and more of them than computing makes queue."""
    is_slower = found is None or case.load.latency(0.5) >= CROWDED * found.fastest_s
    return is_slower and case.load.waiting >= CROWDED * serving(tier) / (1 - _used(tier))


def _formula(found: Alone) -> FormulaSource:
    return FormulaSource(f"throughput × time of a request alone = {show_number(found.at_once)} at once")


def _calls(case: Case, tier: Tier, found: Alone | None, used: float) -> Sign:
    """Whether it is a call that blocks, rather than many short ones."""
    if tier.busiest is None:
        text = f"whether it waits or computes was not seen: run loadrig where {tier.name} runs"
        return Sign(None, text, FormulaSource("no process.cpu_s"), 0.0)
    source = tier.busiest.source
    if used < FULL:
        return Sign(
            True,
            f"it used {show_number(used)} of a core: it is held up without computing all the time",
            source,
        )
    each = serving(tier) / case.load.ended_rps if case.load.ended_rps else 0.0
    if each >= LONG_S:
        return Sign(True, f"a request computes for {show_duration(each)} without a pause", source)
    pair = _quick_and_slow(found) if found is not None else None
    is_serial = found is not None and found.at_once <= ONE_BY_ONE * serving(tier)
    if found is not None and pair is not None and is_serial and found.by_route[pair[1]] >= LONG_S:
        return Sign(
            True, f"{pair[1]} computes for {show_duration(found.by_route[pair[1]])} without a pause", source
        )
    if free_share(case, tier) >= ROOM:
        text = f"one loop is full of calls of {show_duration(each)}, and other cores stand idle"
        return Sign(True, text, source)
    return Sign(False, f"its calls are short ({show_duration(each)} a request): it lacks CPU", source, 0.0)


def _not_another(case: Case, tier: Tier) -> Iterator[Sign]:
    """What else stops a loop or those in it."""
    full = full_dependency(case, tier)
    if full is not None:
        yield Sign(False, full.text, full.source, 0.0)
    if tier.cpu is not None and tier.quota < 1 and tier.cpu.mean >= FULL * tier.quota:
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
    # While loops are held up they do not compute, and those whom they ask have nothing to do.
    if use is not None and not _is_full(tier) and use.ours >= BRIM * tier.places:
        users = " and ".join(["it", *(one.name for one in use.sharers if one is not tier)])
        text = f"{users} used {show_number(use.ours)} of the {show_cores(tier.places)} it may use"
        yield Sign(False, f"{text}: it lacks CPU", FormulaSource(use.formula), 0.0)


def _waited(tier: Tier) -> Track | None:
    """Time in which it had work and no core, where that and the time it ran leave it no pause."""
    waited = tier.track("process.run_delay_s", "tree")
    if waited is None or tier.cpu is None or _is_full(tier):
        return None
    is_crowded = waited.mean >= STOPPED and tier.cpu.mean + waited.mean >= FULL
    return waited if is_crowded else None


def _mend(tier: Tier, hot: tuple[str, Source] | None, *, waits: bool) -> str:
    what = f"what {hot[0]} does" if hot is not None else "the call that blocks"
    if waits:
        how = "await asyncio.to_thread(…)" if tier.runtime == "cpython" else "its asynchronous form"
        return f"take {what} out of the loop: {how}, or an asynchronous driver"
    how = "a process pool" if tier.runtime == "cpython" else "a worker thread (worker_threads)"
    return f"take {what} out of the loop: {how}; and more processes of the server, one a core"
