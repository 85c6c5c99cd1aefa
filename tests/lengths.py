"""Lengths of tests: short for every change, full with LOADRIG_LENGTH=full (`make nightly`)."""

import os
from collections.abc import Iterable
from itertools import product
from typing import TypeVar

FALSE_ALARM = 1e-4
"""Probability that a statistical test fails although all is well, if its seed were drawn anew each time."""

T = TypeVar("T")


def is_full() -> bool:
    """Return whether tests run at their full length."""
    return os.environ.get("LOADRIG_LENGTH") == "full"


def length(short: T, full: T) -> T:
    """Return the number of draws, seconds or cases that this run takes."""
    return full if is_full() else short


def dealt(*sets: Iterable[T]) -> list[tuple[T, ...]]:
    """Return every combination of a member of each set; in a short run each fifth one.

    So each tool meets each kind of file by night, and a fifth of them by day.
    """
    return list(product(*sets))[:: length(5, 1)]


def fewest(draws: int, share: float) -> int:
    """Return the count below which so many draws lie by chance in one run of 10,000.

    share: the probability that a draw counts, 0 to 1. Source: the binomial distribution.
    """
    from scipy.stats import binom  # half a second, which the start of every worker would wait for

    return int(binom.ppf(FALSE_ALARM, draws, share))


def most(draws: int, share: float) -> int:
    """Return the count above which so many draws lie by chance in one run of 10,000; see `fewest`."""
    from scipy.stats import binom

    return int(binom.isf(FALSE_ALARM, draws, share))
