"""Series that probes saw, on the columns of a trial's time axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig.base.component import SERVER
from loadrig.base.later import Later
from loadrig.base.series import Series
from loadrig.language.descriptions import described
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from loadrig.stats.arrays import Floats

    Ticks = NDArray[np.int64]
else:  # a run without observers does not need numpy
    np = Later("numpy")

Numbers = tuple[float | None, ...]

_CPU_TIMES = frozenset({"process.run_delay_s", "cgroup.usage_s", "cgroup.user_s", "cgroup.system_s"})


@dataclass(frozen=True, slots=True)
class StripBand:
    """Level or rate, one value a column.

    low, high: least and greatest of the merged frames; equal to `mean` where nothing was merged.
    """

    mean: Numbers
    low: Numbers
    high: Numbers


@dataclass(frozen=True, slots=True)
class Observed:
    """Series that a probe saw of a metric, subject and component, on the columns of the time axis.

    A counter is shown as its rate; `unit` then ends in "/s" (CPU seconds a second are cores).
    """

    probe: str
    metric: str
    subject: str
    unit: str
    doc: str
    band: StripBand
    component: str = SERVER

    @property
    def key(self) -> tuple[str, str, str]:
        """Component, name (PROBE.METRIC) and subject."""
        return self.component, f"{self.probe}.{self.metric}", self.subject


def observed(recording: Recording, starts: Sequence[int], end_ns: int) -> tuple[Observed, ...]:
    """Return all series of a recording. starts, end_ns: of the columns, on the rig's clock."""
    metrics = recording.manifest.metrics
    all_series = []
    for key, series in sorted(recording.series().items()):
        metric = metrics.get(f"{key.probe}.{key.metric}")
        doc = described("metrics", (key.probe, key.metric), metric.doc) if metric else ""
        unit = _shown_unit(key.probe, key.metric, series)
        band = _columns(*_readings(series), starts, end_ns)
        all_series.append(Observed(key.probe, key.metric, key.subject, unit, doc, band, key.component))
    return tuple(all_series)


def _shown_unit(probe: str, metric: str, series: Series) -> str:
    """Return the unit on the chart. Counts and shares have the unit "1"; a share is known by its name.

    Seconds a second are cores where they are of CPU time, else a share of time: of a collector's pauses, of
    a disk that is busy.
    """
    if series.kind == "counter" and series.unit == "s":
        is_cpu = "cpu" in metric or f"{probe}.{metric}" in _CPU_TIMES or probe == "system_cpu"
        return "cores" if is_cpu and metric != "stalled_s" else "1"
    if series.kind == "counter":
        return {"B": "B/s"}.get(series.unit, "1/s")
    if series.unit == "1" and not metric.endswith("_share"):
        return ""
    return series.unit


def _readings(series: Series) -> "tuple[Ticks, Floats]":
    """Return instants and values of a gauge; of a counter its rate since the reading before.

    A rate stands at the later of its two readings.
    """
    if series.kind != "counter":
        return series.t_ns, series.value
    took, grown = np.diff(series.t_ns), np.diff(series.value)
    # A counter that went back was reset (a process of the tree ended): no rate can be told.
    has_rate = (took > 0) & (grown >= 0)
    return series.t_ns[1:][has_rate], grown[has_rate] * 1e9 / took[has_rate]


def _columns(t_ns: "Ticks", values: "Floats", starts: Sequence[int], end_ns: int) -> StripBand:
    """Return readings put into columns; a column between two readings takes over the one before it."""
    column = np.searchsorted(np.asarray(starts), t_ns, side="right") - 1
    fits = (column >= 0) & (t_ns <= end_ns) & np.isfinite(values)
    column, values = column[fits], values[fits]
    if not values.size:
        nothing = (None,) * len(starts)
        return StripBand(nothing, nothing, nothing)
    filled, first = np.unique(column, return_index=True)
    ends = np.append(first[1:], values.size)
    whole = np.arange(filled[0], filled[-1] + 1)
    place = np.searchsorted(filled, whole, side="right") - 1
    is_own, last = filled[place] == whole, values[ends - 1]

    def spread(amounts: "Floats") -> Numbers:
        every: list[float | None] = [None] * len(starts)
        every[filled[0] : filled[-1] + 1] = np.where(is_own, amounts[place], last[place]).tolist()
        return tuple(every)

    means = np.add.reduceat(values, first) / (ends - first)
    return StripBand(
        *map(spread, (means, np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)))
    )
