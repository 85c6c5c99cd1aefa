"""Statements wait for each other's rows or tables, while the database stands idle.

## Signature

Most of the sessions at work in the database wait for a lock, and its CPU is not used up.

## Data

Time waited for rows and sessions that wait (MariaDB), sessions by what they wait for (PostgreSQL), the
database's CPU time.

## Deciding test

Spread the writes over more keys (a counter in shards), or shorten the transaction: throughput rises while
nothing else has changed. `--prove` can clear its rivals (the database's CPU, the pool), and changes no
statement.

## Guard

Slow commits to a disk keep locks long: then the disk is the cause. A full CPU does the same. A few short
waits are in every database that is written to.

## Fix

Shorter transactions (nothing slow between the lock and the commit), the hot row last in them, sharded
counters, an atomic `UPDATE … SET n = n + 1` instead of `SELECT … FOR UPDATE`.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_cores, show_duration, show_number
from loadrig.judgement.about import About
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import SLIGHT, STRONG, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.alone import alone
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import (
    at_work,
    costliest,
    fullness,
    in_service,
    links,
    lock_waits,
    locking,
    stands_idle,
    unseen,
)
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.own_words import OwnWords
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.row_lock import RowLockTexts

TEXTS = texts_of(RowLockTexts)

TITLE = TEXTS.title
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips"})
ABOUT = About("lock", "signs")

OWN_WORDS = (OwnWords("locks", ("waited", "timed_out", "deadlock"), "asked"),)

NO_PROOF = TEXTS.no_proof

GAIN = Law("share")

LEAST_WAITING = 0.05
"""Mean number of sessions that wait for a lock. Below it the database shows no trace of one."""

MOST_WAIT = 0.5
"""Share of the sessions at work that wait for a lock, 0 to 1, from which on they rather wait than work."""

FEW_WAIT = 2.0
"""Requests that wait inside a database, on average: fewer may each be slow by themselves."""

LET_THROUGH = 0.5
"""Requests that went through at once, over those that waited inside: of slow statements all go through."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each SQL database in which sessions wait for a lock, or may."""
    for tier in case.programs:
        waiting = lock_waits(tier) if tier.is_database else 0.0
        if waiting >= LEAST_WAITING:
            yield _hypothesis(case, tier, waiting)
        elif math.isnan(waiting):
            yield from _out_of_sight(case, tier)


def _hypothesis(case: Case, tier: Tier, waiting: float) -> Hypothesis:
    load, among = case.load, max(waiting, at_work(tier))
    # Requests that wait for a connection wait behind sessions that wait for the lock.
    connections = sum(link.connections for link in links(case) if link.to is tier)
    in_it = min(load.waiting, connections or math.inf)
    text = TEXTS.sessions_work_waited(show_number(waiting), show_number(among))
    signs = [Sign(waiting >= max(0.5, MOST_WAIT * among), text, locking(tier), STRONG)]
    if tier.cpu is not None:
        text = TEXTS.used_meanwhile(show_number(tier.cpu.mean), show_cores(tier.cores))
        signs.append(Sign(fullness(case, tier) < FULL_SHARE, text, tier.cpu.source))
    share = min(1.0, waiting / in_it) if in_it else 0.0
    effect, p50 = TEXTS.sessions_waited_lock(show_number(waiting)), load.latency(0.5)
    if load.ended_rps:
        effect += TEXTS.each_request(show_duration(waiting / load.ended_rps))
        effect += TEXTS.whose_median(show_duration(p50)) if math.isfinite(p50) else ""
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        effect=effect,
        mend=_mend(tier),
        decides=TEXTS.decides,
        bound=share,
        bound_text=TEXTS.requests_database_waited(show_number(waiting), show_number(in_it)),
    )


def _out_of_sight(case: Case, tier: Tier) -> Iterator[Hypothesis]:
    """Yield the hypothesis of a database without readings, where requests wait and all CPUs idle."""
    if tier.cpu is None or fullness(case, tier) >= FULL_SHARE:
        return
    for link in links(case):
        owner, busy = link.owner, in_service(case, link.owner)
        if link.to is tier and link.connections >= max(2.0, 0.5 * busy) and stands_idle(case, owner):
            waiting = show_number(min(busy, link.connections))
            used = TEXTS.used(show_number(tier.cpu.mean), show_cores(tier.cores))
            yield Hypothesis(
                component=tier.name,
                signs=(
                    _by_the_account(case, tier),
                    Sign(True, TEXTS.idle_too(used, owner.name), tier.cpu.source, SLIGHT),
                ),
                effect=TEXTS.effect(waiting),
                mend=_mend(tier),
                decides=TEXTS.let_probe_read(tier.name),
            )
            return


def _by_the_account(case: Case, tier: Tier) -> Sign:
    """Return the sign that statements wait inside the database, and far fewer than wait are let through.

    A statement that is slow by itself waits there as well, though as many as come do so at once.
    """
    account, through = case.account, alone(case)
    component = account.component(tier.name) if account is not None else None
    unread = Sign(None, unseen(case, tier, TEXTS.locks_not_read), locking(tier))
    if account is None or component is None or through is None:
        return unread
    inside_ms = sum(line.ms for line in component.lines if line.state == "inside")
    waiting = inside_ms / 1e3 * account.requests_per_s
    inside, whole = show_duration(inside_ms / 1e3), show_duration(component.total_ms / 1e3)
    source = FormulaSource(TEXTS.ms_s(f"{inside_ms:.3g}", f"{account.requests_per_s:.3g}", f"{waiting:.3g}"))
    if waiting < FEW_WAIT:
        return Sign(False, TEXTS.request_passed_no(inside), source)
    if inside_ms < MOST_WAIT * component.total_ms:
        return unread
    text = TEXTS.request_passed_no_core(whole, inside, show_number(waiting), show_number(through.at_once))
    return Sign(through.at_once <= LET_THROUGH * waiting, text, source, STRONG)


def _mend(tier: Tier) -> str:
    top = costliest(tier, "mariadb.digest_s") or costliest(tier, "postgresql.statement_s")
    which = TEXTS.look_at(top[0]) if top else ""
    return TEXTS.make_transaction_shorter(which)
