"""The settings that a tuner may try, and how alike they are.

Each knob is an axis. Numbers have an order and a scale (1, 2, 4, 8 are evenly spaced on logs), words have
none. A knob that a condition rules out stands where its default stands, a step away: a sync worker is
nearly a gthread worker with one thread.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadrig.base import units
from loadrig.base.setting import Knob, Setting, Value
from loadrig.catalogue.entry import Entry
from loadrig.plan.model import PlannedKnob
from loadrig.stats.arrays import Floats
from loadrig.study.space import base, completed, grid, key, one_at_a_time

if TYPE_CHECKING:  # optuna takes half a second to import
    from optuna.distributions import BaseDistribution

MOST_SETTINGS = 2_000
"""Most settings of a space; of a larger one so many, drawn evenly, stand for all.
Their posterior fits into a second."""

LOG_FROM = 8.0
"""Ratio of the largest to the least positive value from which values are spaced on logs, without a
catalogue."""

ABSENT = 0.35
"""Distance of a knob that does not apply from its default, in ranges of the knob."""

OFF = 0.25
"""Distance of a special 0 from the other values, in ranges of the knob."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Knob as a dimension. places: of each value in 0…1, empty for words. home: the place of its default."""

    knob: PlannedKnob
    is_ordered: bool
    places: Mapping[Value, float]
    home: float

    @property
    def is_free(self) -> bool:
        """Return whether the knob has more than one value."""
        return len(set(self.knob.values) | {self.knob.base}) > 1


class SettingSpace:
    """Settings that may be tried. settings: the base first.

    features: float[n, d], the settings as points; groups: int[d], the axis that a dimension belongs to.
    """

    def __init__(self, axes: Sequence[Axis], settings: Sequence[Setting]) -> None:
        self.axes = tuple(axes)
        self.settings = tuple(settings)
        self._place = {key(setting): number for number, setting in enumerate(self.settings)}
        columns: list[Floats] = []
        groups: list[int] = []
        for number, axis in enumerate(self.axes):
            own_columns = _columns(axis, self.settings)
            columns += own_columns
            groups += [number] * len(own_columns)
        self.features: Floats = np.array(columns).T if columns else np.zeros((len(self.settings), 0))
        self.groups = np.array(groups, dtype=np.int64)

    @property
    def knobs(self) -> tuple[PlannedKnob, ...]:
        """Return the knobs in the plan's order."""
        return tuple(axis.knob for axis in self.axes)

    def number(self, setting: Setting) -> int | None:
        """Return a setting's position in `settings`; None if it is not among them."""
        return self._place.get(key(setting))

    def frozen(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return positions of the settings in which these knobs stand at their base, or do not apply."""
        bases = {axis.knob.name: axis.knob.base for axis in self.axes if axis.knob.name in names}
        return tuple(
            number
            for number, setting in enumerate(self.settings)
            if all(setting.get(name, value) == value for name, value in bases.items())
        )


def space_of(
    knobs: Sequence[PlannedKnob],
    target_knobs: Mapping[str, Knob] | None = None,
    catalogue: Mapping[str, Entry] | None = None,
    *,
    seed: int = 1,
) -> SettingSpace:
    """Return the space of a plan's knobs. target_knobs: by name. catalogue: entries of the system."""
    axes = [
        _axis(knob, (target_knobs or {}).get(knob.name), (catalogue or {}).get(knob.name)) for knob in knobs
    ]
    return SettingSpace(axes, _settings(knobs, seed))


def _settings(knobs: Sequence[PlannedKnob], seed: int) -> tuple[Setting, ...]:
    if math.prod(max(1, len(knob.values)) for knob in knobs) <= MOST_SETTINGS:
        return grid(knobs)
    draw = random.Random(f"{seed}/settings")
    settings = {key(setting): setting for setting in (base(knobs), *one_at_a_time(knobs))}
    for _ in range(4 * MOST_SETTINGS):
        if len(settings) >= MOST_SETTINGS:
            break
        setting = completed(knobs, {knob.name: draw.choice(knob.values) for knob in knobs})
        settings.setdefault(key(setting), setting)
    return tuple(settings.values())


def _axis(knob: PlannedKnob, target_knob: Knob | None, entry: Entry | None) -> Axis:
    numbers = {value: _number(value, target_knob) for value in (*knob.values, knob.base)}
    if any(number is None for number in numbers.values()) or (entry and entry.scale == "words"):
        return Axis(knob, is_ordered=False, places={}, home=0.0)
    number_of = {value: float(number) for value, number in numbers.items() if number is not None}
    special = entry is not None and entry.zero == "above"
    positive = [number for number in number_of.values() if number > 0]
    is_log = (
        entry.scale == "log"
        if entry is not None
        else len(positive) > 1 and max(positive) >= LOG_FROM * min(positive)
    ) and all(number >= 0 for number in number_of.values())
    ordinary = [number for number in number_of.values() if number > 0 or not (is_log or special)]
    low, high = (min(ordinary), max(ordinary)) if ordinary else (0.0, 0.0)

    def place(number: float) -> float:
        if number == 0 and special:
            return 1 + OFF
        if number <= 0 and is_log:
            return -OFF
        if high == low:
            return 0.0
        if is_log:
            return math.log(number / low) / math.log(high / low)
        return (number - low) / (high - low)

    places = {value: place(number) for value, number in number_of.items()}
    default = (
        _number(target_knob.default, target_knob)
        if target_knob is not None and target_knob.default is not None
        else None
    )
    home = places[knob.base] if default is None else float(np.clip(place(float(default)), -OFF, 1 + OFF))
    return Axis(knob, is_ordered=True, places=places, home=home)


def _number(value: Value, target_knob: Knob | None) -> float | None:
    """Return a value as a number with an order; None for words."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if target_knob is not None and target_knob.kind == "size":
        try:
            return float(units.parse_size(value))
        except ValueError:
            return None
    return None


def _columns(axis: Axis, settings: Sequence[Setting]) -> list[Floats]:
    """Return the coordinates of every setting along an axis."""
    name = axis.knob.name
    is_there = np.array([name in setting for setting in settings])
    if not axis.is_ordered:
        words = list(dict.fromkeys((*axis.knob.values, axis.knob.base)))
        # Any two words are at distance 1; a knob that is absent is like none of them.
        return [
            np.array([float(setting.get(name) == word and name in setting) for setting in settings])
            / math.sqrt(2)
            for word in words
        ]
    places = np.array([axis.places[setting[name]] if name in setting else axis.home for setting in settings])
    return [places] if is_there.all() else [places, np.where(is_there, 0.0, ABSENT)]


# --- Optuna -----------------------------------------------------------------------------------------


def distributions(space: SettingSpace) -> "dict[str, BaseDistribution]":
    """Return knobs with more than one value as Optuna knows them: numbers on their scale, words as choices.

    A value that Optuna draws between the plan's values is taken to the nearest of them by `nearest`.
    """
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    by_knob: dict[str, BaseDistribution] = {}
    for axis in space.axes:
        if not axis.is_free:
            continue
        if axis.is_ordered:
            places = axis.places.values()
            by_knob[axis.knob.name] = FloatDistribution(min(places), max(places))
        else:
            by_knob[axis.knob.name] = CategoricalDistribution(
                tuple(dict.fromkeys((*axis.knob.values, axis.knob.base)))
            )
    return by_knob


def params_of(space: SettingSpace, setting: Setting) -> dict[str, Any]:
    """Return a setting as Optuna's parameters; a knob that does not apply is absent, as in Optuna's trees."""
    return {
        axis.knob.name: axis.places[setting[axis.knob.name]] if axis.is_ordered else setting[axis.knob.name]
        for axis in space.axes
        if axis.is_free and axis.knob.name in setting
    }


def nearest(axis: Axis, drawn: Any) -> Value:
    """Return the plan's value that lies nearest to what was drawn."""
    if not axis.is_ordered:
        word: Value = drawn
        return word
    return min(axis.places, key=lambda value: abs(axis.places[value] - float(drawn)))
