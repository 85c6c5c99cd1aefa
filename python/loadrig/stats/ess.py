"""Number of independent values that a correlated series is worth."""

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import as_floats

SHORTEST = 8
"""Least length of a series: below it an autocorrelation is noise, as its standard error 1/sqrt(n) is above a
third."""


def iact(values: ArrayLike) -> float:
    """Return the integrated autocorrelation time, in steps of the series, at least 1.

    1 for independent values; (1 + r) / (1 - r) for a first-order autoregression with
    coefficient r. 1 also for a constant series and for fewer than 8 values, where nothing
    can be known. Negative correlation is not rewarded: it would make intervals narrower
    than independent values give, on the strength of a noisy estimate.

    The sum of sample autocorrelations over all lags is zero whatever the series; it must be
    cut. Here: as long as sums of adjacent pairs stay positive, made monotone.
    Source: Geyer 1992, Stat. Sci. 7, 473-483 (initial positive and initial monotone sequence).
    """
    series = as_floats(values)
    n = series.size
    if n < SHORTEST:
        return 1.0
    deviations = series - series.mean()
    # Below the rounding of the mean itself there is no variation to speak of.
    if np.max(np.abs(deviations)) <= 1e-12 * max(1.0, float(np.max(np.abs(series)))):
        return 1.0
    size = 2 ** int(np.ceil(np.log2(2 * n)))
    spectrum = np.fft.rfft(deviations, size)
    covariance = np.fft.irfft(spectrum * np.conj(spectrum), size)[:n] / n
    pairs = covariance[: n - n % 2].reshape(-1, 2).sum(axis=1) / covariance[0]
    negative = np.flatnonzero(pairs <= 0)
    positive = pairs[: negative[0]] if negative.size else pairs
    return max(1.0, float(2 * np.minimum.accumulate(positive).sum() - 1)) if positive.size else 1.0
