"""Sequential test of whether a share is small or large, decided as soon as the observations allow it.

A fixed number of observations is mostly too many: a share far from the limit shows at once. Wald's test looks
after every observation and still errs no more often than it says.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import as_floats
from loadrig.stats.ess import iact
from loadrig.stats.roots import zero_between

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

    log_ratio: of the likelihoods, large over small.

    sure: probability of the side that it leans to, with both equally probable before, 0.5 to 1. is_truncated:
    decided because no more may be observed. n: observations; effective_n: independent ones that they are
    worth.
    """

    decision: Decision
    log_ratio: float
    sure: float
    is_truncated: bool
    n: int
    hits: int
    effective_n: float


@dataclass(frozen=True, slots=True)
class ShareTest:
    """Wald's sequential probability ratio test of a share: is it `small` or less, or `large` or more.

    alpha: how often a share of `small` may be called large; beta: of `large`, small. most: independent
    observations after which it is decided for the side that is more likely, however sure; inf: never. The
    errors are then larger than alpha and beta: tests/stats/test_sequential.py measures by how much.
    Raises ValueError unless 0 < small < large < 1 and 0 < alpha, beta < 0.5.
    Source: Wald 1945, Ann. Math. Stat. 16, 117-186.
    """

    small: float
    large: float
    alpha: float = 0.05
    beta: float = 0.05
    most: float = math.inf

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
        effective = n / inflation
        is_truncated = low < log_ratio < high and effective >= self.most
        if log_ratio <= low or (is_truncated and log_ratio < 0):
            decision: Decision = "small"
        elif log_ratio >= high or is_truncated:
            decision = "large"
        else:
            decision = "open"
        sure = 1 / (1 + math.exp(-min(abs(log_ratio), LARGEST_EXPONENT)))
        return ShareVerdict(decision, log_ratio, sure, is_truncated, n, hits, effective)

    def is_called_small(self, share: float) -> float:
        """Return the probability that a true share is called small in the end, by Wald.

        This is the operating characteristic: 1 - alpha at `small`, beta at `large`; without truncation, and
        as if the bounds were met exactly.
        """
        low, high = self.bounds
        power = self._power(share)
        if abs(power) < 1e-9:
            return high / (high - low)
        return math.expm1(power * high) / (math.exp(power * high) - math.exp(power * low))

    def expected_size(self, share: float) -> float:
        """Return the mean number of independent observations at a true share, by Wald's approximation."""
        low, high = self.bounds
        miss, hit = self.steps
        drift = share * hit + (1 - share) * miss
        is_small = self.is_called_small(share)
        if abs(self._power(share)) < 1e-9:  # no drift: the second moment tells
            return -low * high / (share * hit**2 + (1 - share) * miss**2)
        return (is_small * low + (1 - is_small) * high) / drift

    def _power(self, share: float) -> float:
        """Return the h other than 0 with E[exp(h z)] = 1.

        It is 1 at `small`, -1 at `large`, 0 where there is no drift.
        """
        if not 0 < share < 1:
            raise ValueError(f"a share between 0 and 1 is needed, not {share}")
        miss, hit = self.steps
        drift = share * hit + (1 - share) * miss
        if abs(drift) < 1e-12 * hit:
            return 0.0

        def excess(power: float) -> float:
            return float(np.logaddexp(math.log(share) + power * hit, math.log1p(-share) + power * miss))

        # Convex, 0 at 0 and falling there where the drift is negative: the other zero is on that side.
        side = 1.0 if drift < 0 else -1.0
        far = side
        while excess(far) <= 0:
            far *= 2
        near = far
        while excess(near) >= 0 and abs(near) > 1e-9:
            near /= 2
        if abs(near) <= 1e-9:
            return 0.0
        return zero_between(excess, min(near, far), max(near, far))


def inflation(hits: ArrayLike, totals: ArrayLike, share: float | None = None) -> float:
    """Return how many observations are worth an independent one, at least 1.

    That is the variance of a count of hits over a binomial one. hits, totals: [n], in steps of equal length
    that follow each other. share: the true share, by default the share of all. The variance of one step's
    hits, times the autocorrelation time of what the steps differ from their share: hits come in clusters
    shorter than a step as well as longer. 1 where nothing can be known (no hit, nothing but hits, one step).
    """
    hit_counts, counts = as_floats(hits), as_floats(totals)
    if hit_counts.size != counts.size:
        raise ValueError(f"{hit_counts.size} counts of hits have {counts.size} totals")
    total = float(counts.sum())
    if total <= 0 or hit_counts.size < 2:
        return 1.0
    p = float(hit_counts.sum()) / total if share is None else share
    if not 0 < p < 1:
        return 1.0
    residuals = hit_counts - p * counts
    freedom = hit_counts.size - (1 if share is None else 0)
    variance = float((residuals**2).sum()) / freedom * hit_counts.size
    return max(1.0, variance * iact(residuals) / (p * (1 - p) * total))
