"""Trimmed mean with Student's t, for few values of which one may be odd.

Now and then a trial has a neighbour on its machine and loses a tenth. Such a pair pulls the mean, and its
square spoils the interval of all others. The trimmed mean leaves the least and the greatest value out; its
error is that of the winsorised values, in which both count as their neighbours. On normal noise it is nearly
as sharp as the mean, and right as often.
Source: Tukey & McLaughlin 1963, Sankhyā A 25, 331-352; Yuen 1974, Biometrika 61, 165-170.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import as_floats
from loadrig.stats.compare import Effect, known_noise

SHARE = 0.1
"""Share of the values trimmed at either end, 0 to 1; at least one value."""

LEAST = 8
"""Least number of values: with fewer the rest knows its own spread too badly, as t of four has tails of its
own."""


def trimmed_mean(values: ArrayLike, confidence: float = 0.95) -> Effect:
    """Return the trimmed mean of differences, with its interval and p of zero.

    values: at least two differences, symmetric about their mean but for a few; of fewer than eight nothing is
    trimmed, and it is Student's t of one sample.
    """
    array = np.sort(as_floats(values))
    n = array.size
    cut = max(1, int(SHARE * n)) if n >= LEAST else 0
    middle = array[cut : n - cut]
    winsorised = np.concatenate((np.repeat(middle[0], cut), middle, np.repeat(middle[-1], cut)))
    h = middle.size
    error = float(winsorised.std(ddof=1)) * math.sqrt((n - 1) / (h * (h - 1)))
    effect = known_noise(float(middle.mean()), error, h - 1.0, n=n, confidence=confidence)
    return replace(effect, how="paired")
