"""The bar of an account in a terminal: one line of characters, and below it what each stands for."""

from collections.abc import Sequence
from itertools import pairwise

from loadrig.account import sentence
from loadrig.base import columns
from loadrig.base.units import show_share
from loadrig.report.figures.account import LongestPart
from loadrig.report.model import Line

MARKS = "█▓▒░#="
"""Characters of the parts, for the longest part first: told apart without colour. The rest has a dot."""

REST_MARK = "·"

MOST_WIDE = 72
"""Columns of the bar at most: longer bars are not read better."""

_INDENT, _GAP = "  ", "   "


def lines(parts: Sequence[LongestPart], width: int) -> list[Line]:
    """Return the bar and its key, no line wider than `width`. parts: longest first."""
    if not parts:
        return []
    marks = [REST_MARK if part.words == sentence.REST else MARKS[place] for place, part in enumerate(parts)]
    room = max(16, min(MOST_WIDE, width - 2 * len(_INDENT)))
    cells = "".join(mark * count for mark, count in zip(marks, _cells(parts, room), strict=True))
    # The sentence above explains the parts; the key only names them.
    key = [
        f"{mark} {show_share(part.share)} {part.words.partition('(')[0].rstrip()}"
        for mark, part in zip(marks, parts, strict=True)
    ]
    rows = _rows(key, max(20, width - 2 * len(_INDENT)))
    return [
        ((_INDENT, "plain"), (cells, "plain")),
        *(((_INDENT, "plain"), (row, "quiet")) for row in rows),
    ]


def _rows(key: Sequence[str], room: int) -> list[str]:
    """Return as many parts a row as fit whole; one that is longer than a row goes on below."""
    rows: list[str] = []
    for part in key:
        if rows and columns.width(rows[-1] + _GAP + part) <= room:
            rows[-1] += _GAP + part
        else:
            rows += columns.wrapped(part, room, subsequent_indent="  ")
    return rows


def _cells(parts: Sequence[LongestPart], room: int) -> list[int]:
    """Return the number of characters of each part: its share of the room, rounded to fill the room."""
    total = sum(part.share for part in parts)
    ends, at = [0], 0.0
    for part in parts:
        at += part.share / total
        ends.append(round(at * room))
    return [after - before for before, after in pairwise(ends)]
