"""Conclusion of a study: the document that says what its trials have shown."""

import shlex
from dataclasses import replace
from typing import Any

from msgspec import structs

from loadrig.base.documents import plain, typed
from loadrig.plan.model import Plan
from loadrig.recording import documents
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.study import fidelity, proof, result
from loadrig.study.answer import Question
from loadrig.study.capacity.document import CapacityDocument
from loadrig.study.document import StudyDocument
from loadrig.study.failures import headed, target_failed
from loadrig.study.judge import judge
from loadrig.study.ledger import Ledger
from loadrig.study.proof import DiagnosedTrial
from loadrig.study.strategy import Answering, AnsweringEach, Strategy, Tuner, window_s


def document(
    plan: Plan, strategy: Strategy, question: Question, run: RunFolder, ledger: Ledger, *, is_finished: bool
) -> StudyDocument:
    """Return the document of a study from the trials in its ledger, of which there is at least one.

    run: the folder with their recordings. is_finished: whether no trial is left to be run.
    """
    trials = ledger.trials
    if isinstance(strategy, Tuner):
        question = replace(question, settings=tuple(strategy.tried))
        trials = tuple(strategy.with_figures(trial) for trial in trials)
    study = result.document(
        plan,
        question,
        judge(question, trials),
        trials,
        created=ledger.created,
        machine=ledger.machine,
        is_finished=is_finished,
    )
    missed = fidelity.warnings(plan, trials, window_s(plan, strategy))
    study = structs.replace(study, warnings=(*study.warnings, *missed))
    if isinstance(strategy, Tuner):
        study = strategy.laid_over(study)
    command = f"loadrig run {shlex.quote(str(run.path))}"
    findings, diagnosis = proof.findings(study, _results(run, study), command)
    study = structs.replace(study, findings=findings, diagnosis=diagnosis)
    if isinstance(strategy, Answering):
        study = structs.replace(study, **{strategy.name: _answer(strategy, run, study)})
    if isinstance(strategy, AnsweringEach) and len(study.settings) > 1:
        study = structs.replace(study, **{strategy.each: _answers(strategy, run, study)})
    failed = target_failed(run, trials)
    return study if failed is None else headed(study, failed)


def _answer(strategy: Answering, run: RunFolder, study: StudyDocument) -> Any:
    """Return what the strategy alone says: of the recommended setting, or of the base; None of no trial."""
    number = study.recommended.setting_id if study.recommended else 0
    return _answer_of(strategy, run, study, number)


def _answers(strategy: Answering, run: RunFolder, study: StudyDocument) -> tuple[Any, ...]:
    """Return what the strategy says of each setting, but of those without a trial that can be believed."""
    answers = (_answer_of(strategy, run, study, setting.id) for setting in study.settings)
    return tuple(answer for answer in answers if answer is not None)


def _answer_of(strategy: Answering, run: RunFolder, study: StudyDocument, number: int) -> Any:
    """Return what the strategy says of a setting, by its number; None of no trial."""
    for trial in study.settings[number].trials:
        if trial.is_usable:
            answer = strategy.answer(Recording.open(run.trial(trial.index).path))
            answer = structs.replace(answer, setting_id=number, trial=trial.index)
            # Soaks and spikes have schemas of their own: a study's result holds them as they are written.
            return answer if isinstance(answer, CapacityDocument) else plain(answer)
    return None


def _results(run: RunFolder, study: StudyDocument) -> dict[int, list[DiagnosedTrial]]:
    """Return results of trials that may be believed, by the setting's id."""
    results: dict[int, list[DiagnosedTrial]] = {}
    for setting in study.settings:
        for trial in setting.trials:
            path = run.trial(trial.index).result
            if trial.is_usable and path.is_file():
                results.setdefault(setting.id, []).append(
                    typed(DiagnosedTrial, documents.read(path), str(path))
                )
    return results
