"""The report for a terminal: what a person reads when the run is over.

The same sections as on the page, without what is only there on demand. Narrow terminals lose
columns by their rank, never figures within a column. Colour is put on at the very end, and a
reader without it misses nothing: every verdict is a symbol and a word.
"""

import io
import os
import re
from collections.abc import Iterable, Sequence
from typing import TextIO, assert_never

import rich.console
import rich.style
import rich.table
import rich.text

from loadrig.base import columns
from loadrig.base.documents import typed
from loadrig.base.printable import in_one_line
from loadrig.language.labels import label
from loadrig.report import text_account, text_card, words
from loadrig.report.figures._intervals import PlacedRow, ScaledIntervals
from loadrig.report.figures.account import LongestPart
from loadrig.report.model import (
    Badge,
    Block,
    Card,
    Cell,
    Code,
    Facts,
    Figure,
    Line,
    Numbers,
    Paragraph,
    PerView,
    Report,
    Section,
    Spark,
    Table,
    Tone,
)

Span = tuple[str, Tone]

VERDICT = "verdict"
"""Id of the section that has the answer: it comes first, and has no heading in a terminal."""

MOST_ANSWER_LINES = 3
"""Largest number of lines of an answer in a terminal."""

_MOST_PROSE = 100
"""Columns of a line of prose: longer ones are hard to read. Tables may use the whole terminal."""

_AFTER_THE_FACT = re.compile(r" \([^()]*\)(?=$|[;.]| \()")
"""Brackets at the end of what happened, before a limit, the check or the mend: "… waited 3 % (suspect above
1 %) (G18); mend: …". Those amid a sentence, as in "generator 2 (a) was lost", belong to it."""

_SPARKS = "▁▂▃▄▅▆▇█"
_STYLES = {"plain": "", "strong": "bold", "quiet": "dim", "good": "green", "warn": "yellow", "bad": "red"}


def render(report: Report, width: int = 100, colour: bool = False, verbose: bool = False) -> str:
    """Return the report as text of at most `width` columns (40 at least), ending in a line feed.

    colour: with ANSI colours; the caller knows whether there is a terminal and no NO_COLOR. verbose: with
    every warning in full; else they are counted.
    """
    width = max(40, width)
    lines = [*_head(report, width)]
    for section in report.sections:
        if section.in_text:
            lines += _section(section, width, report, verbose=verbose)
    # What is still too long (a single word, a graph in a very narrow terminal) is cut, and says so.
    lines = [_cut(line, width) for line in lines]
    if report.next:
        # Never cut: it is there to be copied.
        lines += [(), ((f"{label('next')}: ", "quiet"), (report.next, "strong"))]
    paint = _ansi if colour else _plain
    return "\n".join(paint(line).rstrip() for line in lines) + "\n"


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal whose user has not asked for no colour."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _head(report: Report, width: int) -> list[Line]:
    badge = next((b for section in report.sections for b in section.blocks if isinstance(b, Badge)), None)
    right: Span = ("", "plain")
    if badge is not None:
        symbol, word, tone = words.VALIDITY[badge.verdict]
        right = (f"{symbol} {word}", tone)
    title = _fit(report.title, width - columns.width(right[0]) - 2)
    gap = " " * (width - columns.width(title) - columns.width(right[0]))
    kicker: list[Line] = [((part, "quiet"),) for part in columns.wrapped(report.kicker, width)]
    return [((title, "strong"), (gap, "plain"), right), *kicker]


def _section(section: Section, width: int, report: Report, *, verbose: bool) -> list[Line]:
    lines: list[Line] = []
    first_view = report.views[0].id if report.views else ""
    before: Block | None = None
    blocks = section.blocks if section.terminal is None else section.terminal
    is_answer = section.id == VERDICT
    for block in blocks:
        if isinstance(block, Badge):
            drawn = _remarks(block, width, verbose=verbose)
        else:
            drawn = _block(block, width, first_view)
        if not drawn:
            continue
        # Sentences follow each other without a gap, and so do the lines of figures.
        joined = isinstance(block, Paragraph) and isinstance(before, Paragraph) and block.size == "body"
        if joined and is_answer and len(lines) - 1 + len(drawn) > MOST_ANSWER_LINES:
            # What would make the answer longer than is read at once follows it.
            joined = is_answer = False
        lines += drawn if joined or (lines and isinstance(block, Figure) and block.spark) else [(), *drawn]
        before = block
    if not lines:
        return []
    # The verdict needs no heading: it is what comes first.
    return lines if section.id == VERDICT else [(), ((section.title, "strong"),), *lines[1:]]


def _block(block: Block, width: int, view: str) -> list[Line]:
    match block:
        case Paragraph():
            tone: Tone = "strong" if block.size == "lead" else "quiet" if block.size == "note" else block.tone
            return [((text, tone),) for text in columns.wrapped(block.text, min(width, _MOST_PROSE))]
        case Badge():
            return _remarks(block, width, verbose=False)
        case Numbers():
            return _numbers(block, width)
        case Table():
            return [] if block.folded or not block.rows else _table(block, width)
        case Facts():
            return _facts(block, width)
        case Code():
            return [((f"  {text}", "plain"),) for text in block.text.splitlines()]
        case Figure():
            if block.kind == "account":
                parts = typed(list[LongestPart], block.data["told"], block.id)
                return text_account.lines(parts, width)
            if block.drawn_in_text:
                return [((block.title, "strong"),), *_intervals(block, width)]
            return [_spark(spark, width) for spark in block.spark if any(v is not None for v in spark.values)]
        case Card():
            return text_card.lines(block, min(width, _MOST_PROSE))
        case PerView():
            lines: list[Line] = []
            before: Block | None = None
            for inner in block.blocks.get(view, ()):
                drawn = _block(inner, width, view)
                if drawn:
                    together = before is None or (isinstance(inner, Figure) and isinstance(before, Figure))
                    lines += drawn if together else [(), *drawn]
                    before = inner
            return lines
        case _:
            assert_never(block)


def _remarks(badge: Badge, width: int, *, verbose: bool) -> list[Line]:
    """Return what weakens an answer: each in full, or on one line how much there is, with the gravest."""
    tone = words.VALIDITY[badge.verdict][2] if badge.verdict != "valid" else "warn"
    sentences = (*badge.reasons, *badge.notes)
    if not sentences:
        return []
    room = min(width, _MOST_PROSE)
    if not verbose:
        counted = words.counted_remarks(len(badge.reasons), len(badge.notes))
        gravest = _AFTER_THE_FACT.split(sentences[0].removeprefix(f"{label('Note')}: "))[0].rstrip(".")
        rest = f"{counted} (--verbose): {gravest}"
        return [(("! " if badge.reasons else "  ", tone), (_fit(rest, room - 2), "plain"))]
    lines: list[Line] = []
    for sentence in sentences:
        parts = columns.wrapped(sentence, room - 2)
        lines += [(("! " if i == 0 else "  ", tone), (part, "plain")) for i, part in enumerate(parts)]
    return lines


def _numbers(block: Numbers, width: int) -> list[Line]:
    """Return numbers side by side, as many a row as fit: the value, what it is, its interval."""
    sizes = [max(map(columns.width, (item.value, item.label, item.detail))) + 3 for item in block.items]
    rows: list[list[int]] = [[]]
    for number, size in enumerate(sizes):
        if rows[-1] and sum(sizes[i] for i in rows[-1]) + size > width:
            rows.append([])
        rows[-1].append(number)
    lines: list[Line] = []
    for row in rows:
        items = [(block.items[i], sizes[i]) for i in row]
        lines += [()] if lines else []
        lines.append(
            tuple(
                (_pad(item.value, size), "strong" if item.tone == "plain" else item.tone)
                for item, size in items
            )
        )
        lines.append(tuple((_pad(item.label, size), "plain") for item, size in items))
        if any(item.detail for item, _ in items):
            lines.append(tuple((_pad(item.detail, size), "quiet") for item, size in items))
    return lines


def _facts(block: Facts, width: int) -> list[Line]:
    if not block.pairs:
        return []
    size = min(24, max(columns.width(name) for name, _ in block.pairs)) + 2
    lines: list[Line] = []
    for name, value in block.pairs:
        parts = columns.wrapped(value, max(20, min(width, _MOST_PROSE) - size - 2)) or [""]
        lines.append((("  " + _pad(name, size), "quiet"), (parts[0], "plain")))
        lines += [((" " * (size + 2), "plain"), (part, "plain")) for part in parts[1:]]
    return lines


def _spark(spark: Spark, width: int) -> Line:
    room = max(8, min(60, width - 16 - columns.width(spark.note) - 2))
    return (
        ("  " + _pad(spark.label, 14), "quiet"),
        (sparkline(spark.values, room), "plain"),
        (f"  {spark.note}" if spark.note else "", "quiet"),
    )


def _intervals(figure: Figure, width: int) -> list[Line]:
    """Return rows of intervals: ░ does not matter, │ no change, ├─●─┤ interval and estimate."""
    scale = typed(ScaledIntervals, figure.data, figure.id)
    name = min(34, max(columns.width(row.label) for row in scale.rows))
    text = max(columns.width(row.text) for row in scale.rows)
    verdict = max(columns.width(row.verdict) for row in scale.rows)
    room = min(48, width - name - text - verdict - 8)
    lines: list[Line] = []
    for row in scale.rows:
        track = f"{_track(row, scale, room)}  " if room >= 16 else ""
        lines.append(
            (
                ("  " + _pad(_fit(row.label, name), name) + "  ", "plain"),
                (track, "plain"),
                (_pad(row.text, text) + "  ", "plain"),
                (row.verdict, row.tone),
            )
        )
    return lines


def _track(row: PlacedRow, scale: ScaledIntervals, room: int) -> str:
    def at(place: float | None) -> int:
        return min(room - 1, max(0, round((place or 0.0) * (room - 1))))

    cells = [" "] * room
    if scale.band:
        for i in range(at(scale.band.begin), at(scale.band.end) + 1):
            cells[i] = "░"
    if scale.line:
        cells[at(scale.line.at)] = "│"
    if row.low is not None and row.high is not None:
        low, high = at(row.low), at(row.high)
        cells[low : high + 1] = ["├", *["─"] * (high - low - 1), "┤"][: high - low + 1]
    if row.at is not None:
        cells[at(row.at)] = "●"
    return "".join(cells)


def sparkline(values: Sequence[float | None], room: int) -> str:
    """Return values from 0 to their greatest as eight heights, at most `room` characters.

    Neighbours that share a character are averaged; a blank where nothing was measured.
    """
    size = max(1, -(-len(values) // room))
    means = []
    for start in range(0, len(values), size):
        present = [value for value in values[start : start + size] if value is not None]
        means.append(sum(present) / len(present) if present else None)
    top = max((mean for mean in means if mean is not None), default=0.0) or 1.0
    steps = len(_SPARKS) - 1
    return "".join(" " if mean is None else _SPARKS[round(max(0.0, mean) / top * steps)] for mean in means)


# --- tables -------------------------------------------------------------------------------------


def _table(table: Table, width: int) -> list[Line]:
    """Return a table laid out by rich, columns two blanks apart; those of the greatest rank go if need be."""
    places = list(range(len(table.columns)))
    cells = [
        [_cell(cell, table.columns[i].align == "left") for i, cell in enumerate(row)] for row in table.rows
    ]

    sizes = [
        max([columns.width(column.title), *(columns.width(row[i]) for row in cells)])
        for i, column in enumerate(table.columns)
    ]

    def is_too_wide() -> bool:
        return 2 + sum(sizes[i] for i in places) + 2 * (len(places) - 1) > width

    while is_too_wide() and any(table.columns[i].rank for i in places):
        places.remove(max(places, key=lambda i: table.columns[i].rank))
    if is_too_wide():  # a note in brackets goes before a figure
        cells = [[cell.text for cell in row] for row in table.rows]
    has_titles = any(table.columns[i].title for i in places)
    laid = rich.table.Table(box=None, show_header=has_titles, padding=(0, 0, 0, 2), pad_edge=True)
    for i in places:
        column = table.columns[i]
        # Figures are never cut: what gives way in a narrow terminal is text, over several lines.
        is_figure = column.align == "right"
        laid.add_column(
            _toned(column.title, "quiet"),
            justify="right" if is_figure else "left",
            no_wrap=is_figure,
            overflow="ellipsis" if is_figure else "fold",
        )
    for number, row in enumerate(table.rows):
        is_marked = number in table.marked
        tones: list[Tone] = [
            "strong" if is_marked and row[i].tone == "plain" else row[i].tone for i in places
        ]
        laid.add_row(*(_toned(cells[number][i], tone) for i, tone in zip(places, tones, strict=True)))
    lines = _lines_of(laid, width)
    for note in table.notes:
        lines += [((f"  {part}", "quiet"),) for part in columns.wrapped(note, min(width, _MOST_PROSE) - 2)]
    return lines


def _toned(text: str, tone: Tone) -> rich.text.Text:
    """Return a cell for rich that remembers its tone: colours are put on at the very end."""
    return rich.text.Text(in_one_line(text), style=rich.style.Style(meta={"tone": tone}), end="")


def _lines_of(laid: rich.table.Table, width: int) -> list[Line]:
    """Return what rich has laid out as lines of ours."""
    console = rich.console.Console(width=width, file=io.StringIO(), color_system=None, legacy_windows=False)
    return [
        tuple(
            (segment.text, segment.style.meta.get("tone", "plain") if segment.style else "plain")
            for segment in line
        )
        for line in console.render_lines(laid, pad=False)
    ]


def _cell(cell: Cell, with_note: bool) -> str:
    return f"{cell.text} ({cell.note})" if with_note and cell.note else cell.text


# --- characters ---------------------------------------------------------------------------------


def _pad(text: str, size: int) -> str:
    return text + " " * max(0, size - columns.width(text))


def _fit(text: str, size: int) -> str:
    """Return the text cut to a width, with an ellipsis where something is gone."""
    if columns.width(text) <= size:
        return text
    end, room = 0, size - 1
    for character in text:
        room -= columns.columns_of(character)
        if room < 0:
            break
        end += 1
    return text[:end].rstrip() + "…"


def _cut(line: Line, width: int) -> Line:
    """Return the line's spans as far as they fit."""
    fitting: list[Span] = []
    room = width
    for text, tone in line:
        if columns.width(text.rstrip()) > room:
            return (*fitting, (_fit(text, room), tone)) if room else tuple(fitting)
        fitting.append((text, tone))
        room = max(0, room - columns.width(text))
    return tuple(fitting)


def _plain(line: Iterable[Span]) -> str:
    return "".join(in_one_line(text) for text, _ in line)


def _ansi(line: Iterable[Span]) -> str:
    from rich.color import ColorSystem
    from rich.style import Style

    return "".join(
        Style.parse(_STYLES[tone]).render(text, color_system=ColorSystem.STANDARD)
        if _STYLES[tone] and text.strip()
        else text
        for text, tone in ((in_one_line(text), tone) for text, tone in line)
    )
