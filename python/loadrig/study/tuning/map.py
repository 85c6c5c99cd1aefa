"""Two knobs and what is believed of every pair of their values, all else as recommended.

The two are those with an order that matter most by what is believed. A pair cannot be told from the best
where the difference of the two beliefs reaches zero within its 95 % interval.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from loadrig.base.setting import Setting, Value
from loadrig.study.space import completed, key
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning.document import KnobMap, MapAxis, MapCell
from loadrig.study.tuning.ground import Ground
from loadrig.study.tuning.model import LIKELY, Belief
from loadrig.study.tuning.space import Axis

Z95 = 1.959964


def drawn_map(
    ground: Ground, belief: Belief | None, every_trial: Sequence[DoneTrial], recommended: Setting | None
) -> KnobMap | None:
    """Return the cells of a heat map; None where there are not two knobs, or nothing is believed yet."""
    if belief is None:
        return None
    anchor = _anchor(ground, belief, recommended)
    axes = _two(ground, belief, anchor)
    if axes is None:
        return None
    trials = Counter(key(trial.setting) for trial in every_trial if trial.is_usable)
    cells = _cells(ground, belief, anchor, axes, trials)
    x, y = (axis.knob.name for axis in axes)
    return KnobMap(
        x=MapAxis(knob=x, values=tuple(_ordered(axes[0]))),
        y=MapAxis(knob=y, values=tuple(_ordered(axes[1]))),
        fixed={name: value for name, value in anchor.items() if name not in (x, y)},
        cells=tuple(cells),
    )


def _anchor(ground: Ground, belief: Belief, recommended: Setting | None) -> Setting:
    if recommended is not None:
        return recommended
    best = belief.best(range(len(ground.space.settings)))
    return ground.base if best is None else ground.space.settings[best]


def _two(ground: Ground, belief: Belief, anchor: Setting) -> tuple[Axis, Axis] | None:
    """Return the two knobs that apply at the anchor and move the belief the most, in the plan's order."""
    free = [axis for axis in ground.space.axes if axis.is_free and axis.knob.name in anchor]
    if len(free) < 2:
        return None
    reach = {axis.knob.name: _reach(ground, belief, anchor, axis) for axis in free}
    # Words have no order on a map: knobs of words are taken only where there are not two knobs of numbers.
    chosen = sorted(free, key=lambda axis: (not axis.is_ordered, -reach[axis.knob.name]))[:2]
    first, second = (axis for axis in ground.space.axes if axis in chosen)
    return first, second


def _reach(ground: Ground, belief: Belief, anchor: Setting, axis: Axis) -> float:
    """Return how far the belief goes along a knob from the anchor."""
    means = [
        float(belief.mean[at])
        for value in _ordered(axis)
        if (at := _at(ground, anchor, {axis.knob.name: value})) is not None and math.isfinite(belief.mean[at])
    ]
    return max(means) - min(means) if means else 0.0


def _at(ground: Ground, anchor: Setting, chosen: Mapping[str, Value]) -> int | None:
    """Return the setting that differs from the anchor in just these values, by its number."""
    knobs = ground.space.knobs
    return ground.space.number(completed(knobs, {**anchor, **chosen}))


def _cells(
    ground: Ground, belief: Belief, anchor: Setting, axes: tuple[Axis, Axis], trials: Counter[str]
) -> list[MapCell]:
    pairs: dict[int, tuple[Value, Value]] = {}
    x, y = axes
    for column in _ordered(x):
        for row in _ordered(y):
            at = _at(ground, anchor, {x.knob.name: column, y.knob.name: row})
            setting = None if at is None else ground.space.settings[at]
            # Where a knob does not apply one setting would fill a whole line: it is left out of the map.
            if at is None or setting is None or x.knob.name not in setting or y.knob.name not in setting:
                continue
            pairs[at] = (column, row)
    best = belief.best(list(pairs))
    if best is None:
        return []
    apart = np.hypot(belief.sd, belief.sd[best])
    cells = []
    for at, (column, row) in pairs.items():
        is_known = math.isfinite(belief.mean[at]) and math.isfinite(belief.sd[at])
        feasible = float(belief.feasible[at])
        may_be_best = (
            is_known
            and feasible >= LIKELY
            and bool(at == best or belief.mean[at] + Z95 * apart[at] >= belief.mean[best])
        )
        ends = [belief.mean[at] + sign * Z95 * belief.sd[at] for sign in (-1, 0, 1)]
        low, value, high = sorted(_figure(ground, float(end)) for end in ends) if is_known else (None,) * 3
        cells.append(
            MapCell(
                x=column, y=row, value=value, low=low, high=high, feasible=feasible,
                trials=trials[key(ground.space.settings[at])], may_be_best=may_be_best, is_best=at == best,
            )
        )  # fmt: skip
    return cells


def _figure(ground: Ground, place: float) -> float:
    """Return the figure of a place on the tuning's scale."""
    objective = ground.objective
    signed = place if objective.better == "higher" else -place
    return max(signed, 0.0) ** 2 if objective.is_share else math.exp(min(signed, 700.0))


def _ordered(axis: Axis) -> Sequence[Value]:
    values = list(dict.fromkeys((*axis.knob.values, axis.knob.base)))
    return sorted(values, key=lambda value: axis.places[value]) if axis.is_ordered else values
