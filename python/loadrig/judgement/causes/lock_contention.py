"""Threads of the application wait for a lock that one of them holds."""

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, OwnWords
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.evidence import STRONG, Claims, Evidence, FormulaSource, Hypothesis, Sign, Wording
from loadrig.judgement.facts.carriers import full_dependency
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import has_room
from loadrig.judgement.facts.locks import FORMULA, LockWait, lock_wait_of, standing_inside, traces_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.harms import standstill
from loadrig.judgement.limits.internal import asking_share
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.lock_contention import LockContentionTexts

TEXTS = texts_of(LockContentionTexts)

ABOUT = About("lock", "use", full=("lock",), harms=OF_ANY_LIMIT | {"stopped"})

# SQLite is a library: the lock of its file is taken and waited for by the program's own threads.
OWN_WORDS = (OwnWords("locks", ("timed_out",), systems=("sqlite",)),)

GAIN = Law("share")

SHOWN_BY = {
    "go": (TEXTS.go_shows, TEXTS.go_names),
    "jvm": (TEXTS.jvm_shows, TEXTS.jvm_names),
    "cpython": (TEXTS.python_shows, TEXTS.python_names),
}
"""Clauses on what shows where threads stand, and on the way to the lock, by the runtime of a program."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each program with threads in a lock, or that works like such a program."""
    standing = standstill.of(case)
    if standing is not None and standstill.is_deadlocked(case, standing):
        yield _deadlock(case, standing)
        return
    for tier in case.programs:
        wait = lock_wait_of(case, tier)
        if wait is not None:
            yield _hypothesis(case, tier, wait)


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:  # noqa: ARG001
    """Return its words: of an event loop that is free, what tasks take turns at."""
    component = case.account_of(tier.name)
    asking = asking_share(component, tier) if component is not None else 0.0
    if asking < MOSTLY:
        return Wording()
    text = TEXTS.loop_is_free(show_share(asking))
    return Wording(mend=TEXTS.mend_tasks, evidence=(Evidence(text, FormulaSource(text)),))


def where_nothing_stands(case: Case) -> Claims:
    """Yield that requests wait inside the loaded server for what was not seen, where nothing was full."""
    wait = standing_inside(case)
    if wait is not None:
        yield _hypothesis(case, case.server, wait)


def _deadlock(case: Case, standing: standstill.Standstill) -> Hypothesis:
    """Return the hypothesis of requests that wait for each other, or for what nobody gives back."""
    tier, waiting = case.server, show_number(standing.waiting)
    assert tier.cpu is not None  # without it no program is known to stand idle
    signs = (
        Sign(True, TEXTS.stood_idle(waiting), tier.cpu.source, STRONG),
        Sign(None, TEXTS.deadlock_unseen(_shown_by(tier)[0]), tier.cpu.source),
    )
    effect = TEXTS.wait_for_each_other(waiting, show_duration(standing.seconds))
    return Hypothesis(tier.name, signs, effect, TEXTS.mend_deadlock, TEXTS.decides_deadlock)


def _hypothesis(case: Case, tier: Tier, wait: LockWait) -> Hypothesis:
    waiters, share, full = wait.waiters, wait.share, full_dependency(case, tier)
    shows, names = _shown_by(tier)
    unseen = Sign(None, TEXTS.waits_unseen(shows), FORMULA)
    signs = [wait.sign or unseen, has_room(case, tier)]
    if full is not None:
        # Threads that were seen in a lock do wait for it. Whether a full dependency makes them hold the lock
        # for long is said by the dependency's own cause.
        signs.append(Sign(waiters is not None, full.text, full.source, 0.0))
    shown = TEXTS.in_flight(show_number(wait.in_hand)) if waiters is None else waiters.text
    rate, cpu = show_number(case.load.ok_rps), tier.cpu
    return Hypothesis(
        tier.name, tuple(signs),
        TEXTS.at_cores(shown, rate, show_number(cpu.mean)) if cpu else TEXTS.at_unknown_cores(shown, rate),
        TEXTS.mend_file(waiters.file) if waiters is not None and waiters.file else TEXTS.mend(names),
        more=tuple(traces_of(case, tier, wait.served)),
        bound=share, bound_text="" if share is None else TEXTS.waits_share(show_share(share)),
    )  # fmt: skip


def _shown_by(tier: Tier) -> tuple[str, str]:
    """Return clauses on what shows where a program's threads stand, and on the way to the lock."""
    return SHOWN_BY.get(tier.runtime, (TEXTS.stacks_show, TEXTS.stacks_name))
