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

from loadrig.soaking.served import Served
from loadrig.soaking.shape import Shape, least_of_blocks, shape
from loadrig.stats.arrays import Floats
from loadrig.stats.distributions import t_quantile
from loadrig.stats.slope import Slope

FEWEST_LIVES = 3
"""Least number of lives that are known from their begin."""

AGES, FEWEST_AGES_OF_LIFE, A_STEP = 40, 8, 8
"""AGES: greatest number of steps of age. FEWEST_AGES_OF_LIFE: least number. A_STEP: readings of all lives
together that each step must have."""

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


Life = tuple[Floats, Floats, float | None]
"""Instants, levels, and the instant at which the process began; None where that was not seen: its first
reading counts then."""


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


def laid(readings: Sequence[Life], served: Served) -> Laid | None:
    """Return the course that all lives have in common; None where too few are known from their begin."""
    begin = float(served.t_s[0])
    workers = _at_a_time(readings, served)
    space = float(np.median([np.diff(t_s).mean() for t_s, _, _ in readings if t_s.size > 1] or [0.0]))
    # The age of a process that ran before the first readings is not known.
    born = [
        (t_s, level, t_s[0] if born_s is None else born_s)
        for t_s, level, born_s in readings
        if t_s.size > 1 and (t_s[0] > begin + 2 * space or (born_s is not None and born_s >= begin))
    ]
    if len(born) < FEWEST_LIVES:
        return None
    born = born[:: -(-len(born) // MOST_LIVES)]
    ages = [served.at(t_s) - served.at(born_s) for t_s, _, born_s in born]
    length = float(np.median([age[-1] for age in ages]))
    if length <= 0:
        return None
    # One life may have few readings; other lives have readings at other ages.
    bins = int(min(AGES, sum(age.size for age in ages) // A_STEP))
    if bins < FEWEST_AGES_OF_LIFE:
        return None
    edges = np.linspace(0, length * (1 + 1e-9), bins + 1)
    table = np.array(
        [least_of_blocks(age, level, edges) for age, (_, level, _) in zip(ages, born, strict=True)]
    )
    known = np.isfinite(table)
    enough = known.mean(axis=0) >= ENOUGH
    table, known, at = table[:, enough], known[:, enough], (edges[:-1] + edges[1:])[enough] / 2
    some = known.sum(axis=1) >= 2
    table, known = table[some], known[some]
    if not table.size:
        return None
    if at.size < FEWEST_AGES_OF_LIFE or table.shape[0] < FEWEST_LIVES:
        return None
    curve = _common_curves(table, known, np.ones((1, table.shape[0])))[0]
    late = at >= COLD * length
    if late.sum() >= FEWEST_AGES_OF_LIFE:
        table, known, at, curve = table[:, late], known[:, late], at[late], curve[late]
    course_shape = shape(at, curve)
    kept = np.isin(at, course_shape.x) if course_shape is not None else np.ones(at.size, dtype=bool)
    value = course_shape.slope.value if course_shape is not None else _line(at, curve[None, :])[0]
    return Laid(
        shape=course_shape,
        slope=_slope(table[:, kept], known[:, kept], at[kept], float(value)),
        length=length,
        birth=float(np.median([level[0] for _, level, _ in born])),
        last=float(np.median([level[-1] for _, level, _ in born])),
        count=table.shape[0],
        workers=workers,
    )


def _at_a_time(readings: Sequence[Life], served: Served) -> float:
    """Return the mean number of processes that lived at a time."""
    space = float(np.median([np.diff(t_s).mean() for t_s, _, _ in readings if t_s.size > 1] or [0.0]))
    lived = sum(float(t_s[-1] - t_s[0]) + space for t_s, _, _ in readings)
    return max(1.0, lived / max(1e-9, float(served.t_s[-1] - served.t_s[0])))


def _common_curves(table: Floats, known: NDArray[np.bool_], weights: NDArray[np.float64]) -> Floats:
    """Return what all lives have in common at each age, [resamples, ages], by least squares.

    The part that is a life's own is taken off. weights: how often each life counts, [resamples, lives].
    """
    filled, own_count = np.where(known, table, 0.0), np.maximum(known.sum(axis=1), 1)
    own = np.broadcast_to(filled.sum(axis=1) / own_count, weights.shape)
    count = np.maximum(weights @ known, 1e-9)
    curve = np.zeros((weights.shape[0], table.shape[1]))
    for _ in range(ROUNDS):
        curve = (weights @ filled - (weights * own) @ known) / count
        own = (filled.sum(axis=1) - curve @ known.T) / own_count
    from_birth: Floats = curve - curve[:, :1]
    return from_birth


def _line(at: Floats, curves: Floats) -> Floats:
    weights = (at - at.mean()) / float(((at - at.mean()) ** 2).sum())
    slopes: Floats = curves @ weights
    return slopes


def _slope(table: Floats, known: NDArray[np.bool_], at: Floats, value: float) -> Slope:
    """Return the slope with its interval, by drawing lives anew (Efron & Tibshirani 1993, ch. 6)."""
    lives = table.shape[0]
    rng = np.random.default_rng(1)
    weights = rng.multinomial(lives, np.full(lives, 1 / lives), LIFE_RESAMPLES).astype(np.float64)
    error = float(np.std(_line(at, _common_curves(table, known, weights)), ddof=1))
    half = t_quantile(0.975, lives - 1) * error
    return Slope(value, value - half, value + half, error, 0.95, 0.0, lives + 2)
