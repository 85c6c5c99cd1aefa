"""Gain between trials of their own, each of which starts the server anew, and what that gain shows.

Trials of one setting are taken to differ at least as much as restarts usually make them differ, as two or
three blocks cannot show how much that is.
"""

import math
import statistics
from collections.abc import Mapping, Sequence

from loadrig.judgement.experiments.outcome import LEAST, Measure
from loadrig.judgement.experiments.results import Gain, Measurement
from loadrig.stats.distributions import normal_quantile, t_quantile
from loadrig.stats.elasticity import Elasticity, Standing

MOVED: Mapping[Measure, float] = {"throughput": 1.05, "latency": 1.10, "dips": 2.0, "growth": 2.0}
"""Times better, from which on a trial's change has moved the outcome: nobody would make a change for less.
Of dips and growth half must be gone, as the rest is noise."""

CLEARED: Mapping[Measure, float] = {"throughput": 1.15, "latency": 1.2, "dips": 1.5, "growth": 1.5}
"""Times better, that a change surely does not reach: then what was changed is not the limit."""

BETWEEN: Mapping[Measure, float] = {"throughput": 0.05, "latency": 0.07, "dips": 0.3, "growth": 0.08}
"""Standard deviation of the logarithm of the outcome between trials of one setting, by measure. It is
assumed until blocks show more."""

FEWEST_PAIRED_BLOCKS = 2
"""Least number of blocks of a change."""

MANY_TIMES = 3.0
"""Ratio of throughputs that a single block proves: restarts and neighbours move throughput by tenths, not
by multiples."""


def trial_standing(
    measure: Measure, gain: Gain, blocks: int = FEWEST_PAIRED_BLOCKS, by_load: Elasticity | None = None
) -> Standing:
    """Return whether a change limits, is cleared or is not sure: whether anybody would make it for its gain.

    by_load: elasticity by the capacity for each request, where less load was the change; it decides then, as
    half the load halves what each request leaves behind.
    One block alone is not enough, as nobody knows how much two trials of one setting would have differed. The
    exception is a throughput that is many times as high: where ports are used up there is no time for a
    second block.
    """
    if blocks < FEWEST_PAIRED_BLOCKS and not (measure == "throughput" and gain.low > MANY_TIMES):
        return "unsure"
    if by_load is not None:
        return by_load.standing
    better = gain.better(measure)
    if better.low > 1 and better.value >= MOVED[measure]:
        return "limits"
    return "cleared" if better.high < CLEARED[measure] else "unsure"


def standing_by_gain(measure: Measure, gain: Gain) -> Standing:
    """Return what a change shows that is no known capacity, such as who goes first on a core.

    It limits where it surely brings more than what counts as nothing: whoever goes first gains a little on
    every core that is shared.
    """
    better = gain.better(measure)
    if better.low > CLEARED[measure]:
        return "limits"
    return "cleared" if better.high < CLEARED[measure] else "unsure"


def gain_of(
    measure: Measure, base: Sequence[Measurement], own: Sequence[Measurement], scatter: float = 0.0
) -> Gain:
    """Return outcome with the change over that of the base, by blocks that have both, with 95 % interval.

    The noise is the largest of the differences between blocks, BETWEEN, `scatter` and what the trials show of
    themselves. With few degrees of freedom the differences between blocks alone would make two lucky blocks
    sure.
    """
    if measure == "growth":
        return gain_of_growth(base, own)
    without, changed = _logarithms(base), _logarithms(own)
    moves = [changed[block] - without[block] for block in changed if block in without]
    within = max(math.sqrt(statistics.fmean(part.scatter**2 for part in parts)) for parts in (base, own))
    n, usual = len(moves), math.sqrt(2) * max(BETWEEN[measure], scatter, within)
    spread = statistics.stdev(moves) if n > 1 else 0.0
    quantile = t_quantile(0.975, n + 1) if spread > usual else normal_quantile(0.975)
    value, reach = statistics.fmean(moves), quantile * max(spread, usual) / math.sqrt(n)
    return Gain(math.exp(value), math.exp(value - reach), math.exp(value + reach))


def _logarithms(parts: Sequence[Measurement]) -> dict[int, float]:
    """Return the mean logarithm of the outcomes in each block."""
    blocks = sorted({part.block for part in parts})
    return {
        block: statistics.fmean(math.log(part.outcome) for part in parts if part.block == block)
        for block in blocks
    }


def gain_of_growth(base: Sequence[Measurement], own: Sequence[Measurement]) -> Gain:
    """Return growth with the change over growth of the base, with its 95 % interval.

    Growth may have stopped, and a value near zero has no logarithm to compute with.
    """
    without, changed = (statistics.fmean(part.outcome for part in whose) for whose in (base, own))
    of_base, of_own = (
        statistics.fmean((BETWEEN["growth"] * part.outcome) ** 2 + part.scatter**2 for part in whose)
        / len(whose)
        for whose in (base, own)
    )
    ratio = changed / without
    reach = normal_quantile(0.975) * math.sqrt(of_own + ratio**2 * of_base) / without
    least = LEAST["growth"] / without
    return Gain(ratio, max(ratio - reach, least), ratio + reach)
