"""Lives of processes that end and begin anew, laid on each other by their age in requests.

One life is short and noisy, and begins while the program is still being loaded; but all lives are of one
program. A level is taken apart into a part of each life's own and a part that every life has at that age, and
the second part grows or does not. As lives are independent of each other, drawing them anew tells how well it
is known, whatever the noise within one life.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadrig.judgement.facts.readings import ProcessReadings, RequestCount
from loadrig.stats.arrays import Floats
from loadrig.stats.distributions import t_quantile
from loadrig.stats.limits import BLOCKS
from loadrig.stats.shape import Shape, least_of_blocks, shape
from loadrig.stats.slope import Slope

FEWEST_LIVES = 3
"""Least number of lives that are known from their begin."""

FEWEST_AGES, READINGS_A_STEP = 5, 6
"""Least number of steps of age, and readings of all lives together that each step must have. As the slope is
known from the lives, fewer steps do than a single course needs."""

COLD = 0.2
"""Share of a life that is left out at its begin: the program is loaded and warmed up anew each time."""

ENOUGH = 0.08
"""Share of the lives that must have reached an age for that age to count."""

MOST_LIVES = 400
"""Greatest number of lives that are used: of more, every second, third, … is taken."""

LIFE_RESAMPLES = 200
"""Number of times that lives are drawn anew for the standard error."""
ROUNDS = 12
"""Number of rounds in which levels are taken apart: each halves the remaining error at least."""


@dataclass(frozen=True, eq=False)
class Laid:
    """Lives laid on each other by age.

    shape: shape of their common course. slope: growth of one process with a request of all. length: requests
    of all processes in a life. birth, last: median level at the begin and at the end of a life. count: number
    of lives. workers: processes at a time.
    """

    shape: Shape | None
    slope: Slope
    length: float
    birth: float
    last: float
    count: int
    workers: float


def laid(readings: Sequence[ProcessReadings], served: RequestCount) -> Laid | None:
    """Return the course that all lives have in common; None where too few are known from their begin."""
    lives = [life for life in readings if life.t_s.size > 1]
    if len(lives) < FEWEST_LIVES:
        return None
    begin = float(served.t_s[0])
    space = float(np.median([life.spacing_s for life in lives]))
    lived_s = sum(float(life.t_s[-1] - life.t_s[0]) + space for life in readings)
    workers = max(1.0, lived_s / max(1e-9, float(served.t_s[-1]) - begin))
    # The age of a process that ran before the first readings is not known.
    born = [
        life
        for life in lives
        if life.t_s[0] > begin + 2 * space or (life.born_s is not None and life.born_s >= begin)
    ]
    born = born[:: -(-len(born) // MOST_LIVES) or 1]
    ages = [
        served.at(life.t_s) - served.at(life.t_s[0] if life.born_s is None else life.born_s) for life in born
    ]
    length = float(np.median([age[-1] for age in ages] or [0.0]))
    # One life may have few readings; other lives have readings at other ages.
    steps = int(min(BLOCKS, sum(age.size for age in ages) // READINGS_A_STEP))
    if len(born) < FEWEST_LIVES or length <= 0 or steps < FEWEST_AGES:
        return None
    edges = np.linspace(0, length * (1 + 1e-9), steps + 1)
    rows = [least_of_blocks(age, life.level, edges) for age, life in zip(ages, born, strict=True)]
    places, table = (np.array(part) for part in zip(*rows, strict=True))
    enough = np.isfinite(table).mean(axis=0) >= ENOUGH
    late = enough & (edges[1:] > COLD * length)
    chosen = late if late.sum() >= FEWEST_AGES else enough
    table, at = table[:, chosen], np.nanmean(places[:, chosen], axis=0)
    table = table[np.isfinite(table).sum(axis=1) >= 2]
    if at.size < FEWEST_AGES or table.shape[0] < FEWEST_LIVES:
        return None
    curve = _common_curves(table, np.ones((1, table.shape[0])))[0]
    course_shape = shape(at, curve, _slope(table, at), FEWEST_AGES)
    if course_shape is not None:
        part = np.isin(at, course_shape.x)
        table, at = table[:, part], at[part]
    return Laid(
        shape=course_shape,
        slope=_slope(table, at, None if course_shape is None else course_shape.slope.value),
        length=length,
        birth=float(np.median([life.level[0] for life in born])),
        last=float(np.median([life.level[-1] for life in born])),
        count=table.shape[0],
        workers=workers,
    )


def _common_curves(table: Floats, weights: NDArray[np.float64]) -> Floats:
    """Return what all lives have in common at each age, [resamples, ages], by least squares.

    The part that is a life's own is taken off. table: levels, [lives, ages], nan where unknown. weights: how
    often each life counts, [resamples, lives].
    """
    is_known = np.isfinite(table)
    filled, own_count = np.where(is_known, table, 0.0), np.maximum(is_known.sum(axis=1), 1)
    own = np.broadcast_to(filled.sum(axis=1) / own_count, weights.shape)
    count = np.maximum(weights @ is_known, 1e-9)
    curve = np.zeros((weights.shape[0], table.shape[1]))
    for _ in range(ROUNDS):
        curve = (weights @ filled - (weights * own) @ is_known) / count
        own = (filled.sum(axis=1) - curve @ is_known.T) / own_count
    from_birth: Floats = curve - curve[:, :1]
    return from_birth


def _lines(at: Floats, curves: Floats) -> Floats:
    """Return the slopes of least-squares lines through some curves."""
    weights = (at - at.mean()) / float(((at - at.mean()) ** 2).sum())
    slopes: Floats = curves @ weights
    return slopes


def _slope(table: Floats, at: Floats, value: float | None = None) -> Slope:
    """Return the slope with its interval, by drawing lives anew (Efron & Tibshirani 1993, ch. 6).

    value: the slope where it is known better than by a line through the common curve.
    """
    lives = table.shape[0]
    if value is None:
        value = float(_lines(at, _common_curves(table, np.ones((1, lives))))[0])
    rng = np.random.default_rng(1)
    weights = rng.multinomial(lives, np.full(lives, 1 / lives), LIFE_RESAMPLES).astype(np.float64)
    error = float(np.std(_lines(at, _common_curves(table, weights)), ddof=1))
    half = t_quantile(0.975, lives - 1) * error
    return Slope(value, value - half, value + half, error, 0.95, 0.0, lives + 2)
