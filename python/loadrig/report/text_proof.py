"""A proof in a terminal: what moved, what did not, the fix, and what was done; 25 lines at most."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.proof import ReportTextProofTexts
from loadrig.language.labels import label
from loadrig.report import numbers, proof_words, words
from loadrig.report.figures.before_after import verdict
from loadrig.report.figures.elasticities import in_order
from loadrig.report.model import Block, Cell, Paragraph, Table, present, verdict_cell
from loadrig.report.proof import ShownExperiment, ShownMend, ShownProof
from loadrig.report.rivals import title, why_untried
from loadrig.report.tables import left, table_of

TEXTS = texts_of(ReportTextProofTexts)

MOST_EXPERIMENTS, MOST_DONE, MOST_SKIPPED = 6, 4, 2
"""Number of rows that a person takes in at a glance; the page has the rest."""


def blocks(proof: ShownProof) -> tuple[Block, ...]:
    """Return the blocks under the heading."""
    done, skipped = proof_words.done(proof), proof.skipped
    more = len(done) - MOST_DONE
    heading = TEXTS.done_server(TEXTS.more_page(str(more)) if more > 0 else "")
    rest = len(skipped) - MOST_SKIPPED
    why = TEXTS.not_tried_either(numbers.plural(rest, "experiment"))
    return tuple(
        present(
            Paragraph(proof_words.verdict(proof), size="lead"),
            Paragraph(proof_words.course(proof), "quiet"),
            _experiments(proof) if proof.experiments else None,
            _fix(proof.fix) if proof.fix is not None else None,
            Paragraph(heading, "quiet") if done else None,
            *(Paragraph(f"· {what}: {cost}") for what, cost in done[:MOST_DONE]),
            *(
                Paragraph(TEXTS.not_tried(experiment.title, why_untried(experiment)), "warn")
                for experiment in skipped[:MOST_SKIPPED]
            ),
            Paragraph(why, "quiet") if rest > 0 else None,
        )
    )


def _experiments(proof: ShownProof) -> Table:
    ordered = in_order(proof.experiments)
    more = len(ordered) - MOST_EXPERIMENTS
    return table_of(
        ordered[:MOST_EXPERIMENTS],
        left("", lambda experiment: experiment.what),
        left("", proof_words.came, 1),
        left("", proof_words.figure),
        left("", lambda experiment: verdict_cell(proof_words.standing(experiment))),
        left("", lambda experiment: Cell(_cleared(experiment), "quiet"), 2),
        notes=(TEXTS.on_the_page(numbers.plural(more, TEXTS.more_experiment)),) if more > 0 else (),
    )


def _cleared(experiment: ShownExperiment) -> str:
    """Return the causes that an experiment cleared, in words."""
    return (
        f"{label('not')}: {numbers.listed([title(cause) for cause, _ in experiment.refutes], 1)}"
        if experiment.refutes
        else ""
    )


def _fix(fix: ShownMend) -> Paragraph:
    symbol, word, tone = verdict(fix)
    before, after = (numbers.amount(value, fix.shown_unit) for value in (fix.before, fix.after))
    text = TEXTS.fix_to(fix.title, words.measure(fix.measure), before, after, proof_words.change(fix.gain))
    if fix.predicted is not None:
        text += TEXTS.predicted(numbers.change(fix.predicted))
    return Paragraph(f"{text}: {symbol} {word}.", tone)
