"""The shift function: how far each quantile moved from A to B, p10 to p99, for all routes and for each."""

from collections.abc import Sequence

from loadrig.comparing.document import ShiftDocument, ShiftPoint
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.shift import ShiftFigureTexts
from loadrig.report import numbers
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Figure, Table, Tone
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(ShiftFigureTexts)

KINDS = {"response": TEXTS.response, "service": TEXTS.service}
"""Names of the kinds of times."""

FINE = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)
COARSE = (0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 100.0)
SHORT, LONG = 1.8, 12.0
"""Ratios of a scale's ends: from the first on the scale has fine ticks, from the second on coarse ones."""


def draw(shifts: Sequence[ShiftDocument]) -> Figure | None:
    """Return all shift functions of a comparison beside each other; None where nothing was counted."""
    counted = [shift for shift in shifts if shift.points]
    if not counted:
        return None
    scale = _scaled([point for shift in counted for point in shift.points])
    places = iter(scale.rows)
    return Figure(
        "shift",
        "moved",
        _change_of(counted[0]),
        f"{TEXTS.about} {TEXTS.alone}" if counted[0].within_runs_only else TEXTS.about,
        {
            "quantiles": [name_of(point.quantile) for point in counted[0].points],
            "panels": [
                {"title": title(shift), "points": [_point(next(places)) for _ in shift.points]}
                for shift in counted
            ],
            "ticks": scale.data["ticks"],
            "none": scale.line.at if scale.line else None,
        },
        _table(counted),
    )


def rows(shift: ShiftDocument) -> Figure:
    """Return one shift function as rows, for a terminal."""
    name = f"{_change_of(shift)}, {title(shift)}"
    return Figure(
        "shift-rows", "intervals", name, TEXTS.about, _scaled(shift.points).data, drawn_in_text=True
    )


def _change_of(shift: ShiftDocument) -> str:
    """Return the title: of another tool's results only the times from the send are known."""
    return TEXTS.change_of(KINDS[shift.kind])


def _scaled(points: Sequence[ShiftPoint]) -> _intervals.ScaledIntervals:
    return _intervals.scaled(
        [_row(point) for point in points],
        tick=numbers.change,
        line=(1.0, _intervals.TEXTS.no_change),
        is_ratio=True,
        ticks=_ticks(points),
    )


def _ticks(points: Sequence[ShiftPoint]) -> tuple[float, ...]:
    """Return round ratios for a long scale; none for a short one, whose ticks are even steps."""
    low = min(1.0, *(point.interval[0] for point in points))
    high = max(1.0, *(point.interval[1] for point in points))
    return () if low <= 0 or high / low < SHORT else FINE if high / low < LONG else COARSE


def title(shift: ShiftDocument) -> str:
    """Return whose answers these are: a route's or those of all routes."""
    return TEXTS.all_routes if shift.route is None else shift.route


def name_of(quantile: float) -> str:
    """Return the name of a quantile: 0.5 is p50, 0.999 is p99.9."""
    return f"p{quantile * 100:g}"


def _point(row: _intervals.PlacedRow) -> dict[str, object]:
    text = f"{row.label}: {row.note}, {row.text}"
    return {"at": row.at, "low": row.low, "high": row.high, "tone": row.tone, "text": text}


def _row(point: ShiftPoint) -> _intervals.IntervalRow:
    low, high = point.interval
    tone: Tone = "bad" if low > 1 else "good" if high < 1 else "plain"
    word = TEXTS.slower if low > 1 else TEXTS.faster if high < 1 else "~"
    text = f"{numbers.change(point.effect)} ({numbers.change_span(low, high)})"
    note = f"{numbers.amount(point.a, 's')} → {numbers.amount(point.b, 's')}"
    return _intervals.IntervalRow(name_of(point.quantile), point.effect, low, high, text, word, tone, note)


def _table(shifts: Sequence[ShiftDocument]) -> Table:
    return table_of(
        [(title(shift), point) for shift in shifts for point in shift.points],
        left(TEXTS.route, lambda row: row[0]),
        left(TEXTS.quantile, lambda row: name_of(row[1].quantile)),
        right("A", lambda row: numbers.amount(row[1].a, "s")),
        right("B", lambda row: numbers.amount(row[1].b, "s")),
        right(TEXTS.change, lambda row: numbers.change(row[1].effect)),
        right(TEXTS.interval, lambda row: Cell(numbers.change_span(*row[1].interval), "quiet"), 1),
        caption=TEXTS.caption,
        folded=True,
    )
