"""Elasticity: by how much an outcome follows a capacity, from shuffled blocks in which one thing changes.

The elasticity of throughput by a capacity is d ln X / d ln C: 1 where that capacity is the limit, 0 where it
has nothing to do with it, between where several share. Source: Lazowska et al. 1984, Quantitative System
Performance, ch. 5 (bounds); Curtsinger & Berger, SOSP 2015 (change one thing and measure what moves).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadrig.stats.distributions import t_quantile
from loadrig.stats.noise import block_design
from loadrig.stats.stopping import repeated_confidence

LIMITS, CLEARED = 0.5, 0.15
"""Bounds of the elasticity: a capacity limits where the whole interval lies above the first, and does not
where it lies below the second."""

BASE = 0
"""Number of the treatment in which nothing is changed."""

Standing = Literal["limits", "shares", "cleared", "unsure"]


@dataclass(frozen=True, slots=True)
class Elasticity:
    """Elasticity with its 95 % interval, low to high.

    standing: "limits", "cleared", "shares" where it is surely between, else "unsure".
    """

    value: float
    low: float
    high: float

    @property
    def standing(self) -> Standing:
        """Standing of the capacity."""
        if self.low > LIMITS:
            return "limits"
        if self.high < CLEARED:
            return "cleared"
        return "shares" if self.low > CLEARED and self.high <= LIMITS else "unsure"


@dataclass(frozen=True, slots=True)
class Slot:
    """Measurement: its block, its change (BASE for none), and its outcome, above zero."""

    block: int
    change: int
    outcome: float


def elasticities(
    slots: Sequence[Slot],
    ratios: Mapping[int, float],
    *,
    looks: Sequence[float] = (1.0,),
    confidence: float = 0.95,
) -> dict[int, Elasticity]:
    """Return the elasticity of each change; empty as long as too little was measured to know the noise.

    ratios: ratio of the capacity that each change (from 1) changes, not 1. looks: when the data were looked
    at, this look last, as shares of all that may be measured (see `repeated_confidence`), so that all looks
    together keep the confidence. The noise is pooled over all changes, as every block has each of them: four
    changes in three blocks have eight degrees of freedom. Raises ValueError for a ratio that changes nothing.

    A slot must not begin before the last change has run its course, which no interval knows of: requests
    have to move from one queue to another, for some four response times. Of simulated servers with slots
    shorter than six response times, and no such wait, three intervals of four held the truth where a change
    moved throughput (bench/interventions has what is so with it).
    """
    if any(ratio <= 0 or ratio == 1 for ratio in ratios.values()):
        raise ValueError(f"a ratio must be above zero and not 1: {dict(ratios)}")
    good = [slot for slot in slots if slot.outcome > 0 and (slot.change == BASE or slot.change in ratios)]
    if not good:
        return {}
    try:
        fit = block_design(
            np.log([slot.outcome for slot in good]),
            [slot.block for slot in good],
            [slot.change for slot in good],
        )
    except ValueError:
        return {}
    if fit.df < 1 or BASE not in fit.treatments:
        return {}
    quantile = t_quantile(0.5 + repeated_confidence(looks, confidence) / 2, fit.df)
    by_change = {}
    for change, ratio in ratios.items():
        if change not in fit.treatments:
            continue
        effect, error = fit.contrast(BASE, change)
        value, reach = effect / math.log(ratio), quantile * error / abs(math.log(ratio))
        by_change[change] = Elasticity(value, value - reach, value + reach)
    return by_change
