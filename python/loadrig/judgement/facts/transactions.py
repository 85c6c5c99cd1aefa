"""Transactions of a database that are rolled back and made again: work that brings no answer."""

from dataclasses import dataclass

from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track

FOR_EACH_COMMITTED = 1.0
"""Transactions rolled back for each that is committed, from which on more of the work is thrown away than
used."""

OF_A_REQUEST = 2.0
"""Transactions rolled back for each request, from which on they are made again. One is usual: many libraries
roll back when they give back a connection that has only read."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Transactions that are made again.

    each: rolled back for each that is committed. a_request: rolled back for each request. track: the counter
    of those rolled back.
    """

    each: float
    a_request: float
    track: Track

    @property
    def share(self) -> float:
        """Share of all transactions that bring no answer, 0 to 1."""
        return self.each / (1 + self.each)


def repeated(case: Case, tier: Tier) -> Repeated | None:
    """Return how often a database's transactions are made again; None where that is seldom or not known."""
    if tier.kind == "mariadb":
        kinds = tier.parts("mariadb.statements")
        back, committed = kinds.get("rollback"), kinds.get("commit")
    else:
        back, committed = tier.track("postgresql.rollbacks"), tier.track("postgresql.commits")
    if back is None or committed is None or not committed.mean > 0 or case.load.ended_rps <= 0:
        return None
    times = Repeated(back.mean / committed.mean, back.mean / case.load.ended_rps, back)
    return times if times.each >= FOR_EACH_COMMITTED and times.a_request >= OF_A_REQUEST else None
