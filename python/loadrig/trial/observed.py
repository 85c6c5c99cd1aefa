"""Series observed in the measured part: the `series` of a trial's JSON."""

from typing import Any

import numpy as np

from loadrig.base.documents import ABSENT, Absent
from loadrig.base.series import Key, Series
from loadrig.recording.reader import Recording
from loadrig.trial.document import SeriesSummary


def summaries(recording: Recording) -> dict[str, tuple[SeriesSummary, ...]]:
    """Return every series with a reading in the measured part, by name.

    The name is OpenTelemetry's, or "PROBE.METRIC" where it has none.
    """
    metrics = recording.manifest.metrics
    by_name: dict[str, tuple[SeriesSummary, ...]] = {}
    for key, series in sorted(recording.series().items()):
        summary = _summary(recording, key, series)
        if summary is not None:
            name = f"{key.probe}.{key.metric}"
            shown = metrics[name].otel or name if name in metrics else name
            by_name[shown] = (*by_name.get(shown, ()), summary)
    return by_name


def _summary(recording: Recording, key: Key, series: Series) -> SeriesSummary | None:
    window = recording.measured
    inside = (series.t_ns > window.from_ns) & (series.t_ns <= window.to_ns) & np.isfinite(series.value)
    times, values = series.t_ns[inside], series.value[inside]
    if not values.size:
        return None
    grew: float | Absent = ABSENT
    readings = values.size
    if series.kind == "counter":
        seconds, grown = np.diff(times) / 1e9, np.diff(values)
        # A counter that fell has begun anew: that step is left out.
        good = (seconds > 0) & (grown >= 0)
        if not good.any():
            return None
        grew, values = _plain(grown[good].sum()), grown[good] / seconds[good]
    return SeriesSummary(
        component=key.component,
        subject=key.subject,
        probe=key.probe,
        metric=key.metric,
        unit=series.unit,
        kind="counter" if series.kind == "counter" else "gauge",
        n=int(readings),
        grew=grew,
        least=_plain(values.min()),
        median=_plain(np.median(values)),
        greatest=_plain(values.max()),
    )


def _plain(value: "np.floating[Any]") -> float:
    return float(f"{float(value):.6g}")
