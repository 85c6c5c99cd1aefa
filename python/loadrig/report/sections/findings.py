"""What limits the server: a card for each finding, with its evidence and what speaks against its rivals."""

from collections.abc import Sequence

from loadrig.base.units import show_number, show_share
from loadrig.report.model import Block, Cell, Column, Paragraph, Section, Table
from loadrig.report.run import Json, Run

ORDER = 15
TITLE = "What limits it"


def build(run: Run, *, everything: bool = False) -> Section | None:
    """The findings of the trial; None where its result has no diagnosis."""
    found = run.result if run.result.get("diagnosis") else run.trial
    diagnosis = found.get("diagnosis")
    if not diagnosis:
        return None
    blocks: list[Block] = [Paragraph(str(diagnosis["sentence"]), size="lead")]
    for one in found.get("findings") or ():
        blocks += _card(one)
    blocks += _next_limits(diagnosis["ceilings"])
    if everything and diagnosis["cleared"]:
        blocks.append(_cleared(diagnosis["cleared"]))
    return Section("findings", TITLE, tuple(blocks))


def _card(one: Json) -> list[Block]:
    lines = [f"{one['verdict']}: {one['title']} ({one['component']})", f"effect: {one['effect']}"]
    lines += [f"+ {evidence['text']}" for evidence in one["evidence"][:3]]
    lines += [f"- {rival['cause']} ({rival['component']}): {rival['why']}" for rival in one["rivals"][:2]]
    lines.append(f"mend: {one['mend']}")
    return [Paragraph(line) for line in lines]


def _next_limits(ceilings: Sequence[Json]) -> list[Block]:
    if not ceilings:
        return []
    rows = tuple(
        (
            Cell(f"{one['what']} of {one['component']}"),
            Cell(
                f"{show_number(one['rps'])}/s", note=f"{show_number(one['low'])} – {show_number(one['high'])}"
            ),
            Cell(show_share(one["used_share"])),
        )
        for one in ceilings
    )
    heads = (Column("limit", "left"), Column("full at"), Column("used"))
    return [Table(heads, rows, caption="The next limits, in order")]


def _cleared(cleared: Sequence[Json]) -> Table:
    rows = tuple((Cell(one["cause"]), Cell(one["component"]), Cell(one["why"])) for one in cleared)
    heads = (Column("cause", "left"), Column("component", "left"), Column("why not", "left"))
    return Table(heads, rows, caption="Looked into, and cleared")
