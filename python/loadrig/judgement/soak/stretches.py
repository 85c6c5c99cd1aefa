"""Goals that hold in every stretch of a length: `p95 < 500ms for 30s`.

A stretch is as many neighbouring steps (frames) as fill that length; one ends with every step from the first
full one on, so they overlap, and none is missed because of where the clock stood. A quantile of a stretch is
that of all its answers: of a histogram it is below a limit exactly if enough of the answers lie in bins that
read below it, and such counts can be added up. So two counts a step are all that is kept, nothing is
averaged, and the result is that of the merged histograms to the last answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadrig._native import Histogram
from loadrig.base.documents import finite
from loadrig.judgement.soak.document import GoalOverStretches, MissDocument
from loadrig.recording.steps import NS
from loadrig.stats.arrays import Bools, Floats, as_floats, runs

STRETCH_FILLED_SHARE = 0.995
"""Share of its length that a stretch must fill: the clock rounds steps of a second."""

ROUNDING_S = 1e-9
"""Time by which sums of the lengths of steps may differ, in seconds: the clock counts nanoseconds."""


@dataclass(frozen=True)
class StretchGoal:
    """Goal over stretches. seconds: lengths of the steps. limit: of the measure, in its unit."""

    text: str
    seconds: ArrayLike
    over_s: float
    limit: float
    is_below: bool = True

    def __post_init__(self) -> None:
        """Refuse stretches without a length."""
        if self.over_s <= 0:
            raise ValueError("a stretch is longer than nothing")

    @cached_property
    def edges_s(self) -> Floats:
        """Begin of the first step and ends of all, in seconds."""
        return np.concatenate(([0.0], np.cumsum(as_floats(self.seconds))))

    @cached_property
    def stretches(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Begins and ends of all stretches, as numbers of steps; none in a recording shorter than one.

        A stretch is the shortest run of steps before its end that fills its length.
        """
        at, filled_s = self.edges_s, STRETCH_FILLED_SHARE * self.over_s
        is_full = at[1:] + ROUNDING_S >= filled_s
        begins = np.searchsorted(at, at[1:] - filled_s + ROUNDING_S, side="right") - 1
        return np.maximum(begins[is_full], 0), np.arange(1, at.size)[is_full]

    def sums(self, values: ArrayLike) -> Floats:
        """Return the sum over each stretch of a value for each step."""
        begins, ends = self.stretches
        total = np.concatenate(([0.0], np.cumsum(as_floats(values))))
        sums: Floats = total[ends] - total[begins]
        return sums


def below(step: Histogram, limit_s: float) -> int:
    """Return the answers in bins that read below a limit, as `quantile_ns` would say them."""
    bin_ = Histogram()
    bin_.record(round(limit_s * NS))
    # A bin reads as its end, so the bin that holds the limit reads as the limit or more.
    return step.count_between(0, bin_.min_ns - 1) if step.count and bin_.min_ns > 0 else 0


def of_quantile(
    goal: StretchGoal,
    below: ArrayLike,
    counts: ArrayLike,
    quantile: float,
    value_of: Callable[[int, int], float],
) -> GoalOverStretches:
    """Judge a goal `pQ < limit for over`.

    below: answers of each step below the limit. counts: answers of each step. value_of: returns the quantile
    of the steps from one up to, not with, another; it is asked only for the worst stretch of each miss.
    A quantile is the least value with at least that share of the answers at or below it.
    """
    low, all_ = goal.sums(below), goal.sums(counts)
    is_known = all_ > 0
    # The rank that Histogram.quantile_ns takes: the quantile is below the limit if so many answers are.
    rank = np.maximum(1.0, np.ceil(quantile * all_))
    # The share below the limit falls short by most where the quantile is worst, or nearly so.
    far = np.where(is_known, (rank - low) / np.maximum(all_, 1.0), -np.inf)
    begins, ends = goal.stretches
    return _judged(goal, is_known & (low < rank), far, lambda at: value_of(int(begins[at]), int(ends[at])))


def of_ratio(goal: StretchGoal, amounts: ArrayLike, totals: ArrayLike) -> GoalOverStretches:
    """Judge a goal on a ratio of sums: errors (failed over ended), throughput (good over seconds), a mean."""
    amount, total = goal.sums(amounts), goal.sums(totals)
    return _judged_by_values(goal, np.divide(amount, total, out=np.full(total.size, np.nan), where=total > 0))


def of_greatest(goal: StretchGoal, greatest: ArrayLike, counts: ArrayLike) -> GoalOverStretches:
    """Judge a goal `max < limit for over`. greatest: greatest time of each step; counts: its answers."""
    most = np.where(as_floats(counts) > 0, as_floats(greatest), -np.inf)
    values = np.array([most[low:high].max() for low, high in zip(*goal.stretches, strict=True)])
    return _judged_by_values(goal, np.where(np.isfinite(values), values, np.nan))


def _judged_by_values(goal: StretchGoal, values: Floats) -> GoalOverStretches:
    """Judge a goal by the value of each stretch; nan where nothing was measured."""
    is_missed = (values >= goal.limit) if goal.is_below else (values <= goal.limit)
    far = np.where(np.isnan(values), -np.inf, values if goal.is_below else -values)
    return _judged(goal, is_missed, far, lambda at: float(values[at]))


def _judged(
    goal: StretchGoal, is_missed: Bools, far: Floats, value_at: Callable[[int], float]
) -> GoalOverStretches:
    """Return the verdict on a goal.

    far: how far each stretch is on the wrong side of the limit; -inf where nothing was measured. value_at:
    returns the value of a stretch by its number.
    """
    begins, ends = goal.stretches
    at_s = goal.edges_s
    misses = []
    for first, last in runs(is_missed):
        place = int(first + np.argmax(far[first : last + 1]))
        from_s, to_s = float(at_s[begins[first]]), float(at_s[ends[last]])
        misses.append(MissDocument(from_s, to_s, finite(value_at(place)), float(at_s[ends[place]])))
    is_known = far > -np.inf
    judged, missed = int(is_known.sum()), int(is_missed.sum())
    worst = None
    if misses:
        worst = (max if goal.is_below else min)(miss.worst for miss in misses if miss.worst is not None)
    elif judged:
        worst = finite(value_at(int(np.argmax(far))))
    return GoalOverStretches(
        text=goal.text,
        met=missed == 0 if judged else None,
        over_s=goal.over_s,
        stretches=judged,
        missed=missed,
        unknown=is_known.size - judged,
        share=1 - missed / judged if judged else None,
        worst=worst,
        longest_s=max((miss.to_s - miss.from_s for miss in misses), default=0.0),
        misses=tuple(misses),
    )
