"""Truth of each setting of a recorded surface, as far as its few trials tell.

The mean of three short trials has an error of several percent. Where many settings are about as good, the
greatest such mean is mostly luck, and no tuner could find a setting that is as good as that. What neighbours
say is used, too: a thin plate spline through the logarithms over the logarithms of the knobs, as stiff as
foretells trials best that it was not made from.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy.interpolate import RBFInterpolator

from loadrig.base.setting import Setting

Floats = npt.NDArray[np.float64]
Rows = Sequence[Mapping[str, float]]

STIFFNESSES = (0.0, *(10.0**power for power in range(-4, 4)))
"""Stiffnesses of the spline, from one through every mean to a plane."""

FEWEST = 8
"""Settings that differ in numbers only, below which nothing is made smooth."""


def smoothed(settings: Sequence[Setting], replicates: Sequence[Rows], by: str) -> dict[int, float]:
    """Return the smooth value of `by` of each setting that ever worked, by its position."""
    mean_by_number: dict[int, float] = {}
    for members in _alike(settings, replicates, by):
        values = [[row[by] for row in replicates[number] if row.get(by)] for number in members]
        if len(members) < FEWEST:
            mean_by_number.update(
                (number, float(np.mean(each))) for number, each in zip(members, values, strict=True)
            )
            continue
        places = _places([settings[number] for number in members])
        fit = _fitted(places, _log_means(values), places, stiffest(places, values))
        mean_by_number.update(zip(members, np.exp(fit).tolist(), strict=True))
    return mean_by_number


def stiffest(places: Floats, values: Sequence[Sequence[float]]) -> float:
    """Return the stiffness whose spline through the other trials comes nearest to those that are held out."""
    return min(STIFFNESSES, key=lambda stiffness: missed_by(places, values, stiffness))


def missed_by(places: Floats, values: Sequence[Sequence[float]], stiffness: float) -> float:
    """Return how far a spline is from trials that it was not made from: root mean square of logarithms.

    Each round of trials is held out once. Infinite where nothing can be held out.
    """
    squares: list[float] = []
    for out in range(max(map(len, values))):
        kept_values = [[value for place, value in enumerate(each) if place != out] for each in values]
        filled = [number for number, each in enumerate(kept_values) if each]
        asked = [number for number in filled if len(values[number]) > out]
        if not asked:
            continue
        means = _log_means([kept_values[number] for number in filled])
        foretold = _fitted(places[filled], means, places[asked], stiffness)
        measured = np.log([values[number][out] for number in asked])
        squares += ((foretold - measured) ** 2).tolist()
    return math.sqrt(sum(squares) / len(squares)) if squares else math.inf


def _alike(settings: Sequence[Setting], replicates: Sequence[Rows], by: str) -> list[list[int]]:
    """Positions of the settings that worked, those together that differ in numbers only."""
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for number, (setting, rows) in enumerate(zip(settings, replicates, strict=True)):
        if any(row.get(by) for row in rows):
            kind = tuple(
                (name, None if _is_size(value) else value) for name, value in sorted(setting.items())
            )
            groups[kind].append(number)
    return list(groups.values())


def _is_size(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _places(settings: Sequence[Setting]) -> Floats:
    """Return a row for each setting: the logarithm of each number that differs among them, from 0 to 1."""
    names = [name for name, value in settings[0].items() if _is_size(value)]
    logs = np.log(np.array([[float(setting[name]) for name in names] for setting in settings]))
    span = logs.max(axis=0) - logs.min(axis=0)
    moved = span > 0
    places: Floats = (logs[:, moved] - logs[:, moved].min(axis=0)) / span[moved]
    return places


def _log_means(values: Sequence[Sequence[float]]) -> Floats:
    return np.array([np.mean(np.log(each)) for each in values])


def _fitted(places: Floats, values: Floats, at: Floats, stiffness: float) -> Floats:
    spline = RBFInterpolator(places, values, kernel="thin_plate_spline", smoothing=stiffness, degree=1)
    fit: Floats = spline(at)
    return fit
