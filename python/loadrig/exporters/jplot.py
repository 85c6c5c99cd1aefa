"""JSON lines for jplot, as jaggr makes them: an object for every interval of the generator.

## What is written

`t` (seconds since 1970, the end of the interval), `rps` (requests that ended, a second), `latency` (`p50`,
`p90`, `p99`, `max` and `mean` of good answers, in nanoseconds as of vegeta; absent where there was
none), `code`
with `hist` (answers by the hundred of their status), `failed`, `in_flight`; and `due`, `unsent`,
`users` where
the run is not imported.
The warm-up and the drain are in it.

## Who reads it

`jplot --url … latency.p99 code.hist.500` from standard input, jq, anything that reads JSON lines.

## What is missing

Routes: lines are of the service as a whole.
"""

import json
from typing import BinaryIO

from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).jplot
FILE = "intervals.jsonl"

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
"""Quantiles that are written, by their name."""


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write a line for each frame."""
    recording = trial.recording
    for frame in recording.each_frame():
        histogram = next(
            recording.histograms((frame.t_ns, frame.end_ns), outcome="ok", kind=recording.times_kind)
        )
        by_class: dict[str, int] = {}
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
        if histogram.count:
            times = {name: histogram.quantile_ns(share) for name, share in QUANTILES.items()}
            line["latency"] = {**times, "mean": histogram.mean_ns}
        out.write((json.dumps(line) + "\n").encode())
