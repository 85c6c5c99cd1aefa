"""A proof in a terminal: what moved, what did not, the fix, and what was done; 25 lines at most."""

from loadrig.report import numbers, proof_words, words
from loadrig.report.figures.before_after import verdict
from loadrig.report.figures.elasticities import in_order
from loadrig.report.model import Block, Cell, Column, Paragraph, Table
from loadrig.report.proof import Experiment, Fix, Proof
from loadrig.report.rivals import title, why_untried

MOST_EXPERIMENTS, MOST_DONE, MOST_SKIPPED = 6, 4, 2
"""What a person takes in at a glance; the page has the rest."""


def blocks(proof: Proof) -> tuple[Block, ...]:
    """What stands under the heading."""
    made: list[Block] = [Paragraph(proof_words.verdict(proof), size="lead")]
    made.append(Paragraph(proof_words.course(proof), "quiet"))
    if proof.experiments:
        made.append(_experiments(proof))
    if proof.fix is not None:
        made.append(_fix(proof.fix))
    done = proof_words.done(proof)
    if done:
        more = len(done) - MOST_DONE
        made.append(
            Paragraph(f"Done to the server{f', and {more} more on the page' if more > 0 else ''}:", "quiet")
        )
        made += [Paragraph(f"· {what}: {cost}") for what, cost in done[:MOST_DONE]]
    made += [
        Paragraph(f"Not tried: {one.title}: {why_untried(one)}.", "warn")
        for one in proof.skipped[:MOST_SKIPPED]
    ]
    more = len(proof.skipped) - MOST_SKIPPED
    if more > 0:
        made.append(
            Paragraph(f"Not tried either: {numbers.plural(more, 'experiment')}; the page says why.", "quiet")
        )
    return tuple(made)


def _experiments(proof: Proof) -> Table:
    ordered = in_order(proof.experiments)
    heads = tuple(Column("", "left", rank) for rank in (0, 1, 0, 0, 2))
    rows = tuple(
        (
            Cell(one.what),
            Cell(proof_words.came(one)),
            Cell(proof_words.figure(one)),
            Cell(" ".join(proof_words.standing(one)[:2]), proof_words.standing(one)[2]),
            Cell(_cleared(one), "quiet"),
        )
        for one in ordered[:MOST_EXPERIMENTS]
    )
    more = len(ordered) - MOST_EXPERIMENTS
    notes = (f"{numbers.plural(more, 'more experiment')} on the page",) if more > 0 else ()
    return Table(heads, rows, notes=notes)


def _cleared(one: Experiment) -> str:
    """Whom an experiment cleared, in words."""
    return f"not: {numbers.listed([title(cause) for cause, _ in one.refutes], 1)}" if one.refutes else ""


def _fix(fix: Fix) -> Paragraph:
    symbol, word, tone = verdict(fix)
    before, after = (numbers.amount(value, fix.unit) for value in (fix.before, fix.after))
    said = (
        f"Fix, {fix.title}: {words.measure(fix.measure)} {before} to {after}, {proof_words.change(fix.gain)}"
    )
    if fix.predicted is not None:
        said += f", predicted {numbers.change(fix.predicted)}"
    return Paragraph(f"{said}: {symbol} {word}.", tone)
