"""Comparison of two things: how much larger one is than the other, as ratios on the log scale.

A ratio has the same meaning for large and small values, and logs of positive measurements are
nearer to normal than the measurements. What may be zero (a share) is compared by its difference;
the same functions serve, and the caller minds the scale. Three ways, by what was observed:

    paired       at least six blocks, each with both: no law of the noise is supposed
    known_noise  fewer blocks or single runs: the noise is known from elsewhere (stats.noise)
    independent  replicates of both, not paired: Welch
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats, as_logs
from loadrig.stats.distributions import normal_above, t_above, t_quantile
from loadrig.stats.t_tests import of_any_spread

PAIRS_NEEDED = 6
"""Least number of pairs: the exact sign-flip test on five pairs cannot get below p = 2/32; on six it reaches
2/64."""

RESAMPLES = 4_999


@dataclass(frozen=True, slots=True)
class Effect:
    """The ratio b/a as its natural logarithm (or the difference b - a, where those were compared).

    centre: the estimate. low, high: the interval at `confidence`; narrow_low, narrow_high: at 1 - 2 alpha (90
    % for 95 %), whose place inside ±margin is the test of equivalence (TOST).
    p: two-sided, of no difference. n: pairs, or replicates of the smaller arm.
    standard_error: standard error of the centre. df: degrees of freedom of the noise it is judged by.
    """

    centre: float
    low: float
    high: float
    narrow_low: float
    narrow_high: float
    p: float
    n: int
    standard_error: float
    df: float
    confidence: float
    how: Literal["paired", "known_noise", "independent"]

    @property
    def ratio(self) -> float:
        """Ratio b/a."""
        return math.exp(self.centre)

    @property
    def ratio_interval(self) -> tuple[float, float]:
        """Interval of b/a at `confidence`."""
        return math.exp(self.low), math.exp(self.high)


def hodges_lehmann(differences: ArrayLike) -> float:
    """Return the median of the means of all pairs: robust, and 95 % as sharp as the mean on normal noise.

    A value is also paired with itself.
    Source: Hodges & Lehmann 1963, Ann. Math. Stat. 34, 598-611.
    """
    array = np.asarray(differences, dtype=np.float64)
    return float(_hodges_lehmann(array, axis=-1))


def sign_flip_p(differences: ArrayLike, *, seed: int = 1) -> float:
    """Return the two-sided p of differences that are symmetric about zero, from flipping their signs.

    Exact (all 2^n flips) to n = 13, by 9,999 random flips beyond.
    Source: Fisher 1935, The Design of Experiments, ch. III; scipy.stats.permutation_test.
    """
    array = np.asarray(differences, dtype=np.float64)
    if np.all(array == 0):
        return 1.0
    test = scipy.stats.permutation_test(
        (array,), np.mean, permutation_type="samples", n_resamples=9_999, vectorized=True,
        rng=np.random.default_rng(seed), axis=-1,
    )  # fmt: skip
    return float(test.pvalue)


def paired_differences(values: ArrayLike, confidence: float = 0.95, *, seed: int = 1) -> Effect:
    """Return the effect from the differences b - a of each block (of logs, for a ratio).

    At least six blocks are needed. Raises ValueError for fewer: see `known_noise`. Hodges-Lehmann centre; BCa
    bootstrap interval of it; exact sign-flip p.

    The bootstrap of n values draws from a sample whose spread is too small by sqrt((n-1)/n) and
    knows nothing of Student's tails; on 6 to 20 blocks a "95 %" interval covers about 85-92 %. Its
    nominal confidence is therefore expanded: Phi(-sqrt(n/(n-1)) * t(alpha/2, n-1)) in each tail; it
    then covers 94-97 % for 6 to 14 normal blocks (800 draws each).
    Sources: Efron 1987, J. Am. Stat. Assoc. 82, 171-185 (BCa); Hesterberg 2015, Am. Stat. 69,
    371-386 (expansion).
    """
    differences = as_floats(values)
    n = differences.size
    if n < PAIRS_NEEDED:
        raise ValueError(f"{n} pairs cannot decide anything by themselves; {PAIRS_NEEDED} can")
    centre = hodges_lehmann(differences)
    (low, high), (narrow_low, narrow_high) = _bca(differences, (confidence, 2 * confidence - 1), seed)
    spread = float(differences.std(ddof=1))
    return Effect(
        centre, min(low, centre), max(high, centre), min(narrow_low, centre), max(narrow_high, centre),
        sign_flip_p(differences, seed=seed), n, spread / math.sqrt(n), n - 1.0, confidence, "paired",
    )  # fmt: skip


def known_noise(
    centre: float, standard_error: float, df: float, *, n: int = 1, confidence: float = 0.95
) -> Effect:
    """Return the ratio when the noise is known from elsewhere: pooled over a design, or from A/A pairs.

    centre: estimate of ln(b/a) (or of b - a); standard_error: its own; df: degrees of freedom of the noise.
    The interval is the t interval. Raises ValueError without degrees of freedom: then nothing can be said.
    """
    if df <= 0 or not math.isfinite(standard_error):
        raise ValueError("without a noise estimate there is no interval")
    wide = t_quantile((1 + confidence) / 2, df) * standard_error
    narrow = t_quantile(confidence, df) * standard_error
    p = float(centre == 0)
    if standard_error:
        p = 2 * t_above(abs(centre) / standard_error, df)
    return Effect(
        centre, centre - wide, centre + wide, centre - narrow, centre + narrow,
        p, n, standard_error, df, confidence, "known_noise",
    )  # fmt: skip


def independent(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Effect:
    """Return the ratio b/a from replicates of each that are not paired; spreads may differ.

    a, b: positive, at least two each. Welch's t on logs.
    Source: Welch 1947, Biometrika 34, 28-35.
    """
    first, second = as_logs(a), as_logs(b)
    if min(first.size, second.size) < 2:
        raise ValueError("one replicate has no spread; see known_noise")
    test = of_any_spread(first, second)
    wide, narrow = test.interval(confidence), test.interval(2 * confidence - 1)
    p = test.p if test.error else float(test.difference == 0)
    n = min(first.size, second.size)
    return Effect(test.difference, *wide, *narrow, p, n, test.error, test.df, confidence, "independent")


def holm(p_values: ArrayLike) -> Floats:
    """Return p values adjusted so that all comparisons together err with alpha, in the order given.

    Source: Holm 1979, Scand. J. Stat. 6, 65-70.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    result = np.empty_like(p)
    result[order] = np.minimum(adjusted, 1.0)
    return result


def _hodges_lehmann(array: Floats, axis: int = -1) -> Floats:
    # Sums of pairs stand below each other: to sort columns takes half as long as a median of each row.
    values = np.ascontiguousarray(np.moveaxis(array, axis, 0))
    i, j = np.triu_indices(values.shape[0])
    sums = values[i] + values[j]
    sums.sort(axis=0)
    middle = sums[(len(sums) - 1) // 2] + sums[len(sums) // 2]
    return np.asarray(middle / 4)


def _bca(differences: Floats, confidences: Sequence[float], seed: int) -> list[tuple[float, float]]:
    """Return an interval for each confidence, all from the same resamples."""
    if np.ptp(differences) == 0:
        return [(float(differences[0]), float(differences[0]))] * len(confidences)
    n = differences.size
    intervals = []
    bootstrap = None
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        # The bootstrap may have no answer for data with ties, and warns; that case is handled below.
        warnings.simplefilter("ignore", scipy.stats.DegenerateDataWarning)
        for confidence in confidences:
            t = t_quantile((1 + confidence) / 2, n - 1)
            bootstrap = scipy.stats.bootstrap(
                (differences,), _hodges_lehmann, method="BCa", vectorized=True, axis=-1,
                confidence_level=1 - 2 * normal_above(math.sqrt(n / (n - 1)) * t),
                n_resamples=RESAMPLES if bootstrap is None else 0, bootstrap_result=bootstrap,
                rng=np.random.default_rng(seed),
                # A batch holds batch * n (n + 1) / 2 means: bounded to some 30 MB.
                batch=max(1, 8_000_000 // (n * (n + 1))),
            )  # fmt: skip
            low, high = (float(bound) for bound in bootstrap.confidence_interval)
            # BCa has no answer when every jackknife value is the same: the range of the data is its widest.
            intervals.append(
                (
                    low if math.isfinite(low) else float(differences.min()),
                    high if math.isfinite(high) else float(differences.max()),
                )
            )
    return intervals
