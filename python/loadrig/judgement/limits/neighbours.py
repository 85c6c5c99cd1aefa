"""Cores that others on them really keep from the server, by how answers followed what these used.

That others used a core does not show that the server would have had it: who waits for a pool, or a disk,
leaves cores to whoever is there. What others use comes and goes, though, and that is an experiment: what
holds the server up when it is there makes room when it is not.
"""

import math

import numpy as np

from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import Use, others_by_step, others_of
from loadrig.judgement.harms.answers import SHORT_SHARE
from loadrig.recording.steps import Floats
from loadrig.stats.limits import FEWEST_BLOCKS
from loadrig.stats.slope import slope

TELLING_SPREAD = 0.1
"""Standard deviation of what others used from step to step, in cores, from which on it is an experiment: two
readings of cores and programs differ by 0.02 to 0.03 for each step, which would flatten a smaller one."""


def left_by_others(case: Case, use: Use) -> float:
    """Return the cores that others used and that the server would not have used in their place, at least."""
    foreign = others_of(case, use)
    if not foreign > 0:
        return 0.0
    return max(use.yielded, foreign - (most_gain(case, use) - 1) * use.ours)


def most_gain(case: Case, use: Use) -> float:
    """Return how many times as many answers there would be at most without others on these cores.

    Infinite where that cannot be told: answers come as fast as requests do, or others used the same all the
    time, or used more whenever there were more answers, as what works for requests does.
    """
    load, inside = case.load, case.is_inside
    if load.is_open and load.ok_rps >= SHORT_SHARE * load.offered_rps:
        return math.inf
    others = others_by_step(case, use)
    good = inside & np.isfinite(others) & np.isfinite(load.ok)
    if good.sum() < FEWEST_BLOCKS or not np.std(others[good]) >= TELLING_SPREAD:
        return math.inf
    # Whatever else changes in the course of a run, such as the load, would look like an effect.
    took, answered = (_without_trend(case.t_s[good], values[good]) for values in (others, load.ok))
    order = np.argsort(took, kind="stable")
    line = slope(took[order], answered[order])
    mean_rps = float(load.ok[good].mean())
    if line is None or line.low > 0 or mean_rps <= 0:
        return math.inf
    return 1 + max(0.0, -line.low) * max(0.0, float(others[good].mean())) / mean_rps


def _without_trend(t_s: Floats, values: Floats) -> Floats:
    return np.asarray(values - np.polyval(np.polyfit(t_s, values, 1), t_s))
