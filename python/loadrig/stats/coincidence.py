"""Coincidence of bursts in one series with losses in another, and which of several series explains them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.dips import Dip, bursts
from loadrig.stats.least_squares import non_negative

BEFORE, AFTER = 2, 1
"""Numbers of steps before the first step of a dip and after it, within which a burst belongs to the dip."""

LAGS = (-1, 0, 1)
"""Steps by which a loss may be apart from its cause: both are known to a step."""

TRACE = (-10, 20)
"""Steps around a burst over which losses are averaged, to be looked at."""

KERNEL = 3
"""Number of steps over which an amount may act."""

MOST_SHIFTS, CHANCE = 40, 0.05
"""Largest number of shifts of one series against the others, which tell whether its own share is chance, and
the share of shifts that may explain as much."""

ALIKE = 0.3
"""Autocorrelation from which on a shifted series is no other series."""


@dataclass(frozen=True, slots=True)
class Coincidence:
    """Relation of one series of amounts to the losses.

    effect: mean loss at its amounts above the mean loss everywhere, in units of the losses. p: share of
    circular shifts that look as good; of two periodic series no less than the width of a dip over the period.
    recall: share of the dips with a burst; precision: share of the bursts with a dip; lag: steps by which the
    losses follow (negative: they were there before). trace: mean loss around the amounts, over TRACE.
    """

    effect: float
    p: float
    recall: float
    precision: float
    lag: int
    trace: tuple[float, ...]

    @property
    def score(self) -> float:
        """Harmonic mean of recall and precision: 1 where every dip has a burst and every burst a dip."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def coincidence(losses: ArrayLike, amounts: ArrayLike, dips: Sequence[Dip]) -> Coincidence | None:
    """Return how a series of amounts (0 or more, one a step) goes with losses; None where it has no bursts.

    The null is every circular shift of the one against the other, which leaves each as it is within itself.
    Source: event-triggered averaging with surrogate shifts, Lancaster et al. 2018, Phys. Rep. 748, 1-60.
    """
    y, a = as_floats(losses), as_floats(amounts)
    if y.size != a.size:
        raise ValueError(f"{y.size} losses, but {a.size} amounts")
    rises = bursts(a)
    if not rises or y.size < 8:
        return None
    # A constant part of the amounts has no time: only what exceeds the usual amount can coincide with
    # anything.
    excess = np.maximum(a - np.median(a), 0.0)
    means = _at_shifts(y, excess)
    near = np.array([means[lag % y.size] for lag in range(TRACE[0], TRACE[1] + 1)])
    smooth = (np.roll(means, 1) + means + np.roll(means, -1)) / len(LAGS)
    others = smooth[len(LAGS) : y.size - len(LAGS) + 1]
    p = (1 + int(np.sum(others >= smooth[0]))) / (others.size + 1)
    return Coincidence(
        effect=float(smooth[0]),
        p=float(p),
        recall=_share(any(is_near(dip, burst) for burst in rises) for dip in dips),
        precision=_share(any(is_near(dip, burst) for dip in dips) for burst in rises),
        lag=_lag(near, rises),
        trace=tuple(float(value) for value in near),
    )


def _lag(near: Floats, rises: Sequence[tuple[int, int]]) -> int:
    """Return the lag at which the loss is greatest.

    From half way to the next burst on a lag belongs to that burst.
    """
    lags = np.arange(TRACE[0], TRACE[1] + 1)
    spaces = np.diff([first for first, _ in rises])
    if spaces.size:
        near = np.where(np.abs(lags) <= max(float(np.median(spaces)) / 2, AFTER), near, -np.inf)
    return int(lags[np.argmax(near)])


def _at_shifts(y: Floats, weights: Floats) -> Floats:
    """Return mean losses, above their own mean, that follow the weights by 0, 1, 2, … steps.

    The series is taken as circular.
    """
    spectrum = np.conj(np.fft.rfft(weights)) * np.fft.rfft(y - y.mean())
    means: Floats = np.fft.irfft(spectrum, y.size) / weights.sum()
    return means


def is_near(dip: Dip, burst: tuple[int, int]) -> bool:
    """Return whether a burst, by its first and last step, is close enough to a dip to belong to it."""
    return burst[1] >= dip.first - BEFORE and burst[0] <= dip.last + AFTER - 1


def _share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return sum(values) / len(values) if values else 0.0


def discovery_rates(p: Sequence[float]) -> tuple[float, ...]:
    """Return the p of several tests, each as the share of false discoveries up to it.

    Source: Benjamini & Hochberg 1995.
    """
    return tuple(float(q) for q in scipy.stats.false_discovery_control(p)) if len(p) else ()


def unique_shares(losses: ArrayLike, streams: Sequence[ArrayLike]) -> tuple[float, ...]:
    """Return, for each series of amounts, the share (0 to 1) of the losses' variance that it alone explains.

    All series together are regressed on, each with KERNEL steps of effect, none below zero; the variance that
    is lost where a series is left out is its own. Zero where a shift of that one, at random, explains as much
    as often as 1 in 20.
    """
    y = as_floats(losses)
    y = y - y.mean()
    designs = [_design(as_floats(stream)) for stream in streams]
    total = float(y @ y)
    if total <= 0 or not designs:
        return tuple(0.0 for _ in designs)
    whole = _rest(np.hstack(designs), y)
    shares = []
    for place in range(len(designs)):
        others = [design for n, design in enumerate(designs) if n != place]
        without = _rest(np.hstack(others), y) if others else total
        own = (without - whole) / total
        if own > 0:
            shifts = _strange_shifts(designs[place][:, 0])
            chance = [
                without - _rest(np.hstack([np.roll(designs[place], shift, axis=0), *others]), y)
                for shift in shifts
            ]
            if chance and np.mean(np.asarray(chance) >= without - whole) > CHANCE:
                own = 0.0
        shares.append(max(0.0, float(own)))
    return tuple(shares)


def _strange_shifts(amounts: Floats) -> list[int]:
    """Return shifts at which a series does not resemble itself: a period later it is the same again."""
    spectrum = np.fft.rfft(amounts)
    likeness = np.fft.irfft(spectrum * np.conj(spectrum), amounts.size)
    shifts = np.arange(KERNEL, amounts.size - KERNEL)
    strange = shifts[likeness[shifts] < ALIKE * likeness[0]]
    return [int(shift) for shift in strange[:: max(1, strange.size // MOST_SHIFTS)]]


def _design(amounts: Floats) -> Floats:
    """Return an amount at each step and those before it, each less its mean."""
    columns = np.column_stack([np.roll(amounts, lag) for lag in range(KERNEL)])
    scale = float(np.max(np.abs(amounts))) or 1.0
    standardised: Floats = (columns - columns.mean(axis=0)) / scale
    return standardised


def _rest(design: Floats, y: Floats) -> float:
    """Return what non-negative least squares leave unexplained: a sum of squares."""
    _, norm = non_negative(design, y)
    return norm**2
