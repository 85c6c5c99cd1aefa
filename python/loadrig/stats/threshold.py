"""Threshold: the level at which a share that grows with the level crosses a limit, from counts around it.

As in psychometrics: the share of hits follows a logistic curve of ln(level), and the threshold is asked, not
the curve. Counts tell more than the answers "below" and "above" that are made of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadrig.stats.arrays import Floats

STEEPNESSES = np.array([0.25, 0.37, 0.55, 0.8, 1.2, 1.75, 2.6, 4.0])
"""Factors of the supposed steepness of the curve; the true steepness is among them."""

STEEPNESS_SD = 0.7
"""Standard deviation of the logarithm of the steepness: one in ten is steeper or flatter than three times the
supposed one."""

WOBBLES = ((0.002, 0.4), (0.006, 0.4), (0.015, 0.2))
"""Standard deviations of the logarithm of the limit from one look to the next, each with its probability
beforehand: of a machine alone, and of one that shares its cores with others."""

GROSS = 0.02
"""Share of the looks, 0 to 1, that say nothing of the limit: something else happened meanwhile."""


@dataclass(frozen=True, slots=True)
class Look:
    """Counts at one level.

    hits: hits in n; inflation: how many of n are worth an independent one. gross: how probably it says
    nothing of the limit. only_beyond: instead of counts, whether the level is known to be beyond the limit
    (True) or within it (False).
    """

    level: float
    hits: float
    n: float
    inflation: float = 1.0
    gross: float = GROSS
    only_beyond: bool | None = None


def log_spaced(low: float, high: float, count: int) -> Floats:
    """Return levels, each the same factor above the level before.

    Raises ValueError for no such range.
    """
    if not 0 < low < high or count < 2:
        raise ValueError(f"{count} levels from {low} to {high} are no range")
    return np.geomspace(low, high, count)


def weighted_quantile(levels: Floats, weights: Floats, share: float) -> float:
    """Return a quantile of a probability on log-spaced levels.

    Each level stands for half the way to its neighbours.
    """
    logs = np.log(levels)
    half = (logs[1] - logs[0]) / 2
    edges = np.concatenate([logs - half, [logs[-1] + half]])
    return math.exp(float(np.interp(share, np.concatenate([[0.0], np.cumsum(weights)]), edges)))


def posterior(levels: Floats, looks: Sequence[Look], share: float, steepness: Floats) -> Floats:
    """Return how probable each level is as the one at which the share is crossed: float64[levels], of sum 1.

    levels: log-spaced candidates, evenly likely beforehand. steepness: d logit(share) / d ln(level) that is
    supposed if the threshold is at each of these levels. The truth may be some factor off, and the limit may
    wobble from look to look; both are summed over. Counts are worth n / inflation independent ones.
    Raises ValueError unless 0 < share < 1.
    Sources: Kontsevich & Tyler 1999, Vision Res. 39, 2729-2737 (posterior over threshold and slope);
    Wichmann & Hill 2001, Percept. Psychophys. 63, 1293-1313 (lapses); McCullagh & Nelder 1989, Generalized
    Linear Models, 4.5 (dispersion).
    """
    if not 0 < share < 1:
        raise ValueError(f"a share lies between 0 and 1, not {share}")
    logs = np.log(levels)
    step = float(logs[1] - logs[0])
    limit = math.log(share / (1 - share))
    factors = np.log(STEEPNESSES)
    before = np.exp(-(factors**2) / (2 * STEEPNESS_SD**2))
    # [levels, steepnesses] for each wobble.
    total = [np.tile(np.log(before / before.sum()), (levels.size, 1)) + math.log(p) for _, p in WOBBLES]
    for look in looks:
        away = math.log(look.level) - logs
        if look.only_beyond is None:
            odds = limit + away[:, None] * steepness[:, None] * STEEPNESSES[None, :]
            hits, misses = look.hits / look.inflation, (look.n - look.hits) / look.inflation
            likelihood = -hits * np.logaddexp(0, -odds) - misses * np.logaddexp(0, odds)
            likelihood = np.exp(likelihood - likelihood.max())
        else:
            is_beyond = away > 0
            likelihood = np.tile(
                (is_beyond == look.only_beyond).astype(float)[:, None], (1, STEEPNESSES.size)
            )
        for place, (wobble, _) in enumerate(WOBBLES):
            smooth = _smoothed(likelihood, wobble / step)
            total[place] += np.log((1 - look.gross) * smooth + look.gross)
    logs_of_all = np.stack(total)
    weights: Floats = np.exp(logs_of_all - logs_of_all.max()).sum(axis=(0, 2))
    weights /= weights.sum()
    return weights


def _smoothed(rows: Floats, sd: float) -> Floats:
    """Return the mean of each column around each row, weighted by a Gaussian of sd rows.

    The last rows go on for ever. Source: scipy.ndimage.gaussian_filter1d with mode="nearest", which takes
    0.06 s of a core to import.
    """
    reach = int(4 * sd + 0.5)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sd) ** 2)
    kernel /= kernel.sum()
    # numpy's own pad takes as long as all that follows.
    padded = np.concatenate([np.repeat(rows[:1], reach, axis=0), rows, np.repeat(rows[-1:], reach, axis=0)])
    return np.column_stack([np.convolve(column, kernel, mode="valid") for column in padded.T])
