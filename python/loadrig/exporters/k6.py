"""Summary of k6 as JSON: what `k6 run --summary-export FILE` writes.

## What is written

`http_reqs`, `http_req_failed`, `http_req_duration` (all requests, from when they were sent, in
milliseconds: what
k6 counts) and `http_req_duration{expected_response:true}` (good answers alone) of the measured part;
and what k6
has no name for: `loadrig_response` (good answers, from when they were due), `loadrig_requests_due`,
`loadrig_requests_unsent`.
Each goal is a threshold of `loadrig_goals`: as k6 writes them, `true` is a goal that was missed. A goal
that could
not be decided is left out.

## Who reads it

Whatever reads the file that `--summary-export` writes.

## What is missing

Phases of a request (`http_req_waiting`, `http_req_connecting` …), checks, groups and iterations, of
which there are
none; bytes and users of an imported run.
"""

import json
from typing import BinaryIO

from loadrig._native import Histogram
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).k6
FILE = "summary.json"

QUANTILES = {"med": 0.5, "p(90)": 0.9, "p(95)": 0.95, "p(99)": 0.99}
"""Quantiles of a summary, by k6's names."""

MS = 1e6


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write the summary."""
    out.write((json.dumps(summary(trial), indent=4) + "\n").encode())


def summary(trial: ExportedTrial) -> dict[str, object]:
    """Return the summary as k6 has it."""
    recording, document = trial.recording, trial.document
    seconds = document.measured.seconds
    ended = sum(document.outcomes.values())
    failed = ended - document.outcomes.get("ok", 0)
    metrics: dict[str, object] = {"http_reqs": _counter(ended, seconds)}
    if recording.imported is None or recording.imported.has_outcomes:
        # k6 counts a failure as a "pass" of this rate: it is a rate of failures.
        metrics["http_req_failed"] = {
            "passes": failed, "fails": ended - failed, "value": failed / ended if ended else 0.0,
        }  # fmt: skip
    times = _times(trial, None, "service")
    # Sums of another tool have no times, and zeros would be figures that nobody gave.
    if times.count or recording.imported is None:
        metrics["http_req_duration"] = _trend(times)
        metrics["http_req_duration{expected_response:true}"] = _trend(_times(trial, "ok", "service"))
    if recording.imported is None:
        metrics["loadrig_response"] = _trend(_times(trial, "ok", "response"))
        metrics["loadrig_requests_due"] = _counter(document.load.requests, seconds)
        metrics["loadrig_requests_unsent"] = _counter(document.load.unsent or 0, seconds)
    goals = {goal.text: not goal.met for goal in document.goals if goal.met is not None}
    if goals:
        metrics["loadrig_goals"] = {"thresholds": goals}
    root = {"name": "", "path": "", "id": "d41d8cd98f00b204e9800998ecf8427e", "groups": {}, "checks": {}}
    return {"root_group": root, "metrics": metrics}


def _times(trial: ExportedTrial, outcome: str | None, kind: str) -> Histogram:
    measured = trial.recording.measured
    return trial.recording.histogram(None, outcome, kind, measured.from_ns, measured.to_ns)


def _counter(count: int, seconds: float) -> dict[str, float]:
    return {"count": count, "rate": count / seconds if seconds else 0.0}


def _trend(histogram: Histogram) -> dict[str, float]:
    quantiles = {name: histogram.quantile_ns(share) / MS for name, share in QUANTILES.items()}
    ends = {"min": histogram.min_ns / MS, "max": histogram.max_ns / MS}
    return {"avg": histogram.mean_ns / MS, **ends, **quantiles}
