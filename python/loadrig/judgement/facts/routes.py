"""Amounts that the requests of one route take: statements, rows or connections, by how the mix varies.

A counter of a dependency has no route on it. Where users choose among routes, though, the mix is never quite
the same for two steps, and a route whose requests ask for more shows: the amount for each request follows its
share of the requests along a line, which at a share of 1 is what a request of that route takes, and at 0 what
the others take. A page that makes forty statements and is one request of five makes eight "for each request",
as a page of a shop does.
"""

from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_number
from loadrig.judgement.facts.case import Case
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsRoutesTexts
from loadrig.recording.steps import Floats
from loadrig.stats.slope import slope

TEXTS = texts_of(JudgementFactsRoutesTexts)

SURELY_MORE = 0.001
"""Chance, 0 to 1, below which a route's requests take more than others by no chance: several routes and
several counters are looked at in each trial."""

SHARES = (0.01, 0.9)
"""Share of the requests, 0 to 1, least and most, of a route that is told from the others: of fewer requests
too few came in a step, and more than that are nearly all."""

SHORT_STEP = 0.5
"""Requests of a step over the usual number, 0 to 1, below which its mix is not looked at: the last step of a
load is cut off, and a mix of few requests differs from the usual one by chance alone."""


@dataclass(frozen=True, slots=True)
class Heaviest:
    """The route whose requests take most of an amount.

    amount: for a request of it. part: of what all requests take, that of its own.
    """

    route: str
    amount: float
    part: float

    @property
    def text(self) -> str:
        """Clause on what a request of the route takes, for the end of a sentence on all requests."""
        return TEXTS.each_of(show_number(self.amount), self.route)


def heaviest(case: Case, growth: Floats, chance: float = SURELY_MORE) -> Heaviest | None:
    """Return the route whose requests surely take more of a counter than others do; None where none does.

    growth: of the counter, a second, on the steps of the case. chance: highest p with which that is sure.
    """
    load = case.load
    served = sum(load.routes.values(), np.zeros(case.seconds.size))
    if len(load.routes) < 2 or not case.is_inside.any():
        return None
    number = served * case.seconds
    least = max(1.0, SHORT_STEP * float(np.median(number[case.is_inside])))
    is_known = case.is_inside & np.isfinite(growth) & (number >= least)
    if not is_known.any():
        return None
    amounts = growth[is_known] / served[is_known]
    routes = [
        part
        for route, rate in load.routes.items()
        if (part := _part(route, rate[is_known] / served[is_known], amounts, chance)) is not None
    ]
    return max(routes, key=lambda part: part.amount, default=None)


def _part(route: str, share: Floats, amounts: Floats, chance: float) -> Heaviest | None:
    """Return what a route's requests take by its share of the requests, where that is surely more."""
    usual = float(share.mean())
    if not SHARES[0] <= usual <= SHARES[1]:
        return None
    order = np.argsort(share, kind="stable")
    line = slope(share[order], amounts[order])
    if line is None or not line.value > 0 or line.p > chance:
        return None
    mean = float(amounts.mean())
    others = max(0.0, mean - usual * line.value)
    amount = (mean - (1 - usual) * others) / usual
    return Heaviest(route, amount, usual * amount / mean)
