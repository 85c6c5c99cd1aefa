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
"""Of one place none is given away."""

HOPE = 1.0
"""Entrants are taken by mean + this many sds: one that is hardly known may be better than it looks."""


def entrants(belief: Belief, seen: Sequence[Observation], base: int, count: int = ENTRANTS) -> list[int]:
    """Settings for the first rung: the best by what is hoped of them; of those that may keep the goals.

    The base never races: it runs in every block. At least two thirds of them have been tried before: a
    setting that only the model knows may be a mistake of the model.
    """
    failed = {one.point for one in seen if one.has_failed}
    tried = {one.point for one in seen} - failed - {base}
    hoped = np.where(np.isfinite(belief.mean), belief.mean, -1e9) + HOPE * np.where(
        np.isfinite(belief.sd), belief.sd, 0.0
    )
    able = [at for at in range(belief.mean.size) if at != base and at not in failed]
    likely = [at for at in able if belief.feasible[at] >= LIKELY] or able
    of_tried = sorted((at for at in likely if at in tried), key=lambda at: -hoped[at])
    others = sorted((at for at in likely if at not in tried), key=lambda at: -hoped[at])
    new = min(count // 3, len(others))
    found = of_tried[: count - new]
    found += others[: count - len(found)] if belief.noise_sd == belief.noise_sd else []
    return found[:count]


def promoted(
    belief: Belief, racing: Sequence[int], count: int, margin: float, cheapest: Callable[[Sequence[int]], int]
) -> list[int]:
    """Who goes on: those believed best, goals first; the last place is for a cheaper one that may be as good.

    margin: within which differences do not matter; cheapest: of such equals. Whether it is as good is for the
    confirmation to show; without a place it could not.
    """
    ranked = belief.ranked(racing)
    found = ranked[:count]
    if len(ranked) <= count or count < LEAST_FOR_CHEAPER:
        return found
    best = ranked[0]
    equals = [
        at for at in ranked if belief.feasible[at] >= LIKELY and belief.mean[at] >= belief.mean[best] - margin
    ]
    wanted = cheapest(equals) if equals else best
    return found if wanted in found else [*found[:-1], wanted]


def order(settings: Sequence[int], seed: int, block: int) -> list[int]:
    """The order in which a block runs its settings: the same for the same seed."""
    found = list(settings)
    random.Random(f"{seed}/{block}").shuffle(found)
    return found
