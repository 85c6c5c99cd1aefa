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
from loadrig.judgement.evidence import STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts import observed
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

GIVEN_UP = "fin_wait2"
"""Sockets that the caller has closed and the dependency has not: calls that were given up."""

FEW_IN_IT = 0.2
"""Share of the requests at work that have a connection, 0 to 1, below which hardly any waits for the
dependency."""

WAIT_AHEAD = 1.5
"""Requests that wait, as a factor of those at work, above which many wait ahead of the program."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each dependency that requests may wait for; of a chain, for its last one."""
    standing = standstill.of(case)
    if standing is not None and (calls := standstill.does_not_answer(case, standing)) is not None:
        yield _stopped(case, standing, calls)
        return
    yield from _names(case)
    waited_for = [
        (link, in_it)
        for link in links(case)
        if link.owner.kind not in PROXIES and (in_it := _in_it(case, link)) >= 1
    ]
    for link, in_it in waited_for:
        # A dependency that itself waits for another program is slow because of that program.
        if not any(behind.owner is link.to for behind, _ in waited_for):
            yield _hypothesis(case, link, in_it)


def _names(case: Case) -> Iterator[Hypothesis]:
    """Yield the hypothesis of a name server that requests wait for, by its questions under way."""
    in_flight = case.load.waiting
    for server, track in case.host.parts("name_lookups.waiting").items():
        # Go asks for addresses of both kinds at the same time, each from a socket of its own.
        waiting = track.mean / (2 if case.server.runtime == "go" else 1)
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
    waiting = f"{show_number(calls.awaiting)} calls of {show_number(standing.waiting)} requests waited"
    return Hypothesis(
        component=calls.to.name,
        signs=(
            Sign(True, f"{waiting} for it until the end", calls.sockets.source, STRONG),
            Sign(True, case.harms["stopped"], case.load.source("load.in_flight")),
        ),
        effect=f"{calls.to.name} answered nothing in the last {show_duration(standing.seconds)}: {waiting}",
        mend="look why it stands still; a time-out on each call, so that none holds a request for ever",
        decides="ask it directly while the server stands still",
    )


def _in_it(case: Case, link: DependencyLink) -> float:
    """Return the requests that may wait for a dependency, by connections or sessions; 0 for hardly any."""
    busy = in_service(case, link.owner)
    track = link.established
    # Connections that are opened for each request are in use while they live; kept ones may be idle.
    taken = track.mean if track is not None and link.opened_a_request > CHURN else link.connections
    return min(taken, busy) if busy >= 2 and taken >= FEW_IN_IT * busy else 0.0


def _hypothesis(case: Case, link: DependencyLink, in_it: float) -> Hypothesis:
    load, tier = case.load, link.to
    effect = f"{show_number(in_it)} requests waited for it at any time"
    if load.ended_rps:
        effect += f": {show_duration(in_it / load.ended_rps)} of each"
    if math.isfinite(load.latency(0.5)):
        effect += f", median {show_duration(load.latency(0.5))}"
    disk = observed.machine(tier).track("system_cpu.iowait_s") if tier.is_database else None
    return Hypothesis(
        component=tier.name,
        signs=tuple(_signs(case, link, in_it)),
        more=tuple(_evidence(link)),
        against=observed.evidence(disk, 0.2, "cores of its machine waited for the disk {} s every second"),
        effect=effect,
        mend=f"ask {link.name} less often or side by side, cache its answers, bound the wait by a time-out",
        decides=f"the same load with a stand-in for {link.name} that answers at once: latency falls",
        bound=min(1.0, in_it / load.waiting) if load.waiting else 0.0,
        bound_text=f"{show_number(in_it)} of {show_number(load.waiting)} requests in flight",
    )


def _signs(case: Case, link: DependencyLink, in_it: float) -> Iterator[Sign]:
    """Yield the signs that requests wait for the dependency, that both sides idle, and no other reason."""
    tier, owner, waiting = link.to, link.owner, case.load.waiting
    busy, inside, stuck = in_service(case, owner), _inside(tier), waiters_of(owner)
    requests = f"{show_number(busy)} requests in {owner.name}"
    yield Sign(
        in_it >= COVERS * busy,
        f"{show_number(in_it)} of the {requests} may wait for it, by its connections",
        link.established.source if link.established is not None else working(tier),
    )
    text = f"{owner.name} itself used {show_number(observed.figure(owner.cpu))} of {show_cores(owner.cores)}"
    idles = observed.sign(
        owner.cpu,
        stands_idle(case, owner),
        text,
        f"the CPU of {owner.name} was not seen: run loadrig on its machine",
    )
    if idles.holds is False and fullness(case, owner) < FULL_SHARE:
        idles = Sign(None, f"{text}: part of the time may be its own", idles.source)
    yield idles
    if math.isfinite(inside):
        kind = "sessions were at work" if tier.is_database else "commands were at work or blocked"
        text = f"{show_number(inside)} {kind} in it on average, for {show_number(in_it)} connections in use"
        yield Sign(inside >= COVERS * in_it, text, working(tier))
    elif tier.is_database:
        text = unseen(case, tier, f"what the sessions of {tier.name} do was not read")
        yield Sign(None, text, working(tier))
    if tier.cpu is not None:
        text = f"it used {show_share(fullness(case, tier))} of the CPU that it may use"
        yield Sign(stands_idle(case, tier), text, tier.cpu.source)
    met = alone(case)
    is_kept = link.opened_a_request <= CHURN and not observed.figure(link.of_sockets(GIVEN_UP)) >= 1
    is_seen = tier.cpu is not None and not math.isfinite(inside)
    if is_seen and is_kept and met is not None and met.at_once < COVERS * in_it:
        # Kept connections of a pool are open whether or not anybody waits for them.
        text = (
            f"requests went through {show_number(met.at_once)} at a time, however many connections are open"
        )
        yield Sign(False, text, FormulaSource("throughput × time of a request alone"))
    if stuck is not None and stuck.number >= COVERS * busy:
        yield Sign(False, f"{stuck.text}, of {requests}: they wait there and not for it", stuck.source)
    if lock_waits(tier) >= 0.5 * max(inside, 1.0):
        yield Sign(False, f"{show_number(lock_waits(tier))} of these wait for a lock", locking(tier))
    if waiting > WAIT_AHEAD * busy:
        text = (
            f"{show_number(waiting - busy)} requests waited ahead of {owner.name}: whether it has too few"
            f" workers or {link.name} is slow, a quarter more workers would show"
        )
        yield Sign(None, text, FormulaSource(f"{waiting:.3g} in flight, {busy:.3g} in service"))


def _inside(tier: Tier) -> float:
    """Return the mean number of statements or commands in a dependency, as it reports; NaN without."""
    if tier.is_database:
        return at_work(tier)
    spent = list(tier.parts("redis.command_s").values())
    blocked = tier.track("redis.blocked_clients")
    if not spent:
        return math.nan
    return sum(track.mean for track in spent) + (blocked.mean if blocked is not None else 0.0)


def _evidence(link: DependencyLink) -> Iterator[Evidence]:
    """Yield evidence that calls are repeated or given up."""
    opened = link.opened_a_request
    if opened >= RETRIES and link.established is not None:
        text = f"{show_number(opened)} connections to it were opened for each request: it is asked again"
        yield Evidence(text, link.established.source)
    text = "{} calls at any time were given up while it still worked on them"
    yield from observed.evidence(link.of_sockets(GIVEN_UP), 0.2 * link.connections, text, STRONG)
