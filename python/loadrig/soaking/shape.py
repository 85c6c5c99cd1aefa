"""Whether a course goes on growing, fills up, was made in a few steps, or does not grow."""

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
"""endless: steadily to the end; fills: it bends; made: in a few rises; level: no growth to be sure of."""

BLOCKS, FEWEST_BLOCKS = 40, 8
"""As many as a course is judged by, each by its least: what is freed within a block is left out."""

LATE = ((0.15, 0.75), (0.3, 0.8), (0.5, 0.9))
"""Share of the course that may be left out at its begin, as something is filled there and leaks besides; and
how much of the slope of its first third the last third of the rest must still have. The square root of x has
0.64, 0.69 and 0.80 there, 1 - exp(-x) 0.57, 0.63 and 0.72, and what fills faster has less."""

FEWEST_LATE = 12

STRAIGHT = 0.8
"""Slope of the last third over that of the first, from which on a whole course is straight: the square root
of x has 0.58."""

BETTER, FAR_BETTER = 4.0, 16.0
"""Gain of a line beneath what fills, beside a straight part; and where there is none. Of 300 healthy courses
the greatest was 11."""

SLOWING = 0.62
"""Slope of the last third over that of the first, from which on a course that rises in nearly every block and
fits a little better with a line beneath is endless: what fills has that much left only if it is less than
half full."""

LEAST_RISES, LITTLE = 0.9, 0.3
"""Share of the blocks in which what is endless rises, and its gain of a line beneath what fills: of 512
healthy courses those without both were half of the accused."""

LEAST_BENEATH = 0.15
"""Of all that it rose, beneath: curves are not quite what servers fill by."""


@dataclass(frozen=True, eq=False)
class Shape:
    """How a course goes.

    word: see Word. growth: the figures behind it; slope: of the part that is straight, or of all of it. gain:
    by which a line beneath what fills is better than none. x, y: float64[n], that part.
    """

    word: Word
    growth: Growth
    slope: Slope
    gain: float
    x: Floats
    y: Floats

    @property
    def why(self) -> str:
        """What speaks for the word, as a clause."""
        found = self.growth
        match self.word:
            case "endless":
                return (
                    f"at the end it rose {found.lasting:.2g} times as fast as at the begin, in"
                    f" {found.rises:.0%} of the steps"
                )
            case "made":
                return f"{min(1.0, found.largest):.0%} of the growth came at once"
            case "fills" if found.lasting < LASTING:
                return f"at the end it rose {max(0.0, found.lasting):.2g} times as fast as at the begin"
            case "fills":
                return "a curve that fills up fits as well as a line"
            case _:
                return "it did not grow by more than its noise"


def shape(x: Floats, y: Floats) -> Shape | None:
    """The shape of a course of blocks; None for fewer than FEWEST_BLOCKS.

    Endless is what is straight as a whole; what is straight past a begin that fills something, or but for one
    rise out of line, if a line beneath what fills fits it better too; and what fits it far better.
    """
    whole, line, under = growth(x, y, FEWEST_BLOCKS), slope(x, y), beneath(x, y)
    if whole is None or line is None:
        return None
    gain = under.gain if under is not None else 0.0
    size = under.slope if under is not None and under.slope.low > 0 else None

    def sized(found: Shape) -> Shape:
        return replace(found, slope=_joined(size, found.slope)) if size is not None else found

    if whole.rises < LEAST_RISES or (under is not None and gain < LITTLE):
        return Shape(_word(whole, line), whole, line, gain, x, y)
    if line.low > 0 and (whole.is_endless(STRAIGHT) or (under is not None and _is_slowing(whole))):
        return sized(Shape("endless", whole, line, gain, x, y))
    if gain >= BETTER:
        if line.low > 0 and whole.is_endless():
            return sized(Shape("endless", whole, line, gain, x, y))
        for share, lasting in LATE:
            late = x >= x[0] + share * (x[-1] - x[0])
            if late.sum() >= FEWEST_LATE and (found := _endless(x[late], y[late], lasting, gain)) is not None:
                return sized(found)
        if (found := _endless(x, without_largest(y), LATER_LASTING, gain)) is not None:
            return sized(found)
    if (
        under is not None
        and gain >= FAR_BETTER
        and under.slope.low > 0
        and under.grown >= LEAST_BENEATH * np.ptp(y)
    ):
        return Shape("endless", whole, under.slope, gain, x, y)
    return Shape(_word(whole, line), whole, line, gain, x, y)


def _is_slowing(found: Growth) -> bool:
    """Whether a course is endless though it bends a little: no curve that is half full bends so little."""
    return found.p <= SURE and found.lasting >= SLOWING and found.largest <= MOST_IN_ONE


def _joined(size: Slope, line: Slope) -> Slope:
    """The slope beneath what fills, with an interval that holds that of the straight part too.

    Each supposes something of what fills besides; neither is sure.
    """
    return replace(
        size, low=min(size.low, line.low), high=max(size.high, line.high), error=max(size.error, line.error)
    )


def _endless(x: Floats, y: Floats, lasting: float, gain: float) -> Shape | None:
    """A part of a course, if it is straighter than a whole one needs to be."""
    found, line = growth(x, y, FEWEST_BLOCKS), slope(x, y)
    if found is None or line is None or not found.is_endless(lasting) or line.low <= 0:
        return None
    return Shape("endless", found, line, gain, x, y)


def _word(found: Growth, line: Slope) -> Word:
    if found.p > SURE or line.low <= 0 or found.grown <= 0:
        return "level"
    if found.lasting < LASTING:
        return "fills"
    if found.largest > MOST_IN_ONE or found.rises < FEWEST_RISES:
        return "made"
    if found.bic < BETTER_BIC or found.short > MOST_SHORT:
        return "fills"
    return "level"


def without_largest(level: Floats) -> Floats:
    """A level without its largest rise: something that happened once, such as an end of sharing pages."""
    steps = np.diff(level)
    place = int(np.argmax(steps))
    found = level.copy()
    found[place + 1 :] -= steps[place] - float(np.median(steps))
    return found


def least_of_blocks(x: Floats, y: Floats, edges: Floats) -> Floats:
    """The least of y in each block of x between two edges; NaN where nothing was read."""
    places = np.searchsorted(x, edges)
    return np.array([float(y[low:high].min()) if high > low else np.nan for low, high in pairwise(places)])
