"""Requests wait for a connection of a pool, while what lies behind the pool could do more.

## Signature

All connections of the pool are in use, their number stays at a limit, requests wait for one, and neither the
server nor the dependency behind the pool is busy.

## Data

The pool's own figures (HikariCP, Go's database/sql); else connections to the dependency against requests that
the server works on, how many of these were served at once (throughput times the time that a request takes
alone), sessions at work in the database, CPU time on both sides.

## Deciding test

`--prove` makes the pool larger, in turns, where its size is a knob: throughput rises in proportion, and the
time of a statement stays. A delay in front of the dependency, by which each connection is held longer,
lowers throughput; where it moves nothing, the connections were enough.

## Guard

A busy or locked dependency fills every pool in front of it: then waiting for a connection is queueing behind
it. A server with as many workers as connections waits for workers. Connections that are never given back
look the same at first. A client that sends many requests over one connection needs no more of them.

## Fix

Connections = rate x time that one is held + 2 x the root of that (Erlang C, so that few wait); or hold them
for less time.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.causes._alone import alone
from loadrig.judgement.causes._dependencies import (
    IDLE_SHARE,
    Link,
    Pool,
    fullness,
    held,
    in_service,
    links,
    lock_waits,
    locking,
    pools,
    stands_idle,
    unseen,
    working,
)
from loadrig.judgement.causes.host_cpu import BRIM
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
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof

TITLE = "the pool of connections is too small"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "missed"})
ABOUT = About("pool", "size", states=("inside",))

OWN_WORDS = (OwnWords("pool", ("timed_out", "exhausted", "queue_full", "not_given")),)

PROOFS = (Proof("knob", ("pool",)), Proof("delay", is_own=False))
"""Experiments. A delay is not its own proof: it moves all requests that wait, for lack of threads, too."""

GAIN = Law("slots", "connections")

POOL_CROWDED = 1.5
"""Requests in the server for each connection. Below it hardly any request waits for a connection."""

AT_ONCE = (0.5, 1.6)
"""Requests served at once over connections, least and most, of a pool that is the limit: the time that a
request takes alone is known within a half."""

POOL_HELD_SHARE, IDLE_HELD = 0.6, 0.3
"""Shares of the connections in use at the looks, 0 to 1: from the first on the pool is full, below the second
it may not be. Between two statements the application works, too."""

GO_POOLS = ("database/sql.(*DB).conn", "http.(*Transport).getConn", "ConnPool).waitTurn", "puddle")
"""Functions in which goroutines wait for a connection: database/sql, net/http, go-redis, pgxpool."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each pool that reports its state, else for each suspect pool."""
    reporting = {pool.owner.name: pool for pool in pools(case)}
    for pool in reporting.values():
        if pool.waiting.mean >= 0.2 or pool.active.mean >= 0.5 * pool.limit:
            yield _reported(case, pool)
    for link in links(case):
        if link.owner.name not in reporting and _is_suspect(case, link):
            yield _guessed(case, link)


def _reported(case: Case, pool: Pool) -> Hypothesis:
    waiting, active = pool.waiting.mean, pool.active.mean
    behind = next((tier for tier in pool.owner.callees if tier.is_database), None)
    signs = [
        Sign(
            waiting >= 1 and active >= 0.85 * pool.limit,
            f"{show_number(active)} of {show_number(pool.limit)} connections of {pool.name} were in use and"
            f" {show_number(waiting)} threads waited for one",
            pool.waiting.source,
            STRONG,
        ),
        *_behind(case, behind, pool.limit),
        # Threads were seen to wait for the pool, so only a core that is full to the brim may be the limit
        # instead.
        _owner(case, pool.owner, BRIM),
    ]
    return _hypothesis(case, pool.owner, behind, pool.limit, waiting, signs)


def _is_suspect(case: Case, link: Link) -> bool:
    busy = in_service(case, link.owner)
    return (
        link.connections >= 1 and link.is_steady is not False and busy >= POOL_CROWDED * link.connections + 1
    )


def _guessed(case: Case, link: Link) -> Hypothesis:
    busy, count = in_service(case, link.owner), link.connections
    source = link.established.source if link.established is not None else working(link.to)
    signs = [
        Sign(
            link.is_steady,
            f"{show_number(count)} connections to {link.name}, never more, while {show_number(busy)} requests"
            f" were in {link.owner.name}",
            source,
            CLEAR,
        ),
        _at_once(case, link),
        *_behind(case, link.to, count),
        _owner(case, link.owner),
    ]
    against = [
        Evidence(
            f"the requests may wait for {rival.name} instead: {show_number(rival.connections)} connections",
            rival.established.source if rival.established is not None else working(rival.to),
            CLEAR,
        )
        for rival in links(case)
        if rival.owner is link.owner and rival.to is not link.to and rival.connections >= 0.5 * busy
    ]
    blocked = link.owner.parts("jvm.threads").get("BLOCKED")
    if blocked is not None and blocked.mean >= 0.5 * (busy - count):
        # A thread that waits for a pool is parked (WAITING); a BLOCKED thread waits for a monitor.
        text = f"{show_number(blocked.mean)} of its threads wait for a lock of their own"
        against.append(Evidence(text, blocked.source, STRONG))
    return _hypothesis(case, link.owner, link.to, count, busy - count, signs, against)


def _at_once(case: Case, link: Link) -> Sign:
    """Return the sign that as many requests were worked on at once as there are connections."""
    count, used, met = link.connections, held(link.to), alone(case)
    for place, track in link.owner.parts("go.waiting_in").items():
        if track.mean >= 1 and any(mark in place for mark in GO_POOLS):
            return Sign(True, f"{show_number(track.mean)} goroutines stand in {place}", track.source, STRONG)
    at_once = met.at_once if met is not None else math.nan
    if used >= POOL_HELD_SHARE * count:
        text = f"{show_number(used)} of its {show_number(count)} connections were in use whenever looked at"
        return Sign(True, text, working(link.to), STRONG)
    # Many requests share one connection to such a dependency, so their number says nothing.
    is_shared = count < 2 and not link.to.is_database
    formula = FormulaSource(f"{show_number(case.load.ok_rps)}/s x the time that a request takes alone")
    if AT_ONCE[0] * count <= at_once <= AT_ONCE[1] * count and not is_shared:
        text = f"{show_number(at_once)} requests were served at once, as many as there are connections"
        return Sign(True, text, formula, CLEAR)
    # Where no request was ever served alone, `at_once` is too high; it cannot be too low.
    if used < IDLE_HELD * count and not AT_ONCE[0] * count <= at_once <= AT_ONCE[1] * count:
        text = f"only {show_number(used)} of the {show_number(count)} connections were in use when looked at"
        return Sign(False, text, working(link.to))
    text = f"whether the connections to {link.name} are all in use was not seen"
    return Sign(None, text, working(link.to))


def _behind(case: Case, tier: Tier | None, count: float) -> Iterator[Sign]:
    if tier is None:
        return
    waiting, full = lock_waits(tier), fullness(case, tier)
    if tier.cpu is None:
        text = unseen(case, tier, f"the CPU of {tier.name} was not seen: let an observer run on its machine")
        yield Sign(None, text, SeriesSource(tier.name, "process.cpu_s", "tree"))
    else:
        text = f"{tier.name} behind it used {show_share(full)} of the CPU that it may use"
        yield Sign(full < FULL_SHARE, text, tier.cpu.source, CLEAR if full < IDLE_SHARE else 0.0)
    if waiting >= 0.5 * count:
        text = f"{show_number(waiting)} of these connections waited for a lock in {tier.name}"
        yield Sign(False, text, locking(tier))


def _owner(case: Case, owner: Tier, most: float = IDLE_SHARE) -> Sign:
    if owner.cpu is None:
        return Sign(
            True,
            f"the CPU of {owner.name} was not seen",
            SeriesSource(owner.name, "process.cpu_s", "tree"),
            0.0,
        )
    text = f"{owner.name} itself used {show_number(owner.cpu.mean)} of {show_cores(owner.cores)}"
    return Sign(
        stands_idle(case, owner) or fullness(case, owner) < most, text, owner.cpu.source,
        SLIGHT if stands_idle(case, owner) else 0.0,
    )  # fmt: skip


def _hypothesis(
    case: Case,
    owner: Tier,
    behind: Tier | None,
    count: float,
    waiting: float,
    signs: list[Sign],
    against: list[Evidence] | None = None,
) -> Hypothesis:
    load, name = case.load, behind.name if behind is not None else "the database"
    rate = load.ended_rps
    hold_s = count / rate if rate else math.nan
    wait_s = waiting / rate if rate else math.nan
    wanted = _wanted(load.offered_rps * hold_s) if load.is_open else in_service(case, owner)
    wanted = max(wanted, count + 1) if math.isfinite(wanted) else count + 1
    share = min(1.0, waiting / load.waiting) if load.waiting else 0.0
    effect = f"{show_number(waiting)} requests waited for one of {show_number(count)} connections to {name}"
    if math.isfinite(wait_s):
        effect += f": {show_duration(wait_s)} each, and then held it for {show_duration(hold_s)}"
    return Hypothesis(
        component=owner.name,
        signs=tuple(signs),
        against=tuple(against or ()),
        effect=effect,
        mend=f"make the pool of {owner.name} larger: about {wanted:.0f} connections to {name} for this load,"
        " as long as it stays idle",
        decides=f"the same load with {math.ceil(1.25 * count + 0.5):.0f} connections: throughput follows",
        bound=share,
        bound_text=f"{show_number(waiting)} of {show_number(load.waiting)} requests in flight waited for one",
        detail=f"connections: {behind.name}" if behind is not None else "",
    )


def _wanted(in_use: float) -> float:
    """Return the connections with which few requests wait, where so many are in use on average.

    The square-root rule of staffing: Halfin and Whitt 1981, Operations Research 29, 567-588.
    """
    return math.ceil(in_use + 2 * math.sqrt(in_use)) if math.isfinite(in_use) else math.nan
