"""Rivals of ours: a threshold on two numbers, and tests that take seconds for independent."""

from collections.abc import Callable, Mapping

import numpy as np
from scipy import stats

from bench.compare.worlds import Simulated
from loadrig.comparing.side import Side

THRESHOLD = 0.05
ALPHA = 0.05


def threshold(a: Side, b: Side) -> str:
    """Tell whether the means differ by more than 5 %."""
    first, second = (_mean(side) for side in (a, b))
    ratio = second / first
    return "better" if ratio > 1 + THRESHOLD else "worse" if ratio < 1 / (1 + THRESHOLD) else "equal"


def welch_of_seconds(a: Side, b: Side) -> str:
    """Welch's t test of the throughput of every second, p < 0.05."""
    first, second = (_seconds(side) for side in (a, b))
    return _word(float(stats.ttest_ind(second, first, equal_var=False).pvalue), first, second)


def ranks_of_seconds(a: Side, b: Side) -> str:
    """Mann-Whitney's test of the same."""
    first, second = (_seconds(side) for side in (a, b))
    return _word(float(stats.mannwhitneyu(second, first).pvalue), first, second)


RIVALS: Mapping[str, Callable[[Side, Side], str]] = {
    "more than 5 % apart": threshold,
    "t test of seconds": welch_of_seconds,
    "rank test of seconds": ranks_of_seconds,
}


def _mean(side: Side) -> float:
    return float(np.mean([trial.value("throughput") or 0.0 for trial in side.usable]))


def _seconds(side: Side) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    counts = [count for trial in side.usable if isinstance(trial, Simulated) for count in trial.per_second]
    return np.asarray(counts, dtype=np.float64)


def _word(p: float, first: object, second: object) -> str:
    if p >= ALPHA:
        return "equal"
    return "better" if float(np.mean(np.asarray(second))) > float(np.mean(np.asarray(first))) else "worse"
