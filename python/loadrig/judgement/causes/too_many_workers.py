"""More workers or threads run than there are cores for them, and they get in each other's way."""

from loadrig.base.units import show_cores, show_duration, show_number
from loadrig.judgement.cause import About, Proof
from loadrig.judgement.evidence import SLIGHT, Evidence, FormulaSource, Wording
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import alone
from loadrig.judgement.facts.tier import HAVE_WORKERS
from loadrig.judgement.limits.holders import Holder
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.too_many_workers import TooManyWorkersTexts

TEXTS = texts_of(TooManyWorkersTexts)

ABOUT = About("workers", "use")

PROOFS = (Proof("knob", ("workers", "threads"), "less"), Proof("cpu", is_needed=False, is_own=False))


def wording_of_holder(case: Case, holder: Holder) -> Wording:
    """Return its words: how many there are for how many cores, and what to type for fewer."""
    tier = case.tiers[holder.component]
    running, cores = tier.track("process.threads", "state:R"), show_cores(tier.cores)
    evidence = observed.evidence(running, 0, TEXTS.threads_wanted_run("{}", cores), SLIGHT)
    served, rps = alone(case), case.load.ok_rps
    cost_s = tier.cpu.mean / case.load.ended_rps if tier.cpu is not None and rps > 0 else 0.0
    if served is not None and cost_s > served.at_once / rps:
        text = TEXTS.dearer(show_duration(cost_s), show_duration(served.at_once / rps))
        evidence = (Evidence(text, FormulaSource(text)), *evidence)
    effect = TEXTS.effect(str(max(1, tier.workers)), cores, holder.what, show_number(holder.used))
    fewer = str(max(1, round(tier.cores) + 1))
    mend = TEXTS.mend(f"--workers {fewer}" if tier.kind in HAVE_WORKERS else fewer)
    return Wording(effect, mend, TEXTS.decides, evidence=evidence)
