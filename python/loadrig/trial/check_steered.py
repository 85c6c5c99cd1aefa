"""Check G17: whether a person changed the load while it ran.

It weakens nothing: after each change the warm-up begins anew, so the figures are of one load. Its reader must
know that this load is not the plan's.
"""

from collections.abc import Iterator

from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import Reason, Remark


def g17_steered(run: ValidityEvidence) -> Iterator[Remark]:
    """Check for orders of a person that changed the load or ended it."""
    if run.steered:
        yield Reason("G17", "note", "; ".join(run.steered))
