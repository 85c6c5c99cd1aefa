"""Differences between two sides with their intervals: all measures, or one of them route by route."""

from collections.abc import Sequence

from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.run import Json


def of_measures(compared: Sequence[Json]) -> Figure | None:
    """Every measure of all routes that is compared as a ratio; None without two of them."""
    rows = [one for one in compared if one["route"] is None and one["scale"] == "ratio"]
    if len(rows) < 2:
        return None
    return Figure(
        "differences-measures",
        "intervals",
        "Every measure",
        "Change of each measure, B as against A, all routes together. Dot: estimate; bar: 95 % interval. Of"
        " throughput more is better, of times and costs less.",
        _intervals.scaled(
            [_row(one, name_of(one)) for one in rows],
            tick=numbers.change,
            line=(1.0, "no change"),
            is_ratio=True,
        ),
        _table("Every measure", rows),
    )


def draw(compared: Sequence[Json], measure: str) -> Figure | None:
    """One measure of all routes together and of each; None where there is only one route."""
    rows = [one for one in compared if one["measure"] == measure]
    if len(rows) < 2 or all(one["route"] is None for one in rows):
        return None
    first = rows[0]
    within, is_ratio = first["equal_within"], first["scale"] == "ratio"
    low, high, middle = (1 / (1 + within), 1 + within, 1.0) if is_ratio else (-within, within, 0.0)
    better = "more" if first["better"] == "higher" else "less"
    name = words.measure(measure)
    what = name if is_ratio else f"{name} in points"
    return Figure(
        f"differences-{measure.replace('.', '-')}",
        "intervals",
        f"{name}, route by route",
        f"Change of {what}, B as against A. Dot: estimate; bar: 95 % interval; {better} is better.",
        _intervals.scaled(
            [_row(one, _route(one)) for one in rows],
            tick=lambda number: numbers.effect(number, is_ratio).removesuffix(" points"),
            band=(low, high, f"within {margin(first)}: does not matter"),
            line=(middle, "no change"),
            is_ratio=is_ratio,
        ),
        _table(f"{name}, route by route", rows),
    )


def name_of(one: Json) -> str:
    """What was compared, in words: "p95 of search", "p95 (same mix)"."""
    name = words.measure(one["measure"])
    if one["standardised"]:
        return f"{name} (same mix)"
    return name if one["route"] is None else f"{name} of {one['route']}"


def change(one: Json) -> str:
    """The change alone: "−4.8 %", "+0.2 points"; "–" where there is none."""
    return "–" if one["effect"] is None else numbers.effect(one["effect"], one["scale"] == "ratio")


def interval(one: Json) -> str:
    """Its interval; empty where there is none."""
    if one["effect"] is None or one["interval"] is None:
        return ""
    return numbers.effect_span(one["interval"][0], one["interval"][1], one["scale"] == "ratio")


def whole(one: Json) -> str:
    """Both: "−4.8 % (−6.1 … −3.5 %)"."""
    span = interval(one)
    return f"{change(one)} ({span})" if span else change(one)


def margin(one: Json) -> str:
    """The difference that does not matter, in words: "3 %", "0.1 points"."""
    share = numbers.amount(one["equal_within"], "1")
    return share if one["scale"] == "ratio" else f"{share.removesuffix(' %')} points"


def _route(one: Json) -> str:
    if one["standardised"]:
        return "all, at the same mix"
    return "all routes" if one["route"] is None else str(one["route"])


def _row(one: Json, label: str) -> _intervals.Row:
    symbol, word, tone = words.COMPARED[one["verdict"]]
    low, high = one["interval"] or (None, None)
    return _intervals.Row(
        label, one["effect"], low, high, whole(one), f"{symbol} {word}", tone, marked=one["decides"]
    )


def _table(caption: str, rows: Sequence[Json]) -> Table:
    heads = (
        Column("compared", "left"),
        Column("A"),
        Column("B"),
        Column("change and interval"),
        Column("blocks", rank=2),
        Column("p", rank=1, doc="Two-sided, adjusted for all that were judged together (Holm)"),
        Column("verdict", "left"),
    )
    made = tuple(
        (
            Cell(name_of(one)),
            Cell(numbers.amount(one["a"]["value"], one["unit"])),
            Cell(numbers.amount(one["b"]["value"], one["unit"])),
            Cell(whole(one)),
            Cell(str(one["blocks"] or "–")),
            Cell("–" if one["p"] is None else f"{one['p']:.2g}"),
            Cell(
                f"{words.COMPARED[one['verdict']][0]} {words.COMPARED[one['verdict']][1]}",
                words.COMPARED[one["verdict"]][2],
                str(one["note"]),
            ),
        )
        for one in rows
    )
    return Table(heads, made, caption=caption, folded=True)
