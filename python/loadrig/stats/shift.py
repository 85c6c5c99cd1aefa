"""The shift function: how much each quantile moved between two things, with intervals.

A mean or a single percentile hides whether all became slower or only the slow ones. The shift function
shows the change at p10 … p99: flat where everything is slower by the same share, rising to the right
where the tail grew.
Source: Doksum 1974, Ann. Stat. 2, 267-277; Rousselet, Pernet & Wilcox 2017, Eur. J. Neurosci. 46, 1738-1748.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import normal_quantile, t_quantile
from loadrig.stats.ess import iact
from loadrig.stats.intervals import block_weights

QUANTILES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)

RESAMPLES = 1_000
OF_SECONDS = 200
"""Number of resamples of the seconds of each trial, from which the resamples of the trials draw."""

Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shift:
    """Quantile of both sides, and their ratio b/a with its interval, pointwise."""

    quantile: float
    a: float
    b: float
    ratio: float
    low: float
    high: float


def shift_function(
    a: Sequence[Table],
    b: Sequence[Table],
    values: Floats,
    *,
    is_paired: bool = False,
    quantiles: Sequence[float] = QUANTILES,
    confidence: float = 0.95,
    seed: int = 1,
) -> tuple[Shift, ...]:
    """Return the ratio of the quantiles of b to those of a, from counts of every second of every trial.

    a, b: a table [seconds, bins] for each trial, of the same bins. values: float64[bins], increasing and
    above zero: the lower edge of each bin. is_paired: trial i of both ran in the same block.

    Two levels are resampled: trials (or pairs of them), as each start of a server settles at a level of its
    own, and within each the seconds, in circular blocks of twice their autocorrelation time. The standard
    deviation of the log ratio gives the interval, with Student's t for the number of trials. With one trial
    on either side only its seconds vary: the interval then does not know how one run differs from the next.
    Raises ValueError where a side has counted nothing.
    Sources: Kalibera & Jones 2013, ISMM, 63-74 (two levels); Davison & Hinkley 1997, ch. 3.8; Politis &
    Romano 1992 (circular blocks).
    """
    worth = as_floats(values)
    logs_of_bins = np.log(worth)
    tables = [[np.asarray(table, dtype=np.float64) for table in side] for side in (a, b)]
    wholes = [
        _quantiles(np.sum([table.sum(axis=0) for table in side], axis=0), logs_of_bins, quantiles)
        for side in tables
    ]
    rng = np.random.default_rng(seed)
    sampled = [_seconds_resampled(side, seed + place) for place, side in enumerate(tables)]
    n_a, n_b = len(a), len(b)
    has_trials = min(n_a, n_b) > 1
    logs = np.empty((RESAMPLES, len(quantiles)))
    for number in range(RESAMPLES):
        chosen_a = rng.integers(0, n_a, n_a) if has_trials else np.arange(n_a)
        chosen_b = chosen_a if is_paired else rng.integers(0, n_b, n_b) if has_trials else np.arange(n_b)
        drawn = [
            _quantiles(
                np.sum([sampled[side][trial][rng.integers(OF_SECONDS)] for trial in chosen], axis=0),
                logs_of_bins,
                quantiles,
            )
            for side, chosen in enumerate((chosen_a, chosen_b))
        ]
        logs[number] = np.log(drawn[1]) - np.log(drawn[0])
    half = _factor(n_a, n_b, confidence, is_paired=is_paired) * logs.std(axis=0, ddof=1)
    centre = np.log(wholes[1]) - np.log(wholes[0])
    return tuple(
        Shift(
            q, float(wholes[0][i]), float(wholes[1][i]), math.exp(centre[i]),
            math.exp(centre[i] - half[i]), math.exp(centre[i] + half[i]),
        )
        for i, q in enumerate(quantiles)
    )  # fmt: skip


def _factor(n_a: int, n_b: int, confidence: float, *, is_paired: bool) -> float:
    """Return the standard deviations to either side of the interval.

    Few resampled trials vary too little, and t has long tails.
    """
    tail = (1 - confidence) / 2
    if min(n_a, n_b) < 2:
        return -normal_quantile(tail)
    df = n_a - 1 if is_paired else n_a + n_b - 2
    least = min(n_a, n_b)
    return -t_quantile(tail, df) * math.sqrt(least / (least - 1))


def _seconds_resampled(side: Sequence[Table], seed: int) -> list[Table]:
    """Return, for each trial, counts [OF_SECONDS, bins] of its seconds drawn anew."""
    resampled = []
    for number, table in enumerate(side):
        seconds = table.shape[0]
        if seconds < 4:
            resampled.append(np.repeat(table.sum(axis=0, keepdims=True), OF_SECONDS, axis=0))
            continue
        slow = _share_above_median(table)
        length = max(1, min(math.ceil(2 * iact(slow)), seconds // 4))
        weights = block_weights(seconds, length, resamples=OF_SECONDS, seed=seed * 1_000 + number)
        # Where blocks do not divide the seconds a resample has a few too many: only shares matter.
        resampled.append(weights @ table)
    return resampled


def _share_above_median(table: Table) -> Floats:
    """Return, for each second, the share of its counts above the median of all.

    It wanders when a server does.
    """
    cumulated = np.cumsum(table.sum(axis=0))
    middle = int(np.searchsorted(cumulated, cumulated[-1] / 2))
    totals = table.sum(axis=1)
    return np.asarray(table[:, middle + 1 :].sum(axis=1) / np.maximum(totals, 1.0), dtype=np.float64)


def _quantiles(counts: Floats, logs: Floats, quantiles: Sequence[float]) -> Floats:
    """Return quantiles of counts, within a bin in proportion, on the scale of logs.

    logs: logarithms of the lower edges of the bins.
    """
    cumulated = np.cumsum(counts)
    if not cumulated.size or cumulated[-1] <= 0:
        raise ValueError("the quantiles of nothing")
    wanted = np.asarray(quantiles, dtype=np.float64) * cumulated[-1]
    at = np.minimum(np.searchsorted(cumulated, wanted - 1e-9), logs.size - 1)
    before = np.where(at > 0, cumulated[np.maximum(at - 1, 0)], 0.0)
    share = np.clip((wanted - before) / np.maximum(counts[at], 1e-12), 0.0, 1.0)
    # The last bin is as wide as the one before it.
    last = 2 * logs[-1] - logs[-2] if logs.size > 1 else logs[-1]
    next_logs = np.where(at + 1 < logs.size, logs[np.minimum(at + 1, logs.size - 1)], last)
    return np.asarray(np.exp(logs[at] + share * (next_logs - logs[at])), dtype=np.float64)
