"""Requests spend their time waiting for a dependency that is not busy itself: it is slow, or far away.

## Signature

As many connections to the dependency as requests in the server, whose CPU idles; the dependency's CPU, where
it can be seen, idles too, and nobody waits for a lock in it.

## Data

Connections to the dependency, how many are opened for each request and how many are given up; requests that
the server works on; CPU time on both sides, sessions at work where it is a database.

## Deciding test

`--prove` puts a delay in front of it: latency rises, or throughput falls, by its share. Where that moves
nothing, nobody waits for it. A stand-in that answers at once shows the same from the other side.

## Guard

A dependency whose CPU is full is overloaded, not slow: the cause is in it. Connections that are only kept
look like connections in use. Where the server's workers are all taken, too few of them may be the cause.

## Fix

A shorter time-out with a budget for retries, a circuit breaker, calls side by side instead of one after the
other, a cache; enough workers or an event loop to wait in.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.constants import FULL_SHARE
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
from loadrig.judgement.facts.alone import alone
from loadrig.judgement.facts.behind import PROXIES
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import (
    CHURN,
    DependencyLink,
    at_work,
    fullness,
    in_service,
    links,
    lock_waits,
    locking,
    stands_idle,
    unseen,
    working,
)
from loadrig.judgement.facts.locks import waiters_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.track import Track
from loadrig.judgement.gains import Law
from loadrig.judgement.harms import standstill
from loadrig.judgement.own_words import DNS, OwnWords
from loadrig.judgement.proofs import Proof

TITLE = "a dependency takes long to answer"
HARMS = frozenset({"short", "failing", "stopped", "queueing", "saturated", "missed", "dips", "drift"})
ABOUT = About("answer", "size")

OWN_WORDS = (
    OwnWords("dependency", ("timed_out", "gave_up", "refused"), "asked"),
    OwnWords("names", ("failed",), "names"),
)

PROOFS = (Proof("delay", is_own=False),)
"""Experiments. A delay is not its own proof: it also moves requests that wait for a connection or a
thread."""

GAIN = Law("share")

NAMES_SHARE = 0.13
"""Share of the requests in flight that wait for a name, 0 to 1, from which on that is a fault: without it a
request would take 13 % less, and throughput be 15 % higher."""

COVERS = 0.5
"""Connections for each request in the server. Below it most requests wait for something else."""

RETRIES = 1.3
"""Connections opened for each request, from which on calls are repeated: a call over its own connection opens
one."""

BOTH_SIDES_CPU_SHARE = 0.3
"""CPU time of both sides over the time that a request takes alone, 0 to 1. Below it that time is spent on
waiting."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each dependency that requests may wait for; of a chain, for its last one."""
    standing = standstill.of(case)
    if standing is not None and (calls := standstill.does_not_answer(case, standing)) is not None:
        yield _stopped(case, standing, calls)
        return
    yield from _names(case)
    waited_for = [link for link in links(case) if link.owner.kind not in PROXIES and _in_it(case, link) >= 1]
    for link in waited_for:
        # A dependency that itself waits for another program is slow because of that program.
        if not any(behind.owner is link.to for behind in waited_for):
            yield _hypothesis(case, link)


def _names(case: Case) -> Iterator[Hypothesis]:
    """Yield the hypothesis of a name server that requests wait for, by its questions under way."""
    for server, track in case.host.parts("name_lookups.waiting").items():
        # Go asks for addresses of both kinds at the same time, each from a socket of its own.
        waiting = track.mean / (2 if case.server.runtime == "go" else 1)
        in_flight = case.load.waiting
        if in_flight <= 0 or waiting < NAMES_SHARE * in_flight:
            continue
        share = min(1.0, waiting / in_flight)
        text = (
            f"{show_number(waiting)} requests of {show_number(in_flight)} in flight waited for the name"
            f" server {server}"
        )
        yield Hypothesis(
            component=DNS,
            signs=(Sign(True, text, track.source, STRONG),),
            effect=text,
            mend="keep names on the machine (systemd-resolved, nscd, dnsmasq), or keep connections: then no"
            " name is asked for each request",
            decides="the same load with the name in /etc/hosts",
            bound=share,
            bound_text=f"a request waits {show_share(share)} of its time for a name",
            detail=f"names: {server}",
        )


def _stopped(case: Case, standing: standstill.Standstill, calls: standstill.Calls) -> Hypothesis:
    """Return the hypothesis of a dependency that does not answer any more."""
    waiting = f"{show_number(calls.awaiting)} calls of {show_number(standing.waiting)} requests"
    text = f"{waiting} waited for it until the end"
    return Hypothesis(
        component=calls.to.name,
        signs=(
            Sign(True, text, calls.sockets.source, STRONG),
            Sign(True, case.harms["stopped"], case.load.source("load.in_flight"), CLEAR),
        ),
        effect=f"{calls.to.name} answered nothing in the last {show_duration(standing.seconds)}:"
        f" {waiting} waited",
        mend="look why it stands still; a time-out on each call, so that none holds a request for ever",
        decides="ask it directly while the server stands still",
    )


def _in_it(case: Case, link: DependencyLink) -> float:
    """Return the requests that may wait for a dependency, by connections or sessions; 0 for hardly any."""
    busy = in_service(case, link.owner)
    track = link.established
    # Connections that are opened for each request are in use while they live; kept ones may be idle.
    taken = track.mean if track is not None and link.opened_a_request > CHURN else link.connections
    return min(taken, busy) if busy >= 2 and taken >= 0.2 * busy else 0.0


def _hypothesis(case: Case, link: DependencyLink) -> Hypothesis:
    load, tier, owner = case.load, link.to, link.owner
    busy, in_it = in_service(case, owner), _in_it(case, link)
    inside = _inside(tier)
    source = link.established.source if link.established is not None else working(tier)
    signs = [
        Sign(
            in_it >= COVERS * busy,
            f"{show_number(in_it)} of the {show_number(busy)} requests in {owner.name} may wait for it, by"
            " its connections",
            source,
            CLEAR,
        ),
        _idle(case, owner),
    ]
    if math.isfinite(inside):
        kind = "sessions were at work" if tier.is_database else "commands were at work or blocked"
        text = f"{show_number(inside)} {kind} in it on average, for {show_number(in_it)} connections in use"
        signs.append(Sign(inside >= COVERS * in_it, text, working(tier), CLEAR))
    elif tier.is_database:
        text = unseen(case, tier, f"what the sessions of {tier.name} do was not read")
        signs.append(Sign(None, text, working(tier)))
    if tier.cpu is not None:
        text = f"it used {show_share(fullness(case, tier))} of the CPU that it may use"
        signs.append(Sign(stands_idle(case, tier), text, tier.cpu.source, CLEAR))
    met = alone(case)
    abandoned = _abandoned(case, link)
    is_kept = link.opened_a_request <= CHURN and (abandoned is None or abandoned.mean < 1)
    is_seen = tier.cpu is not None and not math.isfinite(inside)
    if is_seen and is_kept and met is not None and met.at_once < COVERS * in_it:
        # Kept connections of a pool are open whether or not anybody waits for them.
        text = (
            f"requests went through {show_number(met.at_once)} at a time, however many connections are open"
        )
        signs.append(Sign(False, text, FormulaSource("throughput × time of a request alone")))
    stuck = waiters_of(owner)
    if stuck is not None and stuck.number >= COVERS * busy:
        text = (
            f"{stuck.text}, of {show_number(busy)} requests in {owner.name}: they wait there and not for it"
        )
        signs.append(Sign(False, text, stuck.source))
    if lock_waits(tier) >= 0.5 * max(inside, 1.0):
        text = f"{show_number(lock_waits(tier))} of these wait for a lock"
        signs.append(Sign(False, text, locking(tier)))
    if load.waiting > 1.5 * busy:
        text = (
            f"{show_number(load.waiting - busy)} requests waited ahead of {owner.name}: whether it has too"
            f" few workers or {link.name} is slow, a quarter more workers would show"
        )
        signs.append(Sign(None, text, FormulaSource(f"{load.waiting:.3g} in flight, {busy:.3g} in service")))
    more, against = _evidence(case, link)
    each_s = in_it / load.ended_rps if load.ended_rps else math.nan
    effect = f"{show_number(in_it)} requests waited for it at any time"
    if math.isfinite(each_s):
        effect += f": {show_duration(each_s)} of each"
    if math.isfinite(load.latency(0.5)):
        effect += f", median {show_duration(load.latency(0.5))}"
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        more=tuple(more),
        against=tuple(against),
        effect=effect,
        mend=f"ask {link.name} less often or side by side, cache its answers, bound the wait by a time-out",
        decides=f"the same load with a stand-in for {link.name} that answers at once: latency falls",
        bound=min(1.0, in_it / load.waiting) if load.waiting else 0.0,
        bound_text=f"{show_number(in_it)} of {show_number(load.waiting)} requests in flight",
    )


def _inside(tier: Tier) -> float:
    """Return the mean number of statements or commands in a dependency, as it reports; NaN without."""
    if tier.is_database:
        return at_work(tier)
    spent = list(tier.parts("redis.command_s").values())
    if not spent:
        return math.nan
    blocked = tier.track("redis.blocked_clients")
    return sum(track.mean for track in spent) + (blocked.mean if blocked is not None else 0.0)


def _idle(case: Case, owner: Tier) -> Sign:
    if owner.cpu is None:
        source = SeriesSource(owner.name, "process.cpu_s", "tree")
        return Sign(None, f"the CPU of {owner.name} was not seen: run loadrig on its machine", source)
    text = f"{owner.name} itself used {show_number(owner.cpu.mean)} of {show_cores(owner.cores)}"
    holds: bool | None = stands_idle(case, owner)
    if not holds and fullness(case, owner) < FULL_SHARE:
        holds, text = None, f"{text}: part of the time may be its own"
    return Sign(holds, text, owner.cpu.source, CLEAR)


def _abandoned(case: Case, link: DependencyLink) -> Track | None:
    """Return the connections that the caller has closed and the dependency has not; None if not read."""
    if link.established is None:
        return None
    host = case.tiers.get(link.owner.host, case.host)
    return host.track("tcp_sockets.fin_wait2", link.established.subject)


def _evidence(case: Case, link: DependencyLink) -> tuple[list[Evidence], list[Evidence]]:
    more, against = [], []
    met, rate = alone(case), case.load.ended_rps
    own = sum(tier.cpu.mean for tier in (link.owner, link.to) if tier.cpu is not None)
    if met is not None and rate and own / rate < BOTH_SIDES_CPU_SHARE * met.fastest_s:
        text = f"alone a request takes {show_duration(met.fastest_s)}, {show_duration(own / rate)} of it CPU"
        more.append(Evidence(text, FormulaSource(f"{own:.3g} cores / {rate:.4g}/s"), CLEAR))
    opened = link.opened_a_request
    if opened >= RETRIES and link.established is not None:
        text = f"{show_number(opened)} connections to it were opened for each request: it is asked again"
        more.append(Evidence(text, link.established.source, CLEAR))
    abandoned = _abandoned(case, link)
    if abandoned is not None and abandoned.mean >= 0.2 * link.connections:
        text = f"{show_number(abandoned.mean)} calls at any time were given up while it still worked on them"
        more.append(Evidence(text, abandoned.source, STRONG))
    timed_out = case.load.count("timeout") / max(1, case.load.count(*case.load.outcomes))
    if timed_out > 0.01:
        text = f"{show_share(timed_out)} of the requests timed out"
        more.append(Evidence(text, case.load.source("outcomes"), SLIGHT))
    waits = case.tiers.get(link.to.host, case.host).track("system_cpu.iowait_s")
    if link.to.is_database and waits is not None and waits.mean >= 0.2:
        text = f"cores of its machine waited for the disk {show_number(waits.mean)} s every second"
        against.append(Evidence(text, waits.source, CLEAR))
    return more, against
