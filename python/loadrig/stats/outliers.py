"""Outliers: runs that do not belong with their neighbours. They are flagged, never dropped."""

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import as_floats
from loadrig.stats.distributions import t_quantile


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
