"""Answer of a tuning laid over a study's result: its recommendation in place of the judge's.

The judge of studies knows every trial, and so also those by which settings were chosen: luck among them.
What is recommended, and how it compares with the base, is therefore told by the confirming blocks alone.
"""

from collections.abc import Mapping

from msgspec import structs

from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyTuningResultTexts
from loadrig.study.document import RecommendedSetting, SettingsCompared, StudyDocument
from loadrig.study.space import key
from loadrig.study.tuning.document import ConfirmedRival, TuningDocument
from loadrig.study.tuning.stages import Tuning

TEXTS = texts_of(StudyTuningResultTexts)

CONFIDENCE = 0.95
"""Confidence of the intervals of the confirming blocks."""

NOTE = TEXTS.note


def laid_over(document: StudyDocument, tuning: Tuning, *, second: str | None) -> StudyDocument:
    """Return a study's result with `tuning`, its recommendation and the comparison of that with the base."""
    answer = tuning.answer()
    numbers = {key(setting.setting): setting.id for setting in document.settings}
    comparisons = document.comparisons
    if answer.setting is not None and answer.against_default is not None:
        between = (numbers[key(answer.default)], numbers[key(answer.setting)])
        comparisons = tuple(
            _by_confirmation(comparison, answer.against_default)
            if comparison.kind == "with_base" and comparison.between == between
            else comparison
            for comparison in comparisons
        )
    return structs.replace(
        document,
        tuning=structs.replace(answer, second=second),
        recommended=_recommended(document, answer, numbers),
        comparisons=comparisons,
    )


def _by_confirmation(comparison: SettingsCompared, rival: ConfirmedRival) -> SettingsCompared:
    """Return the comparison by the confirming blocks; as it is where these are too few."""
    if rival.effect is None:
        return comparison
    return structs.replace(
        comparison,
        effect=rival.effect,
        interval=rival.interval,
        confidence=CONFIDENCE,
        verdict=rival.verdict,
        blocks=rival.blocks,
        p=rival.p,
        to_decide=None,
        note=NOTE,
    )


def _recommended(
    document: StudyDocument, answer: TuningDocument, numbers: Mapping[str, int]
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
