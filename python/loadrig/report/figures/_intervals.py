"""Rows of points with intervals on one scale: places 0…1 and tick texts are worked out here."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadrig.base.documents import ABSENT, Absent, Document, plain
from loadrig.comparing.document import ComparedDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.intervals import IntervalTexts
from loadrig.report import numbers, words
from loadrig.report.model import Tone
from loadrig.study.document import KnobEffectDocument, SettingsCompared

TEXTS = texts_of(IntervalTexts)

LEAST_GAP = 0.16
"""Least distance of two ticks as a share of the scale: a text of six characters on a printed page."""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """Row of a figure of intervals. value: None where nothing could be measured. points: single trials.

    text: the numbers in words. verdict: symbol and words of the judgement. marked: the row stands out.
    hollow: the dot is a ring, as the value is not sure.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    verdict: str = ""
    tone: Tone = "plain"
    note: str = ""
    marked: bool = False
    points: tuple[float, ...] = field(default=())
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Zone:
    """Stretch of the scale with its own meaning, named above the rows. low, high: None at the scale's end."""

    low: float | None
    high: float | None
    text: str
    tone: Tone


class ScaleTick(Document, frozen=True):
    """Tick of a scale: its place, 0…1, and its text."""

    at: float | None
    text: str
    is_strong: bool | Absent = ABSENT


class ScaleStretch(Document, frozen=True, rename={"begin": "from", "end": "to"}):
    """Stretch of a scale with a meaning. tone: of a zone alone."""

    begin: float | None
    end: float | None
    text: str
    tone: Tone | Absent = ABSENT


class PlacedRow(Document, frozen=True):
    """Row with its value, interval and points at their places, 0…1. goes_on: beyond the scale's ends."""

    label: str
    at: float | None
    low: float | None
    high: float | None
    points: tuple[float | None, ...]
    text: str
    verdict: str
    tone: Tone
    note: str
    marked: bool
    hollow: bool
    goes_on: tuple[bool, bool]


class ScaledIntervals(Document, frozen=True):
    """Data for the renderer "intervals". band: shaded. line: vertical."""

    rows: tuple[PlacedRow, ...]
    ticks: tuple[ScaleTick, ...]
    zones: tuple[ScaleStretch, ...]
    band: ScaleStretch | None
    line: ScaleTick | None

    @property
    def data(self) -> dict[str, Any]:
        """The same as plain data, for a figure."""
        return dict(plain(self))


def scaled(
    rows: Sequence[IntervalRow],
    *,
    tick: Callable[[float], str],
    band: tuple[float, float, str] | None = None,
    line: tuple[float, str] | None = None,
    is_ratio: bool = False,
    zones: Sequence[Zone] = (),
    ticks: Sequence[float] = (),
    ends: tuple[float, float] | None = None,
) -> ScaledIntervals:
    """Return rows at their places on a scale.

    tick: a number of the scale in words. band: from, to and meaning of a shaded stretch. line: a
    vertical line. is_ratio: a logarithmic scale. ticks, ends: of the scale; chosen by the rows where left
    out. An interval that leaves the scale is marked as going on.
    """
    if ends is None:
        first, last = _ends(rows, [*(band[:2] if band else ()), *([line[0]] if line else [])], is_ratio)
    else:
        first, last = (math.log(ends[0]), math.log(ends[1])) if is_ratio else ends

    def place(number: float | None) -> float | None:
        if number is None or (is_ratio and number <= 0):
            return None
        along = math.log(number) if is_ratio else number
        return round(min(1.0, max(0.0, (along - first) / (last - first))), 4)

    least, greatest = (math.exp(first), math.exp(last)) if is_ratio else (first, last)
    if ticks:
        marks = [ScaleTick(place(number), tick(number)) for number in ticks if least <= number <= greatest]
    else:
        round_numbers = [(number, place(number)) for number in _ticks(least, greatest, is_ratio=is_ratio)]
        marks = _apart(round_numbers, tick, line)
    return ScaledIntervals(
        rows=tuple(_placed(row, place, least, greatest) for row in rows),
        ticks=tuple(marks),
        zones=tuple(
            ScaleStretch(
                0.0 if zone.low is None else place(zone.low),
                1.0 if zone.high is None else place(zone.high),
                zone.text,
                zone.tone,
            )
            for zone in zones
        ),
        band=ScaleStretch(place(band[0]), place(band[1]), band[2]) if band else None,
        line=ScaleTick(place(line[0]), line[1]) if line else None,
    )


def _placed(
    row: IntervalRow, place: Callable[[float | None], float | None], least: float, greatest: float
) -> PlacedRow:
    return PlacedRow(
        label=row.label,
        at=place(row.value),
        low=place(row.low),
        high=place(row.high),
        points=tuple(place(point) for point in row.points),
        text=row.text,
        verdict=row.verdict,
        tone=row.tone,
        note=row.note,
        marked=row.marked,
        hollow=row.hollow,
        goes_on=(row.low is not None and row.low < least, row.high is not None and row.high > greatest),
    )


JudgedChange = ComparedDocument | KnobEffectDocument | SettingsCompared
"""Comparison of two things: an effect with its interval, and the verdict on it, a key of words.COMPARED."""


def judged(
    label: str, compared: JudgedChange, is_ratio: bool, note: str = "", *, marked: bool = False
) -> IntervalRow:
    """Return the row of a comparison."""
    symbol, word, tone = words.COMPARED[compared.verdict]
    low, high = compared.interval or (None, None)
    text = numbers.whole_effect(compared.effect, compared.interval, is_ratio)
    return IntervalRow(label, compared.effect, low, high, text, f"{symbol} {word}", tone, note, marked)


def changes(
    rows: Sequence[IntervalRow], equal_within: float, *, is_ratio: bool, tick: Callable[[float], str]
) -> ScaledIntervals:
    """Return changes beside the band in which they do not matter.

    equal_within: half the width of the band: a share of a ratio, else in the unit of the measure.
    """
    # On logarithms the band is as wide to either side: ±ln(1.03) for 3 %.
    low = 1 / (1 + equal_within) if is_ratio else -equal_within
    high = 1 + equal_within if is_ratio else equal_within
    meaning = TEXTS.does_not_matter(numbers.margin(equal_within, is_ratio))
    line = (1.0 if is_ratio else 0.0, TEXTS.no_change)
    return scaled(rows, tick=tick, band=(low, high, meaning), line=line, is_ratio=is_ratio)


def _apart(
    ticks: Sequence[tuple[float, float | None]],
    tick: Callable[[float], str],
    line: tuple[float, str] | None,
) -> list[ScaleTick]:
    """Return the ticks whose texts do not run into each other; the vertical line's is kept before others."""
    chosen: list[tuple[float, float]] = []
    for number, at in sorted(ticks, key=lambda pair: line is not None and pair[0] != line[0]):
        if at is not None and all(abs(at - place) >= LEAST_GAP for _, place in chosen):
            chosen.append((number, at))
    return [ScaleTick(at, tick(number)) for number, at in sorted(chosen)]


def _ends(rows: Sequence[IntervalRow], others: Sequence[float], is_ratio: bool) -> tuple[float, float]:
    """Return both ends of the scale (of its logarithm, for ratios), with a little room.

    The estimates, the band and the line are always inside. An interval much wider than all of them
    is cut at the edge: shown whole it would press everything else into a point.
    """

    def along(places: Sequence[float | None]) -> list[float]:
        drawable = [place for place in places if place is not None and (place > 0 or not is_ratio)]
        return [math.log(place) for place in drawable] if is_ratio else drawable

    inner = along([n for row in rows for n in (row.value, *row.points)] + list(others)) or [0.0]
    reach = 2 * (max(inner) - min(inner)) or abs(inner[0]) or 1.0
    bounds = along([n for row in rows for n in (row.low, row.high)])
    least = min([*inner, *(max(bound, min(inner) - reach) for bound in bounds)])
    greatest = max([*inner, *(min(bound, max(inner) + reach) for bound in bounds)])
    room = (greatest - least) * 0.04 or abs(least) * 0.05 or 0.05
    return least - room, greatest + room


def _ticks(first: float, last: float, *, is_ratio: bool) -> list[float]:
    """Return four to seven round numbers between two ends."""
    if is_ratio and last / first > 3:
        candidates = [base * 10.0**power for power in range(-4, 5) for base in (1, 2, 5)]
        inside = [number for number in candidates if first <= number <= last]
        return inside if len(inside) <= 7 else [n for n in inside if f"{n:e}"[0] == "1"]
    rough = (last - first) / 5
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough)
    # From 1 for ratios, so that "no change" is a tick; from 0 otherwise.
    origin = 1.0 if is_ratio else 0.0
    start = math.ceil((first - origin) / step - 1e-9)
    stop = math.floor((last - origin) / step + 1e-9)
    return [round(origin + step * i, 12) for i in range(start, stop + 1)]
