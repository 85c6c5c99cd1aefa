"""Observed series on the time steps of a case, with the source that a sentence about a series links to."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loadrig.judgement.evidence import SeriesSource
from loadrig.recording.steps import Bools, Floats


@dataclass(frozen=True, eq=False)
class Track:
    """Series with one value a step. values: float64[n], NaN where unknown; of a counter its growth a second.

    is_inside: bool[n], the steps of the measured part; the properties are about these steps alone.
    seconds: float64[n], lengths of the steps.
    """

    component: str
    name: str
    subject: str
    is_counter: bool
    values: Floats
    is_inside: Bools
    seconds: Floats

    @cached_property
    def inside(self) -> Floats:
        """Values that were read in the measured part."""
        inside: Floats = self.values[self.is_inside & np.isfinite(self.values)]
        return inside

    @property
    def is_known(self) -> bool:
        """Whether anything was read in the measured part."""
        return bool(self.inside.size)

    @property
    def mean(self) -> float:
        """Mean of the measured part; NaN where nothing is known."""
        return float(self.inside.mean()) if self.inside.size else float("nan")

    @property
    def median(self) -> float:
        """Median of the measured part; NaN where nothing is known."""
        return float(np.median(self.inside)) if self.inside.size else float("nan")

    @property
    def peak(self) -> float:
        """Greatest value of the measured part; NaN where nothing is known."""
        return float(self.inside.max()) if self.inside.size else float("nan")

    def high(self, share: float = 0.9) -> float:
        """Return a quantile of the measured part: the value that was reached in (1 - share) of the steps."""
        return float(np.quantile(self.inside, share)) if self.inside.size else float("nan")

    @property
    def grew(self) -> float:
        """Growth in the measured part, of a level its last value less its first; NaN where unknown."""
        if not self.inside.size:
            return float("nan")
        if not self.is_counter:
            return float(self.inside[-1] - self.inside[0])
        good = self.is_inside & np.isfinite(self.values)
        return float((self.values[good] * self.seconds[good]).sum())

    def share_above(self, limit: float) -> float:
        """Return the share of the known measured steps with a value above a limit; 0 where none is known."""
        return float((self.inside > limit).mean()) if self.inside.size else 0.0

    @property
    def source(self) -> SeriesSource:
        """Source that a sentence about the series links to."""
        return SeriesSource(self.component, self.name, self.subject)
