"""Dips of throughput over hours: which are worth reporting, and what comes with them.

Over hours a dip is sure even if it costs little: when each dip has its event and each event its dip, again
and again, the dips are real, though they lose less than a hundredth of the requests. All other rules are
those of `judgement.harms.dips`.
"""

from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import dips
from loadrig.judgement.harms.dips import Aligned, Dips

FEWEST_DIPS_WITH_EVENT = 5
"""Number of dips with an event each from which on they are reported, although little is lost by them."""

SURE_OF_STREAM = 0.05
"""Greatest probability that a stream would be so close to the dips by chance, corrected for the number of
streams."""

MOST_APART = 4
"""Greatest number of steps between an event and the deepest step of its dip: a long dip has no clear
deepest step."""

LEAST_MET = 0.75
"""Share of the dips that must have an event, and of the events that must have a dip."""


def reported(case: Case) -> Dips | None:
    """Return the dips of a case that are worth reporting; None where there are none."""
    all_dips = dips.of(case)
    if all_dips is None or not all_dips.dips:
        return None
    return all_dips if all_dips.is_harm or _is_sure(all_dips) else None


def beside(all_dips: Dips) -> Aligned | None:
    """Return what comes with the dips: the stream that accounts for them best, else one that is in each."""
    return all_dips.best or next((aligned for aligned in all_dips.aligned if _is_with_each(aligned)), None)


def _is_with_each(aligned: Aligned) -> bool:
    coincidence = aligned.coincidence
    return aligned.is_in_each and coincidence.effect > 0 and abs(coincidence.lag) <= MOST_APART


def _is_sure(all_dips: Dips) -> bool:
    best = beside(all_dips)
    if best is None or len(all_dips.dips) < FEWEST_DIPS_WITH_EVENT or best.q > SURE_OF_STREAM:
        return False
    return min(best.coincidence.recall, best.coincidence.precision) >= LEAST_MET
