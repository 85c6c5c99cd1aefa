"""From a judgement to a study's result: the input of the report and of other programs."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from loadrig import __version__
from loadrig.plan.model import Plan
from loadrig.stats.compare import Effect
from loadrig.stats.verdict import Scale, Verdict
from loadrig.study.answer import JudgedSetting, KnobEffect, Question, SettingComparison, StudyJudgement
from loadrig.study.document import (
    DecidingBlocks,
    Interval,
    KnobEffectDocument,
    QuestionDocument,
    SettingDocument,
    SettingsCompared,
    StudyDocument,
    TrialRow,
)
from loadrig.study.trials import DoneTrial

UNSHOWN = 0.95
"""Confidence of an interval that could not be given."""


def document(
    plan: Plan,
    question: Question,
    judgement: StudyJudgement,
    trials: tuple[DoneTrial, ...],
    *,
    created: str,
    machine: Mapping[str, Any],
    is_finished: bool,
) -> StudyDocument:
    """Return the whole result as a document, but for what strategy and diagnosis say."""
    by = question.by
    block_s = _block_seconds(trials)
    return StudyDocument(
        loadrig=__version__,
        name=plan.name,
        kind=plan.study.strategy,
        created=created,
        seconds=sum(trial.seconds for trial in trials),
        finished=is_finished,
        question=QuestionDocument(
            by=by.name, unit=by.unit, better=by.better, equal_within=by.equal_within, scale=by.scale
        ),
        noise=judgement.noise,
        settings=tuple(_setting(judged) for judged in judgement.settings),
        comparisons=tuple(
            _compared(comparison, by.name, by.scale, block_s) for comparison in judgement.comparisons
        ),
        knob_effects=tuple(_knob_effect(effect, by.scale) for effect in judgement.knob_effects),
        recommended=judgement.recommended,
        capacity=None,
        findings=(),
        machine=machine,
        validity=_validity(trials),
        warnings=judgement.warnings,
    )


def _setting(judged: JudgedSetting) -> SettingDocument:
    return SettingDocument(
        id=judged.number,
        setting=judged.setting,
        label=judged.label,
        is_base=judged.number == 0,
        trials=tuple(
            TrialRow(
                index=trial.index,
                block=trial.block,
                folder=trial.folder,
                validity=trial.validity,
                reasons=trial.reasons,
                seconds=trial.seconds,
                values={name: estimate.value for name, estimate in trial.measures.items()},
            )
            for trial in judged.trials
        ),
        measures=judged.measures,
        feasible=judged.is_feasible,
        goals=judged.goals,
        standing=judged.standing,
    )


def _compared(comparison: SettingComparison, measure: str, scale: Scale, block_s: float) -> SettingsCompared:
    effect, verdict = comparison.effect, comparison.verdict
    centre, interval = _shown(effect, scale)
    return SettingsCompared(
        between=(comparison.a, comparison.b),
        measure=measure,
        effect=centre,
        interval=interval,
        confidence=effect.confidence if effect else UNSHOWN,
        scale=scale,
        verdict="undecided" if verdict is None else verdict.word,
        blocks=effect.n if effect else 0,
        p=comparison.p,
        to_decide=_to_decide(verdict, effect, block_s),
        note=comparison.note,
        kind=comparison.kind,
    )


def _knob_effect(effect: KnobEffect, scale: Scale) -> KnobEffectDocument:
    centre, interval = _shown(effect.effect, scale)
    return KnobEffectDocument(
        knob=effect.knob,
        base=effect.base,
        value=effect.value,
        effect=centre,
        interval=interval,
        confidence=effect.effect.confidence,
        verdict=effect.verdict.word,
        pairs=effect.pairs,
    )


def _shown(effect: Effect | None, scale: Scale) -> tuple[float | None, Interval | None]:
    """Return an effect and its interval on the scale of the document; None for what is not known."""
    if effect is None:
        return None, None
    numbers = (effect.centre, effect.low, effect.high)
    # Where the noise is known from one pair, bounds may pass the largest float.
    centre, low, high = (math.exp(min(x, 700.0)) if scale == "ratio" else x for x in numbers)
    return centre, (low, high)


def _to_decide(verdict: Verdict | None, effect: Effect | None, block_s: float) -> DecidingBlocks | None:
    """Return how many more blocks would decide, and how long they take; None where nobody knows."""
    if verdict is None or effect is None or verdict.blocks_to_decide is None:
        return None
    blocks = max(1, verdict.blocks_to_decide - effect.n)
    return DecidingBlocks(blocks=blocks, seconds=round(blocks * block_s, 1))


def _validity(trials: tuple[DoneTrial, ...]) -> dict[str, int]:
    counts = Counter(trial.validity for trial in trials)
    counted: dict[str, int] = {name: counts[name] for name in ("valid", "disturbed", "void")}
    return counted | ({"failed": counts["failed"]} if counts["failed"] else {})


def _block_seconds(trials: tuple[DoneTrial, ...]) -> float:
    """Return how long a whole block takes, in seconds: that of the longest so far."""
    seconds: Counter[int] = Counter()
    for trial in trials:
        seconds[trial.block] += round(trial.seconds)
    return float(max(seconds.values(), default=0))
