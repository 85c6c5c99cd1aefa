"""Sentences of the judge."""

import math
import re
from collections.abc import Sequence

from loadrig.base.setting import show_setting
from loadrig.base.units import show, show_share
from loadrig.stats.compare import Effect
from loadrig.stats.outliers import odd_residuals
from loadrig.stats.verdict import Verdict
from loadrig.study.answer import JudgedSetting, Question
from loadrig.study.contrasts import TrialReadings
from loadrig.study.trials import DoneTrial
from loadrig.study.yardstick import Yardstick

MOST_NAMED = 4
"""Most trials named in one warning; the rest are counted."""


def change(difference: float, by: Yardstick) -> str:
    """Return how large a difference is, without its sign: "2.7 %", or "0.12 points" of a share."""
    if by.scale == "difference":
        return f"{show_share(abs(difference)).removesuffix(' %')} points"
    return show_share(abs(math.expm1(difference)))


def margin(by: Yardstick) -> str:
    """Return the difference that does not matter: "3 %"."""
    if by.scale == "difference":
        return f"{show_share(by.equal_within).removesuffix(' %')} points"
    return show_share(by.equal_within)


def no_noise() -> str:
    """Return the sentence for a base that never ran twice in a block."""
    return "The base setting did not run twice in any block, so how far noise alone goes was not measured."


def noise(readings: TrialReadings, by: Yardstick, sd: float, pairs: int) -> str:
    """Return how far the base was from itself, and what that hides, in sentences."""
    times = "in one block" if pairs == 1 else f"in each of {pairs} blocks"
    text = (
        f"The base setting, run twice {times}, differed from itself by"
        f" {change(sd * math.sqrt(2), by)} of its {by.name} (root mean square)."
    )
    halves = [
        effect.high - effect.centre
        for number in readings.settings
        if number and (effect := readings.effect(0, number)) is not None
    ]
    if halves:
        text += f" Differences from the base under about {change(max(halves), by)} stay undecided."
    return text


def comparison(verdict: Verdict, effect: Effect, by: Yardstick, together: int) -> str:
    """Return what stands beside a verdict; empty where it speaks for itself."""
    parts = []
    if verdict.word == "trivial":
        parts.append(f"a real difference, and shown to be under {margin(by)}")
    elif verdict.word == "undecided" and verdict.is_different:
        low, high = sorted((abs(effect.low), abs(effect.high)))
        size = f"{change(effect.centre, by)} ({change(low, by)} to {change(high, by)})"
        parts.append(f"it differs for certain, by {size}; whether by more than {margin(by)} is open")
    if together > 1:
        parts.append(f"judged together with {together - 1} other{'s' if together > 2 else ''} (Holm)")
    return "; ".join(parts)


def why(
    question: Question,
    settings: Sequence[JudgedSetting],
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
        parts = [f"{worse} worse"] if worse else []
        parts += [f"{goals} that {'misses' if goals == 1 else 'miss'} a goal"] if goals else []
        beside = f", beside {' and '.join(parts)}" if parts else ""
        return f"it alone may be the best on {by.name} ({reached}){beside}"
    group = f"{members} settings cannot be told from the best on {by.name}"
    if chosen == best:
        return f"{group}, and of these {reason}; it also has the best figure ({reached})"
    text = f"{group} ({leader.label}, {reached}), and of these {reason}"
    effect = readings.effect(best, chosen)
    if effect is not None:
        behind = -effect.narrow_low if by.better == "higher" else effect.narrow_high
        if behind > 0:
            text += f"; it is at most {_loss(behind, by)} behind (95 %)"
    return text


def _loss(behind: float, by: Yardstick) -> str:
    """Return how far behind: of a throughput the share that is lost, of a time the share that is added."""
    if by.scale == "ratio" and by.better == "higher":
        return show_share(-math.expm1(-behind))
    return change(behind, by)


def warnings(
    question: Question,
    settings: Sequence[JudgedSetting],
    readings: TrialReadings,
    trials: Sequence[DoneTrial],
    has_recommendation: bool,
) -> tuple[str, ...]:
    """Return everything that a reader of the verdicts must know, as sentences."""
    by = question.by
    sentences = []
    if by.is_latency and question.is_closed:
        sentences.append(
            f"users wait for their answers, so {by.name} only mirrors throughput (R = N/X - Z): "
            "a setting that answers more is asked more. Compare throughput, or set a rate below capacity"
        )
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
        f"{len(kind)} of {len(trials)} trials were disturbed and kept: {kind[0][1]}; first trial"
        f" {kind[0][0].index} ({show_setting(kind[0][0].setting)})"
        for kind in kinds[:MOST_NAMED]
    ]
    if len(kinds) > MOST_NAMED:
        sentences.append(f"{len(kinds) - MOST_NAMED} more checks were not passed by some of them")
    return sentences


def _without_numbers(reason: str) -> str:
    """Return the words of a reason up to its limits, by which equal reasons of several trials are known."""
    return re.sub(r"[\d.,+−-]+", "#", reason.partition(" (")[0])


def _lost(trials: Sequence[DoneTrial]) -> list[str]:
    sentences = []
    for verdict, words in (("void", "void"), ("failed", "lost because the target failed")):
        lost = [trial for trial in trials if trial.validity == verdict]
        if lost:
            named = "; ".join(
                f"trial {trial.index} ({show_setting(trial.setting)}): {trial.reasons[0]}"
                for trial in lost[:MOST_NAMED]
                if trial.reasons
            )
            verb = "is" if len(lost) == 1 else "are"
            sentences.append(f"{len(lost)} of {len(trials)} trials {verb} {words} and left out: {named}")
    return sentences


def _odd(readings: TrialReadings, by: Yardstick) -> list[str]:
    """Return sentences on trials far from what their block and setting let expect. Such trials are kept."""
    fit = readings.fit
    if fit is None:
        return []
    sentences = []
    for position in odd_residuals(fit.residuals, fit.leverages, fit.df):
        row = readings.rows[position]
        who = f"trial {row.trial.index} ({show_setting(row.trial.setting)})"
        seen, expected = row.y, row.y - float(fit.residuals[position] / (1 - fit.leverages[position]))
        if by.scale == "ratio":
            seen, expected = math.exp(seen), math.exp(expected)
        sentences.append(
            f"{who} does not belong with the others: {by.name} {show(seen, by.unit)} where"
            f" {show(expected, by.unit)} was to be expected; it is kept: look for a cause outside the knobs"
        )
    return sentences


def _why_unmeasured(by: Yardstick) -> str:
    if by.name == "capacity":
        return "no load met the goals, or the time was up before one was sure to"
    return "no answer of it was good"


def _unmeasured(settings: Sequence[JudgedSetting], by: Yardstick) -> list[str]:
    sentences = []
    for judged in settings:
        if not judged.trials:
            sentences.append(f"{judged.label} was not tried")
        elif by.name not in judged.measures and any(trial.is_usable for trial in judged.trials):
            sentences.append(f"{judged.label} has no {by.name}: {_why_unmeasured(by)}")
    if len(sentences) > MOST_NAMED:
        sentences = [
            *sentences[:MOST_NAMED],
            f"{len(sentences) - MOST_NAMED} more settings have no {by.name}",
        ]
    return sentences


def _undecided(
    settings: Sequence[JudgedSetting], readings: TrialReadings, by: Yardstick, has_recommendation: bool
) -> list[str]:
    sentences = []
    noise = readings.repeatability()
    if noise is None:
        sentences.append("no setting was run often enough to know the noise: nothing can be told apart yet")
    elif noise[0] > by.equal_within:
        sentences.append(
            f"one trial differs from the next by {change(noise[0], by)} (sd), more than the {margin(by)} that"
            " matter: more blocks or longer trials are needed to show that settings are equal"
        )
    if all(judged.is_feasible is False for judged in settings):
        sentences.append("no setting meets every goal, so none is recommended")
    elif not has_recommendation and noise is not None and not any(judged.is_feasible for judged in settings):
        sentences.append("no setting is known to meet every goal, so none is recommended")
    return sentences
