"""Intervals of a share, a mean, a rate or a quantile: how well each is known.

Every function takes what was observed in equal steps of time (or plain counts) and minds that
neighbouring steps resemble each other: the plain formula would promise too much.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import binomial_quantile, gamma_quantile, normal_quantile, t_quantile
from loadrig.stats.ess import iact

BATCHES = 20
"""Number of batches: means of 20 batches lose little against more (t 2.09 v 1.96) and need no model."""

RESAMPLES = 2_000
"""Number of bootstrap resamples: the ends of a 95 % interval wobble by about 2 % of its width."""

RESAMPLES_AT_ONCE = 100
"""Number of resamples made at once: all of them take tens of megabytes, beside the hours of figures that they
are made from."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value between two bounds. n: how many observations (steps, counts) it rests on.

    effective_n: how many independent observations they are worth.
    """

    value: float
    low: float
    high: float
    confidence: float
    n: int
    effective_n: float

    @property
    def half_width(self) -> float:
        """Half the distance between the bounds."""
        return (self.high - self.low) / 2


def wilson_share(hits: int, n: int, confidence: float = 0.95) -> Interval:
    """Return a share of a count, with an interval that is right for few hits and never leaves [0, 1].

    hits, n: counts, 0 <= hits <= n. Without observations the share may be anything: [0, 1].
    Raises ValueError if hits > n.
    Source: Wilson 1927, J. Am. Stat. Assoc. 22, 209-212.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share")
    if n == 0:
        return Interval(0.0, 0.0, 1.0, confidence, 0, 0.0)
    z2 = normal_quantile((1 + confidence) / 2) ** 2
    centre = (hits + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * (hits * (n - hits) / n + z2 / 4)) / (n + z2)
    low = max(0.0, centre - half) if hits else 0.0
    high = min(1.0, centre + half) if hits < n else 1.0
    return Interval(hits / n, low, high, confidence, n, float(n))


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Return the mean of a steady series, its neighbours allowed to resemble each other.

    Where the series is long (20 batches of at least five autocorrelation times), the t interval
    of 20 batch means; else the t interval with the effective number of values. The bounds are
    infinite for one value; raises ValueError for none.
    Sources: batch means: Schmeiser 1982, Oper. Res. 30, 556-568 (10 to 30 batches);
    effective size: Geyer 1992, Stat. Sci. 7, 473-483.
    """
    series = as_floats(values)
    n = series.size
    if n == 0:
        raise ValueError("the mean of nothing")
    mean = float(series.mean())
    if n == 1:
        return Interval(mean, -math.inf, math.inf, confidence, 1, 1.0)
    time = iact(series)
    effective = max(2.0, n / time)
    if n // BATCHES >= 5 * time:
        length = n // BATCHES
        # The newest values: whole batches from the end.
        batches = series[n - length * BATCHES :].reshape(BATCHES, length).mean(axis=1)
        spread, freedom = float(batches.std(ddof=1)) / math.sqrt(BATCHES), BATCHES - 1.0
    else:
        spread, freedom = float(series.std(ddof=1)) / math.sqrt(effective), effective - 1.0
    half = t_quantile((1 + confidence) / 2, freedom) * spread
    return Interval(mean, mean - half, mean + half, confidence, n, effective)


def rate_interval(counts: ArrayLike, lengths: ArrayLike, confidence: float = 0.95) -> Interval:
    """Return events per unit of time, from the counts of intervals and how long each was.

    counts: non-negative; lengths: above zero, one for all or one each. The rate is all events
    over all time. Its interval comes from what each count has more or less than its length
    explains (the linearised ratio estimator), so intervals may differ in length. With fewer than
    three intervals only the Poisson law is left: then the exact interval of a Poisson count.
    Sources: Cochran 1977, Sampling Techniques, ch. 6; Garwood 1936, Biometrika 28, 437-442.
    """
    events = as_floats(counts)
    spans = np.broadcast_to(as_floats(lengths), events.shape)
    if np.any(spans <= 0) or events.size == 0:
        raise ValueError("intervals must be longer than nothing")
    total, time = float(events.sum()), float(spans.sum())
    rate = total / time
    if events.size < 3:
        tail = (1 - confidence) / 2
        low = gamma_quantile(tail, total) if total else 0.0
        high = gamma_quantile(1 - tail, total + 1)
        return Interval(rate, low / time, high / time, confidence, int(events.size), total)
    excess = mean_interval(events - rate * spans, confidence)
    half = excess.half_width / float(spans.mean())
    return Interval(rate, max(0.0, rate - half), rate + half, confidence, events.size, excess.effective_n)


def order_statistic_shares(n: int, quantile: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the shares of n independent observations between which the true quantile lies.

    Look these shares up in the sorted observations (or the histogram) for the interval's ends.
    The exact binomial interval; (0, 1) for no observations.
    Source: David & Nagaraja 2003, Order Statistics, 7.1.
    """
    if n == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = binomial_quantile(tail, n, quantile) / n
    high = (binomial_quantile(1 - tail, n, quantile) + 1) / n
    return max(0.0, low), min(1.0, high)


def quantile_shares(
    totals: ArrayLike, below: ArrayLike, quantile: float, confidence: float = 0.95, *, seed: int = 1
) -> tuple[float, float]:
    """Return the shares of all observations between which the true quantile lies, from counts per interval.

    totals: observations in each interval; below: those of them at or below the quantile of all.
    Look the two shares up in the merged histogram for the interval's ends.

    The share below a fixed value is a ratio of counts; blocks of intervals are resampled (circular
    block bootstrap, blocks of at least twice the autocorrelation time) for its standard deviation.
    It is never narrower than independent observations would allow. With fewer than eight
    intervals, order statistics.
    Sources: Woodruff 1952, J. Am. Stat. Assoc. 47, 635-646 (inversion of the share); Politis &
    Romano 1992 (circular blocks).
    """
    n, hits = as_floats(totals), as_floats(below)
    keep = n > 0
    n, hits = n[keep], hits[keep]
    count = int(n.sum())
    plain = order_statistic_shares(count, quantile, confidence)
    if n.size < 8:
        return plain
    share = float(hits.sum() / n.sum())
    length = block_length(hits - share * n)
    resampled_hits, resampled_n = resampled_sums(np.stack([hits, n]), length, seed=seed)
    spread = float(np.std(resampled_hits / resampled_n, ddof=1))
    half = t_quantile((1 + confidence) / 2, n.size - 1) * spread
    return max(0.0, min(plain[0], quantile - half)), min(1.0, max(plain[1], quantile + half))


def block_weights(n: int, length: int, *, resamples: int = RESAMPLES, seed: int = 1) -> NDArray[np.float64]:
    """Return how often each of n intervals occurs in each resample of circular blocks: [resamples, n]."""
    rng = np.random.default_rng(seed)
    blocks = math.ceil(n / length)
    starts = rng.integers(0, n, size=(resamples, blocks))
    weights = np.zeros((resamples, n))
    rows = np.repeat(np.arange(resamples), blocks)
    for offset in range(length):
        np.add.at(weights, (rows, ((starts + offset) % n).ravel()), 1.0)
    return weights


def resampled_sums(
    rows: ArrayLike, length: int, *, resamples: int = RESAMPLES, seed: int = 1
) -> NDArray[np.float64]:
    """Return sums of each row's values over resamples of circular blocks, [rows, resamples].

    rows: [rows, n], whole numbers below 2^53. The same as `block_weights` of that seed times the rows, much
    faster and without a table of resamples times n: a resample's sum is that of its blocks'.
    """
    rng = np.random.default_rng(seed)
    table = np.asarray(rows, dtype=np.float64)
    n = table.shape[1]
    around = np.concatenate([np.zeros((table.shape[0], 1)), table, table[:, : length - 1]], axis=1)
    ends = np.cumsum(around, axis=1)
    of_blocks = ends[:, length:] - ends[:, :-length]
    parts = []
    for first in range(0, resamples, RESAMPLES_AT_ONCE):
        size = (min(RESAMPLES_AT_ONCE, resamples - first), math.ceil(n / length))
        starts = rng.integers(0, n, size=size).T
        # Row by row, and a block of all resamples after the other: numpy is slow at many short sums.
        parts.append(np.stack([row[starts].sum(axis=0) for row in of_blocks]))
    return np.concatenate(parts, axis=1)


def block_length(residuals: Floats) -> int:
    """Return how many neighbouring steps make a block that is about independent of the next one."""
    # At most a quarter of the series: fewer than four blocks would not vary.
    return max(1, min(math.ceil(2 * iact(residuals)) if iact(residuals) > 1 else 1, residuals.size // 4))
