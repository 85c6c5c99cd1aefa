"""Somebody else takes the cores: another program of the machine, or another virtual machine beside it.

## Signature

The cores that the server may use are full, a good part of them by programs that are none of those measured
or by the hypervisor (steal), and the server's threads wait for a core.

## Data

CPU time of each core, of every program that the case knows, and of the generator; steal; time that threads
waited for a core (schedstat).

## Deciding test

The same load with the server on cores of its own, or at a time when the machine is quiet: throughput rises.
`--prove` touches nobody else's programs: it lets the server go first on its cores for some seconds, and
throughput rises. Where it may not, it takes a fifth of the cores that are full, and the server must answer
less by as much; where it does not, the cores are not what it lacks.

## Guard

A neighbour costs no more than the server's threads waited for a core, whatever share of it the neighbour
uses. The generator and the rig are no neighbours; where they may be on these cores, their part is taken off
generously. And no program that works for the server is one: what it calls
on this machine and cannot be seen would look like a stranger. Burst credits that the machine has used up
itself look like steal.

## Fix

Move the neighbour, pin it to other cores or lower its share (nice, cpu.weight); another host.
"""

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
    used, cores, got = show_number(holder.used), show_cores(len(use.cores)), show_number(tier.cpu.mean)
    return Wording(
        effect=TEXTS.took(holder.what, used, cores, tier.name, got),
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
