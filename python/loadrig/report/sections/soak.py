"""The soak: what grows and where that ends, what drifts, dips and lapses, on one axis."""

from loadrig.judgement.soak.document import SoakDocument
from loadrig.report import numbers, soak
from loadrig.report.figures import soak_strips
from loadrig.report.model import Block, Cell, Column, Paragraph, Section, Table
from loadrig.report.run import Run

ORDER = 13
TITLE = "Soak"

SAID_BEFORE = 3
"""Number of sentences that stand in the verdict already."""


def build(run: Run) -> Section | None:
    """Return strips, forecast and tables; None where there was no soak."""
    answer = soak.soak_in(run)
    if answer is None:
        return None
    if not isinstance(answer, SoakDocument):
        return Section("soak", TITLE, (Paragraph(answer.headline),))
    rest = [Paragraph(text) for text in soak.sentences(answer)[SAID_BEFORE if run.study is not None else 0 :]]
    strips, ends = soak_strips.draw(answer), soak_strips.ends(answer)
    blocks: list[Block] = [*rest]
    blocks += [figure for figure in (strips, ends) if figure is not None]
    tables = [table for table in (_growth(answer), _goals(answer), _drift(answer)) if table is not None]
    blocks += tables
    # The verdict has the gravest three sentences already, so `rest` leaves them out in a terminal too.
    terminal: list[Block] = [*rest, *([strips] if strips is not None else []), *tables]
    return Section("soak", TITLE, tuple(blocks), lead=soak.ended(answer), told=tuple(terminal))


def _growth(answer: SoakDocument) -> Table | None:
    if not answer.growth:
        return None
    heads = (
        Column("level", "left"),
        Column("with every request", doc="Growth, and its 95 % interval."),
        Column("in the run", rank=2),
        Column("at the end", rank=1),
        Column("limit", rank=3),
        Column("reached in", rank=2),
        Column("verdict", "left"),
    )
    rows = []
    for row in answer.growth:
        symbol, word, tone = soak.GROWTH[row.verdict]
        limit = None if row.limit is None else row.limit.amount
        is_known = row.a_request is not None
        rows.append(
            (
                Cell(f"{row.what} of {row.component}"),
                Cell(soak.each_request(row)),
                Cell(numbers.amount(row.grown if is_known else None, row.unit)),
                Cell(numbers.amount(row.level if is_known else None, row.unit)),
                Cell(numbers.amount(limit, row.unit)),
                Cell(soak.reached(row) if row.is_leak else "–"),
                Cell(f"{symbol} {word}", tone),
            )
        )
    return Table(heads, tuple(rows), caption="What could grow")


def _goals(answer: SoakDocument) -> Table | None:
    if not answer.goals:
        return None
    heads = (
        Column("goal", "left"), Column("stretches", rank=2), Column("kept"), Column("longest miss"),
        Column("from", rank=1), Column("", "left"),
    )  # fmt: skip
    rows = []
    for goal in answer.goals:
        word, tone = soak.LAPSES[goal.met]
        longest = max(goal.misses, key=lambda miss: miss.to_s - miss.from_s, default=None)
        rows.append(
            (
                Cell(goal.text),
                Cell(f"{goal.stretches:,}"),
                Cell(numbers.share_of(goal.stretches - goal.missed, goal.stretches)),
                Cell(soak.lasting(goal.longest_s) if longest else "–"),
                Cell(soak.lasting(longest.from_s) if longest else "–"),
                Cell(word, tone),
            )
        )
    return Table(heads, tuple(rows), caption="Goals over stretches")


def _drift(answer: SoakDocument) -> Table | None:
    if not answer.drifted:
        return None
    heads = (
        Column("course", "left"), Column("before"), Column("after"), Column("change"),
        Column("from", rank=1), Column("", "left"),
    )  # fmt: skip
    rows = []
    for course in answer.drifted:
        unit = "1/s" if course.measure == "throughput" else "s"
        name = {"latency": "median latency", "tail": "p95", "throughput": "throughput"}[course.measure]
        low, high = course.low, course.high
        change = numbers.change_span(low, high) if low is not None and high is not None else ""
        rows.append(
            (
                Cell(f"{name} of {course.route}" if course.route else name),
                Cell(numbers.amount(course.before, unit)),
                Cell(numbers.amount(course.after, unit)),
                Cell(numbers.change(course.ratio), note=change),
                Cell(soak.lasting(course.at_s) if course.at_s is not None else "throughout"),
                Cell("a step" if course.verdict == "step" else "a slope"),
            )
        )
    return Table(heads, tuple(rows), caption="What drifted", folded=len(rows) > 5)
