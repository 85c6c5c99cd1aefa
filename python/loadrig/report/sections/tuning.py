"""The tuning: where the best lies, what it is traded against, how it was found, what does not matter."""

from loadrig.report import numbers, tuning
from loadrig.report.figures import knob_lines, search_path, tradeoff, two_knobs
from loadrig.report.model import Block, Cell, Column, Facts, Paragraph, Section, Table
from loadrig.report.run import Run

ORDER = 12
TITLE = "Tuning"


def build(run: Run) -> Section | None:
    """Return the figures, what was confirmed, and the stages; None where nothing was tuned."""
    tuned = tuning.found_in(run.study)
    if tuned is None:
        return None
    figures = [drawing.draw(tuned) for drawing in (two_knobs, tradeoff, knob_lines, search_path)]
    blocks: list[Block] = [figure for figure in figures if figure is not None]
    facts = (*tuning.rivals(tuned), *tuning.inert(tuned))
    terminal: list[Block] = [Facts(facts)] if facts else []
    terminal += [Paragraph(text, size="note") for text in tuning.doubts(tuned)]
    stages = _stages(tuned)
    front = next((figure for figure in figures if figure is not None and figure.id == "tradeoff"), None)
    tables = (stages, *((front.table,) if front is not None and front.table is not None else ()))
    return Section(
        "tuning",
        TITLE,
        (*terminal, *blocks, stages),
        lead="Only the trials of the confirmation decide; all others chose what was confirmed.",
        told=(*terminal, *tables),
    )


def _stages(tuned: tuning.TuningResult) -> Table:
    rows = tuple(
        (
            Cell(tuning.STAGES[stage.name]),
            Cell(f"{stage.trials:,}"),
            Cell(numbers.amount(stage.measured_s, "s")),
            Cell(numbers.amount(stage.seconds, "s")),
        )
        for stage in tuned.document.stages
    )
    heads = (
        Column("stage", "left"), Column("trials"), Column("measured", rank=1), Column("took"),
    )  # fmt: skip
    return Table(heads, rows, caption="Stages")
