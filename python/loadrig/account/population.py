"""Number of requests that a component holds at a time, where requests wait, and how fast it is then.

While requests wait unread or not accepted, whatever takes them up is taken all the time: workers, threads,
an event loop. If the number in hand then stays the same, that is how many there are, and what they answer
then is all that they can. Where it does not, as with an event loop that has any number in hand, nothing is
said.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig.account.growth import BLOCK_S
from loadrig.account.load import LoadSeries
from loadrig.account.means import draw
from loadrig.account.observations import Observations
from loadrig.base.later import Later

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

LEAST_S = 8.0
"""Least time in which requests waited, in seconds: an interval can be had of eight readings."""

STEADY = 0.15
"""Coefficient of variation of the number in hand, over seconds in which requests waited. Up to it the number
is one of slots: looks at random instants, some 25 a second, see two full slots within 0.1."""

WAITING = 2.0
"""Waiting requests for each request in hand. From it on the queue is hardly ever empty within a second."""

LEAST_HELD = 0.5
"""Least number of requests in hand: below it the waiting cannot be put down to slots."""

MOST_TIED = 0.1
"""Ratio of connections whose stage is unknown to requests in hand. Up to it the number in hand counts as
known."""


@dataclass(frozen=True, slots=True)
class Held:
    """Largest number of requests that a component holds at a time, and what it answers then.

    component: its name. number: requests at a time. rps: requests a second while all were taken; low, high:
    its 95 % interval. used_share: of the number, in the measured part, 0 to 1.
    """

    component: str
    number: float
    rps: float
    low: float
    high: float
    used_share: float

    @property
    def seconds(self) -> float:
        """Time for which a request is held."""
        return self.number / self.rps


def held_of(tier: Observations, load: LoadSeries) -> Held | None:
    """Return how many requests a component holds at most.

    None where that number was not reached, or varies.
    """
    if tier.in_hand is None or tier.unread is None or tier.accept_queue is None or tier.is_multiplexed:
        return None
    waiting, in_hand = tier.unread + tier.accept_queue, tier.in_hand
    inside = load.is_measured if load.is_of_levels is None else load.is_of_levels
    with np.errstate(invalid="ignore"):
        is_full = inside & (in_hand > LEAST_HELD) & (waiting >= np.maximum(1.0, WAITING * in_hand))
    if load.seconds[is_full].sum() < LEAST_S:
        return None
    drawn = draw(load, is_full, BLOCK_S)
    interval = None if drawn is None else drawn.interval(drawn.rate)
    if drawn is None or interval is None:
        return None
    number = float(np.average(in_hand[is_full], weights=load.seconds[is_full]))
    spread = float(np.average((in_hand[is_full] - number) ** 2, weights=load.seconds[is_full]) ** 0.5)
    tied = 0.0 if tier.tied is None else float(np.nanmean(tier.tied[is_full]))
    if spread > STEADY * number or tied > MOST_TIED * number:
        return None
    measured = load.is_measured & np.isfinite(in_hand)
    used = float(np.average(in_hand[measured], weights=load.seconds[measured])) if measured.any() else number
    return Held(
        tier.name, number, float(drawn.rate[0]), max(0.0, interval[0]), interval[1], min(1.0, used / number)
    )
