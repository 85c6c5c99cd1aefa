"""Sentences of the judge."""

import math
import re
from collections.abc import Sequence

from loadrig.base.setting import show_setting
from loadrig.base.units import show, show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyNotesTexts
from loadrig.language.labels import joined
from loadrig.stats.compare import Effect
from loadrig.stats.outliers import odd_residuals
from loadrig.stats.verdict import Verdict
from loadrig.study.answer import Question
from loadrig.study.contrasts import TrialReadings
from loadrig.study.document import SettingDocument
from loadrig.study.trials import DoneTrial
from loadrig.study.yardstick import Yardstick

TEXTS = texts_of(StudyNotesTexts)

MOST_NAMED = 4
"""Most trials named in one warning; the rest are counted."""


def change(difference: float, by: Yardstick) -> str:
    """Return how large a difference is, without its sign: "2.7 %", or "0.12 points" of a share."""
    return _share(abs(difference if by.scale == "difference" else math.expm1(difference)), by)


def margin(by: Yardstick) -> str:
    """Return the difference that does not matter: "3 %", or "0.3 points" of a share."""
    return _share(by.equal_within, by)


def _share(share: float, by: Yardstick) -> str:
    text = show_share(share)
    return TEXTS.points(text.removesuffix(" %")) if by.scale == "difference" else text


def noise(readings: TrialReadings, by: Yardstick, sd: float, pairs: int) -> str:
    """Return how far the base was from itself, and what that hides, in sentences."""
    times = TEXTS.in_block if pairs == 1 else TEXTS.each_blocks(str(pairs))
    text = TEXTS.base_setting_run(times, change(sd * math.sqrt(2), by), by.name)
    halves = [
        effect.high - effect.centre
        for number in readings.settings
        if number and (effect := readings.effect(0, number)) is not None
    ]
    if halves:
        text += TEXTS.differences_from_base(change(max(halves), by))
    return text


def comparison(verdict: Verdict, effect: Effect, by: Yardstick, together: int) -> str:
    """Return what stands beside a verdict; empty where it speaks for itself."""
    parts = []
    if verdict.word == "trivial":
        parts.append(TEXTS.real_difference_shown(margin(by)))
    elif verdict.word == "undecided" and verdict.is_different:
        low, high = sorted((abs(effect.low), abs(effect.high)))
        size = TEXTS.to(change(effect.centre, by), change(low, by), change(high, by))
        parts.append(TEXTS.differs_certain_whether(size, margin(by)))
    if together > 1:
        parts.append(TEXTS.judged_together_other(str(together - 1), together == 2))
    return "; ".join(parts)


def why(
    question: Question,
    settings: Sequence[SettingDocument],
    readings: TrialReadings,
    best: int,
    chosen: int,
    reason: str,
    members: int,
) -> str:
    """Return why the recommended setting is recommended, in one sentence."""
    by = question.by
    leader = settings[best]
    reached = show(leader.measures[by.name].value, by.unit)
    if members == 1:
        worse = sum(judged.standing == "worse" for judged in settings)
        goals = sum(judged.standing == "infeasible" for judged in settings)
        parts = [TEXTS.worse(str(worse))] if worse else []
        parts += [TEXTS.that_a_goal(str(goals), goals == 1)] if goals else []
        beside = TEXTS.beside(joined(parts)) if parts else ""
        return TEXTS.alone_may_best(by.name, reached, beside)
    group = TEXTS.settings_cannot_from(str(members), by.name)
    if chosen == best:
        return TEXTS.also_has_best(group, reason, reached)
    text = TEXTS.and_these(group, leader.label, reached, reason)
    effect = readings.effect(best, chosen)
    if effect is not None:
        behind = -effect.narrow_low if by.better == "higher" else effect.narrow_high
        if behind > 0:
            text += TEXTS.most_behind(_loss(behind, by))
    return text


def _loss(behind: float, by: Yardstick) -> str:
    """Return how far behind: of a throughput the share that is lost, of a time the share that is added."""
    if by.scale == "ratio" and by.better == "higher":
        return show_share(-math.expm1(-behind))
    return change(behind, by)


def warnings(
    question: Question,
    settings: Sequence[SettingDocument],
    readings: TrialReadings,
    trials: Sequence[DoneTrial],
    has_recommendation: bool,
) -> tuple[str, ...]:
    """Return everything that a reader of the verdicts must know, as sentences."""
    by = question.by
    sentences = []
    if by.is_latency and question.is_closed:
        sentences.append(TEXTS.users_wait_their(by.name))
    sentences += _lost(trials)
    sentences += _disturbed(trials)
    sentences += _odd(readings, by)
    sentences += _unmeasured(settings, by)
    if len(settings) > 1:
        sentences += _undecided(settings, readings, by, has_recommendation)
    return tuple(sentences)


def _disturbed(trials: Sequence[DoneTrial]) -> list[str]:
    """Return one sentence for each check that disturbed trials: how many, and how it was in the worst."""
    disturbed = [trial for trial in trials if trial.validity == "disturbed"]
    if not disturbed:
        return []
    by_kind: dict[str, list[tuple[DoneTrial, str]]] = {}
    for trial in disturbed:
        for reason in trial.reasons:
            by_kind.setdefault(_without_numbers(reason), []).append((trial, reason))
    kinds = sorted(by_kind.values(), key=len, reverse=True)
    sentences = [
        TEXTS.trials_disturbed_first(
            str(len(kind)),
            str(len(trials)),
            kind[0][1],
            str(kind[0][0].index),
            show_setting(kind[0][0].setting),
        )
        for kind in kinds[:MOST_NAMED]
    ]
    if len(kinds) > MOST_NAMED:
        sentences.append(TEXTS.more_checks_not(str(len(kinds) - MOST_NAMED)))
    return sentences


def _without_numbers(reason: str) -> str:
    """Return the words of a reason up to its limits, by which equal reasons of several trials are known."""
    return re.sub(r"[\d.,+−-]+", "#", reason.partition(" (")[0])


def _lost(trials: Sequence[DoneTrial]) -> list[str]:
    sentences = []
    for verdict, words in (("void", "void"), ("failed", TEXTS.lost_because_target)):
        lost = [trial for trial in trials if trial.validity == verdict]
        if lost:
            named = "; ".join(
                TEXTS.trial(str(trial.index), show_setting(trial.setting), trial.reasons[0])
                for trial in lost[:MOST_NAMED]
                if trial.reasons
            )
            sentences.append(TEXTS.trials_out(str(len(lost)), str(len(trials)), len(lost) == 1, words, named))
    return sentences


def _odd(readings: TrialReadings, by: Yardstick) -> list[str]:
    """Return sentences on trials far from what their block and setting let expect. Such trials are kept."""
    fit = readings.fit
    if fit is None:
        return []
    sentences = []
    for position in odd_residuals(fit.residuals, fit.leverages, fit.df):
        row = readings.rows[position]
        trial = TEXTS.trial_of_setting(str(row.trial.index), show_setting(row.trial.setting))
        value, expected = row.y, row.y - float(fit.residuals[position] / (1 - fit.leverages[position]))
        if by.scale == "ratio":
            value, expected = math.exp(value), math.exp(expected)
        sentences.append(TEXTS.does_not_belong(trial, by.name, show(value, by.unit), show(expected, by.unit)))
    return sentences


def _unmeasured(settings: Sequence[SettingDocument], by: Yardstick) -> list[str]:
    sentences = []
    why = TEXTS.no_load_met if by.name == "capacity" else TEXTS.no_answer_good
    for judged in settings:
        if not judged.trials:
            sentences.append(TEXTS.not_tried(judged.label))
        elif by.name not in judged.measures and any(trial.is_usable for trial in judged.trials):
            sentences.append(TEXTS.has_no(judged.label, by.name, why))
    if len(sentences) > MOST_NAMED:
        sentences = [
            *sentences[:MOST_NAMED],
            TEXTS.more_settings_have(str(len(sentences) - MOST_NAMED), by.name),
        ]
    return sentences


def _undecided(
    settings: Sequence[SettingDocument], readings: TrialReadings, by: Yardstick, has_recommendation: bool
) -> list[str]:
    sentences = []
    noise = readings.repeatability()
    if noise is None:
        sentences.append(TEXTS.no_setting_run)
    elif noise[0] > by.equal_within:
        sentences.append(TEXTS.trial_differs_from(change(noise[0], by), margin(by)))
    if all(judged.feasible is False for judged in settings):
        sentences.append(TEXTS.no_setting_meets)
    elif not has_recommendation and noise is not None and not any(judged.feasible for judged in settings):
        sentences.append(TEXTS.no_setting_meet)
    return sentences
