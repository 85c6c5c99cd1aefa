"""The settings of a study: every knob given a value, conditions kept.

A knob stands behind those of its condition: so the reader of plans has it (plan.conditions).
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from loadrig.base.setting import Setting, Value
from loadrig.plan.model import PlannedKnob

# `json.dumps` would make an encoder for each of a study's hundred thousand keys: half of their time.
_ENCODER = json.JSONEncoder(sort_keys=True)


def key(setting: Setting) -> str:
    """Return one text for equal settings, in whatever order their knobs stand."""
    return _ENCODER.encode(dict(setting))


def completed(knobs: Sequence[PlannedKnob], chosen: Mapping[str, Value]) -> Setting:
    """Return the setting with these values and every other knob at its base.

    A knob that a condition rules out is absent, chosen or not. Knobs stand in the plan's order.
    """
    setting: dict[str, Value] = {}
    for knob in knobs:
        if knob.applies(setting):
            setting[knob.name] = chosen.get(knob.name, knob.base)
    return setting


def base(knobs: Sequence[PlannedKnob]) -> Setting:
    """Return the setting with every knob at its base."""
    return completed(knobs, {})


def grid(knobs: Sequence[PlannedKnob]) -> tuple[Setting, ...]:
    """Return every combination of values that the conditions allow; the base first, the rest as written."""
    partial: list[dict[str, Value]] = [{}]
    for knob in knobs:
        partial = [
            {**setting, knob.name: value} if knob.applies(setting) else setting
            for setting in partial
            for value in (knob.values if knob.applies(setting) else knob.values[:1])
        ]
    return _distinct(base(knobs), (completed(knobs, setting) for setting in partial))


def one_at_a_time(knobs: Sequence[PlannedKnob]) -> tuple[Setting, ...]:
    """Return the base, then for each knob each of its other values with all else at the base.

    A knob that does not apply at the base (threads of a worker class that is not the base's) is
    tried where it does: the knobs of its condition are set to the first value that allows it, and
    that setting with this knob at its base is in the list too, as what it is compared with.
    """
    settings: list[Setting] = []
    for knob in knobs:
        ground = _needed(knobs, knob)
        if ground:
            settings.append(completed(knobs, ground))
        settings += [completed(knobs, {**ground, knob.name: value}) for value in knob.values]
    return _distinct(base(knobs), iter(settings))


def steps(
    knobs: Sequence[PlannedKnob], settings: Sequence[Setting]
) -> Iterator[tuple[PlannedKnob, Value, tuple[tuple[int, int], ...]]]:
    """Yield, for each knob and each value but its base, pairs of settings that differ in just that.

    Each item is the knob, the value, and pairs of positions in `settings`: with the knob at its base, and
    at that value. Knobs that a step brings into being stand at their base.
    """
    place = {key(setting): position for position, setting in enumerate(settings)}
    for knob in knobs:
        grounds = [setting for setting in settings if setting.get(knob.name) == knob.base]
        for value in dict.fromkeys(knob.values):
            if value == knob.base:
                continue
            pairs = []
            for ground in grounds:
                there = place.get(key(completed(knobs, {**ground, knob.name: value})))
                if there is not None:
                    pairs.append((place[key(ground)], there))
            if pairs:
                yield knob, value, tuple(pairs)


def _needed(knobs: Sequence[PlannedKnob], knob: PlannedKnob) -> dict[str, Value]:
    """Return values other than the base that make a knob apply; empty if it applies at the base."""
    if knob.name in base(knobs):
        return {}
    by_name = {planned.name: planned for planned in knobs}
    chosen: dict[str, Value] = {}
    for name, allowed in knob.when.items():
        condition_knob = by_name[name]
        chosen.update(_needed(knobs, condition_knob))
        candidates = [condition_knob.base, *condition_knob.values]
        chosen[name] = next((value for value in candidates if value in allowed), condition_knob.base)
    return chosen


def _distinct(first: Setting, rest: Iterator[Setting]) -> tuple[Setting, ...]:
    return tuple({key(setting): setting for setting in (first, *rest)}.values())
