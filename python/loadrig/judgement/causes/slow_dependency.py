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
from loadrig.judgement.facts.awaited import longest_awaited
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
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.slow_dependency import SlowDependencyTexts

TEXTS = texts_of(SlowDependencyTexts)

TITLE = TEXTS.title
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

NOTICED_S = 0.01
"""Time in seconds that a request waits for a dependency, from which on that is told where nothing is wrong: a
call inside one data centre takes about a millisecond."""

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


def where_nothing_is_wrong(case: Case) -> Iterator[Hypothesis]:
    """Yield the dependency that takes most of a request's time, though its CPU does little meanwhile."""
    awaited = longest_awaited(case)
    if awaited is None or awaited.awaited_s < NOTICED_S:
        return
    name, cpu = awaited.tier.name, awaited.tier.cpu
    if cpu is not None and cpu.mean / case.load.ended_rps >= COVERS * awaited.awaited_s:
        return
    text = TEXTS.takes_most(show_duration(awaited.total_s), show_duration(awaited.awaited_s), name)
    yield Hypothesis(
        component=name,
        signs=(
            Sign(True, text, FormulaSource(text)),
            Sign(None, TEXTS.no_goal, FormulaSource(TEXTS.no_goal)),
        ),
        effect=text,
        mend=TEXTS.ask_less_often(name),
        decides=TEXTS.same_load_stand(name),
        bound=awaited.awaited_s / awaited.total_s,
    )


def _names(case: Case) -> Iterator[Hypothesis]:
    """Yield the hypothesis of a name server that requests wait for, by its questions under way."""
    in_flight = case.load.waiting
    for server, track in case.host.parts("name_lookups.waiting").items():
        # Go asks for addresses of both kinds at the same time, each from a socket of its own.
        waiting = track.mean / (2 if case.server.runtime == "go" else 1)
        if in_flight <= 0 or waiting < NAMES_SHARE * in_flight:
            continue
        share = min(1.0, waiting / in_flight)
        text = TEXTS.requests_flight_waited(show_number(waiting), show_number(in_flight), server)
        yield Hypothesis(
            component=DNS,
            signs=(Sign(True, text, track.source, STRONG),),
            effect=text,
            mend=TEXTS.mend,
            decides=TEXTS.decides,
            bound=share,
            bound_text=TEXTS.request_waits_time(show_share(share)),
            detail=f"names: {server}",
        )


def _stopped(case: Case, standing: standstill.Standstill, calls: standstill.Calls) -> Hypothesis:
    """Return the hypothesis of a dependency that does not answer any more."""
    waiting = TEXTS.calls_requests_waited(show_number(calls.awaiting), show_number(standing.waiting))
    return Hypothesis(
        component=calls.to.name,
        signs=(
            Sign(True, TEXTS.until_end(waiting), calls.sockets.source, STRONG),
            Sign(True, case.harms["stopped"], case.load.source("load.in_flight")),
        ),
        effect=TEXTS.effect(calls.to.name, show_duration(standing.seconds), waiting),
        mend=TEXTS.look_why_stands,
        decides=TEXTS.ask_directly_while,
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
    effect = TEXTS.requests_waited_any(show_number(in_it))
    if load.ended_rps:
        effect += TEXTS.each(show_duration(in_it / load.ended_rps))
    if math.isfinite(load.latency(0.5)):
        effect += TEXTS.median(show_duration(load.latency(0.5)))
    disk = observed.machine(tier).track("system_cpu.iowait_s") if tier.is_database else None
    return Hypothesis(
        component=tier.name,
        signs=tuple(_signs(case, link, in_it)),
        more=tuple(_evidence(link)),
        against=observed.evidence(disk, 0.2, TEXTS.cores_machine_waited),
        effect=effect,
        mend=TEXTS.ask_less_often(link.name),
        decides=TEXTS.same_load_stand(link.name),
        bound=min(1.0, in_it / load.waiting) if load.waiting else 0.0,
        bound_text=TEXTS.requests_flight(show_number(in_it), show_number(load.waiting)),
    )


def _signs(case: Case, link: DependencyLink, in_it: float) -> Iterator[Sign]:
    """Yield the signs that requests wait for the dependency, that both sides idle, and no other reason."""
    tier, owner, waiting = link.to, link.owner, case.load.waiting
    busy, inside, stuck = in_service(case, owner), _inside(tier), waiters_of(owner)
    requests = TEXTS.requests_in(show_number(busy), owner.name)
    yield Sign(
        in_it >= COVERS * busy,
        TEXTS.may_wait_connections(show_number(in_it), requests),
        link.established.source if link.established is not None else working(tier),
    )
    text = TEXTS.itself_used(owner.name, show_number(observed.figure(owner.cpu)), show_cores(owner.cores))
    idles = observed.sign(
        owner.cpu,
        stands_idle(case, owner),
        text,
        TEXTS.cpu_not_seen(owner.name),
    )
    if idles.holds is False and fullness(case, owner) < FULL_SHARE:
        idles = Sign(None, TEXTS.part_time_may(text), idles.source)
    yield idles
    if math.isfinite(inside):
        kind = TEXTS.sessions_work if tier.is_database else TEXTS.commands_work_or
        text = TEXTS.average_connections_use(show_number(inside), kind, show_number(in_it))
        yield Sign(inside >= COVERS * in_it, text, working(tier))
    elif tier.is_database:
        text = unseen(case, tier, TEXTS.what_sessions_do(tier.name))
        yield Sign(None, text, working(tier))
    if tier.cpu is not None:
        text = TEXTS.used_cpu_may(show_share(fullness(case, tier)))
        yield Sign(stands_idle(case, tier), text, tier.cpu.source)
    met = alone(case)
    is_kept = link.opened_a_request <= CHURN and not observed.figure(link.of_sockets(GIVEN_UP)) >= 1
    is_seen = tier.cpu is not None and not math.isfinite(inside)
    if is_seen and is_kept and met is not None and met.at_once < COVERS * in_it:
        # Kept connections of a pool are open whether or not anybody waits for them.
        text = TEXTS.requests_went_through(show_number(met.at_once))
        yield Sign(False, text, FormulaSource(TEXTS.throughput_time_request))
    if stuck is not None and stuck.number >= COVERS * busy:
        yield Sign(False, TEXTS.they_wait_there(stuck.text, requests), stuck.source)
    if lock_waits(tier) >= 0.5 * max(inside, 1.0):
        yield Sign(False, TEXTS.wait_lock(show_number(lock_waits(tier))), locking(tier))
    if waiting > WAIT_AHEAD * busy:
        text = TEXTS.requests_waited_ahead(show_number(waiting - busy), owner.name, link.name)
        yield Sign(None, text, FormulaSource(TEXTS.flight_service(f"{waiting:.3g}", f"{busy:.3g}")))


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
        text = TEXTS.connections_opened_each(show_number(opened))
        yield Evidence(text, link.established.source)
    text = TEXTS.calls_any_time
    yield from observed.evidence(link.of_sockets(GIVEN_UP), 0.2 * link.connections, text, STRONG)
