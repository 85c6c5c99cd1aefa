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
    unit: str
    is_counter: bool
    values: Floats
    is_inside: Bools
    seconds: Floats

    @cached_property
    def known(self) -> Floats:
        """Known values of the measured part."""
        known: Floats = self.values[self.is_inside & np.isfinite(self.values)]
        return known

    @property
    def is_known(self) -> bool:
        """Whether anything was read in the measured part."""
        return bool(self.known.size)

    @property
    def mean(self) -> float:
        """Mean of the measured part; NaN where nothing is known."""
        return float(self.known.mean()) if self.known.size else float("nan")

    @property
    def median(self) -> float:
        """Median of the measured part; NaN where nothing is known."""
        return float(np.median(self.known)) if self.known.size else float("nan")

    @property
    def peak(self) -> float:
        """Greatest value of the measured part; NaN where nothing is known."""
        return float(self.known.max()) if self.known.size else float("nan")

    @property
    def least(self) -> float:
        """Least value of the measured part; NaN where nothing is known."""
        return float(self.known.min()) if self.known.size else float("nan")

    def high(self, share: float = 0.9) -> float:
        """Return a quantile of the measured part: the value that was reached in (1 - share) of the steps."""
        return float(np.quantile(self.known, share)) if self.known.size else float("nan")

    @property
    def grew(self) -> float:
        """Growth in the measured part, of a level its last value less its first; NaN where unknown."""
        if not self.known.size:
            return float("nan")
        if not self.is_counter:
            return float(self.known[-1] - self.known[0])
        good = self.is_inside & np.isfinite(self.values)
        return float((self.values[good] * self.seconds[good]).sum())

    def share_above(self, limit: float) -> float:
        """Return the share of the known measured steps with a value above a limit; 0 where none is known."""
        return float((self.known > limit).mean()) if self.known.size else 0.0

    @property
    def source(self) -> SeriesSource:
        """Source that a sentence about the series links to."""
        return SeriesSource(self.component, self.name, self.subject)
