"""More connections are opened to the database than it can use: than it has cores, or takes at all."""

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, OwnWords, Proof
from loadrig.judgement.constants import FULL_SHARE, MOSTLY
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Hypothesis, Sign, by_arithmetic
from loadrig.judgement.facts import dependencies, observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import Repeated, repeated
from loadrig.judgement.facts.timeline import Track
from loadrig.judgement.own_words import spoken
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.pool_too_large import PoolTooLargeTexts

TEXTS = texts_of(PoolTooLargeTexts)

ABOUT = About("pool", "signs", harms=OF_ANY_LIMIT - {"tail"})

FULL = ("connections", "full")
"""Resource of a line of a log, and what became of it: the program takes no more connections."""

OWN_WORDS = (
    # It takes no more clients: those who ask open more connections than it has places for.
    OwnWords(FULL[0], FULL[1:], "asker", ("postgresql", "mariadb", "redis")),
)

PROOFS = (Proof("knob", ("pool",), "less"),)

CROWD_OF_STATEMENTS = 4.0
"""Statements at work for each core, from which on there are too many. Two a core keep it busy while some wait
for the disk or the network (PostgreSQL wiki, "Number Of Database Connections"); twice that only queue."""

FEWEST_STATEMENTS = 8.0
"""Statements at work. Below it there is no crowd, however few cores there are."""


def own_words_apply(case: Case, component: str) -> bool:
    """Return whether a component has a pool: one that opens a connection for each request has none."""
    return not any(
        link.owner.name == component and link.to.is_database and _are_opened_anew(case, link)
        for link in dependencies.links(case)
    )


def _are_opened_anew(case: Case, link: dependencies.DependencyLink) -> bool:
    """Return whether connections are opened for requests, by those that the database lets in.

    A pool of which some are refused asks again and again, but what was let in stays. Each refusal may be
    written down by who refuses, by who asks, and by who passes it on.
    """
    refused = max((line.count for line in spoken(case) if (line.resource, line.what) == FULL), default=0)
    let_in = link.opened_a_request * case.load.ended_rps - refused / case.measured_s
    return let_in > dependencies.CHURN * (case.load.ok_rps or case.load.ended_rps)


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each pool in front of a crowded database."""
    for link in dependencies.links(case):
        tier, running = link.to, dependencies.at_work(link.to)
        again = repeated(case, tier) if tier.is_database else None
        if again is not None:
            yield _of_conflicts(link, again)
        elif tier.is_database and running >= FEWEST_STATEMENTS and tier.cpu is not None:
            yield _hypothesis(case, link, tier.cpu, running)


def _of_conflicts(link: dependencies.DependencyLink, again: Repeated) -> Hypothesis:
    """Return the hypothesis that so many transactions are open at once that most of them conflict."""
    tier, connections, cores = link.to, show_number(link.connections), show_cores(link.to.cores)
    wanted = str(max(2, round(2 * tier.cores)))
    are_many = link.connections >= max(FEWEST_STATEMENTS, CROWD_OF_STATEMENTS * tier.cores)
    thrown_away = TEXTS.thrown_away(show_share(again.share))
    signs = (
        Sign(True, TEXTS.rolled_back(show_number(again.each)), again.track.source, STRONG),
        by_arithmetic(are_many, TEXTS.connections(connections, cores)),
    )
    effect = TEXTS.effect_of_conflicts(connections, tier.name, show_number(again.each))
    mend, decides = TEXTS.mend(wanted, tier.name), TEXTS.decides(wanted)
    return Hypothesis(
        link.owner.name, signs, effect, mend, decides, bound=again.share, bound_text=thrown_away,
        detail=f"conflicts: {tier.name}",
    )  # fmt: skip


def _hypothesis(case: Case, link: dependencies.DependencyLink, cpu: Track, running: float) -> Hypothesis:
    tier, statements, connections = link.to, show_number(running), show_number(link.connections)
    cores, wanted = show_cores(tier.cores), max(2, round(2 * tier.cores))
    are_many = running >= max(FEWEST_STATEMENTS, CROWD_OF_STATEMENTS * tier.cores)
    is_full = dependencies.fullness(case, tier) >= FULL_SHARE
    is_locked, at_work = dependencies.lock_waits(tier) >= MOSTLY * running, dependencies.working(tier)
    signs = (
        Sign(are_many, TEXTS.statements_work_once(statements, tier.name, cores), at_work),
        Sign(is_full, TEXTS.used(tier.name, show_number(cpu.mean), cores), cpu.source, SLIGHT),
        Sign(not is_locked, TEXTS.most_them_waited if is_locked else TEXTS.few_them_waited, at_work, 0.0),
        by_arithmetic(None, TEXTS.whether_fewer_connections, formula=TEXTS.connections(connections, cores)),
    )
    delay, waited = tier.track("process.run_delay_s", "tree"), TEXTS.threads_waited_core(tier.name)
    return Hypothesis(
        link.owner.name, signs, TEXTS.effect(connections, statements, cores, tier.name),
        mend=TEXTS.mend(str(wanted), tier.name), decides=TEXTS.decides(str(wanted)),
        more=observed.evidence(delay, CROWD_OF_STATEMENTS * tier.cores, waited, SLIGHT),
    )  # fmt: skip
