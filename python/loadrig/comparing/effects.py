"""One measure of both sides: how much larger B is than A, with an interval that says all that is not known.

What an interval has to hold depends on how the trials were run:

    paired    blocks of one study, or runs in turns: differences within pairs, where drift drops out
    history   runs apart, and earlier runs of the plan tell how far such runs differ when nothing was changed
    apart     runs apart with several blocks each: another day may differ from this one as much as one block
              from the next, so the spread of a block is added to that of each mean
    repeats   a run each, and A/A pairs of a study, or runs that followed each other closely, tell how far
              trials lie apart; as much is added for the day
    counts    failed requests: exact tests of counts, divided by how much more than counts they scatter
    within    a run each, and nothing else: the interval within both runs, which decides nothing
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.comparing.document import How
from loadrig.comparing.noise import KnownNoise, Noises, failures, on_scale, scatter
from loadrig.comparing.pairing import Block, Pairing
from loadrig.comparing.side import Measured, Side
from loadrig.stats.arrays import Floats
from loadrig.stats.compare import Effect, known_noise
from loadrig.stats.distributions import gamma_quantile
from loadrig.stats.intervals import wilson_share
from loadrig.stats.shares import barnard, compare_shares
from loadrig.stats.t_tests import of_any_spread
from loadrig.stats.trimmed import trimmed_mean
from loadrig.stats.verdict import MOST_BLOCKS, judge_shares
from loadrig.study.yardstick import Yardstick

FEW = 500
"""Most requests, of both sides together, for Barnard's test: sharper than Fisher's, and still instant."""

NORMAL_95 = 1.96

ALONE = 1.5
"""Factor by which the error of a difference is widened where one run stands for a side.
That run may be the one in fifty that had a neighbour, which the spread of a few earlier runs does not show.
Without the factor single runs are accused for half a minute beside a neighbour (bench/compare)."""


@dataclass(frozen=True, slots=True)
class ComparedEffect:
    """Effect of B as against A, on the scale of its measure, and how it was found.

    decides: whether its interval holds all that differs between two runs; else no verdict follows.
    pair_sd: standard deviation of one pair run in turns, as far as known: what more pairs would cost.
    counts: of such a pair, failed and all requests of A and of B as far as they count, where counts are
    compared. noise: that of runs, where it was taken from elsewhere.
    """

    effect: Effect
    how: How
    decides: bool = True
    pair_sd: float | None = None
    counts: tuple[float, float, float, float] | None = None
    noise: KnownNoise | None = None


def effect_of(
    a: Side,
    b: Side,
    by: Yardstick,
    pairing: Pairing,
    noises: Noises,
    *,
    route: str | None = None,
    values: "Values | None" = None,
) -> ComparedEffect | None:
    """Estimate how much B differs from A in one measure; None where a side does not have the measure.

    values: of each trial, where they are not to be read from it (standardised ones).
    """
    if by.name == "errors" and values is None:
        return _of_counts(a, b, route, pairing, noises)
    read = values or Values(by, route)
    if pairing.pairs:
        effect = _paired(read, pairing)
        if effect is not None:
            return effect
    ys = [read.of_blocks(side.blocks) for side in (a, b)]
    if not len(ys[0]) or not len(ys[1]):
        return None
    noise = noises.noise_of(by.name, route, by.scale)
    return _apart(ys[0], ys[1], noise, [_within(side, by, route) for side in (a, b)])


class Values:
    """Values that trials measured, on the scale of comparison. values: by trial, instead of its result's."""

    def __init__(
        self, by: Yardstick, route: str | None = None, values: "dict[int, float | None] | None" = None
    ) -> None:
        self.by, self.route, self._values = by, route, values

    def of_trial(self, trial: Measured) -> float | None:
        """Return the value of a trial; None without one (or one above zero, where ratios are compared)."""
        value = (
            self._values.get(id(trial)) if self._values is not None else trial.value(self.by.name, self.route)
        )
        if value is None or not math.isfinite(value) or (self.by.scale == "ratio" and value <= 0):
            return None
        return on_scale(value, self.by.scale)

    def of_block(self, block: Block) -> float | None:
        """Return the mean of a block's trials; None where no trial has a value."""
        ys = [y for trial in block if (y := self.of_trial(trial)) is not None]
        return sum(ys) / len(ys) if ys else None

    def of_blocks(self, blocks: Sequence[Block]) -> Floats:
        """Return the mean of each block; blocks without a value are left out."""
        return np.array([y for block in blocks if (y := self.of_block(block)) is not None], dtype=np.float64)


def _paired(read: Values, pairing: Pairing) -> ComparedEffect | None:
    """Estimate the effect by the trimmed mean of pairs.

    In every twentieth pair or so a neighbour takes a tenth of one side.
    """
    differences = []
    for first, second in pairing.pairs:
        a_mean, b_mean = read.of_block(first), read.of_block(second)
        if a_mean is not None and b_mean is not None:
            differences.append(b_mean - a_mean)
    if len(differences) < 2:
        return None
    effect = trimmed_mean(differences)
    return ComparedEffect(effect, "paired", pair_sd=effect.standard_error * math.sqrt(effect.n))


def _apart(
    first: Floats,
    second: Floats,
    noise: KnownNoise | None,
    within: Sequence[float | None],
) -> ComparedEffect:
    """Estimate the effect between runs that did not take turns."""
    centre = float(second.mean() - first.mean())
    n = min(first.size, second.size)
    own = of_any_spread(first, second) if n > 1 else None
    inside = [error or 0.0 for error in within]
    if noise is not None and noise.source == "history":
        # The noise of earlier runs holds what differs within a run; the error is never less than seen here.
        error, df = noise.sd * math.sqrt(2), float(noise.df)
        error *= ALONE if n == 1 else 1.0
        own_error = own.error if own is not None else math.hypot(*inside)
        if own_error > error:
            error, df = own_error, own.df if own is not None else df
        return ComparedEffect(
            known_noise(centre, error, df, n=n), "history", noise=noise, pair_sd=noise.sd * math.sqrt(2)
        )
    if own is not None:
        spreads = first.var(ddof=1), second.var(ddof=1)
        error = math.sqrt(float(spreads[0] * (1 + 1 / first.size) + spreads[1] * (1 + 1 / second.size)))
        sd = math.sqrt(float(sum(spreads)))
        return ComparedEffect(known_noise(centre, error, own.df, n=n), "apart", pair_sd=sd)
    if noise is not None:
        # The noise counts once for the two runs, and once more for the days on which they ran.
        error = max(noise.sd * 2 * ALONE, math.hypot(*inside))
        effect = known_noise(centre, error, noise.df, n=n)
        return ComparedEffect(effect, "repeats", noise=noise, pair_sd=noise.sd * math.sqrt(2))
    error = math.hypot(*inside) if any(inside) else math.inf
    # Many degrees of freedom: the interval of each side already allows for how well its spread is known.
    effect = known_noise(centre, error if math.isfinite(error) else 0.0, 1e6, n=n)
    return ComparedEffect(effect, "within", decides=False)


def _within(side: Side, by: Yardstick, route: str | None) -> float | None:
    """Return the standard error of a side's only trial as it is compared; None without an interval."""
    if len(side.blocks) > 1:
        return None
    return standard_error(side.blocks[0][0].with_interval(by.name, route), by)


def standard_error(estimate: Estimate | None, by: Yardstick) -> float | None:
    """Return the standard error of an estimate on the scale of comparison; None without an interval."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return None
    if by.scale == "difference":
        return (estimate.high - estimate.low) / 2 / NORMAL_95
    if estimate.low <= 0 or estimate.value <= 0:
        return None
    return (math.log(estimate.high) - math.log(estimate.low)) / 2 / NORMAL_95


# --- counts -------------------------------------------------------------------------------------


def _of_counts(
    a: Side, b: Side, route: str | None, pairing: Pairing, noises: Noises
) -> ComparedEffect | None:
    """Compare failed requests by exact tests of counts that allow for bursts of failures.

    Failures come in bursts and differ from start to start, so counts know less than they seem to. They are
    divided by the factor by which shares scatter more than counts do: between blocks or earlier runs, or
    within a single trial by its own interval, which then decides nothing. For blocks that did not take turns
    another day is allowed for as elsewhere: as much again as one block differs from the next.
    Source: Rao & Scott 1992, Biometrics 48, 577-585 (effective counts).
    """
    sides = [_counts(side, route) for side in (a, b)]
    if not all(sum(n for _, n in counts) for counts in sides):
        return None
    factor = max(1.0, *(scatter(counts) for counts in sides), *(_bursts(side, route) for side in (a, b)))
    blocks = min(len(counts) for counts in sides)
    own_factor = factor
    earlier = noises.counts(route)
    decides = blocks > 1 or bool(earlier)
    if earlier:
        factor = max(
            factor, _at_most(scatter(earlier), len(earlier) - 1) * (ALONE**2 if blocks == 1 else 1.0)
        )
    if not pairing.pairs and (noises.is_hasty or not earlier):
        factor += (factor - 1) * blocks
    hits = [sum(failed for failed, _ in counts) for counts in sides]
    totals = [sum(n for _, n in counts) for counts in sides]
    sizes = [max(1, round(n / factor)) for n in totals]
    independent = [(min(n, round(h / factor)), n) for h, n in zip(hits, sizes, strict=True)]
    change = compare_shares(*independent[0], *independent[1])
    if sum(totals) <= FEW:
        change = replace(change, p=barnard(*independent[0], *independent[1]))
    centre = hits[1] / totals[1] - hits[0] / totals[0]
    moved = centre - change.difference
    error = (change.high - change.low) / 2 / NORMAL_95
    n = blocks
    effect = Effect(
        centre, change.low + moved, change.high + moved, change.narrow[0] + moved, change.narrow[1] + moved,
        change.p, n, error, 1e6, change.confidence, "independent",
    )  # fmt: skip
    # Taking turns removes what another day may do, so the counts of a pair are divided by what is seen now.
    share = 1 / own_factor / n
    pair = (hits[0] * share, totals[0] * share, hits[1] * share, totals[1] * share)
    return ComparedEffect(effect, "counts" if decides else "within", decides, counts=pair)


def pairs_of_counts(pair: tuple[float, float, float, float], margin: float, alpha: float) -> int | None:
    """Estimate the pairs of runs in turns that would decide if all were as this pair.

    None where even MOST_BLOCKS pairs would not.
    """

    def decide(pairs: int) -> bool:
        a_failed, a, b_failed, b = (round(pairs * number) for number in pair)
        if min(a, b) < 1:
            return False
        change = compare_shares(min(a_failed, a), a, min(b_failed, b), b)
        return judge_shares(change, margin, alpha=alpha).word != "undecided"

    low, high = 0, MOST_BLOCKS
    if not decide(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decide(middle) else (middle, high)
    return high


def _counts(side: Side, route: str | None) -> list[tuple[int, int]]:
    """Return failed and all requests of each block."""
    return [counted for block in side.blocks if (counted := failures(block, route)) is not None]


def _at_most(scattered: float, df: int) -> float:
    """Return the upper end of the true scatter factor (one-sided, 95 %), which few runs hardly tell."""
    return max(1.0, scattered) * df / (2 * gamma_quantile(0.05, df / 2))


def _bursts(side: Side, route: str | None) -> float:
    """Return the factor by which failures of a single trial scatter more than independent ones.

    It is the squared ratio of the trial's interval to that of as many independent failures.
    1.0 for a side of several blocks, whose scatter is seen between them.
    """
    if len(side.blocks) > 1:
        return 1.0
    share = side.blocks[0][0].with_interval("errors", route)
    if share is None or share.low is None or share.high is None or not share.n:
        return 1.0
    plain = wilson_share(round(share.value * share.n), share.n)
    return ((share.high - share.low) / (plain.high - plain.low)) ** 2 if plain.high > plain.low else 1.0
