"""One-dimensional arrays: numbers made finite floats, and runs of what is true."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def as_floats(values: ArrayLike) -> Floats:
    """Return the values as a one-dimensional array. Raises ValueError if one is not finite."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.ndim != 1:
        raise ValueError(f"one-dimensional values are needed, not {array.ndim} dimensions")
    if not np.all(np.isfinite(array)):
        raise ValueError("every value must be a finite number")
    return array


def as_logs(values: ArrayLike) -> Floats:
    """Return natural logarithms. Raises ValueError if a value is not positive: its ratio has no meaning."""
    array = as_floats(values)
    if np.any(array <= 0):
        raise ValueError("ratios need values above zero")
    return np.log(array)


def runs(flags: Bools) -> list[tuple[int, int]]:
    """Return the first and last place of each run of True."""
    edges = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    return list(
        zip(np.flatnonzero(edges > 0).tolist(), (np.flatnonzero(edges < 0) - 1).tolist(), strict=True)
    )
