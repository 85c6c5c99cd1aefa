"""Shape of a course: it goes on growing, fills up, was made in a few rises, or does not grow."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from loadrig.stats import limits
from loadrig.stats.arrays import Floats
from loadrig.stats.beneath import beneath
from loadrig.stats.growth import GrowthTest, growth
from loadrig.stats.slope import Slope, slope

ShapeWord = Literal["endless", "fills", "made", "level"]
"""Name of a shape. endless: steadily to the end; fills: the course bends; made: in a few rises; level: no
growth to be sure of."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Shape of a course.

    word: see ShapeWord. growth: the tests behind the word. slope: slope of the straight part, or of the whole
    course. x, y: float64[n], the part that was judged.
    """

    word: ShapeWord
    growth: GrowthTest
    slope: Slope
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
            case "fills" if figures.lasting < limits.LASTING:
                return f"at the end it rose {max(0.0, figures.lasting):.2g} times as fast as at the begin"
            case "fills":
                return "a curve that fills up fits as well as a line"
            case _:
                return "it did not grow by more than its noise"


def shape(
    x: Floats, y: Floats, line: Slope | None = None, fewest: int = limits.FEWEST_BLOCKS
) -> Shape | None:
    """Return the shape of a course of blocks; None for fewer than `fewest`.

    line: the slope and its interval where they are better known than from these blocks alone.

    A course is endless if it is straight as a whole; if it is straight past a begin that fills something, or
    but for one rise out of line, and a line beneath what fills fits it better, too; or if a line beneath fits
    it far better. Of a course with too few blocks to look beneath it, only what is straight is endless.
    """
    whole, under = growth(x, y, fewest), beneath(x, y)
    if line is not None and whole is not None:
        whole = replace(whole, low=line.low, p=line.p / 2 if line.value > 0 else 1.0)
    line = line or slope(x, y)
    if whole is None or line is None:
        return None
    plain = Shape(_word(whole, line), whole, line, x, y)
    if under is None:
        if line.low > 0 and whole.is_endless(limits.STRAIGHT):
            return replace(plain, word="endless")
        return next(_straight_parts(x, y, limits.LATER_OF_FEW, limits.FEWEST_BLOCKS), plain)
    if under.gain < (limits.A_LITTLE_BETTER if whole.rises >= limits.RISES else limits.FAR_BETTER):
        return plain
    straight = None
    if line.low > 0 and (
        whole.is_endless(limits.LASTING if under.gain >= limits.BETTER_LINE else limits.STRAIGHT)
        or _is_slowing(whole)
    ):
        straight = replace(plain, word="endless")
    elif under.gain >= limits.BETTER_LINE:
        straight = next(_straight_parts(x, y, limits.LATER, limits.FEWEST_LATER), None)
    if straight is not None:
        joined = _joined(under.slope, straight.slope) if under.slope.low > 0 else straight.slope
        return replace(straight, slope=joined)
    if (
        whole.rises >= limits.RISES
        and under.gain >= limits.FAR_BETTER
        and under.slope.low > 0
        and under.grown >= limits.LEAST_BENEATH * np.ptp(y)
    ):
        return Shape("endless", whole, under.slope, x, y)
    return plain


def _straight_parts(
    x: Floats, y: Floats, parts: tuple[tuple[float, float], ...], fewest: int
) -> Iterator[Shape]:
    """Yield the late parts of a course that are straight, then the course but for its largest rise."""
    for share, lasting in parts:
        late = x >= x[0] + share * (x[-1] - x[0])
        if late.sum() >= fewest:
            yield from _endless(x[late], y[late], lasting)
    steps = np.diff(y)
    place = int(np.argmax(steps))
    # The largest rise may have happened once, such as an end of sharing pages.
    lowered = y.copy()
    lowered[place + 1 :] -= steps[place] - float(np.median(steps))
    yield from _endless(x, lowered, limits.LATER_LASTING)


def _endless(x: Floats, y: Floats, lasting: float) -> Iterator[Shape]:
    """Yield a part of a course as endless if it is straighter than a whole course needs to be."""
    figures, line = growth(x, y), slope(x, y)
    if figures is not None and line is not None and figures.is_endless(lasting) and line.low > 0:
        yield Shape("endless", figures, line, x, y)


def _is_slowing(figures: GrowthTest) -> bool:
    """Return whether a course is endless though it bends a little, less than what is half full bends."""
    return (
        figures.rises >= limits.RISES
        and figures.p <= limits.SURE
        and figures.lasting >= limits.SLOWING
        and figures.largest <= limits.MOST_IN_ONE
    )


def _joined(size: Slope, line: Slope) -> Slope:
    """Return the slope beneath what fills, with an interval that holds that of the straight part, too.

    Each of the two slopes rests on an assumption of what else fills, and neither assumption is sure.
    """
    return replace(
        size, low=min(size.low, line.low), high=max(size.high, line.high), error=max(size.error, line.error)
    )


def _word(figures: GrowthTest, line: Slope) -> ShapeWord:
    if figures.p > limits.SURE or line.low <= 0 or figures.slope <= 0:
        return "level"
    if figures.lasting < limits.LASTING:
        return "fills"
    if figures.largest > limits.MOST_IN_ONE or figures.rises < limits.FEWEST_RISES:
        return "made"
    if figures.bic < limits.BETTER_BIC or figures.short > limits.MOST_SHORT:
        return "fills"
    return "level"


def least_of_blocks(x: Floats, y: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """Return place and value of the least y in each block of x between two edges; NaN without a reading."""
    rows = [
        low + int(np.argmin(y[low:high])) if high > low else -1
        for low, high in pairwise(np.searchsorted(x, edges))
    ]
    is_counted = np.array(rows) >= 0
    return np.where(is_counted, x[rows], np.nan), np.where(is_counted, y[rows], np.nan)
