"""Sequential test of whether a share is small or large, decided as soon as the observations allow it.

A fixed number of observations is mostly too many: a share far from the limit shows at once. Wald's test looks
after every observation and still errs no more often than it says.
"""

import math
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from loadrig.stats.arrays import as_floats
from loadrig.stats.ess import iact

Decision = Literal["small", "large", "open"]

LARGEST_EXPONENT = 700.0
"""Largest argument of exp(): beyond it exp() overflows."""


def odds_apart(share: float, factor: float = 2.0) -> tuple[float, float]:
    """Return two shares around one: its odds over `factor`, and times `factor`.

    Around 1 %: 0.5 % and 2 %; around 50 %: 33 % and 67 %. Raises ValueError unless 0 < share < 1 and factor
    > 1.
    """
    if not 0 < share < 1 or factor <= 1:
        raise ValueError(f"a share lies between 0 and 1 and a factor is above 1, not {share} and {factor}")
    odds = share / (1 - share)
    return odds / factor / (1 + odds / factor), odds * factor / (1 + odds * factor)


@dataclass(frozen=True, slots=True)
class ShareVerdict:
    """State of the test. decision: "open" as long as it is not sure.

    sure: probability of the side that it leans to, with both equally probable before, 0.5 to 1.
    """

    decision: Decision
    sure: float


@dataclass(frozen=True, slots=True)
class ShareTest:
    """Wald's sequential probability ratio test of a share: is it `small` or less, or `large` or more.

    alpha: how often a share of `small` may be called large; beta: of `large`, small.
    Raises ValueError unless 0 < small < large < 1 and 0 < alpha, beta < 0.5.
    Source: Wald 1945, Ann. Math. Stat. 16, 117-186.
    """

    small: float
    large: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Refuse parameters that make no test."""
        if not 0 < self.small < self.large < 1:
            raise ValueError(f"0 < small < large < 1 is needed, not {self.small} and {self.large}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta lie between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the log ratio: at or below the first "small", at or above the second "large"."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @property
    def steps(self) -> tuple[float, float]:
        """Change of the log ratio by one observation: by a miss, and by a hit."""
        return math.log((1 - self.large) / (1 - self.small)), math.log(self.large / self.small)

    def judge(self, hits: int, n: int, inflation: float = 1.0) -> ShareVerdict:
        """Return the verdict of a number of hits in n observations.

        inflation: how many of the observations are worth an independent one, at least 1 (see `inflation`): a
        hundred late answers in one pause are one event, not a hundred.
        Raises ValueError if hits > n or the inflation is below 1.
        """
        if not 0 <= hits <= n or inflation < 1:
            raise ValueError(f"{hits} of {n} is no share, or {inflation} is less than 1")
        miss, hit = self.steps
        log_ratio = (hits * hit + (n - hits) * miss) / inflation
        low, high = self.bounds
        decision: Decision = "small" if log_ratio <= low else "large" if log_ratio >= high else "open"
        sure = 1 / (1 + math.exp(-min(abs(log_ratio), LARGEST_EXPONENT)))
        return ShareVerdict(decision, sure)


def inflation(hits: ArrayLike, totals: ArrayLike) -> float:
    """Return how many observations are worth an independent one, at least 1.

    That is the variance of a count of hits over a binomial one. hits, totals: [n], in steps of equal length
    that follow each other. The variance of one step's hits, times the autocorrelation time of what the steps
    differ from the share of all: hits come in clusters shorter than a step as well as longer. 1 where nothing
    can be known (no hit, nothing but hits, one step).
    """
    hit_counts, counts = as_floats(hits), as_floats(totals)
    if hit_counts.size != counts.size:
        raise ValueError(f"{hit_counts.size} counts of hits have {counts.size} totals")
    total = float(counts.sum())
    if total <= 0 or hit_counts.size < 2:
        return 1.0
    p = float(hit_counts.sum()) / total
    if not 0 < p < 1:
        return 1.0
    residuals = hit_counts - p * counts
    variance = float((residuals**2).sum()) / (hit_counts.size - 1) * hit_counts.size
    return max(1.0, variance * iact(residuals) / (p * (1 - p) * total))
