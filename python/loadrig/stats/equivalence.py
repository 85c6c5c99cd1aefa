"""Equivalence: whether a difference is shown to be too small to matter, not merely "not significant"."""

import math

from loadrig.stats.compare import Effect
from loadrig.stats.distributions import t_above


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
