"""Screening, which tells the knobs that matter at all: two values of each, all at once, in few trials.

A Plackett-Burman design and its mirror image: 24 trials for up to 11 knobs. Half the difference between a
run and its mirror holds the effects of single knobs alone; what two knobs do together cancels out, and is
seen in the sums instead. A knob whose effect is shown to be smaller than the margin (TOST, with the false
discovery rate held over all knobs) is inert: it stays at its base, and is reported.

Sources: Plackett & Burman 1946, Biometrika 33, 305-325; Box & Wilson 1951, J. R. Stat. Soc. B 13, 1-45
(fold-over); Benjamini & Hochberg 1995, J. R. Stat. Soc. B 57, 289-300.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, stats

from loadrig.base.setting import Setting, Value
from loadrig.plan.model import PlannedKnob
from loadrig.stats.arrays import Floats
from loadrig.stats.compare import Effect, known_noise
from loadrig.stats.equivalence import tost_p
from loadrig.study.space import base, completed
from loadrig.study.tuning.space import Axis, SettingSpace

FALSE_DISCOVERIES = 0.05
"""Largest share of the knobs called inert that may matter after all."""

FEWEST_INERT = 5
"""Fewest knobs that may turn out inert: with fewer the search itself is cheaper than 24 trials."""

BASES = 4
"""Trials of the base among those of the screening: what the middle of the space does, and the noise."""

SMALL_SLACK = 0.03
"""Effect on the slack of a goal, in logs, that takes up no room worth the name."""

SURE_P = 0.01
"""p of the sums below which knobs do together what none does alone."""

_GENERATOR = (1, 1, -1, 1, 1, 1, -1, -1, -1, 1, -1)


@dataclass(frozen=True, slots=True)
class Inert:
    """Knob that changes nothing that matters. low, high: the effect's 90 % interval, in logs."""

    knob: str
    values: tuple[Value, Value]
    effect: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Screening:
    """Result of a screening.

    has_interactions: two knobs do together what neither does alone, by more than the noise.
    """

    inert: tuple[Inert, ...]
    has_interactions: bool


def signs(knobs: int) -> Floats:
    """Return the design's signs, float[runs, knobs]: 12 runs for up to 11 knobs, else the next power of two.

    Raises ValueError for no knob.
    """
    if knobs < 1:
        raise ValueError("there is nothing to screen")
    if knobs <= len(_GENERATOR):
        rows = [np.roll(_GENERATOR, shift) for shift in range(len(_GENERATOR))]
        return np.array([*rows, np.full(len(_GENERATOR), -1)], dtype=np.float64)[:, :knobs]
    runs = 1 << math.ceil(math.log2(knobs + 1))
    return np.asarray(linalg.hadamard(runs), dtype=np.float64)[:, 1 : knobs + 1]


def screened(space: SettingSpace) -> tuple[Axis, ...]:
    """Return the axes that a screening turns: those with more than one value."""
    return tuple(axis for axis in space.axes if axis.is_free)


def may_be_inert(space: SettingSpace, axis: Axis) -> bool:
    """Return whether a knob could be left out: not one that conditions hang on, nor one that hangs on them.

    What such a knob does depends on another, and its effect over all is no measure of it. Two words of a knob
    with three and more say nothing of the third.
    """
    if axis.knob.when or any(axis.knob.name in another.knob.when for another in space.axes):
        return False
    return axis.is_ordered or len(set(axis.knob.values) | {axis.knob.base}) == 2


def pays_off(space: SettingSpace) -> bool:
    """Return whether enough knobs may turn out inert to pay for the trials."""
    return sum(may_be_inert(space, axis) for axis in screened(space)) >= FEWEST_INERT


def design(space: SettingSpace) -> tuple[Setting, ...]:
    """Return the settings of a screening: each run, then its mirror image in the same order."""
    axes = screened(space)
    rows = signs(len(axes))
    return tuple(_setting(space.knobs, axes, row) for row in (*rows, *-rows))


def _setting(knobs: Sequence[PlannedKnob], axes: Sequence[Axis], row: Floats) -> Setting:
    chosen = {axis.knob.name: ends(axis)[int(sign > 0)] for axis, sign in zip(axes, row, strict=True)}
    return completed(knobs, chosen)


def ends(axis: Axis) -> tuple[Value, Value]:
    """Return the two values of a knob that stand for it: its ends; of words the base and the first other."""
    if axis.is_ordered:
        order = sorted(axis.places, key=lambda value: axis.places[value])
        return order[0], order[-1]
    return axis.knob.base, next(value for value in axis.knob.values if value != axis.knob.base)


def analyse(
    space: SettingSpace,
    y: Sequence[float],
    bases: Sequence[float],
    slacks: Sequence[Sequence[float]],
    margin: float,
) -> Screening:
    """Return what the trials of a design say.

    y: of each setting of `design`, in its order; nan where there is none. bases: of the base's trials.
    slacks: of each goal, in the order of the design; a knob that takes up the room to a goal is not inert.
    margin: within which effects do not matter, on the scale of y.
    """
    axes = screened(space)
    rows = signs(len(axes))
    noise = _noise_of(bases)
    fitted = _effects(rows, np.asarray(y, dtype=np.float64), noise)
    if fitted is None:
        return Screening((), False)
    effects, even = fitted
    candidates = [at for at, axis in enumerate(axes) if may_be_inert(space, axis)]
    values = np.array([tost_p(effects[at], margin) for at in candidates])
    # Only candidates are tested together: other knobs are not asked whether they are inert.
    adjusted = stats.false_discovery_control(values) if values.size else values
    inert = tuple(
        Inert(
            axes[at].knob.name,
            ends(axes[at]),
            effects[at].centre,
            effects[at].narrow_low,
            effects[at].narrow_high,
        )
        for at, p in zip(candidates, adjusted, strict=True)
        if p <= FALSE_DISCOVERIES and all(_leaves_room(rows, at, np.asarray(goal)) for goal in slacks)
    )
    return Screening(inert, even)


def doubted(space: SettingSpace, inert: Sequence[Inert]) -> tuple[Setting, ...]:
    """Return settings that would show a knob alike at its ends and better in between or off its base.

    There is a setting for each inert knob with more than two values: all else at the base.

    """
    names = {inert_knob.knob for inert_knob in inert}
    settings = []
    for axis in space.axes:
        if axis.knob.name not in names or len(axis.places) <= 2:
            continue
        order = sorted(axis.places, key=lambda value: axis.places[value])
        is_end = axis.knob.base in (order[0], order[-1])
        middle = min(order, key=lambda value: abs(axis.places[value] - 0.5))
        value = middle if is_end and middle != axis.knob.base else order[-1] if not is_end else order[1]
        settings.append(completed(space.knobs, {axis.knob.name: value}))
    return tuple(settings)


def still_inert(
    inert: Sequence[Inert],
    tried: Mapping[str, Sequence[float]],
    bases: Sequence[float],
    noise_sd: float,
) -> tuple[Inert, ...]:
    """Return the inert knobs whose doubted setting does not differ from the base for certain.

    tried: figures by the knob's name.
    """
    remaining = []
    for inert_knob in inert:
        figures = [value for value in tried.get(inert_knob.knob, ()) if math.isfinite(value)]
        if figures and bases:
            apart = abs(float(np.mean(figures)) - float(np.mean(bases)))
            error = noise_sd * math.sqrt(1 / len(figures) + 1 / len(bases))
            if apart > 2 * error:
                continue
        remaining.append(inert_knob)
    return tuple(remaining)


def differing_knob(space: SettingSpace, setting: Setting) -> str | None:
    """Return the knob in which a setting differs from the base; None if it is not exactly one."""
    start = base(space.knobs)
    names = [name for name in {*start, *setting} if start.get(name) != setting.get(name)]
    return names[0] if len(names) == 1 else None


def _effects(rows: Floats, y: Floats, noise: tuple[float, int]) -> tuple[list[Effect], bool] | None:
    """Return effects from low to high by least squares on half-differences; whether half-sums show more."""
    runs = rows.shape[0]
    odd, even = (y[:runs] - y[runs:]) / 2, (y[:runs] + y[runs:]) / 2
    whole = np.isfinite(odd)
    residual_df = int(whole.sum()) - rows.shape[1]
    x, d = rows[whole], odd[whole]
    if residual_df < 0 or np.linalg.matrix_rank(x) < rows.shape[1]:
        return None
    slopes, *_ = np.linalg.lstsq(x, d, rcond=None)
    residual = float(((d - x @ slopes) ** 2).sum())
    sd, df = noise
    # The base's trials tell the noise too: half a difference has half the variance of a trial.
    pooled = residual_df + df
    if pooled <= 0:
        return None
    variance = (residual + df * sd**2 / 2) / pooled
    unit = np.linalg.inv(x.T @ x)
    effects = [
        known_noise(2 * float(slope), 2 * math.sqrt(max(variance * unit[at, at], 1e-18)), pooled, n=len(d))
        for at, slope in enumerate(slopes)
    ]
    sums = even[whole]
    ratio = float(sums.var(ddof=1)) / max(variance, 1e-18)
    return effects, bool(stats.f.sf(ratio, len(sums) - 1, pooled) < SURE_P)


def _leaves_room(rows: Floats, at: int, slack: Floats) -> bool:
    """Return whether a knob's effect on a goal's slack is small against the least room that any run left."""
    runs = rows.shape[0]
    odd = (slack[:runs] - slack[runs:]) / 2
    is_known = np.isfinite(odd)
    if not is_known.any():
        return True
    effect = abs(2 * float((rows[is_known, at] * odd[is_known]).mean()))
    least = float(np.nanmin(np.abs(slack)))
    return effect <= max(SMALL_SLACK, 0.5 * least)


def _noise_of(bases: Sequence[float]) -> tuple[float, int]:
    finite = [value for value in bases if math.isfinite(value)]
    if len(finite) < 2:
        return 0.0, 0
    return float(np.std(finite, ddof=1)), len(finite) - 1
