"""Validity of a load that another tool made: it did not testify, so nothing of it can be checked.

Its file tells how requests ended and how long they took from the send. Whether the tool sent them in time,
stood still, or was at its own limit it does not tell, so such a trial is never valid; and missing facts are
never taken for a fault of the server or of anybody else.
"""

from collections import Counter
from collections.abc import Iterator

from loadrig.judgement.diagnose import Diagnosis
from loadrig.judgement.facts.case import Unseen
from loadrig.recording.manifest_document import ImportedDocument
from loadrig.recording.reader import Recording
from loadrig.trial.checks import ran_out
from loadrig.trial.checks_around import wrong_answers
from loadrig.trial.reasons import NotApplicable, Reason, Remark

CHECKS = ("G1", "G2", "G3", "G4", "G5", "G7", "G8", "G9", "G10", "G11", "G13", "G14", "G15", "G16")
"""Checks that need what only our own generator tells. G6 and G12 look at how requests ended."""

MEND = "make the same load with loadrig to know (loadrig attack URL, or loadrig run PLAN)"


def remarks(recording: Recording, imported: ImportedDocument) -> Iterator[Remark]:
    """Yield the remarks on an imported recording: it is disturbed at best, by what is not known."""
    tool = imported.tool
    text = f"{tool} made this load and did not testify: whether it was late, stood still or ran out of CPU is"
    text += " not known; its times count from the send, so what requests waited before is not in them"
    yield Reason("imported", "disturbed", text, MEND)
    for warning in imported.warnings:
        yield Reason("imported", "disturbed", warning, "see what limited it, and run it again")
    outcomes: Counter[str] = Counter()
    for frame in recording.inside:
        for row in frame.routes:
            outcomes[row.outcome] += row.count
    yield from ran_out(outcomes).values()
    yield from wrong_answers(outcomes, "see the outcomes; the latency shown is of good answers only")
    for note in imported.notes:
        yield Reason("imported", "note", note)
    for check in CHECKS:
        yield NotApplicable(check, f"{tool} did not testify")


def diagnosis(tool: str) -> Diagnosis:
    """Return a diagnosis that accuses nobody: results alone say that answers were slow, not why."""
    return Diagnosis(
        (),
        f"What limits it cannot be told: these are results of {tool}, and nobody watched the server.",
        {},
        unseen=(Unseen("server", "every probe", f"{tool} made the load, and loadrig was not there"),),
        decides=(MEND,),
    )
