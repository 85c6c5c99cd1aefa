"""Outliers: runs that do not belong with their neighbours. They are flagged, never dropped."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadrig.stats.arrays import as_floats, as_logs
from loadrig.stats.distributions import t_quantile

FAR = 3.5
"""Modified z-score beyond which a value does not belong: Iglewicz & Hoaglin 1993, ch. 3."""

PLAIN = math.log(1.1)
"""Least relative distance of an outlier where nothing else is known of the noise: three neighbours can lie
close by chance, and then anything looks far, so a run that is off by less than a tenth is left alone."""


def odd_replicates(values: ArrayLike) -> tuple[int, ...]:
    """Return which of a few replicates do not belong, by their own noise alone.

    values: positive, of one and the same thing. Far from the median of the others on the scale of
    their median deviation, and off by at least a tenth. Two values cannot tell which is odd: none.
    28.8, 35.9, 36.7: the first.
    Source: Iglewicz & Hoaglin 1993, How to Detect and Handle Outliers.
    """
    logs = as_logs(values)
    if logs.size < 3:
        return ()
    distance = np.abs(logs - np.median(logs))
    scale = float(np.median(distance)) / 0.6745
    odd = np.flatnonzero((distance > FAR * scale) & (distance >= PLAIN))
    return tuple(int(index) for index in odd)


def odd_in_groups(groups: Sequence[ArrayLike], alpha: float = 0.01) -> tuple[tuple[int, int], ...]:
    """Return the replicates that do not belong, when several groups share their noise: (group, position).

    Each value is compared with the median of its group, on the noise of all the *other* groups
    (so that it cannot hide behind the spread that it makes), pooled robustly; the t limit is
    divided among all values (Bonferroni). Groups of one say nothing; groups of two only give noise.
    With fewer than five degrees of freedom in the others, as `odd_replicates`.
    """
    logs = [as_logs(group) for group in groups]
    count = sum(group.size for group in logs if group.size >= 3)
    odd: list[tuple[int, int]] = []
    for number, group in enumerate(logs):
        if group.size < 3:
            continue
        others = [
            group_logs for index, group_logs in enumerate(logs) if index != number and group_logs.size >= 2
        ]
        df = sum(group_logs.size - 1 for group_logs in others)
        if df < 5:
            odd += [(number, position) for position in odd_replicates(np.exp(group))]
            continue
        limit = -t_quantile(alpha / (2 * count), df) * _robust_sd(others)
        # The median of m values is itself uncertain: its variance is about pi/2 of the mean's.
        limit *= math.sqrt(1 + math.pi / (2 * (group.size - 1)))
        distance = np.abs(group - np.median(group))
        odd += [(number, int(position)) for position in np.flatnonzero(distance > limit)]
    return tuple(odd)


def odd_residuals(
    residuals: ArrayLike, leverages: ArrayLike, df: int, alpha: float = 0.01
) -> tuple[int, ...]:
    """Return the positions of observations of a fitted design that do not belong.

    Each residual on the noise estimated *without* it (externally studentised), against the t limit
    divided among all (Bonferroni).
    Nothing is said with fewer than four degrees of freedom.
    Source: Cook & Weisberg 1982, Residuals and Influence in Regression, 2.2.
    """
    errors, hats = as_floats(residuals), as_floats(leverages)
    if df < 4:
        return ()
    room = 1 - hats
    usable = room > 1e-9
    variance = float(errors @ errors) / df
    if variance <= 0:
        return ()
    without = (df * variance - np.divide(errors**2, room, out=np.zeros_like(errors), where=usable)) / (df - 1)
    scale = np.sqrt(np.maximum(without, 1e-18 * variance) * np.where(usable, room, 1.0))
    limit = -t_quantile(alpha / (2 * errors.size), df - 1)
    return tuple(int(index) for index in np.flatnonzero(usable & (np.abs(errors) > limit * scale)))


def _robust_sd(groups: Sequence[NDArray[np.float64]]) -> float:
    """Return the spread within groups from all pairs of neighbours: one wild value cannot carry it away."""
    gaps = np.concatenate(
        [np.abs(group[:, None] - group[None, :])[np.triu_indices(group.size, 1)] for group in groups]
    )
    # |x - y| of two normals has median 0.6745 * sqrt(2) sd; rounding to the last digit can make it 0.
    sd = float(np.median(gaps)) / (0.6745 * math.sqrt(2))
    return sd if sd > 0 else float(np.sqrt(np.mean(gaps**2) / 2))
