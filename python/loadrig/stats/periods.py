"""Periods: whether a series repeats itself, and after how many steps."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats

CYCLES = 4
"""Least number of cycles: a course that was not seen four times is no period."""

SHORTEST = 4
"""Least number of steps of a period. A faster one cannot be told from noise that alternates."""

FALSE_ALARM = 0.005
"""Largest share of false alarms by shuffled noise: half of the one in a hundred that is wanted, as shuffled
noise is only nearly like the real noise."""

SHUFFLES = 599

LEAST_R = 0.3
"""Least autocorrelation at the period, and least excess over its least value before: a series that only lasts
has no valley."""

SAME_R = 0.65
"""Share of the greatest autocorrelation that counts as the same: at half of a true period pulses meet no
pulse, and it is near zero."""

HARMONICS = 3
"""Number of multiples of a frequency that are added up: short pulses have their power in them."""

MOST_STEPS = 720
"""Largest number of steps: a longer series is averaged down to it, as a period of a tenth of a percent of the
series is not sought."""

BLOCK = 3
"""Number of steps that stay together where a series is shuffled: a pulse is as long."""

_FACTORS = (1 / 3, 1 / 2, 2 / 3, 1.0, 3 / 2, 2.0, 3.0, 4.0, 5.0, 6.0)
"""Factors by which the strongest frequency may miss the period: of pulses that last the high multiples are
strong."""

SEED = 5


@dataclass(frozen=True, slots=True)
class Period:
    """A course that repeats. steps: length of the period. p: how often shuffled series look as regular.

    cycles: how many were seen.
    """

    steps: float
    p: float
    cycles: float


def period(values: ArrayLike, cycles: int = CYCLES) -> Period | None:
    """Return the period of a series of one value a step; None where no period is sure.

    The statistic is the greatest sum of the periodogram over a frequency and its next multiples, times the
    greatest autocorrelation, of the series less what each step inherits from the one before, so that slow
    noise is not taken for a period. How great it gets without a period is seen in series whose blocks were
    shuffled. Of the multiples and fractions of the period that was found the shortest is taken at which the
    autocorrelation is (nearly) as high. Source: Lomb 1976, Astrophys. Space Sci. 39, 447-462; Scargle 1982,
    Astrophys. J. 263, 835-853; block permutation: Künsch 1989, Ann. Stat. 17, 1217-1241; prewhitening:
    Priestley 1981, Spectral Analysis, 7.6.
    """
    whole = as_floats(values)
    joined = -(-whole.size // MOST_STEPS)
    y = whole[: whole.size // joined * joined].reshape(-1, joined).mean(axis=1)
    n = y.size
    if n < cycles * SHORTEST * 2 or np.ptp(y) <= 1e-12 * max(1.0, float(np.max(np.abs(y)))):
        return None
    y = y - y.mean()
    inherited = max(0.0, float(autocorrelation(y, 1)[1]))
    new = y[1:] - inherited * y[:-1]
    regularity, steps = _regularity(new[None, :], cycles)
    r = autocorrelation(_smooth(y), n // cycles + 1)
    lag = _fundamental(float(steps[0]), r)
    if lag is None or r[round(lag)] < LEAST_R or r[round(lag)] - r[: round(lag)].min() < LEAST_R:
        return None
    null, _ = _regularity(_shuffled(new, BLOCK, SHUFFLES), cycles)
    p = (1 + int(np.sum(null >= regularity[0]))) / (SHUFFLES + 1)
    if p > FALSE_ALARM:
        return None
    refined = _refined(y, lag)
    return Period(refined * joined, p, n / refined)


def autocorrelation(values: ArrayLike, lags: int) -> Floats:
    """Return the autocorrelation of a series at lags 0 to `lags`, each from as many pairs as there are."""
    y = as_floats(values)
    y = y - y.mean()
    spectrum = np.fft.rfft(y, 2 * y.size)
    covariance = np.fft.irfft(spectrum * np.conj(spectrum))[: lags + 1]
    coefficients: Floats = (
        covariance / (y.size - np.arange(lags + 1)) * y.size / max(float(covariance[0]), 1e-300)
    )
    return coefficients


def _regularity(rows: Floats, cycles: int) -> tuple[Floats, Floats]:
    """Return the statistic of each row, and the steps of the period at which it stands.

    On steps of one length the Lomb-Scargle periodogram is the plain one; twice as fine as the independent
    frequencies, so that what lies between two of them is not missed.
    """
    n = rows.shape[1]
    size = scipy.fft.next_fast_len(2 * n, real=True)
    power = np.abs(scipy.fft.rfft(rows, size, axis=1)) ** 2
    at = np.arange(-(-size * cycles // n), size // SHORTEST + 1)
    total = power[:, at].copy()
    for multiple in range(2, HARMONICS + 1):
        inside = at * multiple < power.shape[1]
        total[:, inside] += power[:, at[inside] * multiple]
    response = (1 + np.cos(2 * np.pi * np.arange(power.shape[1]) / size)) / 2  # of _smooth
    pairs = scipy.fft.irfft(power * response**2, size, axis=1)
    lags = np.arange(SHORTEST, n // cycles + 1)
    likeness = (pairs[:, lags] * n / (n - lags)).max(axis=1) / np.maximum(pairs[:, 0], 1e-300)
    return total.max(axis=1) * np.maximum(likeness, 0.0), size / at[total.argmax(axis=1)]


def _smooth(y: Floats) -> Floats:
    """Return values smoothed over three steps.

    That joins what a period between whole steps spreads over two lags.
    """
    smoothed: Floats = np.convolve(y, (0.25, 0.5, 0.25), "same")
    return smoothed


def _fundamental(steps: float, r: Floats) -> float | None:
    """Return the shortest candidate at which the series resembles itself about as much as at any."""
    heights = {}
    for factor in _FACTORS:
        lag = steps * factor
        low, high = max(2, round(lag * 0.9)), min(r.size - 1, round(lag * 1.1))
        if lag >= SHORTEST and low <= high:
            at = low + int(np.argmax(r[low : high + 1]))
            heights[at] = float(r[at])
    if not heights or max(heights.values()) <= 0:
        return None
    return float(min(lag for lag, height in heights.items() if height >= SAME_R * max(heights.values())))


def _shuffled(y: Floats, block: int, count: int) -> Floats:
    """Return the series with its blocks in random order, each time from another first step on."""
    rng = np.random.default_rng(SEED)
    n = y.size
    blocks = -(-n // block)
    order = rng.permuted(np.tile(np.arange(blocks), (count, 1)), axis=1)
    places = (order[:, :, None] * block + np.arange(block)).reshape(count, -1)
    # The last block may be short: its places beyond the end are left out, the same number in every row.
    inside = places[places < n].reshape(count, n)
    shuffled: Floats = y[(inside + rng.integers(0, n, (count, 1))) % n]
    return shuffled


def _refined(y: Floats, lag: float) -> float:
    """Return the period between whole steps, at the greatest power of the neighbourhood."""
    reach = min(0.5, lag * lag / y.size)
    steps = np.linspace(lag - reach, lag + reach, 41)
    t = np.arange(y.size, dtype=np.float64)
    power = sum(
        scipy.signal.lombscargle(t, y, 2 * np.pi * multiple / steps) for multiple in range(1, HARMONICS + 1)
    )
    return float(steps[int(np.argmax(power))])
