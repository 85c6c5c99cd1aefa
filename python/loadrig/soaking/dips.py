"""Dips of throughput over hours: which are worth a word, and what comes with them.

Over hours a dip need not cost much to be sure: when each has its event and each event its dip, again and
again, it is there, though the whole loses less than a hundredth by it. Everything else is as findings say.
"""

from loadrig.findings import dips
from loadrig.findings.case import Case
from loadrig.findings.dips import Aligned, Dips

FEWEST = 5
"""Dips, each with its event, from which on they are told although little is lost by them."""

SURE = 0.05
"""Chance that a stream would be so close to the dips by itself, corrected for the number of streams."""

MOST_APART = 4
"""Steps between an event and the deepest of its dip: a long one has no deepest step."""

LEAST_MET = 0.75
"""Of the dips that must have their event, and of the events their dip."""


def found(case: Case) -> Dips | None:
    """The dips of a case that are worth a word; None where there are none."""
    seen = dips.of(case)
    if seen is None or not seen.found:
        return None
    return seen if seen.is_harm or _is_sure(seen) else None


def beside(seen: Dips) -> Aligned | None:
    """What comes with dips: what accounts for them best, else what is in each of them."""
    return seen.best or next((one for one in seen.aligned if _is_with_each(one)), None)


def _is_with_each(one: Aligned) -> bool:
    seen = one.coincidence
    return one.is_in_each and seen.effect > 0 and abs(seen.lag) <= MOST_APART


def _is_sure(seen: Dips) -> bool:
    best = beside(seen)
    if best is None or len(seen.found) < FEWEST or best.q > SURE:
        return False
    return min(best.coincidence.recall, best.coincidence.precision) >= LEAST_MET
