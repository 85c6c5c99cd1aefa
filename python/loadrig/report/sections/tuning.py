"""The tuning: where the best lies, what it is traded against, how it was found, what does not matter."""

from loadrig.report import numbers, tuning
from loadrig.report.figures import knob_lines, search_path, tradeoff, two_knobs
from loadrig.report.model import Block, Cell, Column, Facts, Paragraph, Section, Table
from loadrig.report.run import Run

ORDER = 12
TITLE = "Tuning"


def build(run: Run) -> Section | None:
    """The figures, what was confirmed, the stages; None where nothing was tuned."""
    found = tuning.found_in(run.study)
    if found is None:
        return None
    figures = [drawing.draw(found) for drawing in (two_knobs, tradeoff, knob_lines, search_path)]
    blocks: list[Block] = [figure for figure in figures if figure is not None]
    facts = (*tuning.rivals(found), *tuning.inert(found))
    told: list[Block] = [Facts(facts)] if facts else []
    told += [Paragraph(text, size="note") for text in tuning.doubts(found)]
    stages = _stages(found)
    front = next((figure for figure in figures if figure is not None and figure.id == "tradeoff"), None)
    tables = (stages, *((front.table,) if front is not None and front.table is not None else ()))
    return Section(
        "tuning",
        TITLE,
        (*told, *blocks, stages),
        lead="Only the trials of the confirmation decide; all others chose what was confirmed.",
        told=(*told, *tables),
    )


def _stages(found: tuning.Found) -> Table:
    rows = tuple(
        (
            Cell(tuning.STAGES[one["name"]]),
            Cell(f"{one['trials']:,}"),
            Cell(numbers.amount(one["measured_s"], "s")),
            Cell(numbers.amount(one["seconds"], "s")),
        )
        for one in found.json["stages"]
    )
    heads = (
        Column("stage", "left"), Column("trials"), Column("measured", rank=1), Column("took"),
    )  # fmt: skip
    return Table(heads, rows, caption="Stages")
