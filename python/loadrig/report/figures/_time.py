"""Pieces that all charts over time share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.time import TimeChartTexts
from loadrig.report import numbers
from loadrig.report.model import Figure, Spark, Table
from loadrig.report.strips import StripBand
from loadrig.report.tables import FilledColumn, left, right, table_of
from loadrig.report.timeline import Timeline

TEXTS = texts_of(TimeChartTexts)

# Okabe & Ito 2008 ("Color Universal Design"), names of the page's palette: told apart with any
# kind of colour vision; lines differ in dash or width too.
Colour = Literal["blue", "orange", "green", "red", "purple", "sky", "grey"]


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One line of a chart.

    fill: opacity of the area under it, 0 for none. low, high: the least
    and greatest of the frames that a column was merged from, drawn as a pale band.
    """

    label: str
    unit: str
    values: Sequence[float | None]
    colour: Colour
    width: float = 1.5
    dash: tuple[int, ...] = ()
    fill: float = 0.0
    steps: bool = False
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None

    @property
    def has_band(self) -> bool:
        """Whether a band is drawn around it."""
        return self.low is not None and self.high is not None

    @property
    def has_values(self) -> bool:
        """Whether anything of it is known."""
        return any(value is not None for value in self.values)

    def plain(self) -> dict[str, Any]:
        """Return the line as the page draws it."""
        style = {"dash": list(self.dash), "fill": self.fill, "steps": self.steps}
        readings = {"values": self.values} | ({"low": self.low, "high": self.high} if self.has_band else {})
        rounded = {name: [numbers.rounded(value) for value in row or ()] for name, row in readings.items()}
        return {
            "label": self.label, "unit": self.unit, "colour": self.colour, "width": self.width,
            "values": rounded.pop("values"), **{name: value for name, value in style.items() if value},
            **rounded,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChartPanel:
    """One chart. options: title, about, log, height, between, top, stacked, limits, as the page has them."""

    lines: tuple[ChartLine, ...]
    options: dict[str, Any]

    def plain(self) -> dict[str, Any]:
        """Return the chart as the page draws it."""
        return {"lines": [line.plain() for line in self.lines], **self.options}


def band_line(label: str, unit: str, band: StripBand, colour: Colour, merged: int, **style: Any) -> ChartLine:
    """Return a line; where columns were merged from several frames, with its least and greatest values."""
    if merged == 1:
        return ChartLine(label, unit, band.mean, colour, **style)
    return ChartLine(label, unit, band.mean, colour, low=band.low, high=band.high, **style)


def panel(lines: Iterable[ChartLine], **options: Any) -> ChartPanel:
    """Return one chart with its options."""
    return ChartPanel(tuple(lines), options)


def figure(
    name: str,
    view: str,
    time: Timeline,
    title: str,
    about: str,
    panels: Sequence[ChartPanel],
    table: Table | str,
    spark: tuple[Spark, ...] = (),
    columns: int = 1,
    *,
    is_banded: bool = True,
) -> Figure:
    """Return a figure of kind "time". columns: panels beside each other on a wide page.

    table: or the caption of one with the least, median and greatest of each line in the measured part.
    is_banded: where columns were merged from several frames, the pale bands hold what the merging hides;
    False where they hold something else. It is told only of a chart that draws a band.
    A panel without a line is left out: a short trial may have nothing to draw.
    """
    drawn = [chart for chart in panels if chart.lines]
    if isinstance(table, str):
        table = _summary(time, table, [line for chart in drawn for line in chart.lines])
    data = {"panels": [chart.plain() for chart in drawn], "columns": columns}
    has_band = any(line.has_band for chart in drawn for line in chart.lines)
    text = about + (merged_note(time) if is_banded and has_band else "")
    return Figure(f"{name}-{view}", "time", title, text, data, table, spark)


def _summary(time: Timeline, caption: str, lines: Sequence[ChartLine]) -> Table:
    def place(title: str, share: float) -> FilledColumn[ChartLine]:
        def amount(line: ChartLine) -> str:
            values = time.measured_values([numbers.rounded(value) for value in line.values])
            # The median is the middle value, or the one after the middle.
            value = values[min(int(len(values) * share), len(values) - 1)] if values else None
            return numbers.amount(value, line.unit)

        return right(title, amount)

    columns = (place(TEXTS.least, 0.0), place(TEXTS.median, 0.5), place(TEXTS.greatest, 1.0))
    return table_of(lines, left(TEXTS.line, lambda line: line.label), *columns, caption=caption, folded=True)


def spark(label: str, unit: str, time: Timeline, values: Sequence[float | None]) -> Spark:
    """Return one line for a terminal, with the least and greatest of the measured part."""
    inside = time.measured_values(values)
    note = f"{numbers.amount(inside[0], unit)} … {numbers.amount(inside[-1], unit)}" if inside else ""
    return Spark(label, tuple(values), note)


def merged_note(time: Timeline) -> str:
    """Return a sentence on what merging did to this chart; "" if nothing was merged."""
    if time.merged == 1:
        return ""
    return TEXTS.merged(numbers.amount(time.column_s, "s"), time.merged)
