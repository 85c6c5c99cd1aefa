"""The universal scalability law: how throughput follows concurrency, and whether more users lower it."""

import math
from typing import Annotated

import numpy as np
import scipy
from numpy.typing import ArrayLike

from loadrig.base.documents import Document, Says
from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import normal_above
from loadrig.stats.least_squares import non_negative

FEWEST = 6
"""Least number of loads: three parameters and at least as many left to tell whether they fit."""

RESAMPLES = 400

SURE = 0.95


class Between(Document, frozen=True):
    """A value and its 95 % interval."""

    value: Annotated[float, Says("estimate")]
    low: Annotated[float, Says("lower end of its interval")]
    high: Annotated[float, Says("upper end of its interval")]


class Usl(Document, frozen=True):
    """Universal scalability law with its intervals."""

    gamma: Annotated[Between, Says("throughput of one user")]
    sigma: Annotated[Between, Says("share of the work that nobody may do beside another (contention)")]
    kappa: Annotated[Between, Says("cost of a pair's agreeing (coherency)")]
    peak: Annotated[
        Between | None,
        Says("users at which throughput is highest; null where nothing says that there is such a peak"),
    ]
    most: Annotated[float | None, Says("throughput at the peak; null where there is none")]
    is_retrograde: Annotated[
        bool,
        Says(
            "whether more users make throughput less: the interval of `kappa` is above 0, and the throughput"
            " of the most users is significantly below the highest"
        ),
    ]
    error: Annotated[float, Says("root mean square of the relative residuals")]
    loads: Annotated[int, Says("number of loads that it rests on")]


def law(users: Floats, gamma: float, sigma: float, kappa: float) -> Floats:
    """Return X(N) = gamma N / (1 + sigma (N - 1) + kappa N (N - 1)).

    Source: Gunther 1993, CMG Conf.; Gunther, Guerrilla Capacity Planning, 2007, ch. 4-6.
    """
    return gamma * users / (1 + sigma * (users - 1) + kappa * users * (users - 1))


def fit(users: ArrayLike, throughput: ArrayLike, errors: ArrayLike | None = None, *, seed: int = 1) -> Usl:
    """Return the law fitted to measured throughputs.

    users, throughput: [n], above 0; several measurements of one load count as one load. errors: [n], standard
    error of each throughput; without them what a load's repeats differ by, or the residuals, tell.
    Bounded least squares of ln X, as errors grow with throughput; sigma in 0…1, kappa at least 0. Intervals:
    percentiles of a bootstrap in which each throughput is drawn anew around the law by what is known of its
    error, never by less than the residuals show.
    Raises ValueError for fewer than six loads: any three parameters fit a few points.
    """
    n, x = as_floats(users), as_floats(throughput)
    if n.size != x.size or np.any(n <= 0) or np.any(x <= 0):
        raise ValueError("users and throughput come in pairs, all above 0")
    loads = np.unique(n)
    if loads.size < FEWEST:
        raise ValueError(f"{loads.size} loads are too few for the law; at least {FEWEST} are needed")
    best = _least_squares(n, np.log(x))
    residuals = np.log(x) - np.log(law(n, *best))
    spread = math.sqrt(float((residuals**2).sum()) / (n.size - 3))
    error_shares = np.zeros_like(x) if errors is None else as_floats(errors) / x
    error_of_each = np.maximum(error_shares, spread)
    rng = np.random.default_rng(seed)
    fitted = np.log(law(n, *best))
    drawn = np.array(
        [_linear(n, np.exp(fitted + error_of_each * rng.standard_normal(n.size))) for _ in range(RESAMPLES)]
    )
    gamma, sigma, kappa = (
        Between(value, *(float(end) for end in np.quantile(column, [(1 - SURE) / 2, (1 + SURE) / 2])))
        for value, column in zip(best, drawn.T, strict=True)
    )
    has_peak = kappa.value > 0 and kappa.low > 1e-12 and sigma.value < 1
    is_retrograde = has_peak and _falls(n, np.log(x), error_of_each)
    peak = most = None
    if has_peak:
        peaks = np.sqrt(np.maximum(1 - drawn[:, 1], 0) / np.maximum(drawn[:, 2], 1e-300))
        at = math.sqrt((1 - sigma.value) / kappa.value)
        peak = Between(at, float(np.quantile(peaks, 0.025)), float(np.quantile(peaks, 0.975)))
        most = float(law(np.array([at]), *best)[0])
    return Usl(gamma, sigma, kappa, peak, most, is_retrograde, float(np.sqrt((residuals**2).mean())),
               int(loads.size))  # fmt: skip


def _falls(users: Floats, logs: Floats, errors: Floats) -> bool:
    """Return whether the throughput of the most users is significantly below that of the best other load.

    The best is chosen among all others by its throughput, so its test is shared among them (Bonferroni).
    """
    largest = users.max()
    end, error = _mean(logs[users == largest], errors[users == largest])
    others = [load for load in np.unique(users) if load < largest]
    means = [_mean(logs[users == load], errors[users == load]) for load in others]
    best, its_error = max(means)
    # Data that the law fits exactly have no errors: then any fall counts.
    error = max(math.hypot(error, its_error), 1e-12)
    return normal_above((best - end) / error) * len(others) < (1 - SURE) / 2


def _mean(logs: Floats, errors: Floats) -> tuple[float, float]:
    return float(logs.mean()), float(np.sqrt((errors**2).sum()) / errors.size)


def _least_squares(users: Floats, logs: Floats) -> tuple[float, float, float]:
    """Return the best gamma, sigma, kappa for ln X.

    gamma and kappa are sought in units in which they are near 1.
    """
    largest = float(users.max())
    gamma, sigma, kappa = _linear(users, np.exp(logs))

    def residuals(unknown: Floats) -> Floats:
        misfit: Floats = np.log(law(users, math.exp(unknown[0]), unknown[1], unknown[2] / largest**2)) - logs
        return misfit

    start = [math.log(gamma), min(max(sigma, 1e-6), 1 - 1e-6), max(kappa * largest**2, 1e-6)]
    best = scipy.optimize.least_squares(
        residuals, start, bounds=([-np.inf, 0.0, 0.0], [np.inf, 1.0, np.inf])
    ).x
    # An iteration from inside comes near to a bound, but not onto it.
    return math.exp(float(best[0])), _or_zero(float(best[1])), _or_zero(float(best[2])) / largest**2


def _linear(users: Floats, throughput: Floats) -> tuple[float, float, float]:
    """Return gamma, sigma, kappa by non-negative least squares.

    The model N / X = (1 + sigma (N - 1) + kappa N (N - 1)) / gamma is linear in 1 / gamma, sigma / gamma and
    kappa / gamma; weighted by X / N, so that errors are relative. A hundred times as fast, and equal where
    errors are small.
    """
    weights = throughput / users
    table = np.column_stack([np.ones_like(users), users - 1, users * (users - 1)]) * weights[:, None]
    # Columns of one size: the solver judges what is 0 by an absolute size.
    sizes = np.maximum(np.linalg.norm(table, axis=0), 1e-300)
    solution = non_negative(table / sizes, np.ones_like(users))[0] / sizes
    if solution[0] <= 0:  # even one user is all contention
        solution[0] = 1e-9 * float(solution.sum())
    return (
        1 / float(solution[0]),
        min(float(solution[1] / solution[0]), 1.0),
        float(solution[2] / solution[0]),
    )


def _or_zero(value: float) -> float:
    return value if value > 1e-9 else 0.0
