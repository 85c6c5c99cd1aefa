"""Somebody else takes the cores: another program of the machine, or another virtual machine beside it."""

from collections.abc import Iterator

from loadrig.base.units import show_cores, show_number
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Proof
from loadrig.judgement.evidence import CLEAR, SLIGHT, Evidence, FormulaSource, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import Use, use_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.limits.holders import Holder
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.noisy_neighbour import NoisyNeighbourTexts

TEXTS = texts_of(NoisyNeighbourTexts)

ABOUT = About("machine", "size", harms=OF_ANY_LIMIT | {"dips", "drift"})
PROOFS = (
    Proof("precedence", needed_in=("throughput",)),
    Proof("cores", is_own=False, is_conviction=False, needed_in=("throughput",)),
)
"""Experiments. A server that goes first does what it would do without the others. Less of the cores shows
only whether they are what it lacks."""

FITS_SHARE = 0.95
"""Share of the cores that the server alone would need, 0 to 1. Below it the server alone would have kept
up."""


def wording_of_holder(case: Case, holder: Holder) -> Wording:
    """Return its words: who took how much of whose cores, and whether the server alone would have kept up."""
    tier = case.tiers[holder.of]
    use = use_of(case, tier)
    if use is None or tier.cpu is None:
        return Wording()
    used, cores, own_cores = show_number(holder.used), show_cores(len(use.cores)), show_number(tier.cpu.mean)
    return Wording(
        effect=TEXTS.took(holder.what, used, cores, tier.name, own_cores),
        mend=holder.mend or TEXTS.mend,
        decides=TEXTS.decides,
        evidence=tuple(_would_fit(case, tier, use)),
    )


def _would_fit(case: Case, tier: Tier, use: Use) -> Iterator[Evidence]:
    """Yield evidence on an open load: whether the server alone would have had cores enough."""
    load = case.load
    if not load.is_open or not load.ended_rps or not use.ours:
        return
    need = use.ours / load.ended_rps * load.offered_rps
    if need < FITS_SHARE * len(use.cores):
        text = TEXTS.would_have_kept_up(show_number(need), show_cores(len(use.cores)), tier.name)
        formula = TEXTS.formula_of_need(
            f"{use.ours:.2f}", f"{load.ended_rps:.0f}", f"{load.offered_rps:.0f}", f"{need:.2f}"
        )
        yield Evidence(text, FormulaSource(formula), CLEAR if need < use.busy else SLIGHT)
