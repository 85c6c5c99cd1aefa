"""Least squares without negative parts, by scipy without what `import scipy.optimize` imports."""

from typing import Any

import numpy as np

from loadrig.stats.arrays import Floats
from loadrig.stats.compiled import part_of

STEPS_A_COLUMN = 3
"""Largest number of steps for each column; scipy's own default."""

NOT_SOLVED = 3
"""Return code of the compiled function where the steps were not enough."""

_compiled: Any = part_of("scipy.optimize", "_slsqplib", ("nnls",))


def non_negative(design: Floats, y: Floats) -> tuple[Floats, float]:
    """Return the x of no negative part for which design @ x is nearest to y, and the length of what is left.

    design: float64[rows, columns]; y: float64[rows]. x: float64[columns].
    Raises ValueError where a value is not finite or the shapes do not fit, and RuntimeError where no solution
    is found in three steps a column.
    Source: Lawson and Hanson 1995, Solving Least Squares Problems, ch. 23; scipy.optimize.nnls.
    """
    if _compiled is None:
        from scipy import optimize

        x, norm = optimize.nnls(design, y)
        return x, float(norm)
    # The compiled function checks nothing.
    rows = np.asarray_chkfinite(design, dtype=np.float64, order="C")
    wanted = np.asarray_chkfinite(y, dtype=np.float64)
    if rows.ndim != 2 or wanted.shape != rows.shape[:1]:
        raise ValueError(f"design has the shape {rows.shape}, y has {wanted.shape}")
    x, norm, info = _compiled.nnls(rows, wanted, STEPS_A_COLUMN * rows.shape[1])
    if info == NOT_SOLVED:
        raise RuntimeError(f"no solution within {STEPS_A_COLUMN} steps a column")
    return x, float(norm)
