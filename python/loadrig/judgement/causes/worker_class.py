"""Sync workers serve one request after the other, and spend that time waiting: the wrong worker class."""

from loadrig.base.units import show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, Proof
from loadrig.judgement.constants import MOSTLY_WAIT
from loadrig.judgement.evidence import Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.slots import advised, slots_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.worker_class import WorkerClassTexts

TEXTS = texts_of(WorkerClassTexts)

ABOUT = About("workers", "size", full=("slots",), refines="too_few_workers", harms=OF_ANY_LIMIT | {"stopped"})

PROOFS = (
    Proof("knob", ("threads",)),
    # gthread with one thread serves no more than sync does.
    Proof("knob", ("class",), "other", is_needed=False),
)

GAIN = Law("slots", "threads")


def fits(tier: Tier) -> bool:
    """Return whether a server's slots are sync workers, as many as are advised, that mostly wait."""
    slots = slots_of(tier)
    if slots is None or slots.kind != "sync" or tier.cpu is None:
        return False
    return slots.workers >= advised(tier) and tier.cpu.mean <= MOSTLY_WAIT * slots.number


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:
    """Return its words: how little CPU a worker uses while it is taken."""
    slots = slots_of(tier)
    if slots is None:
        return Wording()
    cpu_each = tier.cpu.mean / slots.number if tier.cpu is not None else 0.0
    effect = TEXTS.effect(
        show_number(resource.waiting), slots.text, show_share(cpu_each), show_number(case.load.ok_rps)
    )
    return Wording(effect, TEXTS.mend, TEXTS.decides)
