"""Change points: where a series of results, such as a run a day, changes its level.

The place of a change is found by the energy distance between what lies before and behind it
(E-divisive); whether it is one is told by Student's t test in place of a permutation test, which is
deterministic and cheap. First all weak candidates are found, in windows; then the weakest goes, and its
neighbours are judged anew, until all that are left are strong. Where no single place tells, a stretch is
looked for that differs from what lies around it: a level that was left and came back is no step of the whole.

Sources: Matteson & James 2014, J. Am. Stat. Assoc. 109, 334-345 (E-divisive); Fleming, Kołaczkowski et al.
2023, Hunter: Using Change Point Detection to Hunt for Performance Regressions, ICPE, 199-206 (t test,
windows, two thresholds); Olshen, Venkatraman, Lucito & Wigler 2004, Biostatistics 5, 557-572 (a stretch
against its surroundings); Daly et al. 2020, ICPE, 67-75 (why thresholds by hand do not do).
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.limits import LEAST_SIDE, SURE
from loadrig.stats.t_tests import of_equal_spread

WEAK = 10 * SURE
"""Largest p of a candidate: a change that a neighbouring change hides is weak until that one is cut off. On
500 steady series of 30 runs each, tests/stats/test_changes.py finds changes in a few only."""

WINDOW = 50
"""Number of runs looked at together: an old level far away says nothing of the present one."""


@dataclass(frozen=True, slots=True)
class LevelChange:
    """Change of level with the value at `index`, the first of the new level.

    before, after: means of the stretch that ends there and of the one that begins there. p: two-sided, of no
    change. low, high: the 95 % interval of after - before.
    """

    index: int
    before: float
    after: float
    low: float
    high: float
    p: float

    @property
    def difference(self) -> float:
        """Difference after less before; of logs, the log of the ratio."""
        return self.after - self.before


def change_points(values: ArrayLike) -> tuple[LevelChange, ...]:
    """Return the changes of level of a series, in order; empty for fewer than six values.

    values: one a run, in the order in which they ran: logs, where ratios are meant. The same values give
    the same changes. A slow drift is cut into steps, as every method of this kind does.
    """
    series = as_floats(values)
    places = _candidates(series)
    while places:
        edges = [0, *places, series.size]
        changes = [_compare(series, *edges[i : i + 3]) for i in range(len(places))]
        weakest = max(changes, key=lambda change: change.p)
        if weakest.p < SURE:
            return tuple(changes)
        places.remove(weakest.index)
    return ()


def _candidates(series: Floats) -> list[int]:
    """Return the places of changes with p below WEAK, window by window."""
    places: set[int] = set()
    start = 0
    while True:
        end = min(series.size, start + WINDOW)
        here = _split(series, start, end)
        places.update(here)
        if end == series.size:
            return sorted(places)
        # On from the last change, whose new level is then seen whole; else by half a window.
        start = max(here[-1] if here else start, start + WINDOW // 2)


def _split(series: Floats, start: int, end: int) -> list[int]:
    """Return the changes between two places: the best one, and those on either side of it."""
    place = best_place(series[start:end])
    if place is None:
        return []
    place += start
    if _compare(series, start, place, end).p >= WEAK:
        return _stretch(series, start, end)
    return [*_split(series, start, place), place, *_split(series, place, end)]


def _stretch(series: Floats, start: int, end: int) -> list[int]:
    """Return both ends of the stretch that differs most from its surroundings, if it is strong.

    There are more stretches than places by a factor of the length, so each has to be surer by as much.
    """
    part = series[start:end]
    n = part.size
    sums = np.concatenate(([0.0], np.cumsum(part - part.mean())))
    low, high = np.triu_indices(n + 1, LEAST_SIDE)
    is_inside = (low >= LEAST_SIDE) & (n - high >= LEAST_SIDE)
    low, high = low[is_inside], high[is_inside]
    if not low.size:
        return []
    m = high - low
    # The sum of squares that the stretch explains: the greatest has the greatest t.
    best = int(np.argmax((sums[high] - sums[low]) ** 2 * n / (m * (n - m))))
    first, last = int(low[best]), int(high[best])
    around = np.concatenate((part[:first], part[last:]))
    p = _compare(np.concatenate((around, part[first:last])), 0, around.size, n).p
    if p >= WEAK / n:
        return []
    edges = [start, start + first, start + last, end]
    inner = [_split(series, edges[i], edges[i + 1]) for i in range(3)]
    return [*inner[0], edges[1], *inner[1], edges[2], *inner[2]]


def best_place(part: Floats) -> int | None:
    """Return the place at which the energy distance of what is before and behind is greatest.

    The distance is weighted by the numbers of values on both sides.
    """
    n = part.size
    if n < 2 * LEAST_SIDE or np.ptp(part) == 0:
        return None
    distances = np.abs(part[:, None] - part[None, :])
    # square[k]: sum of all distances among the first k values.
    square = np.zeros(n + 1)
    square[1:] = np.diag(np.cumsum(np.cumsum(distances, axis=0), axis=1))
    row = np.concatenate(([0.0], np.cumsum(distances.sum(axis=1))))
    m = np.arange(LEAST_SIDE, n - LEAST_SIDE + 1)
    k = n - m
    within_before = square[m]
    between = row[m] - within_before
    within_behind = square[n] - within_before - 2 * between
    energy = 2 * between / (m * k) - within_before / m**2 - within_behind / k**2
    return int(m[int(np.argmax(energy * m * k / n))])


def _compare(series: Floats, start: int, place: int, end: int) -> LevelChange:
    change = level_change(series[start:end], place - start)
    return replace(change, index=place)


def level_change(values: Floats, index: int, alike: float = 0.0) -> LevelChange:
    """Return the change of level at a place of a series, by Student's t test.

    alike: share that noise keeps of what it was before, 0 to 1; as many values count as are worth independent
    ones. Equal spreads are supposed: of three values nobody knows the spread, and Welch's test would need it.
    Sources: Student 1908, Biometrika 6, 1-25; Bayley & Hammersley 1946, J. R. Stat. Soc. Suppl. 8, 184-197.
    """
    before, after = values[:index], values[index:]
    test = of_equal_spread(before, after)
    if np.ptp(before) == 0 and np.ptp(after) == 0:
        test = replace(test, error=0.0)
    worth = (1 - alike) / (1 + alike)
    test = replace(test, error=test.error / math.sqrt(worth), df=max(2.0, values.size * worth - 2))
    p = 1.0 if math.isnan(test.p) else test.p
    return LevelChange(index, float(before.mean()), float(after.mean()), *test.interval(0.95), p)
