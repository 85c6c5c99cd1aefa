"""The diagnosis of a trial's recording: the findings room, given what the trial knows of itself."""

from collections.abc import Iterable

from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.facts.case import GoalAnswer, Remark
from loadrig.judgement.facts.read import case_of
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialDiagnosisTexts
from loadrig.recording.reader import Recording
from loadrig.trial import foreign
from loadrig.trial.validity import Validity

TEXTS = texts_of(TrialDiagnosisTexts)

NOTHING = Diagnosis(
    (),
    TEXTS.nothing_can_generator,
    {},
)


def diagnosis_of(recording: Recording, validity: Validity, goals: Iterable[GoalAnswer]) -> Diagnosis:
    """Return the diagnosis of one trial; a pure function of its folder."""
    if recording.imported:
        return foreign.diagnosis(recording.imported.tool)
    remarks = (Remark(reason.check, reason.level, reason.text, reason.mend) for reason in validity.reasons)
    case = case_of(recording, remarks, goals, validity.weakened)
    return NOTHING if case is None else diagnose(case)
