"""The settings of a study: every knob given a value, conditions kept."""

import json
from collections.abc import Iterator, Mapping, Sequence

from loadrig.base.errors import PlanError, Problem
from loadrig.base.setting import Setting, Value
from loadrig.plan.model import PlannedKnob


def key(setting: Setting) -> str:
    """Return one text for equal settings, in whatever order their knobs stand."""
    return json.dumps(dict(setting), sort_keys=True)


def completed(knobs: Sequence[PlannedKnob], chosen: Mapping[str, Value]) -> Setting:
    """Return the setting with these values and every other knob at its base.

    A knob that a condition rules out is absent, chosen or not. Knobs stand in the plan's order.
    """
    setting: dict[str, Value] = {}
    for knob in _by_dependence(knobs):
        if knob.applies(setting):
            setting[knob.name] = chosen.get(knob.name, knob.base)
    return {knob.name: setting[knob.name] for knob in knobs if knob.name in setting}


def base(knobs: Sequence[PlannedKnob]) -> Setting:
    """Return the setting with every knob at its base."""
    return completed(knobs, {})


def grid(knobs: Sequence[PlannedKnob]) -> tuple[Setting, ...]:
    """Return every combination of values that the conditions allow; the base first, the rest as written.

    Raises PlanError `study.conditions-in-a-circle`.
    """
    partial: list[dict[str, Value]] = [{}]
    for knob in _by_dependence(knobs):
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
    Raises PlanError `study.conditions-in-a-circle`.
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
        condition_knob = by_name.get(name)
        if condition_knob is None:
            continue
        chosen.update(_needed(knobs, condition_knob))
        candidates = [condition_knob.base, *condition_knob.values]
        chosen[name] = next((value for value in candidates if value in allowed), condition_knob.base)
    return chosen


def _by_dependence(knobs: Sequence[PlannedKnob]) -> list[PlannedKnob]:
    """Return knobs so ordered that each stands behind those of its condition."""
    names = {knob.name for knob in knobs}
    remaining, ordered, done = list(knobs), list[PlannedKnob](), set[str]()
    while remaining:
        ready = next(
            (knob for knob in remaining if all(name in done for name in knob.when if name in names)), None
        )
        if ready is None:
            circle = ", ".join(knob.name for knob in remaining)
            raise PlanError(
                Problem(
                    what=f"the conditions of these knobs depend on each other in a circle: {circle}",
                    mend="take one of their `when:` conditions away",
                    code="study.conditions-in-a-circle",
                    where=remaining[0].span,
                )
            )
        remaining.remove(ready)
        ordered.append(ready)
        done.add(ready.name)
    return ordered


def _distinct(first: Setting, rest: Iterator[Setting]) -> tuple[Setting, ...]:
    return tuple({key(setting): setting for setting in (first, *rest)}.values())
