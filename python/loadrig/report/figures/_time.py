"""Pieces that all charts over time share."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from loadrig.report import numbers
from loadrig.report.model import Cell, Column, Figure, Spark, Table
from loadrig.report.strips import StripBand
from loadrig.report.timeline import Timeline

# Okabe & Ito 2008 ("Color Universal Design"), names of the page's palette: told apart with any
# kind of colour vision; lines differ in dash or width too.
Colour = Literal["blue", "orange", "green", "red", "purple", "sky", "grey"]


def line(
    label: str,
    unit: str,
    values: Sequence[float | None],
    colour: Colour,
    *,
    width: float = 1.5,
    dash: tuple[int, ...] = (),
    fill: float = 0.0,
    steps: bool = False,
    low: Sequence[float | None] | None = None,
    high: Sequence[float | None] | None = None,
) -> dict[str, Any]:
    """Return one line of a chart.

    fill: opacity of the area under it, 0 for none. low, high: the least
    and greatest of the frames that a column was merged from, drawn as a pale band.
    """
    data: dict[str, Any] = {
        "label": label,
        "unit": unit,
        "colour": colour,
        "width": width,
        "values": [numbers.rounded(value) for value in values],
    }
    if dash:
        data["dash"] = list(dash)
    if fill:
        data["fill"] = fill
    if steps:
        data["steps"] = True
    if low is not None and high is not None:
        data["low"] = [numbers.rounded(value) for value in low]
        data["high"] = [numbers.rounded(value) for value in high]
    return data


def band_line(
    label: str, unit: str, band: StripBand, colour: Colour, merged: int, **style: Any
) -> dict[str, Any]:
    """Return a line; where columns were merged from several frames, with its least and greatest values."""
    if merged == 1:
        return line(label, unit, band.mean, colour, **style)
    return line(label, unit, band.mean, colour, low=band.low, high=band.high, **style)


def panel(lines: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """Return one chart: its lines, and options: title, log, height, between, top, stacked, limits."""
    return {"lines": list(lines), **more}


def figure(
    name: str,
    view: str,
    title: str,
    about: str,
    panels: Sequence[Mapping[str, Any]],
    table: Table,
    spark: tuple[Spark, ...] = (),
    columns: int = 1,
) -> Figure:
    """Return a figure of kind "time". columns: panels beside each other on a wide page.

    A panel without a line is left out: a short trial may have nothing to draw.
    """
    data = {"panels": [chart for chart in panels if chart["lines"]], "columns": columns}
    return Figure(f"{name}-{view}", "time", title, about, data, table, spark)


def summary_table(
    time: Timeline, caption: str, rows: Sequence[tuple[str, str, Sequence[float | None]]]
) -> Table:
    """Return least, median and greatest of each line in the measured part. rows: label, unit, values."""
    heads = (Column("line", "left"), Column("least"), Column("median"), Column("greatest"))
    cells = []
    for label, unit, values in rows:
        known = sorted(v for i in time.inside if i < len(values) and (v := values[i]) is not None)
        three = (known[0], known[len(known) // 2], known[-1]) if known else (None, None, None)
        cells.append((Cell(label), *(Cell(numbers.amount(value, unit)) for value in three)))
    return Table(heads, tuple(cells), caption=caption, folded=True)


def spark(label: str, unit: str, time: Timeline, values: Sequence[float | None]) -> Spark:
    """Return one line for a terminal, with the least and greatest of the measured part."""
    known = [v for i in time.inside if i < len(values) and (v := values[i]) is not None]
    note = f"{numbers.amount(min(known), unit)} … {numbers.amount(max(known), unit)}" if known else ""
    return Spark(label, tuple(values), note)


def merged_note(time: Timeline) -> str:
    """Return a sentence on what merging did to this chart; "" if nothing was merged."""
    if time.merged == 1:
        return ""
    return (
        f" Each point is {numbers.amount(time.column_s, 's')}; the pale band holds the least and the greatest"
        f" of its {time.merged} frames, so no peak or dip is lost."
    )
