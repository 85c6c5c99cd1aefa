"""Observed series on steps of time: counters as rates, levels as means, gaps as gaps.

What belongs here is how readings at a probe's own instants become one value for each step. The caller decides
which steps a trial is cut into, and what the values mean.
"""

from typing import TYPE_CHECKING, TypeAlias

from loadrig.base.later import Later
from loadrig.base.series import Series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = Later("numpy")

Floats: TypeAlias = "NDArray[np.float64]"
Bools: TypeAlias = "NDArray[np.bool_]"
Edges: TypeAlias = "NDArray[np.int64]"

NS = 1_000_000_000
LEAST_GAP_S = 1e-6
"""Seconds of unknown time from which a step has a gap: below it differences of sums are rounding errors."""

HELD_NS = 3 * NS
"""Time for which a level is taken to hold after its reading, in nanoseconds; a probe reads once a second."""


def rates(series: Series, edges_ns: Edges) -> Floats:
    """Return the growth a second of a counter in each step; NaN in steps that its readings do not span.

    Between two readings the growth is taken as even. A counter that falls was begun anew: that step adds
    nothing. A reading of NaN is a gap, and the steps that touch it are not known.
    """
    is_known = np.isfinite(series.value)
    t_ns, value = series.t_ns[is_known], series.value[is_known]
    if t_ns.size < 2:
        return np.full(edges_ns.size - 1, np.nan)
    total = np.concatenate(([0.0], np.cumsum(np.maximum(np.diff(value), 0.0))))
    growth: Floats = np.diff(np.interp(edges_ns, t_ns, total)) / (np.diff(edges_ns) / NS)
    # A reading comes a little after the load began, or before it ended: half a step's overlap is enough.
    middle = (edges_ns[:-1] + edges_ns[1:]) // 2
    growth[(middle < t_ns[0]) | (middle > t_ns[-1])] = np.nan
    for gap_ns in series.t_ns[~is_known]:
        before, after = np.searchsorted(t_ns, gap_ns) - 1, np.searchsorted(t_ns, gap_ns)
        from_ns = t_ns[before] if before >= 0 else edges_ns[0]
        to_ns = t_ns[after] if after < t_ns.size else edges_ns[-1]
        growth[(edges_ns[1:] > from_ns) & (edges_ns[:-1] < to_ns)] = np.nan
    return growth


def levels(series: Series, edges_ns: Edges) -> Floats:
    """Return the mean of a gauge's readings in each step.

    A step without one has the last reading, for a while.
    """
    is_known = np.isfinite(series.value)
    t_ns, value = series.t_ns[is_known], series.value[is_known]
    means = np.full(edges_ns.size - 1, np.nan)
    if not t_ns.size:
        return means
    first, last = np.searchsorted(t_ns, edges_ns[:-1]), np.searchsorted(t_ns, edges_ns[1:])
    for step, (low, high) in enumerate(zip(first, last, strict=True)):
        if high > low:
            means[step] = value[low:high].mean()
        elif low > 0 and edges_ns[step] - t_ns[low - 1] <= HELD_NS:
            means[step] = value[low - 1]
    gaps = series.t_ns[~is_known]
    means[np.clip(np.searchsorted(edges_ns, gaps, side="right") - 1, 0, means.size - 1)] = np.nan
    return means


def averages(series: Series, t_ns: Edges, edges_ns: Edges, longest_gap_s: float) -> Floats:
    """Return the mean in each step of values that are each the mean since the reading before: float64[n].

    t_ns: the instants of readings, increasing; the first of them only begins the time of the second. A
    reading that the series has no value for was zero. NaN in steps that begin before the first reading, end
    after the last one, or touch a time between readings longer than longest_gap_s, of which nothing is known.
    """
    if t_ns.size < 2:
        return np.full(edges_ns.size - 1, np.nan)
    lengths = np.diff(t_ns) / NS
    places = np.minimum(np.searchsorted(series.t_ns, t_ns[1:]), max(0, series.t_ns.size - 1))
    values = np.zeros(lengths.size)
    if series.t_ns.size:
        values = np.where(series.t_ns[places] == t_ns[1:], series.value[places], 0.0)
    is_unknown = (lengths > longest_gap_s) | ~np.isfinite(values)
    at, times = edges_ns.astype(np.float64), t_ns.astype(np.float64)
    is_known = np.concatenate(([0.0], np.cumsum(np.where(is_unknown, 0.0, values * lengths))))
    unknown = np.concatenate(([0.0], np.cumsum(np.where(is_unknown, lengths, 0.0))))
    means: Floats = np.diff(np.interp(at, times, is_known)) / (np.diff(at) / NS)
    has_gap = np.diff(np.interp(at, times, unknown)) > LEAST_GAP_S
    # A reading comes a little after the load began, or before it ended: half a step's overlap is enough.
    middle = (at[:-1] + at[1:]) / 2
    covered = np.minimum(at[1:], times[-1]) - np.maximum(at[:-1], times[0])
    outside = (middle < times[0]) | (middle > times[-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        means = means * np.diff(at) / covered
    means[outside | has_gap] = np.nan
    return means
