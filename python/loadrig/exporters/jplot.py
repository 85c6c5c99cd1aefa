"""JSON lines for jplot, as jaggr makes them: an object for every interval of the generator.

## What is written

`t` (seconds since 1970, the end of the interval), `rps` (requests that ended, a second), `latency` (`p50`,
`p90`, `p99`, `max` and `mean` of good answers, in nanoseconds as of vegeta; 0 in an interval without any, as
of jaggr), `code` with `hist` (answers by the hundred of their status, from 100 to 500), `failed`,
`in_flight`; and `due`, `unsent`, `users` where the run is not imported.
Every line has the same fields, as jplot ends at a line that lacks a field.
The warm-up and the drain are in it.

## Who reads it

`jplot rps latency.p50+latency.p99 code.hist.500` from standard input, jq, anything that reads JSON lines.

## What is missing

Routes: lines are of the service as a whole. `latency` of imported sums, which have no times.
"""

import json
from typing import BinaryIO

from loadrig._native import Histogram
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).jplot
FILE = "intervals.jsonl"

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
"""Quantiles that are written, by their name."""

CLASSES = ("100", "200", "300", "400", "500")
"""Classes of statuses that every line counts, whether there were any answers of it or not."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write a line for each frame."""
    recording = trial.recording
    # Sums of another tool have no times, and zeros in every line would be figures that nobody gave.
    has_times = recording.imported is None or bool(
        recording.histogram(None, "ok", recording.times_kind).count
    )
    for frame in recording.each_frame():
        histogram = next(
            recording.histograms((frame.t_ns, frame.end_ns), outcome="ok", kind=recording.times_kind)
        )
        by_class = dict.fromkeys(CLASSES, 0)
        for status, count in frame.status.items():
            by_class[f"{status[0]}00"] = by_class.get(f"{status[0]}00", 0) + count
        ended = sum(row.count for row in frame.routes if row.route_class == "service")
        good = sum(row.count for row in frame.routes if row.route_class == "service" and row.outcome == "ok")
        line: dict[str, object] = {
            "t": trial.since_1970(frame.end_ns) / 1e9,
            "rps": ended / (frame.len_ns / 1e9) if frame.len_ns else 0.0,
            "failed": ended - good,
            "in_flight": frame.in_flight,
            "code": {"hist": by_class},
        }
        if recording.imported is None:
            line |= {"due": frame.due, "unsent": frame.unsent, "users": frame.users}
        if has_times:
            line["latency"] = _times(histogram)
        out.write((json.dumps(line) + "\n").encode())


def _times(histogram: Histogram) -> dict[str, float]:
    """Return the quantiles and the mean in nanoseconds, 0 where nothing was counted."""
    if not histogram.count:
        return dict.fromkeys((*QUANTILES, "mean"), 0.0)
    times = {name: float(histogram.quantile_ns(share)) for name, share in QUANTILES.items()}
    return {**times, "mean": histogram.mean_ns}
