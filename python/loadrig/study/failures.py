"""The trials of a study in which its server failed, and the sentence that its result begins with then."""

from collections.abc import Sequence

from msgspec import structs

from loadrig.base.documents import ABSENT, Absent, Document, typed
from loadrig.base.setting import Setting
from loadrig.recording import documents
from loadrig.recording.layout import RunFolder
from loadrig.study.document import StudyDocument
from loadrig.study.trials import DoneTrial
from loadrig.trial.document import FailureInTrials, TargetFailure
from loadrig.trial.target_failed import in_trial, of_many


class PossiblyFailedTrial(Document, frozen=True, kw_only=True):
    """Parts of a trial's result that tell of a server that failed."""

    index: int
    setting: Setting
    target_failed: TargetFailure | Absent = ABSENT


def target_failed(run: RunFolder, trials: Sequence[DoneTrial]) -> FailureInTrials | None:
    """Return in which trials the server died, went away or never answered; None where it did in none.

    A setting whose server does not come up is no such trial: no load was made, and the setting is told as
    failed. The trial that stopped the study has a folder and no line in the ledger.
    """
    usable = {trial.index for trial in trials if trial.is_usable}
    failures = []
    folders = run.trial_folders()
    for folder in folders:
        if int(folder.path.name) in usable or not folder.result.is_file():
            continue
        trial = typed(PossiblyFailedTrial, documents.read(folder.result), str(folder.result))
        if trial.target_failed:
            failures.append(in_trial(trial.target_failed, trial.index, trial.setting))
    return of_many(failures, max(len(folders), len(trials)))


def headed(document: StudyDocument, failed: FailureInTrials) -> StudyDocument:
    """Return a study's result with the failure of its server at its head, and as its answer."""
    headline, diagnosis = failed.sentence, document.diagnosis
    return structs.replace(
        document,
        headline=headline,
        target_failed=failed,
        diagnosis=structs.replace(diagnosis, sentence=headline) if diagnosis else diagnosis,
        soak={**document.soak, "headline": headline} if document.soak else document.soak,
    )
