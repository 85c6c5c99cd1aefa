"""Series observed in the measured part: the `series` of a trial's JSON."""

from typing import Any

import numpy as np

from loadrig.base.series import Series
from loadrig.recording.reader import Recording


def summaries(recording: Recording) -> dict[str, list[dict[str, Any]]]:
    """Return every series with a reading in the measured part, by name.

    The name is OpenTelemetry's, or "PROBE.METRIC" where it has none. Each entry says whose it is (component,
    subject), its unit and kind, how many readings there were, and their least, median and greatest value: of
    a gauge the level itself, of a counter its growth a second, with `grew`, the growth in all.
    """
    metrics = recording.manifest.get("metrics") or {}
    by_name: dict[str, list[dict[str, Any]]] = {}
    for key, series in sorted(recording.series().items()):
        name = f"{key.probe}.{key.metric}"
        summary = _summary(recording, series)
        if summary is not None:
            identity = {
                "component": key.component,
                "subject": key.subject,
                "probe": key.probe,
                "metric": key.metric,
            }
            by_name.setdefault(metrics.get(name, {}).get("otel") or name, []).append({**identity, **summary})
    return by_name


def _summary(recording: Recording, series: Series) -> dict[str, Any] | None:
    window = recording.measured
    inside = (series.t_ns > window.from_ns) & (series.t_ns <= window.to_ns) & np.isfinite(series.value)
    times, values = series.t_ns[inside], series.value[inside]
    if not values.size:
        return None
    summary: dict[str, Any] = {"unit": series.unit, "kind": series.kind, "n": int(values.size)}
    if series.kind != "counter":
        return {**summary, **_three(values)}
    seconds, grown = np.diff(times) / 1e9, np.diff(values)
    # A counter that fell has begun anew: that step is left out.
    good = (seconds > 0) & (grown >= 0)
    if not good.any():
        return None
    return {**summary, "grew": _plain(grown[good].sum()), **_three(grown[good] / seconds[good])}


def _three(values: "np.ndarray[Any, np.dtype[np.float64]]") -> dict[str, float]:
    return {
        "least": _plain(values.min()),
        "median": _plain(np.median(values)),
        "greatest": _plain(values.max()),
    }


def _plain(value: "np.floating[Any]") -> float:
    return float(f"{float(value):.6g}")
