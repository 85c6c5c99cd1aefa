"""The proof: what was changed, what moved, whether the fix holds, and what cleared each rival."""

from collections.abc import Sequence

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import ProofSectionTexts
from loadrig.proving.document import SkippedExperiment
from loadrig.report import proof_words, rivals, text_proof
from loadrig.report.figures import before_after, elasticities, interventions
from loadrig.report.model import Cell, Code, Facts, Paragraph, Section, Table, present
from loadrig.report.proof import ShownProof
from loadrig.report.rivals import Rival
from loadrig.report.run import Run
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(ProofSectionTexts)

ORDER = 17
TITLE = "Proof"


def build(run: Run) -> Section | None:
    """Return what was proved, and by what; None where nothing was tried."""
    proof = run.proof
    if proof is None:
        return None
    causes = rivals.of(proof)
    # The table of causes has these skipped experiments already.
    shown = {rival.skipped for rival in causes}
    skipped = [experiment for experiment in proof.skipped if experiment not in shown]
    done = proof_words.done(proof)
    blocks = present(
        Paragraph(proof_words.verdict(proof), size="lead"),
        Paragraph(proof_words.course(proof)),
        elasticities.draw(proof.experiments),
        elasticities.gains(proof.experiments),
        before_after.draw(proof.fix) if proof.fix else None,
        Code(proof.fix.command, caption=TEXTS.caption) if proof.fix and proof.fix.command else None,
        _rivals(causes, proof) if causes else None,
        _not_tried(skipped) if skipped else None,
        *interventions.draw(proof),
        Facts(done, title=TEXTS.title) if done else None,
    )
    return Section("proof", TITLE, tuple(blocks), terminal=text_proof.blocks(proof))


def _rivals(causes: Sequence[Rival], proof: ShownProof) -> Table:
    return table_of(
        causes,
        left("cause", lambda rival: Cell(rival.title, note=rival.component)),
        left("experiment", _experiment),
        right("figure", lambda rival: rival.figure),
        left("so", lambda rival: Cell(rival.conclusion, rival.tone, _explain(rival.skipped))),
        caption=TEXTS.why_nothing_else if proof.is_sure else TEXTS.what_each_cause,
    )


def _experiment(rival: Rival) -> Cell:
    """Return the experiment that spoke of a cause; where it was not made, the one that would have told."""
    if rival.experiment:
        return Cell(rival.experiment)
    return Cell(TEXTS.none if rival.skipped is None else TEXTS.not_text(rival.skipped.title), "quiet")


def _not_tried(skipped: Sequence[SkippedExperiment]) -> Table:
    return table_of(
        skipped,
        left("experiment", lambda experiment: experiment.title),
        left(TEXTS.why_not, lambda experiment: experiment.why),
        left(TEXTS.what_would_let, lambda experiment: Cell(experiment.mend, note=_explain(experiment))),
        caption=TEXTS.not_tried,
    )


def _explain(skipped: SkippedExperiment | None) -> str:
    return f"loadrig explain {skipped.code}" if skipped is not None and skipped.code else ""
