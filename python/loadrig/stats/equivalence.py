"""Equivalence: whether a difference is shown to be too small to matter, not merely "not significant"."""

import math

from loadrig.stats.compare import Effect
from loadrig.stats.distributions import normal_quantile, t_above


def log_margin(margin: float) -> float:
    """Return a margin such as 0.03 (±3 %) on the log scale, the same on both sides: ln(1.03).

    Raises ValueError unless 0 < margin < 1.
    """
    if not 0 < margin < 1:
        raise ValueError(f"a margin is a share between 0 and 1, not {margin}")
    return math.log1p(margin)


def tost_p(effect: Effect, bound: float) -> float:
    """Return the p of the two one-sided tests that the effect lies outside ±bound, by Student's t.

    Below alpha just when the 1 - 2 alpha interval lies inside ±bound (for t intervals).
    Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15, 657-680.
    """
    if effect.standard_error == 0:
        return float(abs(effect.centre) >= bound)
    below = t_above((effect.centre + bound) / effect.standard_error, effect.df)
    above = t_above((bound - effect.centre) / effect.standard_error, effect.df)
    return max(below, above)


def is_equivalent(effect: Effect, bound: float) -> bool:
    """Return whether the narrow (90 %) interval lies inside ±bound: TOST at 5 %.

    For a ratio see `log_margin`.
    """
    return -bound < effect.narrow_low and effect.narrow_high < bound


def replicates_for_equivalence(cv: float, margin: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return replicates an arm so that two equal things are shown equivalent with this power (normal law).

    n = 2 (z(alpha) + z((1 - power)/2))² (cv / margin)²: 3 for a CV of 0.7 % and ±2 %, 18 for 3 % and
    ±3 %, 25 for 12 % and ±10 %. Pairing replaces 2 cv² by the variance of a pair's log ratio.
    Source: Chow, Shao & Wang 2008, Sample Size Calculations in Clinical Research, 3.2.
    """
    z = normal_quantile(1 - alpha) + normal_quantile((1 + power) / 2)
    return max(2, math.ceil(2 * (z * cv / margin) ** 2 - 1e-9))
