"""From rows to figures: medians with their range, ratios within blocks, Markdown tables.

A row is one run: {"tool", "block", "requests", "cpu_s", …} or {"tool", "block", "failed": why}.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Row = dict[str, Any]
Value = Callable[[Row], float | None]


@dataclass(frozen=True)
class Spread:
    """Median, least and most of n runs."""

    median: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        if self.n == 1 or digits(self.low) == digits(self.high):
            return digits(self.median)
        return f"{digits(self.median)} ({digits(self.low)} – {digits(self.high)})"


def spread(values: Iterable[float | None]) -> Spread | None:
    """Return the spread of the values that are there; None if none is."""
    present = [value for value in values if value is not None]
    return Spread(median(present), min(present), max(present), len(present)) if present else None


def of_tool(rows: Sequence[Row], tool: str, value: Value) -> Spread | None:
    """Spread of a value over the runs of one tool that did not fail."""
    return spread(value(row) for row in rows if row["tool"] == tool and "failed" not in row)


def ratio(rows: Sequence[Row], tool: str, to: str, value: Value) -> Spread | None:
    """Spread of tool/to, each pair from one block, so that what drifts with time hits both."""
    base = {row["block"]: value(row) for row in rows if row["tool"] == to and "failed" not in row}
    pairs = [
        (value(row), base.get(row["block"])) for row in rows if row["tool"] == tool and "failed" not in row
    ]
    return spread(ours / theirs if ours is not None and theirs else None for ours, theirs in pairs)


def tools(rows: Sequence[Row], by: Value | None = None) -> list[str]:
    """Names of the tools that have a figure, in the order of a value, least first."""
    names = dict.fromkeys(row["tool"] for row in rows if "failed" not in row)
    if by is None:
        return list(names)

    def place(name: str) -> float:
        spread = of_tool(rows, name, by)
        return spread.median if spread else float("inf")

    return sorted(names, key=place)


def failures(rows: Sequence[Row]) -> list[str]:
    """Return a sentence for each tool with runs that failed or had errors."""
    notes = {}
    for row in rows:
        if "failed" in row:
            notes[row["tool"]] = f"{row['tool']}: {row['failed']}"
        elif row.get("errors"):
            notes.setdefault(row["tool"], f"{row['tool']}: {row['errors']} errors in a run")
    return list(notes.values())


def cpu_per_million(row: Row) -> float | None:
    """CPU seconds of the whole process for a million requests."""
    return row["cpu_s"] / row["requests"] * 1e6 if row.get("requests") else None


def own_cpu_per_million(row: Row) -> float | None:
    """CPU seconds of the generator at work, as its frames say, for a million requests."""
    return row["own_cpu_s"] / row["requests"] * 1e6 if "own_cpu_s" in row and row["requests"] else None


def key(*names: str, scale: float = 1.0) -> Value:
    """Return the value at this place of a row, times a scale."""

    def value(row: Row) -> float | None:
        value: Any = row
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return None if value is None else float(value) * scale

    return value


def digits(value: float) -> str:
    """Three significant digits."""
    if value == 0:
        return "0"
    size = abs(value)
    places = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.9995 else 3
    if size >= 999.5:
        step = 10 ** (len(str(round(size))) - 3)
        return f"{round(value / step) * step:,}"
    text = f"{value:.{places}f}"
    return text if size >= 0.001 else f"{value:.2g}"


def shown(value: Spread | float | None) -> str:
    """As in a cell; a dash where there is nothing."""
    return "–" if value is None else str(value) if isinstance(value, Spread) else digits(value)


def percent(share: float | None, places: int = 1) -> str:
    """Return a share in percent; a dash where there is none."""
    return shown(None) if share is None else f"{share * 100:.{places}f} %"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]], bold: str = "loadrig") -> str:
    """Return a Markdown table; the first column to the left, the others to the right; our row is bold."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for cells in rows:
        marked = [f"**{cell}**" for cell in cells] if cells[0] == bold else list(cells)
        lines.append("| " + " | ".join(marked) + " |")
    return "\n".join(lines)


def verdict(
    name: str, figure: Spread | float | None, wanted: float, unit: str = "", at_least: bool = False
) -> str:
    """Return a goal beside what was found, in a sentence."""
    sign = "at least" if at_least else "at most"
    if figure is None:
        return f"- {name}: {sign} {digits(wanted)}{unit} wanted; not measured."
    value = figure.median if isinstance(figure, Spread) else figure
    met = value >= wanted if at_least else value <= wanted
    verdict_word = "reached" if met else "missed"
    return f"- {name}: {shown(figure)}{unit}; {sign} {digits(wanted)}{unit} wanted: {verdict_word}."
