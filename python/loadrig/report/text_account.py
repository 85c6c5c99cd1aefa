"""The bar of an account in a terminal: one line of characters, and below it what each stands for."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from loadrig.base.units import show_share
from loadrig.report.model import Tone

Line = tuple[tuple[str, Tone], ...]

MARKS = "█▓▒░#="
"""A character for each part, the longest first: told apart without colour. What is left has a dot."""

REST_MARK = "·"

MOST_WIDE = 72
"""Columns of the bar: longer ones are not read better."""

_INDENT, _GAP = "  ", "   "


def lines(told: Sequence[Mapping[str, Any]], width: int) -> list[Line]:
    """The bar and its key, no line wider than `width`.

    told: parts, longest first, each with `words` and `share`.
    """
    if not told:
        return []
    marks = [REST_MARK if part["words"] == "the rest" else MARKS[place] for place, part in enumerate(told)]
    room = max(16, min(MOST_WIDE, width - 2 * len(_INDENT)))
    cells = "".join(mark * count for mark, count in zip(marks, _cells(told, room), strict=True))
    # The sentence above explains; the key only names.
    key = [
        f"{mark} {show_share(part['share'])} {part['words'].partition(' (')[0]}"
        for mark, part in zip(marks, told, strict=True)
    ]
    rows = _rows(key, max(20, width - 2 * len(_INDENT)))
    return [
        ((_INDENT, "plain"), (cells, "plain")),
        *(((_INDENT, "plain"), (row, "quiet")) for row in rows),
    ]


def _rows(key: Sequence[str], room: int) -> list[str]:
    """As many parts a row as fit whole; one that is longer than a row goes on below."""
    rows: list[str] = []
    for part in key:
        if rows and len(rows[-1]) + len(_GAP) + len(part) <= room:
            rows[-1] += _GAP + part
        else:
            rows += textwrap.wrap(part, room, subsequent_indent="  ")
    return rows


def _cells(told: Sequence[Mapping[str, Any]], room: int) -> list[int]:
    """How many characters each part has: its share of the room, rounded so that they fill it."""
    total = sum(part["share"] for part in told)
    ends, at = [0], 0.0
    for part in told:
        at += part["share"] / total
        ends.append(round(at * room))
    return [after - before for before, after in pairwise(ends)]
