"""Noise: how much a measurement differs from itself when nothing was changed."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadrig.stats.arrays import Floats, as_floats


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviation of the log of one measurement, and how well it is known.

    sd_log: nan when it is not known. df: degrees of freedom. n: pairs or measurements behind it.
    """

    sd_log: float
    df: int
    n: int


def noise_of_differences(differences: ArrayLike) -> Noise:
    """Return the noise from the differences within pairs.

    They are differences of logs, or of what may be zero; the standard deviation is on their scale.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.size == 0:
        return Noise(math.nan, 0, 0)
    return Noise(math.sqrt(float((values**2).mean()) / 2), int(values.size), int(values.size))


@dataclass(frozen=True, slots=True)
class BlockFit:
    """An additive fit of blocks and treatments to logs: y = block + treatment + noise.

    treatments: the treatments seen, in the order of `effects`. effects: log of each treatment in
    an average block; their differences are what the design knows. covariance: of `effects` per
    unit of noise variance. sd, df: of the noise; sd is nan at df 0. residuals, leverages: of
    every observation, in the order given.
    """

    treatments: tuple[int, ...]
    effects: Floats
    covariance: NDArray[np.float64]
    sd: float
    df: int
    residuals: Floats
    leverages: Floats

    def contrast(self, a: int, b: int) -> tuple[float, float]:
        """Return ln(b/a) of two treatments and its standard error."""
        i, j = self.treatments.index(a), self.treatments.index(b)
        scale = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        return float(self.effects[j] - self.effects[i]), self.sd * math.sqrt(max(0.0, float(scale)))


def block_design(logs: ArrayLike, block: ArrayLike, treatment: ArrayLike) -> BlockFit:
    """Fit a randomised block design, complete or with holes, by least squares.

    logs: of the measurements; block, treatment: whole numbers that say whose each is. A treatment
    may occur twice in a block. The noise is what neither block nor treatment explains, pooled over
    all of them: with 3 blocks of 9 treatments and one of these twice it has 19 degrees of freedom,
    where a pair of treatments by itself would have 2.
    Raises ValueError when the design falls apart (treatments that share no block with the rest).
    Source: Box, Hunter & Hunter 2005, Statistics for Experimenters, ch. 4.
    """
    y = as_floats(logs)
    names, design = block_columns(block, treatment)
    n, width = design.shape
    if np.linalg.matrix_rank(design) < width:
        raise ValueError("some treatments share no block with the others and cannot be compared")
    inverse: NDArray[np.float64] = np.linalg.inv(design.T @ design).astype(np.float64)
    coefficients: Floats = np.asarray(inverse @ design.T @ y, dtype=np.float64)
    residuals = y - design @ coefficients
    df = n - width
    sd = math.sqrt(float(residuals @ residuals) / df) if df > 0 else math.nan
    return BlockFit(
        names,
        coefficients[: len(names)],
        inverse[: len(names), : len(names)],
        sd,
        df,
        residuals,
        np.asarray(np.einsum("ij,jk,ik->i", design, inverse, design), dtype=np.float64),
    )


def block_columns(block: ArrayLike, treatment: ArrayLike) -> tuple[tuple[int, ...], Floats]:
    """Return the treatments in ascending order, and the design's matrix with a row for each observation.

    It has a column for each treatment, and one for each block but the first: its distance from the average.
    """
    blocks, block_of = np.unique(np.asarray(block, dtype=np.int64), return_inverse=True)
    names, treatment_of = np.unique(np.asarray(treatment, dtype=np.int64), return_inverse=True)
    design = np.zeros((block_of.size, names.size + blocks.size - 1))
    design[np.arange(block_of.size), treatment_of] = 1.0
    for column, row in enumerate(range(1, blocks.size)):
        design[:, names.size + column] = (block_of == row).astype(float) - (block_of == 0).astype(float)
    return tuple(int(name) for name in names), design
