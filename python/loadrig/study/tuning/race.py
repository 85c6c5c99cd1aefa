"""Nine, then three, then two: the settings that may be best are tried again, longer, side by side.

The search leaves many settings that cannot be told apart, and the one that looks best is often the luckiest
(of "best" settings found under noise up to 63 % lose 30 % when deployed: TUNA, EuroSys 2025). So the
candidates run once more in shuffled blocks with the base among them, and who goes on is judged by all
that is known of each, the earlier trials and the neighbours included.

Sources: Karnin, Koren & Somekh 2013, ICML 30 (successive halving); Lopez-Ibanez et al. 2016, Oper. Res.
Perspect. 3, 43-58 (irace: races in blocks).
"""

import random
from collections.abc import Callable, Sequence

import numpy as np

from loadrig.study.tuning.model import LIKELY, Belief, Observation

ENTRANTS, SEMIFINALISTS, FINALISTS = 9, 3, 2

LEAST_FOR_CHEAPER = 2
"""Fewest places of which the last is given to a cheaper setting: a single place is not given away."""

HOPE = 1.0
"""Standard deviations added to the mean when entrants are chosen: a setting hardly known may be better."""


def entrants(
    belief: Belief, observations: Sequence[Observation], base: int, count: int = ENTRANTS
) -> list[int]:
    """Return settings for the first rung: the best by hope, of those that may keep the goals.

    The base never races: it runs in every block. At least two thirds of them have been tried before: a
    setting that only the model knows may be a mistake of the model.
    """
    failed = {observation.point for observation in observations if observation.has_failed}
    tried = {observation.point for observation in observations} - failed - {base}
    hoped = np.where(np.isfinite(belief.mean), belief.mean, -1e9) + HOPE * np.where(
        np.isfinite(belief.sd), belief.sd, 0.0
    )
    able = [at for at in range(belief.mean.size) if at != base and at not in failed]
    likely = [at for at in able if belief.feasible[at] >= LIKELY] or able
    of_tried = sorted((at for at in likely if at in tried), key=lambda at: -hoped[at])
    untried = sorted((at for at in likely if at not in tried), key=lambda at: -hoped[at])
    new = min(count // 3, len(untried))
    chosen = of_tried[: count - new]
    chosen += untried[: count - len(chosen)] if belief.noise_sd == belief.noise_sd else []
    return chosen[:count]


def promoted(
    belief: Belief, racing: Sequence[int], count: int, margin: float, cheapest: Callable[[Sequence[int]], int]
) -> list[int]:
    """Return who goes on: those believed best, goals first; the last place is for a cheaper equal.

    margin: within which differences do not matter; cheapest: of such equals. The cheaper one only may be as
    good: the confirmation has to show it, and without a place it could not.
    """
    ranked = belief.ranked(racing)
    going_on = ranked[:count]
    if len(ranked) <= count or count < LEAST_FOR_CHEAPER:
        return going_on
    best = ranked[0]
    equals = [
        at for at in ranked if belief.feasible[at] >= LIKELY and belief.mean[at] >= belief.mean[best] - margin
    ]
    wanted = cheapest(equals) if equals else best
    return going_on if wanted in going_on else [*going_on[:-1], wanted]


def order(settings: Sequence[int], seed: int, block: int) -> list[int]:
    """Return the order in which a block runs its settings: the same for the same seed."""
    shuffled = list(settings)
    random.Random(f"{seed}/{block}").shuffle(shuffled)
    return shuffled
