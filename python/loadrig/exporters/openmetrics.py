"""OpenMetrics text: the totals of the measured part, as a scrape at its end would have seen them.

## What is written

| metric | labels | meaning |
| --- | --- | --- |
| `loadrig_request_duration_seconds` | `route`, `outcome` | histogram of how long requests took: from when they were due, of an imported run from when they were sent |
| `loadrig_requests_total` | `route`, `outcome` | requests that ended |
| `loadrig_requests_due_total`, `loadrig_requests_unsent_total` | | requests due, and of these never sent |
| `loadrig_goal_met` | `goal` | 1 or 0; absent where it could not be decided |
| `loadrig_measured_seconds` | | length of the measured part |

All have the label `plan`, and the time at which the measured part ended.

## Who reads it

Prometheus (`promtool tsdb create-blocks-from openmetrics FILE`), its textfile collectors, VictoriaMetrics.

## What is missing

The course over time, for which there are `csv`, `parquet` and `influx`.
"""  # noqa: E501

from collections.abc import Iterator, Mapping
from typing import BinaryIO, cast

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.openmetrics.exposition import generate_latest

from loadrig._native import Histogram
from loadrig.exporters._trial import ExportedTrial
from loadrig.language.choice import texts_of
from loadrig.language.en.exporters import ExportersTexts

TITLE = texts_of(ExportersTexts).openmetrics
FILE = "totals.om"

EDGES_S = (*(step * 10.0**power for power in range(-4, 2) for step in (1, 2, 5)), 100.0)
"""Edges of the buckets, in seconds: 0.1 ms to 100 s, three for each factor of ten."""


class TrialTotals:
    """Totals of the measured part, in the form in which prometheus_client writes metrics."""

    def __init__(self, trial: ExportedTrial) -> None:
        self._trial = trial
        self._plan = trial.name
        self._at_s = trial.since_1970(trial.recording.measured.to_ns) / 1e9

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        document = self._trial.document
        yield self._durations()
        yield self._requests()
        if document.imported is None or not document.imported:
            yield self._count("loadrig_requests_due", "Requests due.", document.load.requests)
            yield self._count("loadrig_requests_unsent", "Never sent.", document.load.unsent or 0)
        goals = GaugeMetricFamily("loadrig_goal_met", "Whether a goal was met.", labels=("plan", "goal"))
        for goal in document.goals:
            if goal.met is not None:
                goals.add_metric((self._plan, goal.text), float(goal.met), self._at_s)
        yield goals
        seconds = GaugeMetricFamily(
            "loadrig_measured_seconds", "Length of the measured part.", labels=("plan",), unit="seconds"
        )
        seconds.add_metric((self._plan,), document.measured.seconds, self._at_s)
        yield seconds

    def _durations(self) -> Metric:
        family = HistogramMetricFamily(
            "loadrig_request_duration_seconds", "How long requests took.",
            labels=("plan", "route", "outcome"), unit="seconds",
        )  # fmt: skip
        recording, measured = self._trial.recording, self._trial.recording.measured
        for route, outcomes in self._outcomes().items():
            for outcome in outcomes:
                histogram = recording.histogram(
                    route, outcome, recording.times_kind, measured.from_ns, measured.to_ns
                )
                if recording.imported is not None and not histogram.count:
                    continue  # another tool told how many there were, and no times
                total_s = histogram.mean_ns * histogram.count / 1e9
                labels = (self._plan, route, outcome)
                family.add_metric(labels, buckets(histogram), total_s, self._at_s)
        return family

    def _requests(self) -> Metric:
        family = CounterMetricFamily(
            "loadrig_requests", "Requests that ended.", labels=("plan", "route", "outcome")
        )
        for route, outcomes in self._outcomes().items():
            for outcome, count in outcomes.items():
                family.add_metric((self._plan, route, outcome), count, timestamp=self._at_s)
        return family

    def _outcomes(self) -> Mapping[str, Mapping[str, int]]:
        return {name: totals.outcomes for name, totals in self._trial.document.routes.items()}

    def _count(self, name: str, doc: str, value: int) -> Metric:
        family = CounterMetricFamily(name, doc, labels=("plan",))
        family.add_metric((self._plan,), value, timestamp=self._at_s)
        return family


def buckets(histogram: Histogram) -> list[tuple[str, float]]:
    """Return the cumulative counts at every edge, and at the end all of them."""
    counts = [(f"{edge:g}", float(histogram.count_between(0, int(edge * 1e9)))) for edge in EDGES_S]
    return [*counts, ("+Inf", float(histogram.count))]


def write(trial: ExportedTrial, out: BinaryIO) -> None:
    """Write every metric, and the end mark."""
    registry = cast("CollectorRegistry", TrialTotals(trial))
    out.write(generate_latest(registry))  # type: ignore[no-untyped-call]
