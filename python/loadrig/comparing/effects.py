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
from typing import Literal

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.comparing.noise import KnownNoise, Noises, failures, on_scale, scatter
from loadrig.comparing.pairing import Block, Pairing
from loadrig.comparing.side import Measured, Side
from loadrig.stats.compare import Effect, known_noise
from loadrig.stats.distributions import gamma_quantile
from loadrig.stats.intervals import wilson_share
from loadrig.stats.shares import barnard, compare_shares
from loadrig.stats.trimmed import trimmed_mean
from loadrig.stats.verdict import MOST_BLOCKS, judge_shares
from loadrig.study.yardstick import Yardstick

How = Literal["paired", "history", "apart", "repeats", "counts", "within"]

FEW = 500
"""Requests on both sides together up to which Barnard's test, sharper than Fisher's, takes no time."""

NORMAL_95 = 1.96

ALONE = 1.5
"""Where one run stands for a side: it may be the one in fifty that had a neighbour, which the spread of a few
earlier runs does not show. Without it single runs are accused for such half minutes (bench/compare)."""


@dataclass(frozen=True, slots=True)
class Found:
    """An effect, b as against a, on the scale of its measure, and how it was found.

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
    known: Noises,
    *,
    route: str | None = None,
    values: "Values | None" = None,
) -> Found | None:
    """How much B differs from A in one measure; None where a side does not have it.

    values: of each trial, where they are not to be read from it (standardised ones).
    """
    if by.name == "errors" and values is None:
        return _of_counts(a, b, route, pairing, known)
    read = values or Values(by, route)
    if pairing.pairs:
        found = _paired(read, pairing)
        if found is not None:
            return found
    ys = [read.of_blocks(side.blocks) for side in (a, b)]
    if not len(ys[0]) or not len(ys[1]):
        return None
    noise = known.of(by.name, route, by.scale)
    return _apart(ys[0], ys[1], noise, [_within(side, by, route) for side in (a, b)])


class Values:
    """What trials measured, on the scale of comparison. given: by trial, instead of what its result says."""

    def __init__(
        self, by: Yardstick, route: str | None = None, given: "dict[int, float | None] | None" = None
    ) -> None:
        self.by, self.route, self._given = by, route, given

    def of_trial(self, trial: Measured) -> float | None:
        """One number, or None where there is none (or none above zero, where ratios are compared)."""
        value = (
            self._given.get(id(trial)) if self._given is not None else trial.value(self.by.name, self.route)
        )
        if value is None or not math.isfinite(value) or (self.by.scale == "ratio" and value <= 0):
            return None
        return on_scale(value, self.by.scale)

    def of_block(self, block: Block) -> float | None:
        """The mean of a block's trials."""
        found = [y for trial in block if (y := self.of_trial(trial)) is not None]
        return sum(found) / len(found) if found else None

    def of_blocks(self, blocks: Sequence[Block]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """One number a block, those without one left out."""
        return np.array([y for block in blocks if (y := self.of_block(block)) is not None], dtype=np.float64)


def _paired(read: Values, pairing: Pairing) -> Found | None:
    """By the trimmed mean: in every twentieth pair or so a neighbour takes a tenth of one side."""
    differences = []
    for first, second in pairing.pairs:
        one, other = read.of_block(first), read.of_block(second)
        if one is not None and other is not None:
            differences.append(other - one)
    if len(differences) < 2:
        return None
    effect = trimmed_mean(differences)
    return Found(effect, "paired", pair_sd=effect.standard_error * math.sqrt(effect.n))


def _apart(
    first: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    second: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    noise: KnownNoise | None,
    within: Sequence[float | None],
) -> Found:
    """Runs that did not take turns."""
    centre = float(second.mean() - first.mean())
    n = min(first.size, second.size)
    own = _welch(first, second)
    inside = [error or 0.0 for error in within]
    if noise is not None and noise.source == "history":
        # Its runs are as these are, so what differs within them is in it; never less than is seen here.
        error, df = noise.sd * math.sqrt(2), float(noise.df)
        error *= ALONE if n == 1 else 1.0
        seen = own[0] if own is not None else math.hypot(*inside)
        if seen > error:
            error, df = seen, own[1] if own is not None else df
        return Found(
            known_noise(centre, error, df, n=n), "history", noise=noise, pair_sd=noise.sd * math.sqrt(2)
        )
    if own is not None:
        spreads = first.var(ddof=1), second.var(ddof=1)
        error = math.sqrt(float(spreads[0] * (1 + 1 / first.size) + spreads[1] * (1 + 1 / second.size)))
        sd = math.sqrt(float(sum(spreads)))
        return Found(known_noise(centre, error, own[1], n=n), "apart", pair_sd=sd)
    if noise is not None:
        # Once for the two runs, once more for the days on which they ran.
        error = max(noise.sd * 2 * ALONE, math.hypot(*inside))
        found = known_noise(centre, error, noise.df, n=n)
        return Found(found, "repeats", noise=noise, pair_sd=noise.sd * math.sqrt(2))
    error = math.hypot(*inside) if any(inside) else math.inf
    # Many degrees of freedom: each side's interval minded how well it knows its own spread.
    effect = known_noise(centre, error if math.isfinite(error) else 0.0, 1e6, n=n)
    return Found(effect, "within", decides=False)


def _welch(first: "np.ndarray[tuple[int], np.dtype[np.float64]]",
           second: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> tuple[float, float] | None:  # fmt: skip
    """Standard error of the difference of two means and its degrees of freedom; None for a single value.

    Source: Welch 1947, Biometrika 34, 28-35.
    """
    if min(first.size, second.size) < 2:
        return None
    parts = [float(one.var(ddof=1)) / one.size for one in (first, second)]
    total = sum(parts)
    if total == 0:
        return 0.0, float(first.size + second.size - 2)
    df = total**2 / sum(part**2 / (one.size - 1) for part, one in zip(parts, (first, second), strict=True))
    return math.sqrt(total), df


def _within(side: Side, by: Yardstick, route: str | None) -> float | None:
    """Standard error of a single trial as it is compared, from its own interval; None without one."""
    if len(side.blocks) > 1:
        return None
    return standard_error(side.blocks[0][0].with_interval(by.name, route), by)


def standard_error(found: Estimate | None, by: Yardstick) -> float | None:
    """Of an estimate with an interval, on the scale of comparison."""
    if found is None or found.low is None or found.high is None:
        return None
    if by.scale == "difference":
        return (found.high - found.low) / 2 / NORMAL_95
    if found.low <= 0 or found.value <= 0:
        return None
    return (math.log(found.high) - math.log(found.low)) / 2 / NORMAL_95


# --- counts -------------------------------------------------------------------------------------


def _of_counts(a: Side, b: Side, route: str | None, pairing: Pairing, known: Noises) -> Found | None:
    """Failed requests, by exact tests of counts that mind how unevenly failures come.

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
    seen = factor
    earlier = known.counts(route)
    decides = blocks > 1 or bool(earlier)
    if earlier:
        factor = max(
            factor, _at_most(scatter(earlier), len(earlier) - 1) * (ALONE**2 if blocks == 1 else 1.0)
        )
    if not pairing.pairs and (known.is_hasty or not earlier):
        factor += (factor - 1) * blocks
    hits = [sum(failed for failed, _ in counts) for counts in sides]
    totals = [sum(n for _, n in counts) for counts in sides]
    sizes = [max(1, round(n / factor)) for n in totals]
    less = [(min(n, round(h / factor)), n) for h, n in zip(hits, sizes, strict=True)]
    found = compare_shares(*less[0], *less[1])
    if sum(totals) <= FEW:
        found = replace(found, p=barnard(*less[0], *less[1]))
    centre = hits[1] / totals[1] - hits[0] / totals[0]
    moved = centre - found.difference
    error = (found.high - found.low) / 2 / NORMAL_95
    n = blocks
    effect = Effect(
        centre, found.low + moved, found.high + moved, found.narrow[0] + moved, found.narrow[1] + moved,
        found.p, n, error, 1e6, found.confidence, "independent",
    )  # fmt: skip
    # What another day may do drops out in turns; of one pair counts what is seen now.
    each = (hits[0], totals[0], hits[1], totals[1])
    pair = (each[0] / seen / n, each[1] / seen / n, each[2] / seen / n, each[3] / seen / n)
    return Found(effect, "counts" if decides else "within", decides, counts=pair)


def pairs_of_counts(pair: tuple[float, float, float, float], margin: float, alpha: float) -> int | None:
    """Pairs in turns that would decide if all were as this one; None beyond what is reasonable."""

    def decide(pairs: int) -> bool:
        a_failed, a, b_failed, b = (round(pairs * number) for number in pair)
        if min(a, b) < 1:
            return False
        found = compare_shares(min(a_failed, a), a, min(b_failed, b), b)
        return judge_shares(found, margin, alpha=alpha).word != "undecided"

    low, high = 0, MOST_BLOCKS
    if not decide(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decide(middle) else (middle, high)
    return high


def _counts(side: Side, route: str | None) -> list[tuple[int, int]]:
    """Failed and all requests of each block."""
    found = []
    for block in side.blocks:
        counted = failures(block, route)
        if counted is not None:
            found.append(counted)
    return found


def _at_most(scattered: float, df: int) -> float:
    """The upper end of what the true factor may be (one-sided, 95 %): of a few runs it is hardly known."""
    return max(1.0, scattered) * df / (2 * gamma_quantile(0.05, df / 2))


def _bursts(side: Side, route: str | None) -> float:
    """The same within a single trial: how much wider its interval is than that of independent failures."""
    if len(side.blocks) > 1:
        return 1.0
    found = side.blocks[0][0].with_interval("errors", route)
    if found is None or found.low is None or found.high is None or not found.n:
        return 1.0
    plain = wilson_share(round(found.value * found.n), found.n)
    return ((found.high - found.low) / (plain.high - plain.low)) ** 2 if plain.high > plain.low else 1.0
