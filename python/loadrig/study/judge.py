"""From trials to verdicts: noise, comparisons, standings and a recommendation.

The unit of inference is the block: each setting has one number a block, and no test ever sees a
single request. Void trials are left out and counted; disturbed ones are kept with a warning.
"""

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from loadrig.base.documents import ABSENT
from loadrig.base.setting import show_setting
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyJudgeTexts
from loadrig.stats.best import may_be_best
from loadrig.stats.compare import Effect, holm, known_noise
from loadrig.stats.equivalence import is_equivalent
from loadrig.stats.noise import noise_of_differences
from loadrig.stats.verdict import Scale, Verdict, bound_of
from loadrig.stats.verdict import judge as judge_effect
from loadrig.study import nodes, notes
from loadrig.study.answer import ComparedWith, Question, Standing, StudyJudgement
from loadrig.study.choose import Candidate, cheapest
from loadrig.study.contrasts import TrialReadings, summary
from loadrig.study.document import (
    DecidingBlocks,
    Interval,
    KnobEffectDocument,
    NoiseDocument,
    RecommendedSetting,
    SettingDocument,
    SettingsCompared,
    TrialRow,
)
from loadrig.study.goals import is_feasible, standing
from loadrig.study.space import key, steps
from loadrig.study.trials import DoneTrial
from loadrig.study.yardstick import Yardstick

TEXTS = texts_of(StudyJudgeTexts)

SQRT2 = 2**0.5

UNSHOWN = 0.95
"""Confidence of an interval that could not be given."""


def judge(question: Question, trials: Sequence[DoneTrial]) -> StudyJudgement:
    """Judge what was measured so far; a pure function of the question and the trials."""
    by = question.by
    every = _readings(question, trials)
    readings = every.get(by.name) or TrialReadings(question.settings, (), by.name, by.scale, by.unit)
    judged_settings = [_judged(question, trials, number, every) for number in range(len(question.settings))]
    able = [
        judged.id
        for judged in judged_settings
        if judged.feasible is not False and judged.id in readings.settings
    ]
    best, reach = _reach(readings, able, by)
    settings = tuple(_with_standing(judged, readings, best, reach) for judged in judged_settings)
    recommended = _recommend(question, settings, readings, best)
    noise = _noise(readings, by)
    among_nodes = nodes.among(readings, by)
    return StudyJudgement(
        noise=noise,
        settings=settings,
        comparisons=(
            *_against_itself(readings, by),
            *_with_base(readings, by, len(question.settings)),
            *_with_best(readings, by, best, reach),
        ),
        knob_effects=_knob_effects(question, readings),
        recommended=recommended,
        warnings=(
            *notes.warnings(question, settings, readings, trials, recommended is not None),
            *nodes.warnings(among_nodes, by),
        ),
        nodes=among_nodes,
    )


def _readings(question: Question, trials: Sequence[DoneTrial]) -> Mapping[str, TrialReadings]:
    """Return the readings of every measure that a usable trial has, by name."""
    units: dict[str, str] = {}
    for trial in trials:
        if trial.is_usable:
            units |= {name: estimate.unit for name, estimate in trial.measures.items()}
    return {
        name: TrialReadings(question.settings, trials, name, "difference" if unit == "1" else "ratio", unit)
        for name, unit in units.items()
    }


def _judged(
    question: Question, trials: Sequence[DoneTrial], number: int, every: Mapping[str, TrialReadings]
) -> SettingDocument:
    setting = question.settings[number]
    own = tuple(trial for trial in trials if key(trial.setting) == key(setting))
    summaries = {name: summary(readings, number) for name, readings in every.items()}
    measures = {name: estimate for name, estimate in summaries.items() if estimate is not None}
    goals = tuple(standing(goal, own, measures) for goal in question.goals)
    return SettingDocument(
        id=number,
        setting=setting,
        label=show_setting(setting),
        is_base=number == 0,
        trials=tuple(map(_row, own)),
        measures=measures,
        feasible=is_feasible(goals, own),
        goals=goals,
        standing="undecided",
    )


def _row(trial: DoneTrial) -> TrialRow:
    return TrialRow(
        index=trial.index, block=trial.block, folder=trial.folder, validity=trial.validity,
        reasons=trial.reasons, seconds=trial.seconds,
        values={name: estimate.value for name, estimate in trial.measures.items()},
        node=trial.node or ABSENT,
    )  # fmt: skip


def _reach(
    readings: TrialReadings, able: Sequence[int], by: Yardstick
) -> tuple[int | None, Mapping[int, bool]]:
    """Return the best of the settings that may be chosen, and for each whether it may be the true best.

    Without a noise estimate every setting may be the best. Source: Hsu's multiple comparisons with the best.
    """
    fit = None if readings.nested is None else readings.nested.of_all_pairs()
    if fit is None or not able:
        return None, {}
    positions = [fit.treatments.index(number) for number in able]
    effects = fit.effects[positions]
    best = able[int(effects.argmax() if by.better == "higher" else effects.argmin())]
    if not readings.knows_noise:
        return best, dict.fromkeys(able, True)
    covariance = fit.covariance[positions][:, positions]
    reach = dict(zip(able, may_be_best(effects, covariance, fit.sd, fit.df, by.better), strict=True))
    for number in able:
        effect = readings.effect(best, number)
        # A setting shown to lie within the margin is as good as the best, if not the best.
        if effect is not None and is_equivalent(effect, bound_of(by.equal_within, by.scale)):
            reach[number] = True
    return best, reach


def _with_standing(
    judged: SettingDocument, readings: TrialReadings, best: int | None, reach: Mapping[int, bool]
) -> SettingDocument:
    word: Standing
    if judged.feasible is False:
        word = "infeasible"
    elif not any(trial.is_usable for trial in judged.trials):
        word = "void"
    elif judged.id not in readings.settings:
        # The setting ran, and there was not one good answer to measure it by.
        word = "worse"
    elif judged.id not in reach or (not readings.knows_noise and len(reach) > 1):
        word = "undecided"
    elif judged.id == best:
        word = "best"
    else:
        word = "indistinguishable" if reach[judged.id] else "worse"
    return replace(judged, standing=word)


def _recommend(
    question: Question, settings: Sequence[SettingDocument], readings: TrialReadings, best: int | None
) -> RecommendedSetting | None:
    """Choose the cheapest setting that cannot be told from the best; None where there is no choice."""
    fit = readings.fit
    if best is None or fit is None or len(settings) < 2 or not readings.knows_noise:
        return None
    sign = 1.0 if question.by.better == "higher" else -1.0
    members = [
        member for member in settings if member.standing in ("best", "indistinguishable") and member.feasible
    ]
    if not members:
        return None
    candidates = [
        Candidate(
            member.id,
            member.setting,
            sign * float(fit.effects[fit.treatments.index(member.id)]),
            member.measures.get("memory"),
        )
        for member in members
    ]
    chosen, reason = cheapest(candidates, question.catalogue, question.settings[0])
    indistinguishable = tuple(member.id for member in members if member.id != chosen.number)
    why = notes.why(question, settings, readings, best, chosen.number, reason, len(members))
    return RecommendedSetting(
        setting_id=chosen.number, setting=chosen.setting, why=why, indistinguishable=indistinguishable
    )


def _noise(readings: TrialReadings, by: Yardstick) -> NoiseDocument:
    pairs = readings.pairs
    if not pairs:
        return NoiseDocument(
            pairs=0, sd_log=None, relative=None, false_alarms=0, text=notes.TEXTS.base_setting_did
        )
    differences = [second.y - first.y for first, second in pairs]
    sd = noise_of_differences(differences).sd_log
    alarms = 0
    noise = readings.repeatability()
    if noise is not None:
        for difference in differences:
            single = known_noise(difference, noise[0] * SQRT2, noise[1])
            verdict = judge_effect(single, by.equal_within, by.better, scale=by.scale)
            alarms += verdict.word in ("better", "worse")
    return NoiseDocument(
        pairs=len(pairs),
        sd_log=sd if by.scale == "ratio" else None,
        relative=math.expm1(sd) if by.scale == "ratio" else sd,
        false_alarms=alarms,
        text=notes.noise(readings, by, sd, len(pairs)),
    )


def _against_itself(readings: TrialReadings, by: Yardstick) -> list[SettingsCompared]:
    """Compare all A/A pairs together: what the judge makes of two settings that are one."""
    pairs = readings.pairs
    if not pairs:
        return []
    effect = readings.itself()
    verdict = None if effect is None else judge_effect(effect, by.equal_within, by.better, scale=by.scale)
    note = TEXTS.same_setting_twice
    p = None if effect is None else effect.p
    return [_compared(readings, by, (0, 0), "aa", effect, verdict, p, note)]


def _with_base(readings: TrialReadings, by: Yardstick, count: int) -> list[SettingsCompared]:
    """Compare every setting with the base, all judged together (Holm)."""
    numbers = [number for number in range(1, count) if number in readings.settings]
    if 0 not in readings.settings:
        return []
    effects = {number: readings.effect(0, number) for number in numbers}
    measured = [(number, effect) for number, effect in effects.items() if effect is not None]
    adjusted = dict(
        zip([number for number, _ in measured], holm([effect.p for _, effect in measured]), strict=True)
    )
    comparisons = []
    for number, effect in effects.items():
        if effect is None:
            comparisons.append(_compared(readings, by, (0, number), "with_base"))
            continue
        p = float(adjusted[number])
        verdict = judge_effect(effect, by.equal_within, by.better, p=p, scale=by.scale)
        note = notes.comparison(verdict, effect, by, len(measured))
        comparisons.append(_compared(readings, by, (0, number), "with_base", effect, verdict, p, note))
    return comparisons


def _with_best(
    readings: TrialReadings, by: Yardstick, best: int | None, reach: Mapping[int, bool]
) -> list[SettingsCompared]:
    """Compare every setting that may be chosen with the best of them; whether they differ, by Hsu."""
    if best is None:
        return []
    comparisons = []
    for number, is_within_reach in reach.items():
        if number == best:
            continue
        effect = readings.effect(best, number)
        if effect is None:
            comparisons.append(_compared(readings, by, (best, number), "with_best"))
            continue
        verdict = judge_effect(
            effect, by.equal_within, by.better, scale=by.scale, is_different=not is_within_reach
        )
        if verdict.is_different and verdict.word == "undecided":
            # The setting is known not to be the best; how far it is behind need not be known.
            verdict = Verdict("undecided", True)
        note = notes.comparison(verdict, effect, by, 1)
        comparisons.append(_compared(readings, by, (best, number), "with_best", effect, verdict, note=note))
    return comparisons


def _knob_effects(question: Question, readings: TrialReadings) -> tuple[KnobEffectDocument, ...]:
    """Estimate what each knob does, averaged over the settings that differ in nothing else (Holm)."""
    measured = []
    every = list(steps(question.knobs, question.settings))
    for knob, value, pairs in every:
        usable = [(a, b) for a, b in pairs if a in readings.settings and b in readings.settings]
        if not usable:
            continue
        weights: dict[int, float] = {}
        for a, b in usable:
            weights[a] = weights.get(a, 0.0) - 1 / len(usable)
            weights[b] = weights.get(b, 0.0) + 1 / len(usable)
        effect = readings.contrast(weights, among=len(every))
        if effect is not None:
            measured.append((knob, value, effect, len(usable)))
    by, documents = question.by, []
    adjusted = holm([effect.p for _, _, effect, _ in measured])
    for (knob, value, effect, count), p in zip(measured, adjusted, strict=True):
        verdict = judge_effect(effect, by.equal_within, by.better, p=float(p), scale=by.scale)
        centre, interval = _shown(effect, by.scale)
        documents.append(
            KnobEffectDocument(
                knob=knob.name, base=knob.base, value=value, effect=centre, interval=interval,
                confidence=effect.confidence, verdict=verdict.word, pairs=count,
            )
        )  # fmt: skip
    return tuple(documents)


def _compared(
    readings: TrialReadings,
    by: Yardstick,
    between: tuple[int, int],
    kind: ComparedWith,
    effect: Effect | None = None,
    verdict: Verdict | None = None,
    p: float | None = None,
    note: str = "",
) -> SettingsCompared:
    """Return the document of a comparison; without an effect, of one of which no interval can be given."""
    centre, interval = _shown(effect, by.scale)
    return SettingsCompared(
        between=between, measure=by.name, effect=centre, interval=interval,
        confidence=effect.confidence if effect else UNSHOWN, scale=by.scale,
        verdict="undecided" if verdict is None else verdict.word, blocks=effect.n if effect else 0, p=p,
        # Further blocks on the same nodes leave the variance between nodes as it is.
        to_decide=None if readings.differs_by_node else _to_decide(verdict, effect, readings.block_s),
        note=note, kind=kind,
    )  # fmt: skip


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
