"""Shape of a course: it goes on growing, fills up, was made in a few steps, or does not grow."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from loadrig.soaking.beneath import beneath
from loadrig.stats.arrays import Floats
from loadrig.stats.growth import (
    BETTER_BIC,
    FEWEST_RISES,
    LASTING,
    LATER_LASTING,
    MOST_IN_ONE,
    MOST_SHORT,
    SURE,
    Growth,
    growth,
)
from loadrig.stats.slope import Slope, slope

Word = Literal["endless", "fills", "made", "level"]
"""Name of a shape. endless: steadily to the end; fills: the course bends; made: in a few rises; level: no
growth to be sure of."""

BLOCKS, FEWEST_BLOCKS_OF_SHAPE = 40, 8
"""Greatest and least number of blocks of a course. Each block is judged by its least value, so what is
freed within a block is left out."""

LATE = ((0.15, 0.75), (0.3, 0.8), (0.5, 0.9))
"""Share of a course that is left out at its begin, and least slope of the last third of the rest, as a
share of the slope of its first third: something is filled at the begin and leaks besides. The square root
of x has 0.64, 0.69 and 0.80 there, 1 - exp(-x) 0.57, 0.63 and 0.72, and what fills faster has less."""

FEWEST_LATE = 12
"""Least number of blocks of a late part."""

STRAIGHT_COURSE = 0.8
"""Slope of the last third over that of the first, from which on a whole course is straight: the square
root of x has 0.58."""

BETTER_SHAPE, FAR_BETTER = 4.0, 16.0
"""Gain of a line beneath what fills that is needed beside a straight part (BETTER_SHAPE), and where there is
none (FAR_BETTER). Of 300 healthy courses the greatest was 11."""

SLOWING = 0.62
"""Slope of the last third over that of the first, from which on a course is endless that rises in nearly
every block and fits a little better with a line beneath: what fills has that much left only if it is less
than half full."""

LEAST_RISES, LITTLE = 0.9, 0.3
"""LEAST_RISES: share of the blocks in which an endless course rises. LITTLE: its gain of a line beneath
what fills. Of 512 healthy courses, those without both were half of the courses that were called endless."""

LEAST_BENEATH = 0.15
"""Share of the whole rise that must come from the line beneath, as curves are not quite what servers fill
by."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Shape of a course.

    word: see Word. growth: the figures behind the word. slope: slope of the straight part, or of the whole
    course. gain: gain by which a line beneath what fills is better than none. x, y: float64[n], the part that
    was judged.
    """

    word: Word
    growth: Growth
    slope: Slope
    gain: float
    x: Floats
    y: Floats

    @property
    def why(self) -> str:
        """Return what speaks for the word, as a clause."""
        figures = self.growth
        match self.word:
            case "endless":
                return (
                    f"at the end it rose {figures.lasting:.2g} times as fast as at the begin, in"
                    f" {figures.rises:.0%} of the steps"
                )
            case "made":
                return f"{min(1.0, figures.largest):.0%} of the growth came at once"
            case "fills" if figures.lasting < LASTING:
                return f"at the end it rose {max(0.0, figures.lasting):.2g} times as fast as at the begin"
            case "fills":
                return "a curve that fills up fits as well as a line"
            case _:
                return "it did not grow by more than its noise"


def shape(x: Floats, y: Floats) -> Shape | None:
    """Return the shape of a course of blocks; None for fewer than FEWEST_BLOCKS_OF_SHAPE.

    A course is endless if it is straight as a whole; if it is straight past a begin that fills something, or
    but for one rise out of line, and a line beneath what fills fits it better, too; or if a line beneath fits
    it far better.
    """
    whole, line, under = growth(x, y, FEWEST_BLOCKS_OF_SHAPE), slope(x, y), beneath(x, y)
    if whole is None or line is None:
        return None
    gain = under.gain if under is not None else 0.0
    size = under.slope if under is not None and under.slope.low > 0 else None

    def sized(endless: Shape) -> Shape:
        return replace(endless, slope=_joined(size, endless.slope)) if size is not None else endless

    if whole.rises < LEAST_RISES or (under is not None and gain < LITTLE):
        return Shape(_word(whole, line), whole, line, gain, x, y)
    if line.low > 0 and (whole.is_endless(STRAIGHT_COURSE) or (under is not None and _is_slowing(whole))):
        return sized(Shape("endless", whole, line, gain, x, y))
    if gain >= BETTER_SHAPE:
        if line.low > 0 and whole.is_endless():
            return sized(Shape("endless", whole, line, gain, x, y))
        for share, lasting in LATE:
            late = x >= x[0] + share * (x[-1] - x[0])
            if (
                late.sum() >= FEWEST_LATE
                and (straight := _endless(x[late], y[late], lasting, gain)) is not None
            ):
                return sized(straight)
        if (straight := _endless(x, without_largest(y), LATER_LASTING, gain)) is not None:
            return sized(straight)
    if (
        under is not None
        and gain >= FAR_BETTER
        and under.slope.low > 0
        and under.grown >= LEAST_BENEATH * np.ptp(y)
    ):
        return Shape("endless", whole, under.slope, gain, x, y)
    return Shape(_word(whole, line), whole, line, gain, x, y)


def _is_slowing(figures: Growth) -> bool:
    """Return whether a course is endless though it bends a little, less than what is half full bends."""
    return figures.p <= SURE and figures.lasting >= SLOWING and figures.largest <= MOST_IN_ONE


def _joined(size: Slope, line: Slope) -> Slope:
    """Return the slope beneath what fills, with an interval that holds that of the straight part, too.

    Each of the two slopes rests on an assumption of what else fills, and neither assumption is sure.
    """
    return replace(
        size, low=min(size.low, line.low), high=max(size.high, line.high), error=max(size.error, line.error)
    )


def _endless(x: Floats, y: Floats, lasting: float, gain: float) -> Shape | None:
    """Return a part of a course as endless if it is straighter than a whole course needs to be, else None."""
    figures, line = growth(x, y, FEWEST_BLOCKS_OF_SHAPE), slope(x, y)
    if figures is None or line is None or not figures.is_endless(lasting) or line.low <= 0:
        return None
    return Shape("endless", figures, line, gain, x, y)


def _word(figures: Growth, line: Slope) -> Word:
    if figures.p > SURE or line.low <= 0 or figures.grown <= 0:
        return "level"
    if figures.lasting < LASTING:
        return "fills"
    if figures.largest > MOST_IN_ONE or figures.rises < FEWEST_RISES:
        return "made"
    if figures.bic < BETTER_BIC or figures.short > MOST_SHORT:
        return "fills"
    return "level"


def without_largest(level: Floats) -> Floats:
    """Return a level without its largest rise, which happened once, such as an end of sharing pages."""
    steps = np.diff(level)
    place = int(np.argmax(steps))
    reduced = level.copy()
    reduced[place + 1 :] -= steps[place] - float(np.median(steps))
    return reduced


def least_of_blocks(x: Floats, y: Floats, edges: Floats) -> Floats:
    """Return the least of y in each block of x between two edges; NaN where nothing was read."""
    places = np.searchsorted(x, edges)
    return np.array([float(y[low:high].min()) if high > low else np.nan for low, high in pairwise(places)])
