"""Outcomes of requests: their counts, their shares, and failures over time."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import OutcomesSectionTexts
from loadrig.report import numbers, words
from loadrig.report.figures import outcomes_over_time
from loadrig.report.model import Block, Cell, Paragraph, Section, Table, present
from loadrig.report.run import Run, TrialView, per_trial
from loadrig.report.tables import left, right, table_of
from loadrig.trial.document import TrialDocument

TEXTS = texts_of(OutcomesSectionTexts)

ORDER = 60
TITLE = "Outcomes"


def build(run: Run) -> Section | None:
    """Return counts and shares by outcome, and failures over time."""
    return per_trial(run, "outcomes", TITLE, _blocks)


def _blocks(view: TrialView) -> list[Block]:
    drawn = outcomes_over_time.draw(view.id, view.timeline)
    imported = view.trial.imported
    has_outcomes = not imported or imported.has_outcomes
    nothing = Paragraph(TEXTS.no_request_failed if has_outcomes else TEXTS.ends_untold, size="note")
    return present(_table(view.trial) if has_outcomes else None, drawn or nothing, _examples(view.trial))


def _examples(trial: TrialDocument) -> Table | None:
    if not trial.examples:
        return None
    return table_of(
        trial.examples,
        left("route", lambda example: example.route),
        left("outcome", lambda example: example.outcome),
        left(TEXTS.what_came, lambda example: Cell(example.detail, note=", ".join(example.headers))),
        caption=TEXTS.caption,
        folded=True,
    )


def _table(trial: TrialDocument) -> Table:
    counts = {name: n for name, n in trial.outcomes.items() if n}
    if trial.load.unsent:
        counts.setdefault("unsent", trial.load.unsent)
    every = sum(counts.values())
    return table_of(
        sorted(counts, key=lambda name: (name != "ok", -counts[name], name)),
        left("outcome", lambda name: Cell(f"✓ {name}", "good") if name == "ok" else Cell(f"✗ {name}", "bad")),
        right("requests", lambda name: f"{counts[name]:,}"),
        right("share", lambda name: numbers.share_of(counts[name], every)),
        left("meaning", lambda name: Cell(words.OUTCOMES.get(name, ""), "quiet"), 1),
        caption=TEXTS.outcomes_measured_part,
    )
