"""A Gaussian process over the settings of a space: what a few noisy trials say of all of them.

y = level + trend + smooth + own + block + noise. Smooth: a Matern 5/2 kernel with a length for each axis.
Own: what makes a setting differ from its neighbours for good. Block: what all trials of a block share.
The lengths and sizes are not fitted but averaged over: draws from their priors, weighted by how likely they
make what was seen. On twenty trials one best fit is far too sure of itself.

Sources: Rasmussen & Williams 2006, Gaussian Processes for Machine Learning, ch. 2 and 4; Snoek, Larochelle &
Adams 2012, NIPS 25 (averaging over hyperparameters).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from loadrig.stats.arrays import Floats

Ints = NDArray[np.int64]

DRAWS = 96
"""Draws of the hyperparameters from their priors; as many again are drawn near the best of those."""

ANEW_EVERY = 4
"""Observations after which the draws are weighed anew: on the first 4, 8, 12 …
A few more observations hardly move the weights, and weighing takes time."""

AVERAGED_DRAWS = 10
"""Likeliest draws, which are averaged over: the others hardly weigh."""

SIZES = 4
"""Sizes at the head of a draw: logs of the sds of signal, noise, own and block. A length for each axis
follows."""

LEVEL_SD = 3.0
"""Standard deviation of the level, in sds of what was seen: as good as unknown."""

TREND_SD = 0.4
"""Standard deviation of the slope on the trend, around 1: a queueing model foretells the shape, not its
size."""

LEAST_SD = 0.02
"""Least standard deviation of the figures by which they are scaled to 1, for figures that hardly differ."""

MEDIAN_NOISE = 0.03
"""Standard deviation of one trial in ln(figure) where no repeat has told yet: what quiet machines have."""


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Observations of trials.

    points: int[n], rows of the features. y: float[n]. variance: float[n], known from within each trial.
    blocks: int[n].
    """

    points: Ints
    y: Floats
    variance: Floats
    blocks: Ints


class Posterior:
    """Belief in every setting's figure, for each of several draws of the hyperparameters with its weight.

    weights: float[k]. means, sds: float[k, N], of the settings' true figures, without noise and block.
    """

    def __init__(self, weights: Floats, means: Floats, sds: Floats, noise_sd: float) -> None:
        self.weights, self.means, self.sds = weights, means, sds
        self.noise_sd = noise_sd

    @property
    def mean(self) -> Floats:
        """Return the mean of each setting over the draws, float[N]."""
        return np.asarray(self.weights @ self.means)

    @property
    def sd(self) -> Floats:
        """Return the standard deviation of each setting's mixture, float[N]."""
        second = self.weights @ (self.sds**2 + self.means**2)
        return np.sqrt(np.maximum(second - self.mean**2, 0.0))


class GaussianProcess:
    """Gaussian processes over fixed settings. features: float[N, d]; groups: int[d], the axis of each column.

    trend: float[N] or None: what a model foretells of each setting, up to a constant.
    """

    def __init__(
        self,
        features: Floats,
        groups: Ints,
        trend: Floats | None = None,
        *,
        seed: int = 1,
        draws: int = DRAWS,
    ) -> None:
        self._count = draws
        self._weighed: dict[bytes, tuple[Floats, Floats]] = {}
        axes = int(groups.max()) + 1 if groups.size else 0
        self._apart = np.zeros((axes, features.shape[0], features.shape[0]), dtype=np.float32)
        for axis in range(axes):
            of_axis = features[:, groups == axis]
            self._apart[axis] = ((of_axis[:, None, :] - of_axis[None, :, :]) ** 2).sum(axis=2)
        self._trend = trend
        self._seed = seed
        self.size = features.shape[0]

    def posterior(self, trials: Evaluations) -> Posterior:
        """Return beliefs of all settings. trials: at least one observation."""
        level, unit, trend, y, variance = self._scaled(trials)
        draws, weights = self._likely(trials)
        # Sizes were weighed in the figures' own unit; here the sd of what was seen is 1.
        draws = draws - np.array([math.log(unit)] * SIZES + [0.0] * (draws.shape[1] - SIZES))
        means, sds = np.empty((weights.size, self.size)), np.empty((weights.size, self.size))
        for row, draw in enumerate(draws):
            means[row], sds[row] = self._predicted(draw, trials, y, variance, trend)
        noise = float(weights @ np.exp(draws[:, 1])) * unit
        return Posterior(weights, level + unit * means, unit * sds, noise)

    def _scaled(self, trials: Evaluations) -> tuple[float, float, Floats, Floats, Floats]:
        """Return level and unit of what was seen, and in that unit the trend, and what is beyond both."""
        level, unit = float(np.median(trials.y)), max(float(trials.y.std()), LEAST_SD)
        trend = np.zeros(self.size)
        if self._trend is not None:
            trend = (self._trend - self._trend[trials.points].mean()) / unit
        return level, unit, trend, (trials.y - level) / unit - trend[trials.points], trials.variance / unit**2

    # --- hyperparameters --------------------------------------------------------------------------
    # A draw is the logs of: signal, noise, own, block, then a length for each axis.

    def _likely(self, trials: Evaluations) -> tuple[Floats, Floats]:
        """Return the likeliest draws and their weights; sizes in the figures' own unit."""
        count = max(trials.y.size // ANEW_EVERY * ANEW_EVERY, min(trials.y.size, ANEW_EVERY))
        first = Evaluations(
            trials.points[:count], trials.y[:count], trials.variance[:count], trials.blocks[:count]
        )
        mark = first.points.tobytes() + first.y.tobytes() + first.blocks.tobytes()
        if mark not in self._weighed:
            self._weighed[mark] = self._weigh(first)
        return self._weighed[mark]

    def _weigh(self, trials: Evaluations) -> tuple[Floats, Floats]:
        _, unit, trend, y, variance = self._scaled(trials)
        axes = self._apart.shape[0]
        sizes = [0.0, math.log(MEDIAN_NOISE / unit), math.log(0.01 / unit), math.log(0.02 / unit)]
        middle = np.array(sizes + [math.log(0.6)] * axes)
        spread = np.array([0.5, 0.7, 0.7, 0.7] + [0.8] * axes)
        rng = np.random.default_rng([self._seed, trials.y.size])
        first = middle + spread * rng.standard_normal((self._count, middle.size))
        first[0] = middle
        logs = self._log_likelihood(first, trials, y, variance, trend) + _log_prior(first, middle, spread)
        best = first[np.argsort(-logs)[:6]]
        # Few draws from the prior fall near the peak; a second round draws around the best of them.
        second = np.repeat(best, self._count // best.shape[0], axis=0)
        second = second + 0.3 * spread * rng.standard_normal(second.shape)
        more = self._log_likelihood(second, trials, y, variance, trend) + _log_prior(second, middle, spread)
        draws, logs = np.concatenate([first, second]), np.concatenate([logs, more])
        likeliest = np.argsort(-logs)[:AVERAGED_DRAWS]
        weights = np.exp(logs[likeliest] - logs[likeliest[0]])
        shift = np.array([math.log(unit)] * SIZES + [0.0] * axes)
        return draws[likeliest] + shift, weights / weights.sum()

    def _log_likelihood(
        self, draws: Floats, trials: Evaluations, y: Floats, variance: Floats, trend: Floats
    ) -> Floats:
        covariance = self._covariance(draws, trials, variance, trend)
        factor = np.linalg.cholesky(covariance)
        whitened = np.zeros((draws.shape[0], y.size))
        for row in range(y.size):  # forward substitution for all draws at once
            explained = (factor[:, row, :row] * whitened[:, :row]).sum(axis=1)
            whitened[:, row] = (y[row] - explained) / factor[:, row, row]
        halves = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        return np.asarray(-0.5 * (whitened**2).sum(axis=1) - halves)

    def _covariance(self, draws: Floats, trials: Evaluations, variance: Floats, trend: Floats) -> Floats:
        """Return the covariance of what was seen, noise and all, float[k, n, n]."""
        points = trials.points
        apart = self._apart[:, points[:, None], points[None, :]]
        covariance = self._smooth(draws, apart)
        own, block, noise = (np.exp(2 * draws[:, column])[:, None, None] for column in (2, 3, 1))
        covariance += own * (points[:, None] == points[None, :])
        covariance += block * (trials.blocks[:, None] == trials.blocks[None, :])
        slope = trend[points]
        covariance += LEVEL_SD**2 + TREND_SD**2 * slope[:, None] * slope[None, :]
        at = np.arange(points.size)
        covariance[:, at, at] += noise[:, :, 0] + variance + 1e-9
        return covariance

    def _smooth(self, draws: Floats, apart: NDArray[np.float32]) -> Floats:
        """Return the Matern 5/2 kernel, float[k, …].

        apart: float[axes, …], squared distances along each axis.
        """
        if not apart.shape[0]:
            return np.exp(2 * draws[:, 0]).reshape(-1, *[1] * (apart.ndim - 1)) * np.ones(apart.shape[1:])
        near = np.exp(-2 * draws[:, 4:])
        squared = np.tensordot(near, apart.astype(np.float64), axes=1)
        r = np.sqrt(5.0 * squared)
        signal = np.exp(2 * draws[:, 0]).reshape(-1, *[1] * (apart.ndim - 1))
        return np.asarray(signal * (1.0 + r + r**2 / 3.0) * np.exp(-r))

    def _predicted(
        self, draw: Floats, trials: Evaluations, y: Floats, variance: Floats, trend: Floats
    ) -> tuple[Floats, Floats]:
        """Return mean and sd of the settings' own figures, for one draw."""
        single = draw[None, :]
        factor = linalg.cholesky(self._covariance(single, trials, variance, trend)[0], lower=True)
        cross = self._smooth(single, self._apart[:, trials.points, :])[0]
        own = math.exp(2 * draw[2])
        cross += own * (trials.points[:, None] == np.arange(self.size)[None, :])
        cross += LEVEL_SD**2 + TREND_SD**2 * trend[trials.points][:, None] * trend[None, :]
        half = linalg.solve_triangular(factor, cross, lower=True)
        mean = half.T @ linalg.solve_triangular(factor, y, lower=True) + trend
        before = math.exp(2 * draw[0]) + own + LEVEL_SD**2 + TREND_SD**2 * trend**2
        return mean, np.sqrt(np.maximum(before - (half**2).sum(axis=0), 1e-12))


def _log_prior(draws: Floats, middle: Floats, spread: Floats) -> Floats:
    return np.asarray(-0.5 * (((draws - middle) / spread) ** 2).sum(axis=1))


def evaluations_of(rows: Sequence[tuple[int, float, float, int]]) -> Evaluations:
    """Return observations from rows of (setting, y, variance, block)."""
    return Evaluations(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.float64),
        np.array([row[2] for row in rows], dtype=np.float64),
        np.array([row[3] for row in rows], dtype=np.int64),
    )
