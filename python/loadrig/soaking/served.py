"""Number of requests that had been served by each instant, against which growth is set."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from loadrig.stats.arrays import Floats, as_floats


@dataclass(frozen=True, eq=False)
class Served:
    """Requests that had ended by some instants. t_s, requests: float64[n], both never falling."""

    t_s: Floats
    requests: Floats

    @classmethod
    def of(cls, t_s: ArrayLike, requests: ArrayLike) -> "Served":
        """Return a Served from two lists. Raises ValueError if they differ in length, are empty, or fall."""
        at, counts = as_floats(t_s), as_floats(requests)
        if at.size != counts.size or not at.size:
            raise ValueError(f"{at.size} instants, but {counts.size} counts")
        if np.any(np.diff(at) < 0) or np.any(np.diff(counts) < 0):
            raise ValueError("neither time nor requests served go back")
        return cls(at, counts)

    def at(self, t_s: ArrayLike) -> Floats:
        """Return the requests that had ended by some instants, as if they came evenly between known ones."""
        requests: Floats = np.interp(as_floats(t_s), self.t_s, self.requests)
        return requests

    @property
    def a_second(self) -> float:
        """Return the mean number of requests a second over the whole time."""
        length = float(self.t_s[-1] - self.t_s[0])
        return float(self.requests[-1] - self.requests[0]) / length if length > 0 else 0.0
