"""Outcomes of requests: their counts, their shares, and failures over time."""

from loadrig.report import numbers, words
from loadrig.report.figures import outcomes_over_time
from loadrig.report.model import Block, Cell, Column, Paragraph, PerView, Section, Table
from loadrig.report.run import Run, TrialView
from loadrig.trial.document import FailureExample, TrialDocument

ORDER = 60
TITLE = "Outcomes"


def build(run: Run) -> Section | None:
    """Return counts and shares by outcome, and failures over time."""
    if not run.views:
        return None
    blocks = PerView({view.id: _blocks(view) for view in run.views})
    return Section("outcomes", TITLE, (blocks,), in_text=run.study is None)


def _blocks(view: TrialView) -> tuple[Block, ...]:
    blocks: list[Block] = [_table(view.trial)]
    drawn = outcomes_over_time.draw(view.id, view.timeline)
    blocks.append(
        drawn
        if drawn is not None
        else Paragraph("No request failed, from the first to the last.", size="note")
    )
    if view.trial.examples:
        blocks.append(
            Table(
                (Column("route", "left"), Column("outcome", "left"), Column("what came", "left")),
                tuple(map(_example_row, view.trial.examples)),
                caption="Examples of failures",
                folded=True,
            )
        )
    return tuple(blocks)


def _example_row(example: FailureExample) -> tuple[Cell, ...]:
    return Cell(example.route), Cell(example.outcome), Cell(example.detail, note=", ".join(example.headers))


def _table(trial: TrialDocument) -> Table:
    counts = {name: n for name, n in trial.outcomes.items() if n}
    if trial.load.unsent:
        counts.setdefault("unsent", trial.load.unsent)
    every = sum(counts.values())
    ordered = sorted(counts, key=lambda name: (name != "ok", -counts[name], name))
    rows = tuple(
        (
            Cell(("✓ " if name == "ok" else "✗ ") + name, "good" if name == "ok" else "bad"),
            Cell(f"{counts[name]:,}"),
            Cell(numbers.share_of(counts[name], every)),
            Cell(words.OUTCOMES.get(name, ""), "quiet"),
        )
        for name in ordered
    )
    heads = (
        Column("outcome", "left"),
        Column("requests"),
        Column("share"),
        Column("meaning", "left", rank=1),
    )
    return Table(heads, rows, caption="Outcomes in the measured part")
