"""Limits by which growth, drift and steps are judged: one table for leaks, soaks, histories and spikes.

Each limit has its unit, its reason and its source, or the simulation that it was fitted to: `bench/soak`
draws courses of servers that leak and of healthy ones that look as if they leaked.
"""

BLOCKS = 40
"""Greatest number of blocks of a course. Neighbouring seconds resemble each other, neighbouring blocks hardly
do; and of each block of a level the least value counts, so that what is freed soon is left out."""

FEWEST_BLOCKS = 8
"""Least number of blocks. With fewer the interval of a slope spans zero on most growing courses, too."""

SURE = 0.001
"""Greatest p of growth, and of a change of level. The part or place that is tested was chosen as the best of
many, so p is too small by some factor."""

LASTING = 0.6
"""Slope of the last third over that of the first, below which a course fills up: 1 - exp(-x) has 0.51 there
where it is 63 % full."""

STRAIGHT = 0.8
"""Slope of the last third over that of the first, from which on a course is straight: the square root of x
has 0.58."""

LATER = ((0.15, 0.75), (0.3, 0.8), (0.5, 0.9))
"""Share of a course that is left out at its begin, and least slope of the last third of the rest over that of
its first third: something is filled at the begin and leaks besides. The square root of x has 0.64, 0.69 and
0.80 there, 1 - exp(-x) 0.57, 0.63 and 0.72, and what fills faster has less."""

LATER_LASTING = 0.9
"""Slope of the last third over that of the first, from which on a part of a course is straight that was
chosen without a look beneath it, or is all but its largest rise: 1 - exp(-x) has 0.79 in its last 70 %."""

LATER_OF_FEW = ((0.3, LATER_LASTING),)
"""As LATER, of a course with too few blocks to look beneath it."""

FEWEST_LATER = 12
"""Least number of blocks of a late part beneath which curves are laid: any curve fits fewer."""

SLOWING = 0.62
"""Slope of the last third over that of the first, from which on a course is endless that rises in nearly
every block and fits a little better with a line beneath: what fills has that much left only if it is less
than half full."""

BETTER_BIC = 6.0
"""Difference of BIC by which one model is better than another: "strong evidence" (Raftery 1995, Sociol.
Methodol. 25, 111-163)."""

MOST_IN_ONE = 0.18
"""Largest share of the growth in one block, beyond its even part: a larger one was made once (a table, an
arena, code) and does not leak."""

MOST_SHORT = 0.1
"""Largest share of the growth by which the end may lie below the line: a level that has stopped to grow lies
there soon."""

FEWEST_RISES, RISES = 0.6, 0.9
"""Share of the blocks that end higher than the one before: of an endless course at least the first; of one
that is judged by a curve beneath it the second, unless it is straight and the line beneath is FAR_BETTER, as
memory that comes in large pages stands still between them. Of 330 healthy courses of `bench/soak` none is
called endless with it, and of 210 that leak 195 are; 181 without that exception."""

A_LITTLE_BETTER, BETTER_LINE, FAR_BETTER = 0.3, 4.0, 16.0
"""Gain of a line beneath what fills (log likelihood ratio, doubled) that is needed beside a straight course
(A_LITTLE_BETTER), beside a straight part (BETTER_LINE), and where no part is straight (FAR_BETTER). Of 300
healthy courses the greatest was 11; of 512, those with less than the first, or fewer RISES, were half of
those that were called endless."""

LEAST_BENEATH = 0.15
"""Share of the whole rise that must come from the line beneath, as curves are not quite what servers fill
by."""

MOST_ALIKE = 0.97
"""Greatest correlation of neighbours that is reckoned with: beyond it some forty points are a walk."""

LEAST_SIDE = 3
"""Least number of values on each side of a step. Of two values neither says which is odd."""

SURE_OF_DRIFT = 0.01
"""Greatest share of false discoveries among all courses of a run that are tested for drift: fifty routes are
a hundred tests."""

BAND_DEVIATIONS = 4.0
"""Robust standard deviations from its level within which a value is usual: of normal noise one value in
30,000 lies further below it."""

BAND_SHARE = 0.10
"""Share of its level within which a value is usual, 0 to 1, however quiet the series."""

MAD_TO_SD = 1.4826
"""Ratio, of normal noise, of the standard deviation to the median of the absolute deviations."""
