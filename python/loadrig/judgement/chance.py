"""Chance that a finding is right, by how often findings like it were right on servers whose truth is known.

The words `likely` and `possible` say which gates a finding passed. How often such findings are right is
counted: on recordings of servers with faults drawn by chance a logistic line through a few of its traits was
fitted (`python -m bench zoo fit`), and held on kinds of servers that had been left out of the fit.
"""

import math
from collections.abc import Sequence
from typing import Protocol

from loadrig.judgement.declarations import about_of
from loadrig.judgement.evidence import Verdict

GREATEST_LEAD = 3.0
"""Ratio of gains beyond which a lead over the other findings says no more: the mend of either pays."""

TERMS = ("of every finding", "is the first", "is more than possible", "is a fact", "leads in gain")
"""Meaning of each term of the line, in its order."""

COEFFICIENTS = (-2.5, 1.1, 1.2, 1.5, 1.25)
"""Natural logarithms of odds for each term: the middle of what `python -m bench zoo fit` found in 52 cases of
a draw, as judged at first sight and after what they taught (docs/concepts/diagnosis.md)."""


class HasTraits(Protocol):
    """Traits that a chance depends on: of a finding, or of what a result says of one."""

    @property
    def cause(self) -> str:
        """Name of the cause."""

    @property
    def verdict(self) -> Verdict:
        """Certainty as a word."""

    @property
    def gain(self) -> float | None:
        """Ratio of good answers that its mend is foretold to bring."""


def terms_of(findings: Sequence[HasTraits], place: int) -> tuple[float, ...]:
    """Return the terms of a finding among the findings of its diagnosis, each 0 to about 1. place: from 0."""
    finding = findings[place]
    others = [other.gain or 1.0 for at, other in enumerate(findings) if at != place]
    lead = min((finding.gain or 1.0) / max(others, default=1.0), GREATEST_LEAD)
    return (
        1.0,
        float(place == 0),
        float(finding.verdict != "possible"),
        float(about_of(finding.cause).way == "fact"),
        max(0.0, math.log(lead)),
    )


def has_chance(finding: HasTraits) -> bool:
    """Return whether a chance is told: how often servers are healthy depends on which are looked at."""
    return finding.cause != "healthy"


def chance_of(findings: Sequence[HasTraits], place: int) -> float:
    """Return the chance of a finding among the findings of its diagnosis, 0 to 1. place: from 0."""
    terms = zip(COEFFICIENTS, terms_of(findings, place), strict=True)
    return 1 / (1 + math.exp(-sum(coefficient * term for coefficient, term in terms)))
