"""Series without dips or periods, of the kinds that throughput of a healthy server is."""

import numpy as np
from numpy.typing import NDArray

KINDS = ("white", "inherited", "slow", "counts", "wandering", "long tails")
Floats = NDArray[np.float64]


def noise(kind: str, n: int, rng: np.random.Generator) -> Floats:
    """Return one series of about 1,000 a step."""
    match kind:
        case "white":
            return rng.normal(1000, 50, n)
        case "inherited":
            return 1000 + autoregression(n, 0.6, 40, rng)
        case "slow":
            return 1000 + autoregression(n, 0.9, 30, rng)
        case "counts":
            return rng.poisson(1000, n).astype(np.float64)
        case "wandering":
            return 1000 + np.cumsum(rng.normal(0, 15, n)) + rng.normal(0, 30, n)
        case _:
            return 1000 + 30 * rng.standard_t(3, n)


def autoregression(n: int, inherits: float, spread: float, rng: np.random.Generator) -> Floats:
    """Each step a share of the one before, and something new."""
    steps = np.zeros(n)
    new = rng.normal(0, spread, n)
    for step in range(1, n):
        steps[step] = inherits * steps[step - 1] + new[step]
    return steps


def pulses(n: int, every: float, width: int, start: float) -> NDArray[np.bool_]:
    """Mark the steps in a pulse that comes again after so many steps."""
    is_in_pulse: NDArray[np.bool_] = (np.arange(n) - start) % every < width
    return is_in_pulse
