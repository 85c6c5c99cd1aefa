"""Lines over time in a terminal: dots of Braille letters, eight to a letter."""

import math
from collections.abc import Sequence
from itertools import pairwise

FEWEST = 30
"""Number of values that fill the width: a chart of a few seconds grows, and does not jump."""

_BASE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the dots of a letter, by row and column. Source: Unicode 15, Braille Patterns."""


def plotted(lines: Sequence[Sequence[float | None]], width: int, height: int, top: float) -> list[list[str]]:
    """Return the letters of each line by itself, as rows of `width` letters, to be laid one on another.

    lines: values from zero on, the newest last; of longer ones the newest are shown, and shorter ones are
    drawn wider, from FEWEST values on. None: nothing there. top: the value at the upper edge.
    """
    longest = max((len(values) for values in lines), default=0)
    wide = max(1, 2 * width // max(longest, FEWEST))
    return [_rows(_stretched(values, wide), width, height, top) for values in lines]


def _stretched(values: Sequence[float | None], wide: int) -> list[float | None]:
    """Return the values with even steps between neighbours, so that each takes so many columns.

    None stands for what is no finite number, too.
    """
    finite = [value if value is not None and math.isfinite(value) else None for value in values]
    stretched = finite[:1]
    for before, value in pairwise(finite):
        if before is None or value is None:
            stretched += [value] * wide
        else:
            stretched += [before + (value - before) * step / wide for step in range(1, wide + 1)]
    return stretched


def _rows(values: Sequence[float | None], width: int, height: int, top: float) -> list[str]:
    cells = [[0] * width for _ in range(height)]
    shown = list(values)[-2 * width :]
    before: int | None = None
    for column, value in enumerate(shown, start=2 * width - len(shown)):
        if value is None:
            before = None
            continue
        row = _row_of(value, height, top)
        # What lies between two values is drawn, too: a jump is a line and no gap.
        first = row if before is None else before + (row > before) - (row < before)
        for place in range(min(first, row), max(first, row) + 1):
            cells[place // 4][column // 2] |= _DOTS[place % 4][column % 2]
        before = row
    return ["".join(chr(_BASE + cell) if cell else " " for cell in row) for row in cells]


def _row_of(value: float, height: int, top: float) -> int:
    share = min(1.0, max(0.0, value / top)) if top > 0 else 0.0
    return round((1 - share) * (4 * height - 1))
