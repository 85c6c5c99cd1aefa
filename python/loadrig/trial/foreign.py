"""Validity of a load that another tool made: it did not testify, so nothing of it can be checked.

Its file tells how requests ended and how long they took from the send. Whether the tool sent them in time,
stood still, or was at its own limit it does not tell, so such a trial is never valid; and missing facts are
never taken for a fault of the server or of anybody else.
"""

from collections import Counter
from collections.abc import Iterator

from loadrig.judgement.diagnose import Diagnosis
from loadrig.judgement.facts.case import Unseen
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialForeignTexts
from loadrig.recording.manifest_document import ImportedDocument
from loadrig.recording.reader import Recording
from loadrig.trial.checks import ran_out
from loadrig.trial.checks_around import wrong_answers
from loadrig.trial.reasons import NotApplicable, Reason, Remark

TEXTS = texts_of(TrialForeignTexts)

CHECKS = ("G1", "G2", "G3", "G4", "G5", "G7", "G8", "G9", "G10", "G11", "G13", "G14", "G15", "G16")
"""Checks that need what only our own generator tells. G6 and G12 look at how requests ended."""

MEND = TEXTS.mend


def remarks(recording: Recording, imported: ImportedDocument) -> Iterator[Remark]:
    """Yield the remarks on an imported recording: it is disturbed at best, by what is not known."""
    tool = imported.tool
    text = TEXTS.load_did_not(tool)
    text += TEXTS.not_times_known if "due" in imported.knows else TEXTS.not_times_count
    yield Reason("imported", "disturbed", text, MEND)
    for warning in imported.warnings:
        yield Reason("imported", "disturbed", warning, TEXTS.see_what_limited)
    outcomes: Counter[str] = Counter()
    for frame in recording.inside:
        for row in frame.routes:
            outcomes[row.outcome] += row.count
    yield from ran_out(outcomes).values()
    yield from wrong_answers(outcomes, TEXTS.see_outcomes_latency)
    for note in imported.notes:
        yield Reason("imported", "note", note)
    for check in CHECKS:
        yield NotApplicable(check, TEXTS.did_not_testify(tool))


def diagnosis(tool: str) -> Diagnosis:
    """Return a diagnosis that accuses nobody: results alone say that answers were slow, not why."""
    return Diagnosis(
        (),
        TEXTS.what_limits_cannot(tool),
        {},
        unseen=(Unseen("server", TEXTS.every_probe, TEXTS.load_loadrig_not(tool)),),
        decides=(MEND,),
    )
