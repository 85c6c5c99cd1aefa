"""One observed series on the time steps of a case, with what a sentence about it links to."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from loadrig.base.series import Series
from loadrig.findings.evidence import SeriesSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Bools: TypeAlias = "NDArray[np.bool_]"
Edges: TypeAlias = "NDArray[np.int64]"

NS = 1_000_000_000
HELD_NS = 3 * NS
"""A level is taken to hold this long after its reading; a probe reads once a second."""


@dataclass(frozen=True, eq=False)
class Track:
    """A series, one value a step. values: float64[n], NaN where unknown; of a counter its growth a second.

    is_inside: bool[n], the steps of the measured part; what the properties say is about these alone.
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
        """The known values of the measured part."""
        found: Floats = self.values[self.is_inside & np.isfinite(self.values)]
        return found

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
        """Median of the measured part."""
        return float(np.median(self.known)) if self.known.size else float("nan")

    @property
    def peak(self) -> float:
        """Greatest value of the measured part."""
        return float(self.known.max()) if self.known.size else float("nan")

    @property
    def least(self) -> float:
        """Least value of the measured part."""
        return float(self.known.min()) if self.known.size else float("nan")

    def high(self, share: float = 0.9) -> float:
        """A quantile of the measured part: what it reached in (1 - share) of the steps."""
        return float(np.quantile(self.known, share)) if self.known.size else float("nan")

    @property
    def grew(self) -> float:
        """Of a counter: its growth in the measured part. Of a level: last less first."""
        if not self.known.size:
            return float("nan")
        if not self.is_counter:
            return float(self.known[-1] - self.known[0])
        good = self.is_inside & np.isfinite(self.values)
        return float((self.values[good] * self.seconds[good]).sum())

    def share_above(self, limit: float) -> float:
        """Share of the known steps of the measured part with a value above a limit; 0 where none is known."""
        return float((self.known > limit).mean()) if self.known.size else 0.0

    @property
    def source(self) -> SeriesSource:
        """What a sentence about it links to."""
        return SeriesSource(self.component, self.name, self.subject)


def rates(series: Series, edges_ns: Edges) -> Floats:
    """Growth a second of a counter in each step; NaN in steps that its readings do not span.

    Between two readings the growth is taken as even. A counter that falls was begun anew: that step adds
    nothing. A reading of NaN is a gap, and the steps that touch it are not known.
    """
    known = np.isfinite(series.value)
    t_ns, value = series.t_ns[known], series.value[known]
    if t_ns.size < 2:
        return np.full(edges_ns.size - 1, np.nan)
    total = np.concatenate(([0.0], np.cumsum(np.maximum(np.diff(value), 0.0))))
    found: Floats = np.diff(np.interp(edges_ns, t_ns, total)) / (np.diff(edges_ns) / NS)
    # A reading comes a little after the load began, or before it ended: half a step's overlap is enough.
    middle = (edges_ns[:-1] + edges_ns[1:]) // 2
    found[(middle < t_ns[0]) | (middle > t_ns[-1])] = np.nan
    for gap_ns in series.t_ns[~known]:
        before, after = np.searchsorted(t_ns, gap_ns) - 1, np.searchsorted(t_ns, gap_ns)
        from_ns = t_ns[before] if before >= 0 else edges_ns[0]
        to_ns = t_ns[after] if after < t_ns.size else edges_ns[-1]
        found[(edges_ns[1:] > from_ns) & (edges_ns[:-1] < to_ns)] = np.nan
    return found


def levels(series: Series, edges_ns: Edges) -> Floats:
    """Mean of a gauge's readings in each step; a step without one has the last reading, for a while."""
    known = np.isfinite(series.value)
    t_ns, value = series.t_ns[known], series.value[known]
    found = np.full(edges_ns.size - 1, np.nan)
    if not t_ns.size:
        return found
    first, last = np.searchsorted(t_ns, edges_ns[:-1]), np.searchsorted(t_ns, edges_ns[1:])
    for step, (low, high) in enumerate(zip(first, last, strict=True)):
        if high > low:
            found[step] = value[low:high].mean()
        elif low > 0 and edges_ns[step] - t_ns[low - 1] <= HELD_NS:
            found[step] = value[low - 1]
    gaps = series.t_ns[~known]
    found[np.unique(np.clip(np.searchsorted(edges_ns, gaps, side="right") - 1, 0, found.size - 1))] = np.nan
    return found
