"""The best of several, and those that cannot be told from the best."""

import math
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats import special
from loadrig.stats.arrays import as_floats
from loadrig.stats.distributions import t_quantile
from loadrig.stats.roots import zero_between


def may_be_best(
    estimates: ArrayLike,
    covariance: ArrayLike,
    sd: float,
    df: float,
    better: Literal["higher", "lower"] = "higher",
    confidence: float = 0.95,
) -> tuple[bool, ...]:
    """Return which of a group may be the best: multiple comparisons with the best, in the order given.

    estimates: one of each; covariance: covariance of the estimates per unit of sd²; sd, df: standard
    deviation and degrees of freedom of the noise. With this confidence the true best is among those that may
    be best, whatever their number: each whose lead over the best other has an upper limit above 0 (the higher
    end of Hsu's constrained interval). Where correlations differ (holes in the design) the least is used,
    which is on the safe side.
    Source: Hsu 1984, Ann. Stat. 12, 1136-1144; Hsu 1996, Multiple Comparisons, ch. 4.
    """
    values = as_floats(estimates) * (1 if better == "higher" else -1)
    shape = np.asarray(covariance, dtype=np.float64)
    k = values.size
    if k == 1:
        return (True,)
    if df <= 0 or not math.isfinite(sd):
        raise ValueError("without a noise estimate every one may be best")
    upper = []
    for i in range(k):
        others = np.flatnonzero(np.arange(k) != i)
        contrasts = np.zeros((others.size, k))
        contrasts[np.arange(others.size), others] = -1.0
        contrasts[:, i] = 1.0
        of_contrasts = contrasts @ shape @ contrasts.T
        errors = np.sqrt(np.maximum(np.diag(of_contrasts), 0.0))
        correlations = of_contrasts / np.outer(errors, errors)
        least = float(np.clip(correlations.min(), 0.0, 0.9999)) if others.size > 1 else 0.0
        critical = dunnett_critical(others.size, df, round(least, 4), confidence)
        upper.append(float((values[i] - values[others] + critical * sd * errors).min()))
    return tuple(lead > 0 for lead in upper)


@cache  # the same for every one of a complete design
def dunnett_critical(
    comparisons: int, df: float, correlation: float = 0.5, confidence: float = 0.95
) -> float:
    """Return the bound below which the largest of several t statistics stays, one-sided.

    comparisons: how many; correlation: between each two of them, 0.5 when all estimates are equally sharp.
    Three digits agree with Dunnett's tables. The bound holds with this confidence.

    Source: Dunnett 1955, J. Am. Stat. Assoc. 50, 1096-1121: given the spread s and the shared part z of the
    noise, the rest is independent; both are integrated out by quadrature.
    """
    if comparisons == 1:
        return t_quantile(confidence, df)
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    weights = weights / weights.sum()
    # The spread at the midpoints of 200 equally likely slices of its law.
    spread = np.sqrt(2 * special.gammaincinv(df / 2, (np.arange(200) + 0.5) / 200) / df)
    shared, own = math.sqrt(correlation), math.sqrt(1 - correlation)

    def excess(critical: float) -> float:
        below = special.ndtr((critical * spread[:, None] + shared * nodes[None, :]) / own) ** comparisons
        return float((below @ weights).mean()) - confidence

    highest = t_quantile(1 - (1 - confidence) / comparisons, df)
    return zero_between(excess, 0.0, highest * 1.05, within=1e-6)
