"""What a tuning found as a document: `tuning` in a study's result, and the recommendation that it gives.

The judge of studies knows every trial, and so also those by which settings were chosen: luck among them.
What is recommended, and how it compares with the base, is therefore told by the confirming blocks alone.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import structs

from loadrig.base.setting import show_setting
from loadrig.stats.compare import Effect
from loadrig.study.document import RecommendedSetting, SettingsCompared, StudyDocument
from loadrig.study.space import key
from loadrig.study.tuning.answer import FinalRival, TuneAnswer
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
from loadrig.study.tuning.stages import Tuning

NOTE = "from the confirming blocks alone"


def laid_over(document: StudyDocument, tuning: Tuning, *, second: str | None) -> StudyDocument:
    """Return a study's result with `tuning`, its recommendation and the comparison of that with the base."""
    answer, ground = tuning.answer(), tuning.ground
    numbers = {key(setting.setting): setting.id for setting in document.settings}
    comparisons = document.comparisons
    if answer.setting is not None and answer.against_default is not None:
        between = (numbers[key(ground.base)], numbers[key(answer.setting)])
        comparisons = tuple(
            _by_confirmation(comparison, ground, answer.against_default)
            if comparison.kind == "with_base" and comparison.between == between
            else comparison
            for comparison in comparisons
        )
    return structs.replace(
        document,
        tuning=_tuning(tuning, answer, second),
        recommended=_recommended(document, answer, numbers),
        comparisons=comparisons,
    )


def _by_confirmation(comparison: SettingsCompared, ground: Ground, against: FinalRival) -> SettingsCompared:
    """Return the comparison by the confirming blocks; as it is where these are too few."""
    rival = _rival(ground, against)
    if rival is None or against.effect is None:
        return comparison
    return structs.replace(
        comparison,
        effect=rival.effect,
        interval=rival.interval,
        confidence=against.effect.confidence,
        verdict=rival.verdict,
        blocks=rival.blocks,
        p=rival.p,
        to_decide=None,
        note=NOTE,
    )


def _recommended(
    document: StudyDocument, answer: TuneAnswer, numbers: Mapping[str, int]
) -> RecommendedSetting | None:
    if answer.setting is None:
        return None
    number = numbers[key(answer.setting)]
    return RecommendedSetting(
        setting_id=number,
        setting=answer.setting,
        why=answer.reason,
        indistinguishable=tuple(
            setting.id
            for setting in document.settings
            if setting.standing in ("best", "indistinguishable") and setting.id != number
        ),
    )


def _tuning(tuning: Tuning, answer: TuneAnswer, second: str | None) -> TuningDocument:
    ground = tuning.ground
    return TuningDocument(
        why=answer.why,
        reason=answer.reason,
        setting=answer.setting,
        default=answer.default,
        against_default=_rival(ground, answer.against_default),
        against_runner_up=_rival(ground, answer.against_runner_up),
        inert=tuple(
            InertKnob(
                knob=knob.knob,
                between=knob.values,
                effect=_value(ground, knob.effect),
                interval=(_value(ground, knob.low), _value(ground, knob.high)),
                confidence=0.9,
            )
            for knob in answer.inert
        ),
        has_interactions=answer.has_interactions,
        second=second,
        front=answer.front,
        nearest=answer.nearest,
        unstable=answer.unstable,
        space=_space(ground),
        stages=_stages(tuning, answer),
        path=answer.path,
        map=drawn_map(tuning, answer.setting),
        seconds=sum(trial.seconds for trial in tuning.trials),
        text=sentence(answer),
    )


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


def _stages(tuning: Tuning, answer: TuneAnswer) -> tuple[StageDocument, ...]:
    ground = tuning.ground
    seconds: Counter[str] = Counter()
    for trial in tuning.trials:
        seconds[ground.stage_of(trial.block)] += round(trial.seconds)
    trials = Counter(step.stage for step in answer.path)
    return tuple(
        StageDocument(
            name=name, trials=trials[name], seconds=seconds[name], measured_s=ground.sizes.seconds(name)
        )
        for name in ground.first
        if trials[name]
    )


def _rival(ground: Ground, rival: FinalRival | None) -> ConfirmedRival | None:
    """Return a rival in the figure's own direction: recommended over rival, of shares the difference."""
    if rival is None:
        return None
    effect = rival.effect
    return ConfirmedRival(
        setting=rival.setting,
        effect=None if effect is None else _value(ground, effect.centre),
        interval=None if effect is None else _turned(ground, effect),
        verdict="undecided" if rival.verdict is None else rival.verdict.word,
        blocks=0 if effect is None else effect.n,
        p=None if effect is None else effect.p,
    )


def _turned(ground: Ground, effect: Effect) -> tuple[float, float]:
    ends = [_value(ground, effect.low), _value(ground, effect.high)]
    return min(ends), max(ends)


def _value(ground: Ground, better_by: float) -> float:
    """Return a gain on the tuning's scale as a ratio of the figure, of shares as a difference."""
    objective = ground.objective
    signed = better_by if objective.better == "higher" else -better_by
    return signed if objective.is_share else math.exp(min(signed, 700.0))


def sentence(answer: TuneAnswer) -> str:
    """Return how the tuning ended, in a sentence."""
    match answer.why:
        case "confirmed":
            return f"{answer.reason[:1].upper()}{answer.reason[1:]}."
        case "going on":
            return "The tuning was stopped before its end: nothing is confirmed yet."
        case "nothing works":
            return "The server worked with no setting that was tried."
    nearest = answer.nearest
    if nearest is None or not nearest.misses:
        return "No setting that was tried is sure to meet the goals."
    missed = _listed([miss.goal for miss in nearest.misses])
    near = show_setting(nearest.setting)
    return f"No setting that was tried meets the goals; the nearest is {near}, which misses {missed}."


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
