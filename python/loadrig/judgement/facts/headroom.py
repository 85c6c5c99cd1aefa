"""Whether a program could use more CPU than it does."""

import math

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.evidence import CLEAR, FormulaSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import busy_cores
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsHeadroomTexts

TEXTS = texts_of(JudgementFactsHeadroomTexts)

CORES_ROOM_SHARE = 0.15
"""Share of the cores that a program may use, 0 to 1, that must be free. With less, requests queue for a core
(5 of 6 of their time, M/M/1)."""


def free_share(case: Case, tier: Tier) -> float:
    """Return the share of a program's cores that nobody used; NaN where its CPU time was not read."""
    if tier.cpu is None or not tier.cores:
        return math.nan
    own = 1 - tier.cpu.mean / tier.cores
    busy = busy_cores(case, tier)
    return min(own, 1 - busy / tier.places) if math.isfinite(busy) else own


def has_room(case: Case, tier: Tier) -> Sign:
    """Return the sign that CPU time is not what is short."""
    free = free_share(case, tier)
    if math.isnan(free):
        return Sign(None, TEXTS.cpu_time_not(tier.name), FormulaSource(TEXTS.no_process_cpu), 0.0)
    assert tier.cpu is not None
    own = TEXTS.used_may_use(show_number(tier.cpu.mean), show_cores(tier.cores))
    if free >= CORES_ROOM_SHARE:
        return Sign(True, own, tier.cpu.source, CLEAR)
    return Sign(False, TEXTS.cores_busy_time(show_share(1 - max(free, 0.0))), tier.cpu.source, 0.0)
