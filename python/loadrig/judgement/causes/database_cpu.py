"""The CPU that a database may use is used up.

## Signature

The database uses nearly all of the cores, or of the quota, that it may use; those who ask it do not.
More statements are at work in it than it has cores, so they queue inside.

## Data

CPU time of the database's process and of its cores, its quota, its sessions at work; service demand: CPU time
of the database for each request.

## Deciding test

`--prove` gives the database a quarter more CPU while load runs, or takes a fifth of it: throughput follows
in proportion (elasticity about 1). The application's CPU and its knobs move nothing.

## Guard

A missing index makes the same picture, and is then the cause. On a core that it shares, who uses it counts.
Full pools, busy threads and waiting requests in front of it are its symptoms: more connections only queue.

## Fix

The costliest statement first (an index, a cache, fewer of them); then more cores.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.causes._dependencies import (
    at_work,
    costliest,
    fullness,
    leads,
    lock_waits,
    locking,
    stands_idle,
    unseen,
    working,
)
from loadrig.judgement.causes.host_cpu import busy_cores
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
from loadrig.judgement.limits.ceilings import ceilings
from loadrig.judgement.proofs import Proof

TITLE = "the database's CPU is used up"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "missed", "dips", "drift"})
ABOUT = About("cpu", "size")

PROOFS = (Proof("cpu", is_conviction=False), Proof("knob", ("quota",), is_needed=False))
"""Experiments. The knob is not needed: it may be the quota of another tier."""

GAIN = Law("capacity", "CPU")

LEAST_DATABASE_USE = 0.10
"""Share of its cores that a database uses, 0 to 1. Below it the database is not suspected."""

QUEUED = 2.0
"""Statements at work for each core, from which on they queue: one is served, and one waits on average."""

ONE_QUEUES = 4.0
"""Statements at work in a database whose CPU cannot be seen. Below it they need not queue, whatever its
machine."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each SQL database that does anything."""
    for tier in case.programs:
        if not tier.is_database:
            continue
        if tier.cpu is None:
            yield from _out_of_sight(case, tier)
        elif tier.cpu.mean >= LEAST_DATABASE_USE * tier.cores:
            yield _hypothesis(case, tier)


def _hypothesis(case: Case, tier: Tier) -> Hypothesis:
    assert tier.cpu is not None
    own, cores, full = tier.cpu.mean, tier.cores, fullness(case, tier)
    busy = busy_cores(case, tier)
    is_limited = tier.quota < tier.places
    what = f"its quota of {show_cores(cores)}" if is_limited else show_cores(cores)
    text = f"it used {show_number(own)} of {what}"
    if math.isfinite(busy) and not is_limited:
        text += f", which {'was' if cores == 1 else 'were'} busy {show_share(min(1.0, busy / tier.places))}"
    signs = [
        Sign(full >= FULL_SHARE, text, tier.cpu.source, STRONG if own >= 0.7 * cores else CLEAR),
    ]
    if math.isfinite(busy) and busy > 0 and not is_limited:
        share = min(1.0, own / busy)
        own_text = f"{show_share(share)} of the busy time of its cores was its own"
        formula = FormulaSource(f"{show_cores(own)} / {show_number(busy)} busy cores")
        signs.append(Sign(leads(case, tier, busy), own_text, formula, SLIGHT))
    demand = own / case.load.ended_rps if case.load.ended_rps else math.nan
    ceiling = cores / demand if demand else math.nan
    more, against = _evidence(case, tier, own)
    effect = f"it used {show_number(own)} of {what}"
    if math.isfinite(demand):
        effect += f", {show_duration(demand)} for each request: full at {show_number(ceiling)}/s"
    after = next((c for c in ceilings(case) if c.component != tier.name), None)
    if after is not None and math.isfinite(ceiling) and after.rps > ceiling:
        effect += f"; the next limit is {after.what} of {after.component} at {show_number(after.rps)}/s"
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        more=tuple(more),
        against=tuple(against),
        effect=effect,
        mend=_mend(tier),
        decides=f"the same load with a quarter more CPU for {tier.name}: if this is it, throughput follows",
        bound=full,
        bound_text=f"{show_number(own)} of {what}"
        + (f": full at {show_number(ceiling)}/s" if math.isfinite(ceiling) else ""),
    )


def _evidence(case: Case, tier: Tier, own: float) -> tuple[list[Evidence], list[Evidence]]:
    more, against = [], []
    running, waiting = at_work(tier), lock_waits(tier)
    if running >= QUEUED * tier.cores + 1:
        text = f"{show_number(running)} statements were at work at once, on {show_cores(tier.cores)}"
        more.append(Evidence(text, working(tier), CLEAR))
    delay = tier.track("process.run_delay_s", "tree")
    if delay is not None and delay.mean > own:
        text = f"its threads waited for a core {show_number(delay.mean)} s every second"
        more.append(Evidence(text, delay.source, SLIGHT))
    for group, track in tier.parts("cgroup.throttled_periods").items():
        periods = tier.track("cgroup.periods", group)
        share = track.mean / periods.mean if periods is not None and periods.mean else 0.0
        if share >= 0.5:
            more.append(
                Evidence(f"its quota stopped it in {show_share(share)} of periods", track.source, CLEAR)
            )
    for caller in tier.callers:
        if caller.cpu is not None and stands_idle(case, caller):
            text = f"{caller.name}, which asks it, used {show_cores(caller.cpu.mean)}"
            more.append(Evidence(text, caller.cpu.source, SLIGHT))
        elif caller.cpu is not None and _is_full_apart(case, caller, tier):
            text = f"{caller.name}, which asks it, used up its cores too"
            against.append(Evidence(text, caller.cpu.source, CLEAR))
    if waiting >= 0.5 * max(running, 1.0):
        text = f"{show_number(waiting)} of these waited for a lock"
        against.append(Evidence(text, locking(tier), CLEAR))
    return more, against


def _is_full_apart(case: Case, caller: Tier, tier: Tier) -> bool:
    """Return whether a caller of the database uses up cores that are not the database's."""
    return not set(caller.cpus) & set(tier.cpus) and fullness(case, caller) >= FULL_SHARE


def _out_of_sight(case: Case, tier: Tier) -> Iterator[Hypothesis]:
    """Yield the hypothesis of a database whose sessions may be seen, but not its CPU time."""
    running, waiting = at_work(tier), lock_waits(tier)
    if not running >= ONE_QUEUES or waiting >= 0.5 * running:
        return
    share = min(1.0, running / case.load.waiting) if case.load.waiting else 0.0
    why = unseen(case, tier, f"the CPU of {tier.name} was not seen: let an observer run on its machine")
    yield Hypothesis(
        component=tier.name,
        signs=(Sign(None, why, SeriesSource(tier.name, "process.cpu_s", "tree"), CLEAR),),
        more=(
            Evidence(f"{show_number(running)} statements were at work in it at once", working(tier), CLEAR),
            Evidence("few of these waited for a lock", locking(tier), SLIGHT),
        ),
        effect=f"{show_number(running)} of {show_number(case.load.waiting)} requests in flight were in it",
        mend=_mend(tier),
        decides=f"a look at the CPU of {tier.name}: observers: [{{name: db, via: 'ssh HOST'}}]",
        bound=share,
        bound_text=f"{show_number(running)} of {show_number(case.load.waiting)} requests in flight",
    )


def _mend(tier: Tier) -> str:
    top = costliest(tier, "mariadb.digest_s") or costliest(tier, "postgresql.statement_s")
    first = (
        f"look at its costliest statement first ({top[0]})" if top else "make its statements cheaper first"
    )
    return f"{first}, then give it more cores; more connections or threads would only wait in it"
