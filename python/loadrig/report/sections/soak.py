"""The soak: what grows and where that ends, what drifts, dips and lapses, on one axis."""

from loadrig.report import numbers, soak
from loadrig.report.figures import soak_strips
from loadrig.report.model import Block, Cell, Column, Paragraph, Section, Table
from loadrig.report.run import Run
from loadrig.report.soak import Json

ORDER = 13
TITLE = "Soak"

SAID_BEFORE = 3
"""Sentences that stand in the verdict."""


def build(run: Run) -> Section | None:
    """Strips, forecast and tables; None where there was no soak."""
    found = soak.found_in(run, "soak")
    if found is None:
        return None
    if "growth" not in found:
        return Section("soak", TITLE, (Paragraph(str(found["headline"])),))
    rest = [Paragraph(text) for text in soak.sentences(found)[SAID_BEFORE if run.study is not None else 0 :]]
    strips, ends = soak_strips.draw(found), soak_strips.ends(found)
    blocks: list[Block] = [*rest]
    blocks += [figure for figure in (strips, ends) if figure is not None]
    tables = [table for table in (_growth(found), _goals(found), _drift(found)) if table is not None]
    blocks += tables
    # The verdict has told the gravest three already, there as here.
    told: list[Block] = [*rest, *([strips] if strips is not None else []), *tables]
    return Section("soak", TITLE, tuple(blocks), lead=soak.ended(found), told=tuple(told))


def _growth(found: Json) -> Table | None:
    if not found["growth"]:
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
    for row in found["growth"]:
        symbol, word, tone = soak.GROWTH[row["verdict"]]
        limit = (row.get("limit") or {}).get("amount")
        is_known = row["a_request"] is not None
        rows.append(
            (
                Cell(f"{row['what']} of {row['component']}"),
                Cell(soak.each_request(row)),
                Cell(numbers.amount(row["grown"] if is_known else None, row["unit"])),
                Cell(numbers.amount(row["level"] if is_known else None, row["unit"])),
                Cell(numbers.amount(limit, row["unit"])),
                Cell(soak.reached(row) if soak.is_leak(row) else "–"),
                Cell(f"{symbol} {word}", tone),
            )
        )
    return Table(heads, tuple(rows), caption="What could grow")


def _goals(found: Json) -> Table | None:
    if not found["goals"]:
        return None
    heads = (
        Column("goal", "left"), Column("stretches", rank=2), Column("kept"), Column("longest miss"),
        Column("from", rank=1), Column("", "left"),
    )  # fmt: skip
    rows = []
    for goal in found["goals"]:
        word, tone = soak.LAPSES[goal["met"]]
        longest = max(goal["misses"], key=lambda miss: miss["to_s"] - miss["from_s"], default=None)
        rows.append(
            (
                Cell(goal["text"]),
                Cell(f"{goal['stretches']:,}"),
                Cell(numbers.share_of(goal["stretches"] - goal["missed"], goal["stretches"])),
                Cell(soak.lasting(goal["longest_s"]) if longest else "–"),
                Cell(soak.lasting(longest["from_s"]) if longest else "–"),
                Cell(word, tone),
            )
        )
    return Table(heads, tuple(rows), caption="Goals over stretches")


def _drift(found: Json) -> Table | None:
    changed = [one for one in found["drift"] if one["verdict"] != "steady"]
    if not changed:
        return None
    heads = (
        Column("course", "left"), Column("before"), Column("after"), Column("change"),
        Column("from", rank=1), Column("", "left"),
    )  # fmt: skip
    rows = []
    for one in changed:
        unit = "1/s" if one["measure"] == "throughput" else "s"
        name = {"latency": "median latency", "tail": "p95", "throughput": "throughput"}[one["measure"]]
        change = numbers.change_span(one["low"], one["high"]) if one["low"] and one["high"] else ""
        rows.append(
            (
                Cell(f"{name} of {one['route']}" if one["route"] else name),
                Cell(numbers.amount(one["before"], unit)),
                Cell(numbers.amount(one["after"], unit)),
                Cell(numbers.change(one["ratio"]), note=change),
                Cell(soak.lasting(one["at_s"]) if one["at_s"] is not None else "throughout"),
                Cell("a step" if one["verdict"] == "step" else "a slope"),
            )
        )
    return Table(heads, tuple(rows), caption="What drifted", folded=len(rows) > 5)
