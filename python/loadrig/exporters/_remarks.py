"""Statements of a result that a pipeline shows: its answer, its goals, what disturbed it."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts
from loadrig.report.sections.verdict import sentences
from loadrig.trial.document import GoalDocument

TEXTS = texts_of(ExportersTexts)


class ResultRemark(NamedTuple):
    """Statement of a result. name: what it is about, the same in every run: a goal, a check, `verdict`."""

    level: Literal["error", "warning", "notice"]
    name: str
    text: str


def goal_text(goal: GoalDocument) -> str:
    """Return what came of a goal, in words, with its figure."""
    figure = "" if goal.value is None else f"{goal.value:.6g} {goal.unit}".removesuffix(" 1")
    if goal.met is None:
        return TEXTS.goal_undecided(goal.text)
    return TEXTS.goal_met(goal.text, figure) if goal.met else TEXTS.goal_missed(goal.text, figure)


def remarks(trial: ExportedTrial) -> Iterator[ResultRemark]:
    """Yield the answer, then each goal that was not met, then what disturbed the trial."""
    document = trial.document
    is_bad = bool(document.target_failed) or document.validity.verdict == "void"
    yield ResultRemark("error" if is_bad else "notice", "verdict", " ".join(sentences(document)))
    for goal in document.goals:
        if not goal.met:
            yield ResultRemark("warning" if goal.met is None else "error", goal.text, goal_text(goal))
    for reason in document.validity.reasons:
        if reason.level != "note":
            level: Literal["error", "warning"] = "error" if reason.level == "void" else "warning"
            yield ResultRemark(level, reason.check, reason.text)
