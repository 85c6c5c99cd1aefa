"""Search for a limit from the answers "below" and "above" alone, which the searches are held against.

Ordinary bisection never comes back from one wrong answer. Here every answer moves probability instead of a
bound, so a wrong one is outvoted.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from loadrig.stats.arrays import Floats
from loadrig.stats.threshold import log_spaced, weighted_quantile

LEVELS = 200
"""Number of levels. Over a bracket of a factor of two, neighbours are 0.35 % apart."""


@dataclass(frozen=True, slots=True)
class Bisection:
    """Probability of each level to be the limit.

    levels: float64[n], evenly spaced in their logarithm; weights: float64[n], of sum 1. The limit lies at
    one of the levels: what is at it or below passes, what is above fails. Source: Horstein 1963, IEEE Trans.
    Inf. Theory 9, 136-143; Waeber, Frazier & Henderson 2013, SIAM J. Control Optim. 51, 2261-2279 (asking at
    the median: the error shrinks geometrically).
    """

    levels: Floats
    weights: Floats

    @classmethod
    def between(cls, low: float, high: float, count: int = LEVELS) -> "Bisection":
        """Return the state in which only the bounds are known.

        Raises ValueError unless 0 < low < high and count > 1.
        """
        return cls(log_spaced(low, high, count), np.full(count, 1 / count))

    def after(self, level: float, passes: bool, right: float) -> "Bisection":
        """Return the state after one more answer.

        right: the probability that such an answer is right, 0.5…1; 1 is taken as a little less, as nothing is
        ruled out for good. Raises ValueError otherwise.
        """
        if not 0.5 <= right <= 1:
            raise ValueError(f"an answer that is right with {right} is none")
        right = min(right, 1 - 1e-6)
        return self.times(np.where((self.levels >= level) == passes, right, 1 - right))

    def after_by_distance(self, level: float, passes: bool, width: float, most: float = 0.98) -> "Bisection":
        """Return the state after one more answer to a question that is harder near the limit.

        The probability of "passes" is logistic in ln(limit / level) / width, within 1 - most … most. width:
        the distance in ln(level) at which an answer is right in 73 %.
        """
        odds = np.clip((np.log(self.levels) - math.log(level)) / width, -50, 50)
        share = (1 - most) + (2 * most - 1) / (1 + np.exp(-odds))
        return self.times(share if passes else 1 - share)

    def times(self, likelihood: Floats) -> "Bisection":
        """Return the state with a likelihood of each level from elsewhere, known up to a factor."""
        weights = self.weights * likelihood
        return replace(self, weights=weights / weights.sum())

    @property
    def median(self) -> float:
        """Level at which the next question tells most."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """Return the level below which the limit lies with this probability.

        It is interpolated in the logarithm.
        """
        return weighted_quantile(self.levels, self.weights, share)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the levels between which the limit lies with this probability.

        As much is left out on either side.
        """
        return self.quantile((1 - confidence) / 2), self.quantile((1 + confidence) / 2)
