"""From the trials of a tuning to its answer, as a document."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from loadrig.base.setting import Setting, show_setting
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyTuningAnsweringTexts
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning import confirm
from loadrig.study.tuning.answer import MissedGoal, NearestSetting, PathStep, Why
from loadrig.study.tuning.document import (
    ConfirmedRival,
    InertKnob,
    SearchedKnob,
    SearchedSpace,
    StageDocument,
    TuningDocument,
)
from loadrig.study.tuning.ground import Ground
from loadrig.study.tuning.map import drawn_map
from loadrig.study.tuning.model import Belief
from loadrig.study.tuning.objective import Objective, front, slacks
from loadrig.study.tuning.screen import Inert, Screening

TEXTS = texts_of(StudyTuningAnsweringTexts)

INERT_CONFIDENCE = 0.9
"""Confidence of the interval of an inert knob: that of two tests of one side each at 5 % (TOST)."""


def answer(
    ground: Ground,
    every_trial: Sequence[DoneTrial],
    finalists: Sequence[Setting],
    screening: Screening,
    inert: tuple[Inert, ...],
    belief: Belief | None,
    *,
    is_over: bool,
) -> TuningDocument:
    """Return what the trials so far come to.

    every_trial: all that are over. finalists: the default first. inert: knobs that stayed inert. belief: None
    before any trial has told.
    """
    trials = [trial for trial in every_trial if trial.block >= ground.first["confirm"]]
    confirmation = confirm.confirmed(
        ground.objective,
        ground.plan.goals,
        trials,
        finalists,
        ground.target_knobs,
        ground.base,
        ground.margin,
    )
    chosen = confirmation.best if is_over else None
    why = _why(ground, every_trial, chosen, is_over=is_over)
    others = [each for each in finalists[1:] if chosen is not None and key(each) != key(chosen)]
    runner_up = max(others, key=lambda other: confirmation.means.get(key(other), -math.inf), default=None)
    nearest = _nearest(ground, every_trial) if why == "no setting meets the goals" else None
    path = tuple(_step(ground, trial) for trial in every_trial)
    return TuningDocument(
        why=why,
        reason=confirmation.reason,
        setting=chosen,
        default=ground.base,
        against_default=_rival(ground, trials, ground.base, chosen),
        against_runner_up=_rival(ground, trials, runner_up, chosen),
        inert=tuple(_inert(ground, knob) for knob in inert),
        has_interactions=screening.has_interactions,
        second=None if ground.second is None else ground.second.name,
        front=_front(ground, every_trial),
        nearest=nearest,
        unstable=confirmation.unstable,
        space=_space(ground),
        stages=_stages(ground, every_trial, path),
        path=path,
        map=drawn_map(ground, belief, every_trial, chosen),
        seconds=sum(trial.seconds for trial in every_trial),
        text=_sentence(why, confirmation.reason, nearest),
    )


def _why(ground: Ground, every_trial: Sequence[DoneTrial], chosen: Setting | None, *, is_over: bool) -> Why:
    if not any(trial.is_usable for trial in every_trial):
        return "nothing works"
    if not is_over:
        return "going on"
    if chosen is not None:
        return "confirmed"
    return "no setting meets the goals" if ground.plan.goals else "nothing works"


def _inert(ground: Ground, knob: Inert) -> InertKnob:
    return InertKnob(
        knob=knob.knob,
        between=knob.values,
        effect=_value(ground, knob.effect),
        interval=(_value(ground, knob.low), _value(ground, knob.high)),
        confidence=INERT_CONFIDENCE,
    )


def _rival(
    ground: Ground, trials: Sequence[DoneTrial], rival: Setting | None, chosen: Setting | None
) -> ConfirmedRival | None:
    """Return a rival in the figure's own direction: recommended over rival, of shares the difference.

    None where nothing is recommended, or there is nothing else to compare it with.
    """
    if chosen is None or rival is None or key(rival) == key(chosen):
        return None
    effect = confirm.effect(ground.objective, trials, rival, chosen)
    verdict = confirm.verdict(effect, ground.objective, ground.margin)
    ends = () if effect is None else sorted((_value(ground, effect.low), _value(ground, effect.high)))
    return ConfirmedRival(
        setting=rival,
        effect=None if effect is None else _value(ground, effect.centre),
        interval=(ends[0], ends[1]) if ends else None,
        verdict="undecided" if verdict is None else verdict.word,
        blocks=0 if effect is None else effect.n,
        p=None if effect is None else effect.p,
    )


def _value(ground: Ground, better_by: float) -> float:
    """Return a gain on the tuning's scale as a ratio of the figure, of shares as a difference."""
    objective = ground.objective
    signed = better_by if objective.better == "higher" else -better_by
    return signed if objective.is_share else math.exp(min(signed, 700.0))


def _front(ground: Ground, every_trial: Sequence[DoneTrial]) -> tuple[Setting, ...]:
    """Return the tried settings that keep the goals and that no other beats in both objectives.

    Settings are judged by the means of their figures against those of the base in the same block, which cuts
    out what drifts.
    """
    if ground.second is None:
        return ()
    bases = [_of_bases(objective, ground, every_trial) for objective in (ground.objective, ground.second)]
    tried = {key(trial.setting): trial.setting for trial in every_trial if trial.is_usable}
    rows = []
    for name, setting in tried.items():
        own = [trial for trial in every_trial if key(trial.setting) == name]
        both = []
        for trial in own:
            a, b = ground.objective.read(trial), ground.second.read(trial)
            if a is not None and b is not None:
                start = (bases[0].get(trial.block, 0.0), bases[1].get(trial.block, 0.0))
                both.append((a[0] - start[0], b[0] - start[1]))
        if both and confirm.keeps_goals(ground.plan.goals, own, setting):
            first, second = np.mean(both, axis=0)
            rows.append((setting, (float(first), float(second))))
    return tuple(rows[at][0] for at in front([row[1] for row in rows]))


def _of_bases(objective: Objective, ground: Ground, every_trial: Sequence[DoneTrial]) -> dict[int, float]:
    """Return what the base reached in each block less what it reached in all."""
    figures: defaultdict[int, list[float]] = defaultdict(list)
    for trial in every_trial:
        read = objective.read(trial)
        if read is not None and key(trial.setting) == key(ground.base):
            figures[trial.block].append(read[0])
    every = _mean([value for values in figures.values() for value in values])
    return {block: _mean(values) - every for block, values in figures.items()}


def _nearest(ground: Ground, every_trial: Sequence[DoneTrial]) -> NearestSetting | None:
    """Return the tried setting whose worst goal is missed by the least, on the mean of its trials."""
    goals = ground.plan.goals
    worst: dict[str, float] = {}
    for name in {key(trial.setting): None for trial in every_trial if trial.is_usable}:
        own = [
            slacks(goals, trial) for trial in every_trial if key(trial.setting) == name and trial.is_usable
        ]
        means = [_mean(column) for column in zip(*own, strict=True)]
        finite = [value for value in means if math.isfinite(value)]
        if finite:
            worst[name] = min(finite)
    if not worst:
        return None
    name = max(worst, key=lambda tried: worst[tried])
    own_trials = [trial for trial in every_trial if key(trial.setting) == name and trial.is_usable]
    misses = []
    for at, goal in enumerate(goals):
        rows = [row.value for trial in own_trials for row in trial.goals if row.text == goal.text]
        values = [value for value in rows if value is not None]
        if values and _mean([slacks(goals, trial)[at] for trial in own_trials]) < 0:
            misses.append(MissedGoal(goal.text, float(np.mean(values))))
    return NearestSetting(own_trials[0].setting, tuple(misses))


def _mean(values: Sequence[float]) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return sum(finite) / len(finite) if finite else math.nan


def _step(ground: Ground, trial: DoneTrial) -> PathStep:
    estimate = ground.objective.estimate(trial.measures) if trial.is_usable else None
    met = [row.met for row in trial.goals]
    meets = None if not trial.is_usable or None in met else all(met)
    value = estimate.value if estimate else None
    return PathStep(trial.index, trial.block, ground.stage_of(trial.block), trial.setting, value, meets)


def _space(ground: Ground) -> SearchedSpace:
    return SearchedSpace(
        settings=len(ground.space.settings),
        knobs=tuple(
            SearchedKnob(
                name=axis.knob.name,
                values=tuple(dict.fromkeys((*axis.knob.values, axis.knob.base))),
                is_ordered=axis.is_ordered,
            )
            for axis in ground.space.axes
        ),
    )


def _stages(
    ground: Ground, every_trial: Sequence[DoneTrial], path: Sequence[PathStep]
) -> tuple[StageDocument, ...]:
    seconds: Counter[str] = Counter()
    for trial in every_trial:
        seconds[ground.stage_of(trial.block)] += round(trial.seconds)
    trials = Counter(step.stage for step in path)
    return tuple(
        StageDocument(
            name=name, trials=trials[name], seconds=seconds[name], measured_s=ground.sizes.seconds(name)
        )
        for name in ground.first
        if trials[name]
    )


def _sentence(why: Why, reason: str, nearest: NearestSetting | None) -> str:
    """Return how the tuning ended, in a sentence."""
    match why:
        case "confirmed":
            return f"{reason[:1].upper()}{reason[1:]}."
        case "going on":
            return TEXTS.tuning_stopped_before
        case "nothing works":
            return TEXTS.server_worked_no
    if nearest is None or not nearest.misses:
        return TEXTS.no_setting_tried
    missed = _listed([miss.goal for miss in nearest.misses])
    near = show_setting(nearest.setting)
    return TEXTS.no_setting_tried_meets(near, missed)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else TEXTS.and_text(", ".join(words[:-1]), words[-1])
