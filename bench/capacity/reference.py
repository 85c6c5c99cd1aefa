"""Rate at which a quantile of response times crosses its limit, from runs at constant rates around it."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

Floats = NDArray[np.float64]

DRAWS = 400
SEED = 5


def crossing(rates: Sequence[float], met: Sequence[float], limit: float) -> tuple[float, float, float] | None:
    """Return the rate at which the quantile meets the limit, and its 95 % interval; None where no rate does.

    rates, met: of each run, three or more, at least one on either side of the limit. The quantile rises with
    the rate, so an isotonic fit of its logarithm takes out what noise has turned round; it is read straight
    between the middles of its steps. For the interval noise is added to the fit anew: as much as runs lie
    off the line between their neighbours, as what an isotonic fit leaves over is too small with so few.
    Source: Barlow and Brunk 1972, J. Am. Stat. Assoc. 67, 140-147 (isotonic regression); Rice 1984, Ann.
    Stat. 12, 1215-1230 (noise from neighbours); Efron and Tibshirani 1993, 6.5 (parametric bootstrap).
    """
    x = np.log(np.asarray(rates, dtype=np.float64))
    y = np.log(np.asarray(met, dtype=np.float64) / limit)
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    fitted: Floats = isotonic_regression(y).x
    zero = _zero(x, fitted)
    if zero is None:
        return None
    rng = np.random.default_rng(SEED)
    drawn = [isotonic_regression(fitted + rng.normal(0, _noise(x, y), x.size)).x for _ in range(DRAWS)]
    ends = []
    for curve in drawn:
        at = _zero(x, curve)
        # A draw without a crossing has it outside of what was offered: at the end, at least.
        ends.append(at if at is not None else float(x[-1] if curve[-1] < 0 else x[0]))
    low, high = np.quantile(ends, (0.025, 0.975))
    return math.exp(zero), math.exp(min(low, zero)), math.exp(max(high, zero))


def _noise(x: Floats, y: Floats) -> float:
    """Standard deviation of a run, by how far runs lie off the line between their neighbours."""
    weight = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    off = y[1:-1] - (1 - weight) * y[:-2] - weight * y[2:]
    return math.sqrt(float(np.mean(off**2 / (1 + weight**2 + (1 - weight) ** 2))))


def _zero(x: Floats, fitted: Floats) -> float | None:
    """Return where a rising fit is zero; None where it is on one side of it everywhere."""
    heights, step = np.unique(fitted, return_inverse=True)
    middles = np.bincount(step, weights=x) / np.bincount(step)
    if heights[0] > 0 or heights[-1] < 0:
        return None
    return float(np.interp(0.0, heights, middles))
