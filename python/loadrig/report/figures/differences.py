"""Differences between two sides with their intervals: all measures, or one of them route by route."""

from collections.abc import Sequence

from loadrig.comparing.document import ComparedDocument
from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Column, Figure, Table


def of_measures(compared: Sequence[ComparedDocument]) -> Figure | None:
    """Return a figure of every measure that is compared as a ratio, all routes; None for fewer than two."""
    rows = [row for row in compared if row.route is None and row.is_ratio]
    if len(rows) < 2:
        return None
    return Figure(
        "differences-measures",
        "intervals",
        "Every measure",
        "Change of each measure, B as against A, all routes together. Dot: estimate; bar: 95 % interval. Of"
        " throughput more is better, of times and costs less.",
        _intervals.scaled(
            [_row(row, name_of(row)) for row in rows],
            tick=numbers.change,
            line=(1.0, "no change"),
            is_ratio=True,
        ),
        _table("Every measure", rows),
    )


def draw(compared: Sequence[ComparedDocument], measure: str) -> Figure | None:
    """Return a figure of one measure, all routes together and each; None where there is only one route."""
    rows = [row for row in compared if row.measure == measure]
    if len(rows) < 2 or all(row.route is None for row in rows):
        return None
    first = rows[0]
    within, is_ratio = first.equal_within, first.is_ratio
    low, high, middle = (1 / (1 + within), 1 + within, 1.0) if is_ratio else (-within, within, 0.0)
    better = "more" if first.better == "higher" else "less"
    name = words.measure(measure)
    what = name if is_ratio else f"{name} in points"
    return Figure(
        f"differences-{measure.replace('.', '-')}",
        "intervals",
        f"{name}, route by route",
        f"Change of {what}, B as against A. Dot: estimate; bar: 95 % interval; {better} is better.",
        _intervals.scaled(
            [_row(row, _route(row)) for row in rows],
            tick=lambda number: numbers.effect(number, is_ratio).removesuffix(" points"),
            band=(low, high, f"within {margin(first)}: does not matter"),
            line=(middle, "no change"),
            is_ratio=is_ratio,
        ),
        _table(f"{name}, route by route", rows),
    )


def name_of(compared: ComparedDocument) -> str:
    """Return what was compared, in words: "p95 of search", "p95 (same mix)"."""
    name = words.measure(compared.measure)
    if compared.standardised:
        return f"{name} (same mix)"
    return name if compared.route is None else f"{name} of {compared.route}"


def change(compared: ComparedDocument) -> str:
    """Return the change without its interval: "−4.8 %", "+0.2 points"; "–" where there is none."""
    return "–" if compared.effect is None else numbers.effect(compared.effect, compared.is_ratio)


def interval(compared: ComparedDocument) -> str:
    """Return the interval of a change; "" where there is none."""
    if compared.effect is None or compared.interval is None:
        return ""
    return numbers.effect_span(compared.interval[0], compared.interval[1], compared.is_ratio)


def whole(compared: ComparedDocument) -> str:
    """Return a change with its interval: "−4.8 % (−6.1 … −3.5 %)"."""
    span = interval(compared)
    return f"{change(compared)} ({span})" if span else change(compared)


def margin(compared: ComparedDocument) -> str:
    """Return the difference that does not matter, in words: "3 %", "0.1 points"."""
    share = numbers.amount(compared.equal_within, "1")
    return share if compared.is_ratio else f"{share.removesuffix(' %')} points"


def _route(compared: ComparedDocument) -> str:
    if compared.standardised:
        return "all, at the same mix"
    return "all routes" if compared.route is None else compared.route


def _row(compared: ComparedDocument, label: str) -> _intervals.IntervalRow:
    symbol, word, tone = words.COMPARED[compared.verdict]
    low, high = compared.interval or (None, None)
    return _intervals.IntervalRow(
        label,
        compared.effect,
        low,
        high,
        whole(compared),
        f"{symbol} {word}",
        tone,
        marked=compared.decides,
    )


def _table(caption: str, rows: Sequence[ComparedDocument]) -> Table:
    heads = (
        Column("compared", "left"),
        Column("A"),
        Column("B"),
        Column("change and interval"),
        Column("blocks", rank=2),
        Column("p", rank=1, doc="Two-sided, adjusted for all that were judged together (Holm)"),
        Column("verdict", "left"),
    )
    cells = tuple(
        (
            Cell(name_of(row)),
            Cell(numbers.amount(row.a.value, row.unit)),
            Cell(numbers.amount(row.b.value, row.unit)),
            Cell(whole(row)),
            Cell(str(row.blocks or "–")),
            Cell("–" if row.p is None else f"{row.p:.2g}"),
            Cell(
                f"{words.COMPARED[row.verdict][0]} {words.COMPARED[row.verdict][1]}",
                words.COMPARED[row.verdict][2],
                row.note,
            ),
        )
        for row in rows
    )
    return Table(heads, cells, caption=caption, folded=True)
