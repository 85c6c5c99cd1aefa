"""Student's and Welch's t tests, without what `import scipy.stats` imports.

scipy's own, against which the tests hold them, take 70 MB and half a second of a core for the import, which
the result of every trial would pay.
"""

import math
from dataclasses import dataclass

from loadrig.stats.arrays import Floats
from loadrig.stats.distributions import t_above, t_quantile


@dataclass(frozen=True, slots=True)
class TTest:
    """A difference of means. error: its standard error; 0 where nothing varies. df: degrees of freedom."""

    difference: float
    error: float
    df: float

    @property
    def t(self) -> float:
        """The statistic.

        Infinite for a difference without any spread, NaN for no difference without spread.
        """
        if self.error > 0:
            return self.difference / self.error
        return math.copysign(math.inf, self.difference) if self.difference else math.nan

    @property
    def p(self) -> float:
        """Two-sided p value; NaN where nothing varies and nothing differs."""
        return 2 * t_above(abs(self.t), self.df)

    @property
    def p_greater(self) -> float:
        """The p value against a difference above zero."""
        return t_above(self.t, self.df)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return both ends of the difference's interval."""
        half = t_quantile((1 + confidence) / 2, self.df) * self.error
        return self.difference - half, self.difference + half


def of_one(values: Floats) -> TTest:
    """Return the test of a mean against zero, of at least two values. Source: Student 1908."""
    return TTest(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size), values.size - 1)


def of_equal_spread(first: Floats, second: Floats) -> TTest:
    """Return the test of second less first, at least three values in all, whose spreads are equal.

    Source: Student 1908, Biometrika 6, 1-25.
    """
    df = first.size + second.size - 2
    squares = float(((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum())
    error = math.sqrt(squares / df * (1 / first.size + 1 / second.size))
    return TTest(float(second.mean() - first.mean()), error, df)


def of_any_spread(first: Floats, second: Floats) -> TTest:
    """Return the test of second less first, of at least two values each.

    Source: Welch 1947, Biometrika 34, 28-35.
    """
    parts = float(first.var(ddof=1)) / first.size, float(second.var(ddof=1)) / second.size
    error = math.sqrt(sum(parts))
    below = parts[0] ** 2 / (first.size - 1) + parts[1] ** 2 / (second.size - 1)
    df = error**4 / below if below > 0 else float(first.size + second.size - 2)
    return TTest(float(second.mean() - first.mean()), error, df)
