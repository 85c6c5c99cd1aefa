"""Goals that hold in every stretch of a length: `p95 < 500ms for 30s`.

A stretch is as many neighbouring steps (frames) as fill that length; one ends with every step from the first
full one on, so they overlap, and none is missed because of where the clock stood. A quantile of a stretch is
that of all its answers: of a histogram it is below a limit exactly if enough of the answers lie in bins that
read below it, and such counts can be added up. So two counts a step are all that is kept, nothing is
averaged, and the result is that of the merged histograms to the last answer.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadrig._native import Histogram
from loadrig.stats.arrays import Floats, as_floats

NS = 1_000_000_000

STRETCH_FILLED_SHARE = 0.995
"""Share of its length that a stretch must fill: the clock rounds steps of a second."""


@dataclass(frozen=True, slots=True)
class Miss:
    """Neighbouring stretches that miss a goal.

    from_s: begin of the first stretch. to_s: end of the last. worst: value of the measure in them that is
    furthest from the limit. at_s: end of the stretch with that value.
    """

    from_s: float
    to_s: float
    worst: float
    at_s: float

    @property
    def length_s(self) -> float:
        """Return the seconds from the begin of the first stretch to the end of the last."""
        return self.to_s - self.from_s


@dataclass(frozen=True, slots=True)
class GoalKept:
    """Answer whether a goal held in every stretch.

    stretches: number that could be judged. missed: number of those that missed the goal. unknown: number in
    which nothing was measured. misses: in order. worst: value of the worst stretch of all, also where none
    missed; nan where none was judged.
    """

    over_s: float
    limit: float
    is_below: bool
    stretches: int
    missed: int
    unknown: int
    misses: tuple[Miss, ...]
    worst: float

    @property
    def is_met(self) -> bool | None:
        """Return whether the goal held in all stretches; None where none could be judged."""
        return self.missed == 0 if self.stretches else None

    @property
    def share(self) -> float:
        """Return the share of the stretches that kept the goal; nan where none could be judged."""
        return 1 - self.missed / self.stretches if self.stretches else math.nan

    @property
    def longest(self) -> Miss | None:
        """Return the longest miss; None where there is none."""
        return max(self.misses, key=lambda miss: miss.length_s, default=None)


def below(step: Histogram, limit_s: float) -> int:
    """Return the answers in bins that read below a limit, as `quantile_ns` would say them."""
    bin_ = Histogram()
    bin_.record(round(limit_s * NS))
    # A bin reads as its end, so the bin that holds the limit reads as the limit or more.
    return step.count_between(0, bin_.min_ns - 1) if step.count and bin_.min_ns > 0 else 0


def of_quantile(
    seconds: ArrayLike,
    below: ArrayLike,
    counts: ArrayLike,
    quantile: float,
    over_s: float,
    limit: float,
    value_of: Callable[[int, int], float],
) -> GoalKept:
    """Judge a goal `pQ < limit for over`.

    seconds: lengths of the steps. below: answers of each step below the limit. counts: answers of each step.
    value_of: returns the quantile of the steps from one up to, not with, another; it is asked only for the
    worst stretch of each miss.
    A quantile is the least value with at least that share of the answers at or below it.
    """
    ends, begins = _stretches(as_floats(seconds), over_s)
    low, all_ = _sums(below, begins, ends), _sums(counts, begins, ends)
    is_known = all_ > 0
    # The rank that Histogram.quantile_ns takes: the quantile is below the limit if so many answers are.
    rank = np.maximum(1.0, np.ceil(quantile * all_))
    is_missed = is_known & (low < rank)
    # The share below the limit falls short by most where the quantile is worst, or nearly so.
    far = np.where(is_known, (rank - low) / np.maximum(all_, 1.0), -np.inf)
    return _kept(as_floats(seconds), over_s, limit, True, begins, ends, is_known, is_missed, far, value_of)


def of_ratio(
    seconds: ArrayLike,
    amounts: ArrayLike,
    totals: ArrayLike,
    over_s: float,
    limit: float,
    *,
    is_below: bool,
) -> GoalKept:
    """Judge a goal on a ratio of sums: errors (failed over ended), throughput (good over seconds), a mean."""
    lengths = as_floats(seconds)
    ends, begins = _stretches(lengths, over_s)
    amount, total = _sums(amounts, begins, ends), _sums(totals, begins, ends)
    is_known = total > 0
    values = np.divide(amount, total, out=np.full(total.size, np.nan), where=is_known)
    return _judged_by_values(lengths, values, is_known, over_s, limit, is_below, begins, ends)


def of_greatest(
    seconds: ArrayLike, greatest: ArrayLike, counts: ArrayLike, over_s: float, limit: float
) -> GoalKept:
    """Judge a goal `max < limit for over`. greatest: greatest time of each step; counts: its answers."""
    lengths, most = as_floats(seconds), np.where(as_floats(counts) > 0, as_floats(greatest), -np.inf)
    ends, begins = _stretches(lengths, over_s)
    values = np.array([most[low:high].max() for low, high in zip(begins, ends, strict=True)])
    return _judged_by_values(lengths, values, np.isfinite(values), over_s, limit, True, begins, ends)


def _judged_by_values(
    lengths: Floats,
    values: Floats,
    is_known: NDArray[np.bool_],
    over_s: float,
    limit: float,
    is_below: bool,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> GoalKept:
    with np.errstate(invalid="ignore"):
        is_missed = is_known & ((values >= limit) if is_below else (values <= limit))
    far = np.where(is_known, values if is_below else -values, -np.inf)
    place = {(int(low), int(high)): at for at, (low, high) in enumerate(zip(begins, ends, strict=True))}
    return _kept(
        lengths, over_s, limit, is_below, begins, ends, is_known, is_missed, far,
        lambda low, high: float(values[place[low, high]]),
    )  # fmt: skip


def _stretches(seconds: Floats, over_s: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ends and begins of all stretches, as numbers of steps; none for a recording shorter than one.

    A stretch is the shortest run of steps before its end that fills its length.
    """
    if over_s <= 0:
        raise ValueError("a stretch is longer than nothing")
    at = np.concatenate(([0.0], np.cumsum(seconds)))
    ends = np.arange(1, at.size)
    begins = np.searchsorted(at, at[1:] - STRETCH_FILLED_SHARE * over_s + 1e-9, side="right") - 1
    full = at[1:] >= STRETCH_FILLED_SHARE * over_s - 1e-9
    return ends[full], np.maximum(begins[full], 0)


def _sums(values: ArrayLike, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> Floats:
    total = np.concatenate(([0.0], np.cumsum(as_floats(values))))
    sums: Floats = total[ends] - total[begins]
    return sums


def _kept(
    seconds: Floats,
    over_s: float,
    limit: float,
    is_below: bool,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    is_known: NDArray[np.bool_],
    is_missed: NDArray[np.bool_],
    far: Floats,
    value_of: Callable[[int, int], float],
) -> GoalKept:
    at = np.concatenate(([0.0], np.cumsum(seconds)))
    misses = []
    edges = np.flatnonzero(np.diff(np.concatenate(([0], is_missed.astype(np.int8), [0]))))
    for first, beyond in edges.reshape(-1, 2):
        place = int(first + np.argmax(far[first:beyond]))
        worst = value_of(int(begins[place]), int(ends[place]))
        misses.append(
            Miss(float(at[begins[first]]), float(at[ends[beyond - 1]]), worst, float(at[ends[place]]))
        )
    worst = math.nan
    if misses:
        worst = (max if is_below else min)(miss.worst for miss in misses)
    elif is_known.any():
        place = int(np.argmax(far))
        worst = value_of(int(begins[place]), int(ends[place]))
    return GoalKept(
        over_s=over_s,
        limit=limit,
        is_below=is_below,
        stretches=int(is_known.sum()),
        missed=int(is_missed.sum()),
        unknown=int((~is_known).sum()),
        misses=tuple(misses),
        worst=worst,
    )
