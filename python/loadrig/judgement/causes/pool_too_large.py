"""A pool lets more statements into the database than it has cores for.

## Signature

Far more statements are at work in the database than it has cores, its CPU is used up, and they do not
wait for locks: they wait for a core, inside, where they hold memory, locks and connections meanwhile.

## Data

Sessions at work, the database's cores and CPU time, connections of the one who owns the pool.

## Deciding test

`--prove` takes connections from the pool, in turns, where its size is a knob: throughput rises, and a
statement takes less time. Where throughput stays, the pool's size costs nothing.

## Guard

A database whose CPU is used up makes a large pool look busy: then the pool is only where the queue stands.
Statements that wait for locks or for the disk are no sign.

## Fix

About two connections for each core of the database.
"""

from collections.abc import Iterator

from loadrig.base.units import show_cores, show_number
from loadrig.judgement.about import About
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import SLIGHT, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import (
    DependencyLink,
    at_work,
    fullness,
    links,
    lock_waits,
    working,
)
from loadrig.judgement.facts.track import Track
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof

TITLE = "the pool lets more statements into the database than it has cores"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "missed"})
ABOUT = About("pool", "signs")

OWN_WORDS = (
    # It takes no more clients: those who ask open more connections than it has places for.
    OwnWords("connections", ("full",), "asker", ("postgresql", "mariadb", "redis")),
)

PROOFS = (Proof("knob", ("pool",), "less"),)

CROWD = 4.0
"""Statements at work for each core, from which on there are too many. Two a core keep it busy while some wait
for the disk or the network (PostgreSQL wiki, "Number Of Database Connections"); twice that only queue."""

FEWEST_STATEMENTS = 8.0
"""Statements at work. Below it there is no crowd, however few cores there are."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each pool in front of a crowded database."""
    for link in links(case):
        tier, running = link.to, at_work(link.to)
        if tier.is_database and running >= FEWEST_STATEMENTS and tier.cpu is not None:
            yield _hypothesis(case, link, tier.cpu, running)


def _hypothesis(case: Case, link: DependencyLink, cpu: Track, running: float) -> Hypothesis:
    tier, statements, connections = link.to, show_number(running), show_number(link.connections)
    cores, wanted = show_cores(tier.cores), max(2, round(2 * tier.cores))
    crowd = f"{statements} statements were at work in {tier.name} at once, on {cores}"
    locked = lock_waits(tier) >= 0.5 * running
    few = "most of them waited for a lock" if locked else "few of them waited for a lock"
    untried = "whether fewer connections would do was not tried: a study over the pool's size would show it"
    return Hypothesis(
        component=link.owner.name,
        signs=(
            Sign(running >= max(FEWEST_STATEMENTS, CROWD * tier.cores), crowd, working(tier)),
            Sign(
                fullness(case, tier) >= FULL_SHARE,
                f"{tier.name} used {show_number(cpu.mean)} of {cores}",
                cpu.source,
                SLIGHT,
            ),
            Sign(not locked, few, working(tier), 0.0),
            Sign(None, untried, FormulaSource(f"{connections} connections, {cores}")),
        ),
        more=observed.evidence(
            tier.track("process.run_delay_s", "tree"),
            CROWD * tier.cores,
            f"threads of {tier.name} waited for a core {{}} s every second",
            SLIGHT,
        ),
        effect=f"{connections} connections kept {statements} statements waiting for {cores} of {tier.name}",
        mend=f"try a pool of {wanted}, about two connections for each core of {tier.name}",
        decides=f"the same load with a pool of {wanted}: throughput stays or rises, statements get faster",
    )
