"""Differences between two sides with their intervals: all measures, or one of them route by route."""

from collections.abc import Sequence

from loadrig.comparing.document import ComparedDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.differences import DifferenceTexts
from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Figure, Table, verdict_cell
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(DifferenceTexts)


def of_measures(compared: Sequence[ComparedDocument]) -> Figure | None:
    """Return a figure of every measure that is compared as a ratio, all routes; None for fewer than two."""
    rows = [row for row in compared if row.route is None and row.is_ratio]
    if len(rows) < 2:
        return None
    return Figure(
        "differences-measures",
        "intervals",
        TEXTS.every_measure,
        TEXTS.about_measures,
        _intervals.scaled(
            [_row(row, name_of(row)) for row in rows],
            tick=numbers.change,
            line=(1.0, _intervals.TEXTS.no_change),
            is_ratio=True,
        ).data,
        _table(TEXTS.every_measure, rows),
    )


def draw(compared: Sequence[ComparedDocument], measure: str) -> Figure | None:
    """Return a figure of one measure, all routes together and each; None where there is only one route."""
    rows = [row for row in compared if row.measure == measure]
    if len(rows) < 2 or all(row.route is None for row in rows):
        return None
    first = rows[0]
    better = TEXTS.more_is_better if first.better == "higher" else TEXTS.less_is_better
    name = words.measure(measure)
    title = TEXTS.route_by_route(name)
    about = TEXTS.about_routes if first.is_ratio else TEXTS.about_routes_in_points
    return Figure(
        f"differences-{measure.replace('.', '-')}",
        "intervals",
        title,
        about(name, better),
        _intervals.changes(
            [_row(row, _route(row)) for row in rows],
            first.equal_within,
            is_ratio=first.is_ratio,
            tick=lambda number: numbers.effect(number, first.is_ratio).removesuffix(" points"),
        ).data,
        _table(title, rows),
    )


def name_of(compared: ComparedDocument) -> str:
    """Return what was compared, in words: "p95 of search", "p95 (same mix)"."""
    name = words.measure(compared.measure)
    if compared.standardised:
        return TEXTS.at_same_mix(name)
    return name if compared.route is None else TEXTS.measure_of_route(name, compared.route)


def change(compared: ComparedDocument) -> str:
    """Return the change without its interval: "−4.8 %", "+0.2 points"; "–" where there is none."""
    return "–" if compared.effect is None else numbers.effect(compared.effect, compared.is_ratio)


def interval(compared: ComparedDocument) -> str:
    """Return the interval of a change; "–" where there is none."""
    if compared.effect is None or compared.interval is None:
        return "–"
    return numbers.effect_span(*compared.interval, compared.is_ratio)


def whole(compared: ComparedDocument) -> str:
    """Return a change with its interval: "−4.8 % (−6.1 … −3.5 %)"."""
    return numbers.whole_effect(compared.effect, compared.interval, compared.is_ratio)


def _route(compared: ComparedDocument) -> str:
    if compared.standardised:
        return TEXTS.all_at_same_mix
    return TEXTS.all_routes if compared.route is None else compared.route


def _row(compared: ComparedDocument, label: str) -> _intervals.IntervalRow:
    return _intervals.judged(label, compared, compared.is_ratio, marked=compared.decides)


def _table(caption: str, rows: Sequence[ComparedDocument]) -> Table:
    return table_of(
        rows,
        left(TEXTS.compared, name_of),
        right("A", lambda row: numbers.amount(row.a.value, row.unit)),
        right("B", lambda row: numbers.amount(row.b.value, row.unit)),
        right(TEXTS.change_and_interval, whole),
        right(TEXTS.blocks, lambda row: str(row.blocks or "–"), 2),
        right(
            "p",
            lambda row: "–" if row.p is None else f"{row.p:.2g}",
            1,
            doc=TEXTS.p_meaning,
        ),
        left(TEXTS.verdict, lambda row: verdict_cell(words.COMPARED[row.verdict], row.note)),
        caption=caption,
        folded=True,
    )
