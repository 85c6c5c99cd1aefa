"""One process of CPython runs Python code on one core at a time: its interpreter lock (GIL) is used up."""

import math

from loadrig.base.units import show_number
from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.evidence import SLIGHT, Evidence, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import HAVE_WORKERS, Tier
from loadrig.judgement.facts.work import hot_function
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.gil import GilTexts

TEXTS = texts_of(GilTexts)

ABOUT = About("cpu", "size", full=("interpreter",))

PROOFS = (Proof("knob", ("workers",)), Proof("cpu", is_needed=False, is_own=False))

GAIN = Law("slots", "CPU")


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:
    """Return its words: who waited, which function held the lock, and how many processes there could be."""
    top = hot_function(case, tier)
    held = [] if top is None else [Evidence(TEXTS.held_by(top[0]), top[1], SLIGHT)]
    effect = TEXTS.waited(show_number(resource.waiting), show_number(case.load.ok_rps))
    mend = TEXTS.mend(_processes(tier)) + ("" if top is None else TEXTS.or_cheaper(top[0]))
    return Wording(effect, mend, TEXTS.decides, evidence=tuple(held))


def _processes(tier: Tier) -> str:
    wanted = max(2, math.ceil(tier.cores))
    return f"--workers={wanted}" if tier.kind in HAVE_WORKERS else TEXTS.behind_an_address(str(wanted))
