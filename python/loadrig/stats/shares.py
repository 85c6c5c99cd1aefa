"""Shares of small counts compared exactly: 1 of 2,500 against 6 of 2,500."""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from loadrig.stats.intervals import wilson_share


@dataclass(frozen=True, slots=True)
class ShareDifference:
    """Difference of two shares.

    difference: second minus first. low, high: its interval at `confidence`. narrow: the interval at 1 - 2
    alpha, for tests of equivalence. p: two-sided p, exact.
    """

    difference: float
    low: float
    high: float
    narrow: tuple[float, float]
    p: float
    confidence: float


def fisher(hits_a: int, n_a: int, hits_b: int, n_b: int) -> float:
    """Return the two-sided p of the exact test that both shares are equal.

    Source: Fisher 1935, J. R. Stat. Soc. 98.
    """
    return float(scipy.stats.fisher_exact(np.array([[hits_a, n_a - hits_a], [hits_b, n_b - hits_b]])).pvalue)


def barnard(hits_a: int, n_a: int, hits_b: int, n_b: int) -> float:
    """Return the two-sided p of Barnard's unconditional exact test.

    It has more power than Fisher's, and takes seconds for large counts. Source: Barnard 1945, Nature 156,
    177; Suissa & Shuster 1985 (pooled variance).
    """
    if hits_a + hits_b in (0, n_a + n_b):
        return 1.0
    # scipy wants the samples as columns, and more nodes do not change the third digit.
    return float(scipy.stats.barnard_exact([[hits_a, hits_b], [n_a - hits_a, n_b - hits_b]], n=16).pvalue)


def compare_shares(hits_a: int, n_a: int, hits_b: int, n_b: int, confidence: float = 0.95) -> ShareDifference:
    """Return the difference of two shares: Fisher's p, and Newcombe's interval from two Wilson intervals.

    Raises ValueError when either side has no observations.
    Source: Newcombe 1998, Stat. Med. 17, 873-890, method 10.
    """
    if not n_a or not n_b:
        raise ValueError("a share of nothing cannot be compared")
    low, high = _newcombe(hits_a, n_a, hits_b, n_b, confidence)
    narrow = _newcombe(hits_a, n_a, hits_b, n_b, 2 * confidence - 1)
    p = fisher(hits_a, n_a, hits_b, n_b)
    return ShareDifference(hits_b / n_b - hits_a / n_a, low, high, narrow, p, confidence)


def _newcombe(hits_a: int, n_a: int, hits_b: int, n_b: int, confidence: float) -> tuple[float, float]:
    a, b = wilson_share(hits_a, n_a, confidence), wilson_share(hits_b, n_b, confidence)
    difference = b.value - a.value
    low = difference - math.hypot(b.value - b.low, a.high - a.value)
    high = difference + math.hypot(b.high - b.value, a.value - a.low)
    return low, high
