"""Statements wait for each other's rows or tables, while the database stands idle."""

import math

from loadrig.base.units import show_cores, show_duration, show_number
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, OwnWords
from loadrig.judgement.constants import FULL_SHARE, MOSTLY, TRACE_WAITERS
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Claims, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import dependencies, observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.judgement.facts.waits import few_let_through
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.row_lock import RowLockTexts

TEXTS = texts_of(RowLockTexts)

ABOUT = About("lock", "signs", harms=OF_ANY_LIMIT | {"dips"})

OWN_WORDS = (
    OwnWords("locks", ("waited", "timed_out", "deadlock", "conflict"), "asked", ("postgresql", "mariadb")),
)

GAIN = Law("share")


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each SQL database in which sessions wait for a lock, or may."""
    for tier in case.programs:
        waiting = dependencies.lock_waits(tier) if tier.is_database else 0.0
        if waiting >= TRACE_WAITERS:
            yield _hypothesis(case, tier, waiting)
        elif math.isnan(waiting):
            yield from _out_of_sight(case, tier)


def where_nothing_is_wrong(case: Case) -> Claims:
    """Yield the database for whose locks requests wait most of their time, though all are answered well."""
    for tier in case.programs:
        waiting = dependencies.lock_waits(tier) if tier.is_database else 0.0
        if case.load.share_waiting(waiting) >= MOSTLY:
            yield _hypothesis(case, tier, waiting)


def _hypothesis(case: Case, tier: Tier, waiting: float) -> Hypothesis:
    load, among, number = case.load, max(waiting, dependencies.at_work(tier)), show_number(waiting)
    # Requests that wait for a connection wait behind sessions that wait for the lock.
    connections = sum(link.connections for link in dependencies.links(case) if link.to is tier)
    in_database = min(load.waiting, connections or math.inf)
    text = TEXTS.sessions_work_waited(number, show_number(among))
    signs = [Sign(waiting >= max(0.5, MOSTLY * among), text, dependencies.locking(tier), STRONG)]
    text = TEXTS.used_meanwhile(show_number(observed.figure(tier.cpu)), show_cores(tier.cores))
    signs += observed.signs(tier.cpu, dependencies.fullness(case, tier) < FULL_SHARE, text)
    effect, p50 = TEXTS.sessions_waited_lock(number), load.latency(0.5)
    if load.ended_rps:
        effect += TEXTS.each_request(show_duration(waiting / load.ended_rps))
        effect += TEXTS.whose_median(show_duration(p50)) if math.isfinite(p50) else ""
    bound = min(1.0, waiting / in_database) if in_database else 0.0
    bound_text = TEXTS.requests_database_waited(number, show_number(in_database))
    mend, more = _mend(tier), tuple[Evidence, ...]()
    if (holder := _foreign_holder(tier)) is not None:
        name, track = holder
        effect += TEXTS.held_by(name)
        mend, more = TEXTS.mend_holder(name), (Evidence(TEXTS.waited_behind(name), track.source, CLEAR),)
    return Hypothesis(tier.name, tuple(signs), effect, mend, more=more, bound=bound, bound_text=bound_text)


def _foreign_holder(tier: Tier) -> tuple[str, Track] | None:
    """Return the program that holds what most sessions of another one wait for; None where they are alike."""
    pairs = tier.parts("postgresql.lock_pairs")
    behind = {pair: tuple(pair.split(" behind ", 1)) for pair in pairs if " behind " in pair}
    foreign = [pair for pair, (waiter, holder) in behind.items() if waiter != holder]
    most = max(foreign, key=lambda pair: pairs[pair].mean, default=None)
    if most is None:
        return None
    holder = behind[most][1]
    of_holder = sum(pairs[pair].mean for pair in foreign if behind[pair][1] == holder)
    if of_holder < MOSTLY * sum(track.mean for track in pairs.values()):
        return None
    return holder.removeprefix("client:"), pairs[most]


def _out_of_sight(case: Case, tier: Tier) -> Claims:
    """Yield the hypothesis of a database without readings, where requests wait and all CPUs idle."""
    caller = dependencies.idle_caller(case, tier)
    if tier.cpu is None or caller is None or dependencies.fullness(case, tier) >= FULL_SHARE:
        return
    unseen = dependencies.unseen(case, tier, TEXTS.locks_not_read)
    unread = Sign(None, unseen, dependencies.locking(tier))
    used = TEXTS.used(show_number(tier.cpu.mean), show_cores(tier.cores))
    is_idle = Sign(True, TEXTS.idle_too(used, caller[0].name), tier.cpu.source, SLIGHT)
    signs = (few_let_through(case, tier) or unread, is_idle)
    yield Hypothesis(
        tier.name, signs, TEXTS.effect(show_number(caller[1])), _mend(tier), TEXTS.let_probe_read(tier.name)
    )


def _mend(tier: Tier) -> str:
    top, _ = dependencies.top_statement(tier)
    return TEXTS.make_transaction_shorter(TEXTS.look_at(top) if top else "")
