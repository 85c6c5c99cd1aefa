"""Blocks nested in nodes: differences of treatments where each block ran on one of several machines.

That one machine is faster as a whole drops out with the blocks. What is left is that a treatment may gain
more on one machine than on another. The nodes are a sample of machines, so this variance between them is
noise of each difference (a random effect of node by treatment): more blocks on the same nodes do not make
it smaller, only more nodes do.

Sources: Searle, Casella & McCulloch 1992, Variance Components, ch. 5 (Henderson's method III);
Satterthwaite 1946, Biometrics Bull. 2, 110-114 (degrees of freedom); Bancroft & Han 1983, Technometrics
25, 181-184 (when to pool). With two treatments and as many blocks on each node it is Student's test of the
nodes' own mean differences.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadrig.stats.arrays import Floats, as_floats
from loadrig.stats.distributions import f_above
from loadrig.stats.noise import BlockFit, block_columns, block_design

POOLED_FROM_P = 0.25
"""Least p of no variance between nodes from which on the nodes are pooled, as if they were one.

Bancroft's advice: at 0.05 a real variance would be overlooked too often, and intervals be too narrow; never
to pool would leave two nodes with one degree of freedom, which decides nothing.
"""

ROUNDING = 1e-12
"""Share of the largest value. A noise below it is what the rounding of sums leaves, and counts as none."""


@dataclass(frozen=True, slots=True)
class NestedFit:
    """Fit of blocks nested in nodes to logs: y = block + treatment + node by treatment + noise.

    fit: of blocks and treatments; its noise is both together. spread: standard deviation of a treatment's
    gain between nodes; 0 where the nodes are pooled. p: of no such spread; 1 where it cannot be told.
    sd, df: of the noise within a node. between: covariance of the treatments' effects per unit of the
    variance between nodes. mean_square, between_df: of node by treatment; share: how many times the variance
    between nodes is in that mean square.
    """

    fit: BlockFit
    spread: float
    p: float
    sd: float
    df: int
    between: NDArray[np.float64]
    mean_square: float
    between_df: int
    share: float

    @property
    def is_pooled(self) -> bool:
        """Whether treatments gain the same on all nodes, as far as can be told."""
        return self.spread == 0

    def error(self, weights: ArrayLike) -> tuple[float, float]:
        """Return the standard error of a weighted sum of the treatments' effects, and its degrees of freedom.

        weights: in the order of the fit's treatments, adding up to 0.
        """
        vector = np.asarray(weights, dtype=np.float64)
        within = max(0.0, float(vector @ self.fit.covariance @ vector))
        if self.is_pooled:
            return self.fit.sd * math.sqrt(within), float(self.fit.df)
        # The variance between nodes is a difference of two mean squares: each is weighed by its part in both.
        of_between = max(0.0, float(vector @ self.between @ vector)) / self.share
        parts = (
            ((within - of_between) * self.sd**2, self.df),
            (of_between * self.mean_square, self.between_df),
        )
        variance = sum(part for part, _ in parts)
        wobble = sum(part**2 / df for part, df in parts)
        return math.sqrt(max(0.0, variance)), variance**2 / wobble if wobble else float(self.between_df)

    def of_all_pairs(self) -> BlockFit:
        """Return the fit with noise and degrees of freedom that hold for differences of its treatments.

        For procedures that judge all treatments at once by one noise.
        """
        if self.is_pooled:
            return self.fit
        noise = math.sqrt(self.mean_square)
        covariance = (self.fit.covariance * self.sd**2 + self.between * self.spread**2) / self.mean_square
        degrees = [self.error(weights)[1] for weights in _pairs(len(self.fit.treatments))]
        return BlockFit(
            self.fit.treatments, self.fit.effects, covariance, noise, max(1, int(min(degrees))),
            self.fit.residuals, self.fit.leverages,
        )  # fmt: skip


def nested_design(logs: ArrayLike, block: ArrayLike, treatment: ArrayLike, node: ArrayLike) -> NestedFit:
    """Fit a randomised block design whose blocks ran on several nodes.

    logs, block, treatment: as of `block_design`. node: whole numbers; each block is on one node.
    The variance between nodes counts where the test of it has a p below POOLED_FROM_P; else all noise is
    pooled, and the answer is that of `block_design`. Nothing can be told of it where no node repeats
    anything: then the noise of the blocks holds both.
    Raises ValueError as `block_design` does.
    """
    fit = block_design(logs, block, treatment)
    pooled = NestedFit(fit, 0.0, 1.0, fit.sd, fit.df, np.zeros_like(fit.covariance), math.nan, 0, math.nan)
    if np.unique(np.asarray(node)).size == 1:
        return pooled
    y = as_floats(logs)
    names, design = block_columns(block, treatment)
    cells = _cells(treatment, node)
    whole = np.column_stack((design, cells))
    rest = y - whole @ _solution(whole, y)
    df = y.size - int(np.linalg.matrix_rank(whole))
    between_df = fit.df - df
    if between_df < 1 or df < 1:
        return pooled
    rounding = (ROUNDING * float(np.abs(y).max())) ** 2
    within = _clear(float(rest @ rest) / df, rounding)
    mean_square = (float(fit.residuals @ fit.residuals) - within * df) / between_df
    mean_square = _clear(mean_square, rounding)
    p = f_above(mean_square / within, between_df, df) if within else float(mean_square == 0)
    projection = np.linalg.pinv(design)
    residuals = cells - design @ (projection @ cells)
    share = float((residuals * cells).sum()) / between_df
    spread = math.sqrt(max(0.0, mean_square - within) / share)
    if p >= POOLED_FROM_P:
        spread = 0.0
    effects_by_cell = (projection @ cells)[: len(names)]
    between = effects_by_cell @ effects_by_cell.T
    return NestedFit(fit, spread, p, math.sqrt(within), df, between, mean_square, between_df, share)


def _clear(mean_square: float, rounding: float) -> float:
    """Return a mean square, 0 where it is no more than what rounding leaves."""
    return mean_square if mean_square > rounding else 0.0


def _cells(treatment: ArrayLike, node: ArrayLike) -> Floats:
    """Return a column for each treatment on each node, with a row for each observation."""
    pairs = np.column_stack((np.asarray(treatment, dtype=np.int64), np.asarray(node, dtype=np.int64)))
    every, cell_of = np.unique(pairs, axis=0, return_inverse=True)
    return np.asarray(np.ravel(cell_of)[:, None] == np.arange(len(every)), dtype=np.float64)


def _solution(design: Floats, y: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(design, y, rcond=None)[0], dtype=np.float64)


def _pairs(count: int) -> list[Floats]:
    """Return the weights of every difference of two treatments."""
    unit = np.eye(count)
    return [unit[b] - unit[a] for a in range(count) for b in range(a + 1, count)]
