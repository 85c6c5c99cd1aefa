"""Quantiles and tails of well-known distributions, from scipy's compiled functions alone.

`scipy.stats` calls the same functions for them, but to import it takes some 45 MB of memory and a quarter of
a second more, and the result of every trial needs a handful of quantiles. Tests and fits that only
`scipy.stats` has are used from there; it is imported when one of them is called.
"""

import math

from loadrig.stats import special


def t_quantile(p: float, df: float) -> float:
    """Return the p-quantile of Student's t distribution with df degrees of freedom."""
    return float(special.stdtrit(df, p))


def t_above(t: float, df: float) -> float:
    """Return the probability that Student's t with df degrees of freedom is greater than t."""
    return float(special.stdtr(df, -t))


def f_above(f: float, df: float, df_below: float) -> float:
    """Return the probability that Fisher's F with these degrees of freedom is greater than f."""
    return float(special.fdtrc(df, df_below, f))


def normal_quantile(p: float) -> float:
    """Return the p-quantile of the standard normal distribution."""
    return float(special.ndtri(p))


def normal_above(z: float) -> float:
    """Return the probability that a standard normal variable is greater than z."""
    return float(special.ndtr(-z))


def gamma_quantile(p: float, shape: float) -> float:
    """Return the p-quantile of the gamma distribution of scale 1."""
    return float(special.gammaincinv(shape, p))


def binomial_quantile(p: float, n: int, share: float) -> int:
    """Return the p-quantile of the number of hits among n draws, each a hit with probability `share`.

    p, share: in (0, 1).
    """
    hits = math.ceil(float(special.bdtrik(p, n, share)))
    # bdtrik inverts a continuous function, and is off by a rounding error where p is hit exactly.
    if hits > 0 and float(special.bdtr(hits - 1, n, share)) >= p:
        return hits - 1
    return hits
