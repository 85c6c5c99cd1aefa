"""The proof: what was changed, what moved, whether the fix holds, and what cleared each rival."""

from collections.abc import Sequence

from loadrig.proving.document import SkippedExperiment
from loadrig.report import proof_words, rivals, text_proof
from loadrig.report.figures import before_after, elasticities, interventions
from loadrig.report.model import Block, Cell, Code, Column, Facts, Figure, Paragraph, Section, Table
from loadrig.report.proof import ShownProof
from loadrig.report.rivals import Rival
from loadrig.report.run import Run

ORDER = 17
TITLE = "Proof"


def build(run: Run) -> Section | None:
    """Return what was proved, and by what; None where nothing was tried."""
    proof = run.proof
    if proof is None:
        return None
    causes = rivals.of(proof)
    drawn: list[Figure | None] = [elasticities.draw(proof.experiments), elasticities.gains(proof.experiments)]
    blocks: list[Block] = [Paragraph(proof_words.verdict(proof), size="lead")]
    blocks.append(Paragraph(proof_words.course(proof)))
    blocks += [figure for figure in drawn if figure is not None]
    if proof.fix is not None:
        blocks.append(before_after.draw(proof.fix))
        if proof.fix.command:
            blocks.append(Code(proof.fix.command, caption="To repeat it"))
    if causes:
        blocks.append(_rivals(causes, proof))
    # The table of causes has these skipped experiments already.
    shown = {rival.skipped for rival in causes}
    skipped = [experiment for experiment in proof.skipped if experiment not in shown]
    if skipped:
        blocks.append(_not_tried(skipped))
    blocks += interventions.draw(proof)
    done = proof_words.done(proof)
    if done:
        blocks.append(Facts(done, title="What was done to the server"))
    return Section("proof", TITLE, tuple(blocks), told=text_proof.blocks(proof))


def _rivals(causes: Sequence[Rival], proof: ShownProof) -> Table:
    heads = (
        Column("cause", "left"), Column("experiment", "left"), Column("figure"), Column("so", "left"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(rival.title, note=rival.component),
            Cell(rival.experiment or _not_made(rival.skipped), "plain" if rival.experiment else "quiet"),
            Cell(rival.figure),
            Cell(rival.so, rival.tone, _explain(rival.skipped)),
        )
        for rival in causes
    )
    is_sure = any(finding.get("verdict") == "named" for finding in proof.findings)
    return Table(heads, rows, caption="Why nothing else" if is_sure else "What was said of each cause")


def _not_made(skipped: SkippedExperiment | None) -> str:
    """Return which experiment would have told, where it was not made."""
    return f"{skipped.title}: not made" if skipped is not None else "none made"


def _not_tried(skipped: Sequence[SkippedExperiment]) -> Table:
    heads = (Column("experiment", "left"), Column("why not", "left"), Column("what would let it", "left"))
    rows = tuple(
        (Cell(experiment.title), Cell(experiment.why), Cell(experiment.mend, note=_explain(experiment)))
        for experiment in skipped
    )
    return Table(heads, rows, caption="Not tried")


def _explain(skipped: SkippedExperiment | None) -> str:
    return f"loadrig explain {skipped.code}" if skipped is not None and skipped.code else ""
