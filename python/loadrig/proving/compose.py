"""Composition of a proof's document from what was changed and what that showed."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from loadrig.base.documents import ABSENT
from loadrig.interventions import Lever
from loadrig.judgement.declarations import cause_of
from loadrig.judgement.experiments.conclusions import Conclusion, conclusion_of
from loadrig.judgement.experiments.outcome import UNITS
from loadrig.judgement.experiments.results import Gain, Result
from loadrig.judgement.experiments.verdicts import updated
from loadrig.language.choice import texts_of
from loadrig.language.en.proving import ProvingComposeTexts
from loadrig.proving.changes import OUT_OF_TIME
from loadrig.proving.document import (
    BoundedEstimate,
    ClaimChance,
    InterventionBand,
    ProofDocument,
    ProofSlot,
    ProvingExperiment,
    SkippedExperiment,
)
from loadrig.proving.fix import fix_of
from loadrig.proving.live_order import LiveFindings
from loadrig.proving.pairs import SPOILT
from loadrig.proving.question import ProofQuestion
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.stats.elasticity import Elasticity
from loadrig.trial.document import FailureInTrials
from loadrig.trial.target_failed import in_trial, of_many, target_failed

TEXTS = texts_of(ProvingComposeTexts)

LEAST_LIVE_S = 25.0
"""Least time left for experiments while load runs, in seconds: a start, a warm-up and three blocks of two
changes."""


@dataclass(slots=True, kw_only=True)
class ProofCourse(LiveFindings):
    """Course of a proof until now, with the findings of all its experiments.

    began: instant of time.monotonic(). budget_s: time for the whole proof, in seconds. ended: why it ended,
    as in the document.
    """

    began: float
    budget_s: float
    ended: str = "sure"

    @property
    def left_s(self) -> float:
        """Time of the budget that is left, in seconds."""
        return self.budget_s - (time.monotonic() - self.began)


def document_of(
    question: ProofQuestion, course: ProofCourse, index: int, command: str, folder: RunFolder
) -> ProofDocument:
    """Return the document of a proof.

    index: number of the trial whose diagnosis was proved. command: what repeats the proof. folder: of the
    proof's trials.
    """
    took_s = time.monotonic() - course.began
    untried = [each.lever for each in course.skipped if each.code == OUT_OF_TIME]
    is_gone = question.is_gone(course.results)
    telling = [] if is_gone else course.results
    conclusions = [conclusion_of(suspect, telling, question.behind, untried) for suspect in question.suspects]
    chances = question.credence.chances(telling).tolist()
    findings, diagnosis = updated(
        conclusions, question.result.findings, question.diagnosis, command,
        [suspect.key for suspect in question.credence.tied(telling)], question.credence.beliefs(telling),
    )  # fmt: skip
    first = findings[0] if findings and findings[0].verdict == "named" else None
    is_open = bool(untried) or (
        course.left_s < LEAST_LIVE_S and any(result.standing == "unsure" for result in course.results)
    )
    ended = course.ended
    if ended == "sure" and is_gone:
        ended = "gone"
    elif ended == "sure" and first is None:
        ended = without_answer(
            is_open=is_open,
            is_decided=question.is_decided(course.results),
            has_proof=cause_of(question.suspects[0].cause).is_provable,
        )
    failed = _target_failed(folder) if ended != "nothing_to_prove" else None
    if failed is not None:
        diagnosis = replace(diagnosis, sentence=failed.sentence)
    fix = None
    if first is not None:
        own = next((each for each in conclusions if each.suspect.key == first.accused), None)
        fix = fix_of(first, own, diagnosis.ceilings, question.measure, command)
    return ProofDocument(
        headline=failed.sentence if failed else ABSENT,
        target_failed=failed or ABSENT,
        of_trial=index,
        budget_s=course.budget_s,
        took_s=round(took_s, 1),
        ended=ended,
        sentence=diagnosis.sentence,
        experiments=experiments_of(course.results, conclusions),
        skipped=skipped_of(course.skipped),
        bands=bands_of(course.bands, course.results),
        fix=fix,
        findings=findings,
        cleared=diagnosis.cleared,
        diagnosis=diagnosis,
        claims=tuple(
            ClaimChance(cause=suspect.cause, component=suspect.component, prior=prior, posterior=posterior)
            for suspect, prior, posterior in zip(
                question.credence.suspects, question.credence.chances(()).tolist(), chances, strict=False
            )
        ),
    )


def without_answer(*, is_open: bool, is_decided: bool, has_proof: bool) -> str:
    """Return why a proof ended that names nothing.

    is_open: whether there was something left to try. is_decided: whether a suspect is sure that no experiment
    could prove. has_proof: whether any experiment decides about the first suspect.
    """
    if is_open:
        return "budget" if has_proof else "unprovable"
    return "sure" if is_decided else "exhausted"


def _target_failed(folder: RunFolder) -> FailureInTrials | None:
    """Return how the server failed while it was loaded for the proof; None where it never did."""
    trials, failures = folder.trial_folders(), []
    for number, trial in enumerate(trials, start=1):
        recording = Recording.open(trial.path)
        if (failed := target_failed(recording)) is not None:
            failures.append(in_trial(failed, number, recording.manifest.setting))
    summary = of_many(failures, len(trials))
    if summary is None:
        return None
    text = summary.sentence
    return replace(summary, sentence=TEXTS.while_diagnosis_proved(text[:1].lower(), text[1:]))


def skipped_of(skipped: Sequence[SkippedExperiment]) -> tuple[SkippedExperiment, ...]:
    """Return each skipped lever once, with its first reason.

    Of levers that were spoilt or out of time each value of a knob is kept.
    """
    unique: dict[tuple[Lever, str], SkippedExperiment] = {}
    for each in skipped:
        unique.setdefault((each.lever, each.why if each.code in (OUT_OF_TIME, SPOILT) else ""), each)
    return tuple(unique.values())


def bands_of(bands: Sequence[InterventionBand], results: Sequence[Result]) -> tuple[InterventionBand, ...]:
    """Return when what has a result was changed, with its place among the results."""
    titles = [result.title for result in results]
    return tuple(
        InterventionBand(band.trial, band.from_s, band.to_s, band.title, titles.index(band.title))
        for band in bands
        if band.title in titles
    )


SAME = (
    "lever", "title", "kind", "measure", "ratio", "is_at_least", "standing", "blocks", "unchanged", "changed",
    "says", "cost", "trial",
)  # fmt: skip
"""Fields of an experiment that are those of its result."""


def experiments_of(
    results: Sequence[Result], conclusions: Sequence[Conclusion]
) -> tuple[ProvingExperiment, ...]:
    """Return the experiments with what was measured and which causes they proved or cleared."""
    return tuple(
        ProvingExperiment(
            **{name: getattr(result, name) for name in SAME},
            unit=UNITS[result.measure],
            elasticity=None if result.elasticity is None else _bounded(result.elasticity),
            gain=_bounded(result.gain),
            proves=tuple(each.suspect.key for each in conclusions if result in each.own),
            refutes=tuple(
                each.suspect.key
                for each in conclusions
                if result in (*each.stayed, *each.survived) and each.is_cleared
            ),
            slots=tuple(
                ProofSlot(
                    trial=part.trial,
                    from_s=round(part.from_s, 3),
                    length_s=round(part.length_s, 3),
                    block=part.block,
                    is_changed=part.is_changed,
                    outcome=part.outcome,
                )
                for part in result.parts
            ),
        )
        for result in results
    )


def _bounded(estimate: Elasticity | Gain) -> BoundedEstimate:
    return BoundedEstimate(estimate.value, estimate.low, estimate.high)
