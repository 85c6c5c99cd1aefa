"""Verdict on a difference: one of five words.

    better, worse   the 95 % interval excludes no difference, and the estimate lies beyond the margin
    trivial         it excludes no difference, and the difference is shown to lie inside the margin
    equivalent      the difference is shown to lie inside the margin (TOST), and may be none
    undecided       neither is shown; more blocks would tell

A difference that is real but whose estimate lies inside the margin, while its interval does not, is
undecided (there is one, its size is not known well enough): `is_different` says so.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadrig.stats import special
from loadrig.stats.compare import Effect
from loadrig.stats.equivalence import is_equivalent, log_margin
from loadrig.stats.shares import ShareDifference

Word = Literal["better", "worse", "trivial", "equivalent", "undecided"]
Direction = Literal["higher", "lower"]
Scale = Literal["ratio", "difference"]

POWER = 0.8
MOST_BLOCKS = 200
"""Largest number of blocks in advice: where more are needed, a wider margin helps more."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on b as against a. is_different: no difference at all is excluded.

    blocks_to_decide: how many blocks in all would decide with 80 % power, if the difference is as
    estimated; None when decided, or when no reasonable number would.
    """

    word: Word
    is_different: bool
    blocks_to_decide: int | None = None


def judge(
    effect: Effect,
    margin: float,
    better: Direction = "higher",
    *,
    p: float | None = None,
    alpha: float = 0.05,
    scale: Scale = "ratio",
    is_different: bool | None = None,
) -> Verdict:
    """Return the verdict on b as against a.

    margin: within which differences do not matter: of a ratio the share, 0.03 for ±3 %; of a difference in
    its own unit.
    better: whether a higher or a lower b is better.
    p: adjusted for several comparisons, where there are several; by default the effect's own. is_different:
    result of a simultaneous procedure, where one was used (stats.best). A difference counts when its interval
    excludes no difference and p < alpha: on few blocks the bootstrap interval alone is too sure.
    """
    bound = bound_of(margin, scale)
    p = effect.p if p is None else p
    if is_different is None:
        is_different = (effect.low > 0 or effect.high < 0) and p < alpha
    inside = is_equivalent(effect, bound)
    word = _word(effect.centre, is_different, inside, bound, better)
    needed = blocks_to_decide(effect, bound) if word == "undecided" else None
    return Verdict(word, is_different, needed)


def bound_of(margin: float, scale: Scale) -> float:
    """Return the margin on the scale of effects: ln(1.03) for a ratio within 3 %."""
    return log_margin(margin) if scale == "ratio" else margin


def judge_shares(
    difference: ShareDifference, margin: float, better: Direction = "lower", *, alpha: float = 0.05
) -> Verdict:
    """Return the verdict on a difference of shares. margin: in the share itself, 0.001 for ±0.1 points."""
    is_different = (difference.low > 0 or difference.high < 0) and difference.p < alpha
    inside = -margin < difference.narrow[0] and difference.narrow[1] < margin
    return Verdict(_word(difference.difference, is_different, inside, margin, better), is_different)


def _word(centre: float, is_different: bool, inside: bool, bound: float, better: Direction) -> Word:
    if is_different and abs(centre) > bound:
        return "better" if (centre > 0) == (better == "higher") else "worse"
    if inside:
        return "trivial" if is_different else "equivalent"
    return "undecided"


def blocks_to_decide(effect: Effect, bound: float, alpha: float = 0.05) -> int | None:
    """Return the blocks in all that would decide with 80 % power if the true effect is the one estimated.

    Beyond the margin: until the interval excludes no difference. Inside: until equivalence is
    shown, in the room that is left to the margin. t quantiles, so few blocks cost more.
    None beyond 200 blocks: the difference is too near the margin, or the noise too large.
    """
    sd = effect.standard_error * math.sqrt(effect.n)
    distance = abs(effect.centre)
    if distance > bound:
        room, tail, miss = distance, alpha / 2, 1 - POWER
    elif distance < 0.2 * bound:
        # Near the middle both one-sided tests can fail, and each gets half of the error that is allowed.
        room, tail, miss = bound - distance, alpha, (1 - POWER) / 2
    else:
        room, tail, miss = bound - distance, alpha, 1 - POWER
    if room <= 0:
        return None
    extra_df = max(0.0, effect.df - (effect.n - 1))
    n = np.arange(max(2, effect.n + 1), MOST_BLOCKS + 1)
    # Noise pooled over other comparisons brings its own degrees of freedom, in proportion.
    df = (n - 1) * (1 + extra_df / (effect.n - 1)) if effect.n > 1 else n - 1 + extra_df
    quantiles = -special.stdtrit(df, tail) - special.stdtrit(df, miss)
    enough = np.flatnonzero(sd * quantiles <= room * np.sqrt(n))
    return int(n[enough[0]]) if enough.size else None
