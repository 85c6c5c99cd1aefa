"""Comparison of a diagnosis with the illness that a lab is known to have."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from loadrig.labs.format import Truth
from loadrig.language.choice import texts_of
from loadrig.language.en.labs import LabsTruthTexts

TEXTS = texts_of(LabsTruthTexts)

HEALTHY = "healthy"

_RANK = {"possible": 1, "likely": 2, "named": 3}

ACCUSES = 2
"""Rank of the least verdict that accuses a cause: `likely`. `possible` says only that too little was seen."""


class ComparedFinding(Protocol):
    """Finding of a trial's result, as far as it is compared."""

    @property
    def cause(self) -> str:
        """Name of the cause."""

    @property
    def component(self) -> str:
        """Component that it is found in."""

    @property
    def verdict(self) -> str:
        """Word for how sure it is."""


@dataclass(frozen=True, slots=True)
class TruthCheck:
    """Outcome of a comparison. text: one sentence, without `right:` or `wrong:` before it."""

    is_right: bool
    text: str


def compare(truth: Truth, findings: Sequence[ComparedFinding], sentence: str) -> TruthCheck:
    """Compare the findings of a trial, most likely first, with the truth.

    sentence: the diagnosis in one sentence, for the answer.
    """
    accused = [
        finding for finding in findings if finding.cause != HEALTHY and _RANK[finding.verdict] >= ACCUSES
    ]
    if truth.causes == (HEALTHY,):
        if accused:
            return TruthCheck(False, TEXTS.accused_of_nothing(_named(accused[0])))
        return TruthCheck(True, TEXTS.nobody_accused(sentence))
    wanted = _wanted(truth)
    if not findings or findings[0].cause == HEALTHY:
        return TruthCheck(False, TEXTS.not_found(wanted, sentence))
    first = findings[0]
    if first.cause not in truth.causes:
        place = next((n for n, finding in enumerate(findings, 1) if finding.cause in truth.causes), None)
        came = TEXTS.came_later(place) if place else ""
        return TruthCheck(False, TEXTS.other_first(wanted, came, _named(first)))
    if not _lies_in(first.component, truth.components):
        return TruthCheck(False, TEXTS.found_elsewhere(wanted, first.component))
    if _RANK[first.verdict] < _RANK[truth.at_least]:
        return TruthCheck(False, TEXTS.only(_named(first), first.verdict))
    innocent = next((finding for finding in accused if finding.cause in truth.innocent), None)
    if innocent is not None:
        return TruthCheck(False, TEXTS.innocent_accused(_named(innocent)))
    return TruthCheck(True, TEXTS.came_first(_named(first), first.verdict))


def compare_all(answers: Sequence[TruthCheck]) -> TruthCheck:
    """Return the answer of most trials of a study; of a single trial its own answer."""
    right = [answer for answer in answers if answer.is_right]
    most = right if 2 * len(right) > len(answers) else [answer for answer in answers if not answer.is_right]
    if not most:
        return TruthCheck(False, TEXTS.no_trial)
    counted = TEXTS.of_trials(str(len(most)), str(len(answers))) if len(answers) > 1 else ""
    return TruthCheck(most[0].is_right, most[0].text + counted)


def _wanted(truth: Truth) -> str:
    causes = TEXTS.either.join(truth.causes)
    return TEXTS.lies_in(causes, TEXTS.either.join(truth.components)) if truth.components else causes


def _lies_in(component: str, wanted: Sequence[str]) -> bool:
    return not wanted or any(
        component.startswith(pattern[:-1]) if pattern.endswith("*") else component == pattern
        for pattern in wanted
    )


def _named(finding: ComparedFinding) -> str:
    return f"{finding.cause} ({finding.component})"
