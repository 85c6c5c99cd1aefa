"""A proof in a terminal: what moved, what did not, the fix, and what was done; 25 lines at most."""

from loadrig.report import numbers, proof_words, words
from loadrig.report.figures.before_after import verdict
from loadrig.report.figures.elasticities import in_order
from loadrig.report.model import Block, Cell, Column, Paragraph, Table
from loadrig.report.proof import ShownExperiment, ShownMend, ShownProof
from loadrig.report.rivals import title, why_untried

MOST_EXPERIMENTS, MOST_DONE, MOST_SKIPPED = 6, 4, 2
"""Number of rows that a person takes in at a glance; the page has the rest."""


def blocks(proof: ShownProof) -> tuple[Block, ...]:
    """Return the blocks under the heading."""
    shown: list[Block] = [Paragraph(proof_words.verdict(proof), size="lead")]
    shown.append(Paragraph(proof_words.course(proof), "quiet"))
    if proof.experiments:
        shown.append(_experiments(proof))
    if proof.fix is not None:
        shown.append(_fix(proof.fix))
    done = proof_words.done(proof)
    if done:
        more = len(done) - MOST_DONE
        shown.append(
            Paragraph(f"Done to the server{f', and {more} more on the page' if more > 0 else ''}:", "quiet")
        )
        shown += [Paragraph(f"· {what}: {cost}") for what, cost in done[:MOST_DONE]]
    shown += [
        Paragraph(f"Not tried: {skipped.title}: {why_untried(skipped)}.", "warn")
        for skipped in proof.skipped[:MOST_SKIPPED]
    ]
    more = len(proof.skipped) - MOST_SKIPPED
    if more > 0:
        shown.append(
            Paragraph(f"Not tried either: {numbers.plural(more, 'experiment')}; the page says why.", "quiet")
        )
    return tuple(shown)


def _experiments(proof: ShownProof) -> Table:
    ordered = in_order(proof.experiments)
    heads = tuple(Column("", "left", rank) for rank in (0, 1, 0, 0, 2))
    rows = tuple(
        (
            Cell(experiment.what),
            Cell(proof_words.came(experiment)),
            Cell(proof_words.figure(experiment)),
            Cell(" ".join(proof_words.standing(experiment)[:2]), proof_words.standing(experiment)[2]),
            Cell(_cleared(experiment), "quiet"),
        )
        for experiment in ordered[:MOST_EXPERIMENTS]
    )
    more = len(ordered) - MOST_EXPERIMENTS
    notes = (f"{numbers.plural(more, 'more experiment')} on the page",) if more > 0 else ()
    return Table(heads, rows, notes=notes)


def _cleared(experiment: ShownExperiment) -> str:
    """Return the causes that an experiment cleared, in words."""
    return (
        f"not: {numbers.listed([title(cause) for cause, _ in experiment.refutes], 1)}"
        if experiment.refutes
        else ""
    )


def _fix(fix: ShownMend) -> Paragraph:
    symbol, word, tone = verdict(fix)
    before, after = (numbers.amount(value, fix.shown_unit) for value in (fix.before, fix.after))
    text = (
        f"Fix, {fix.title}: {words.measure(fix.measure)} {before} to {after}, {proof_words.change(fix.gain)}"
    )
    if fix.predicted is not None:
        text += f", predicted {numbers.change(fix.predicted)}"
    return Paragraph(f"{text}: {symbol} {word}.", tone)
