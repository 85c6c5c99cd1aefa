"""Result of a tuning, as read from a study's result, and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.setting import show_setting, show_value
from loadrig.language.choice import texts_of
from loadrig.language.en.report.studies import ReportTuningTexts
from loadrig.report import numbers, words
from loadrig.report.model import VerdictWords
from loadrig.report.run import Study
from loadrig.study.document import SettingDocument
from loadrig.study.tuning.answer import MissedGoal
from loadrig.study.tuning.document import SearchedKnob, TuningDocument

TEXTS = texts_of(ReportTuningTexts)

STAGES: Mapping[str, str] = {
    "screen": "screening",
    "doubt": TEXTS.stage_doubt,
    "search": "search",
    "race": TEXTS.stage_race,
    "final race": TEXTS.stage_final_race,
    "confirm": "confirmation",
}
"""Names of the stages for a reader."""

SHORT: Mapping[str, str] = {"screen": "screen", "doubt": "check", "final race": "final", "confirm": "confirm"}
"""Names of stages over a picture, where those of STAGES are too long."""


@dataclass(frozen=True)
class TuningResult:
    """Tuning of a study."""

    document: TuningDocument
    study: Study

    @property
    def knobs(self) -> list[SearchedKnob]:
        """The knobs with more than one value, as planned."""
        return [knob for knob in self.document.space.knobs if len(knob.values) > 1]

    def shown(self, value: float | None) -> str:
        """Return a value of the objective with its unit."""
        return numbers.amount(value, self.study.unit)


def tuning_of(study: Study | None) -> TuningResult | None:
    """Return the tuning of a study; None where it is none."""
    if study is None or not study.document.tuning:
        return None
    return TuningResult(study.document.tuning, study)


def summary(tuned: TuningResult) -> str:
    """Return in a sentence how many settings were tried, and which knobs do not matter.

    How many settings there are, and how long it took, stands in the report's head.
    """
    text = TEXTS.tried(numbers.plural(len(tuned.study.settings), TEXTS.setting_was, TEXTS.settings_were))
    inert = [knob.knob for knob in tuned.document.inert]
    if inert:
        text += TEXTS.not_matter(numbers.listed(inert), len(inert) == 1)
    return f"{text}."


def rivals(tuned: TuningResult) -> list[tuple[str, str]]:
    """Return how the recommended setting was confirmed, and how it compares with the runner-up.

    How it compares with the base stands among the large numbers, from the same trials.
    """
    base, runner_up = tuned.document.against_default, tuned.document.against_runner_up
    measured = [rival for rival in (base, runner_up) if rival is not None and rival.effect is not None]
    rows = []
    if measured:
        blocks = min(rival.blocks for rival in measured)
        beside = numbers.listed(
            [
                name
                for name, rival in ((TEXTS.the_base, base), (TEXTS.runner_up, runner_up))
                if rival in measured
            ]
        )
        rows.append(("confirmed", TEXTS.in_beside(numbers.plural(blocks, "block"), beside)))
    for name, rival in ((TEXTS.against_base, base), (TEXTS.against_runner_up, runner_up)):
        if rival is None or (rival is base and rival.effect is not None):
            continue
        label = show_setting(rival.setting)
        if rival.effect is None or rival.interval is None:
            rows.append((name, TEXTS.too_few_blocks(label)))
            continue
        symbol, word, _ = words.COMPARED[rival.verdict]
        change = numbers.effect(rival.effect, tuned.study.is_ratio)
        rows.append(("runner-up", label))
        rows.append((name, f"{change} ({_span(rival.interval, tuned)}) {symbol} {word}"))
    return rows


def standing(tuned: TuningResult, setting: SettingDocument) -> VerdictWords:
    """Return symbol, words and tone of a setting.

    A study's standings are those of all its trials, luck among them; in a tuning only those decide that were
    confirmed, so the best of them is what is recommended.
    """
    chosen, good = tuned.study.recommended, ("best", "indistinguishable")
    if setting is chosen:
        return words.STANDINGS["best"]
    if setting.standing not in good:
        return words.STANDINGS[setting.standing]
    if chosen is not None and chosen.standing in good:
        return words.STANDINGS["indistinguishable"]
    return ("?", TEXTS.not_confirmed, "warn")


def inert(tuned: TuningResult) -> list[tuple[str, str]]:
    """Return each knob that changes nothing that matters, with what its ends differ by."""
    rows = []
    for knob in tuned.document.inert:
        low, high = (show_value(value) for value in knob.between)
        change = numbers.effect(knob.effect, tuned.study.is_ratio)
        span = _span(knob.interval, tuned)
        rows.append((TEXTS.is_inert(knob.knob), TEXTS.from_sure(change, low, high, span)))
    return rows


def _span(interval: Sequence[float], tuned: TuningResult) -> str:
    low, high = sorted(interval)
    return numbers.effect_span(low, high, tuned.study.is_ratio)


def doubts(tuned: TuningResult) -> list[str]:
    """Return sentences that speak against taking the recommended setting as it is."""
    texts = []
    if tuned.document.has_interactions:
        texts.append(TEXTS.some_knobs_do)
    if tuned.document.unstable:
        names = numbers.listed([show_setting(setting) for setting in tuned.document.unstable])
        texts.append(TEXTS.deployment_far_worse(names))
    return texts


def why_none(tuned: TuningResult) -> str:
    """Return why no setting is recommended, with what the nearest one misses and how far."""
    near = tuned.document.nearest
    if tuned.document.why == "going on" and not tuned.study.document.finished:
        return TEXTS.nothing_confirmed_yet  # the badge says that the study was stopped
    if near is None or not near.misses:
        return tuned.document.text
    misses = numbers.listed([f"{miss.goal} ({_reached(miss)})" for miss in near.misses])
    return TEXTS.no_setting_tried(show_setting(near.setting), misses)


def _reached(miss: MissedGoal) -> str:
    from loadrig.report.sections.verdict import unit_of_goal

    return TEXTS.reached(numbers.amount(miss.value, unit_of_goal(miss.goal)))
