"""OpenMetrics: a page that Prometheus scrapes, on this machine unless another address is named.

## What is told

Gauges of the last second `loadrig_due_per_second`, `loadrig_good_per_second`, `loadrig_failed_per_second`,
`loadrig_in_flight`, `loadrig_users`, `loadrig_cores` and `loadrig_memory_bytes` (label `component`), and the
counter `loadrig_requests_total` (label `outcome`) of the trial.
The summary `loadrig_response_seconds`: its quantiles (label `quantile`) are those of the last second, its
count and sum those of all good answers of the trial.
Every one has the label `plan`.
Who asks for protobuf, as Prometheus does with native histograms switched on, gets the native histogram
`loadrig_request_duration_seconds` (labels `route` and `outcome`) of the trial as well, in seconds from when
a request was due.

## Who receives it

Prometheus, Grafana's agents, VictoriaMetrics, an OpenTelemetry collector, by a scrape of
`http://127.0.0.1:PORT/metrics`. `--to openmetrics=9464` listens on the loopback address; an address
that is named
is listened on as it is: `--to openmetrics=0.0.0.0:9464`.

## What is missing

In text there is no histogram. Seconds between two scrapes; whatever was before the first but the counter.
"""

import contextlib
import http.server
import io
import threading
from collections.abc import Iterator, Mapping
from typing import Any, cast

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest

from loadrig._native import Histogram
from loadrig.language.choice import texts_of
from loadrig.language.en.publishers import PublishersTexts
from loadrig.publishers._exponential import SCALE, exponential
from loadrig.publishers._news import LiveFigure, LiveNews, figures
from loadrig.publishers._places import host_and_port
from loadrig.publishers._prometheus import lay_out, message

TITLE = texts_of(PublishersTexts).openmetrics
PLACE = "PORT"

LEAST_S = 1e-9
"""Breadth of the bucket around nought, in seconds: no time is below a nanosecond. Without one a histogram is
taken for one with fixed edges."""

PROTOBUF = "application/vnd.google.protobuf"
"""Type of what is scraped as protobuf. Source: Prometheus's formats of exposition."""

PROTOBUF_TYPE = f"{PROTOBUF}; proto=io.prometheus.client.MetricFamily; encoding=delimited"

SLOWEST_CLIENT_S = 5.0
"""Time in which a client must have sent its request, in seconds: one that does not holds a thread."""


class ScrapedPage:
    """Page of the last second, made anew at every look."""

    def __init__(self, plan: str) -> None:
        self._plan = plan
        self._metrics: list[Metric] = []
        self._last: list[LiveFigure] = []
        self._times: dict[tuple[str, str], Histogram] = {}
        self.content = self._page()

    def collect(self) -> list[Metric]:
        """Return every metric."""
        return self._metrics

    def _page(self) -> bytes:
        page: bytes = generate_latest(cast("CollectorRegistry", self))  # type: ignore[no-untyped-call]
        return page

    def take(self, news: LiveNews) -> None:
        """Replace the page."""
        families: dict[str, Metric] = {}
        if not news.has_sums:  # nothing new: what was there stays
            return
        if news.seconds:
            self._last = list(figures(news.seconds[-1]))
        for figure in (*self._last, *news.tiers()):
            name = f"loadrig_{figure.name}"
            labels = {"plan": self._plan, **figure.labels}
            if "quantile" in labels:
                # Only a summary may have this label, by the formats of exposition.
                summary = families.setdefault(name, self._summary(name, news.times))
                summary.add_sample(name, labels, figure.value)
                continue
            family = families.setdefault(name, GaugeMetricFamily(name, name, labels=tuple(labels)))
            cast("GaugeMetricFamily", family).add_metric(tuple(labels.values()), figure.value)
        ended = CounterMetricFamily("loadrig_requests", "Requests that ended.", labels=("plan", "outcome"))
        for outcome, count in news.ended.items():
            ended.add_metric((self._plan, outcome), count)
        # Copies: a scrape is answered by another thread, while the next second is added to these.
        times = {key: histogram.copy() for key, histogram in news.times.items()}
        self._metrics, self._times = [*families.values(), ended], times
        self.content = self._page()

    def _summary(self, name: str, times: Mapping[tuple[str, str], Histogram]) -> SummaryMetricFamily:
        """Return a summary with the count and the sum of good answers, where their times are known."""
        family = SummaryMetricFamily(name, name, labels=("plan",))
        good = [histogram for (_, outcome), histogram in times.items() if outcome == "ok"]
        if good:
            sum_ns = sum(histogram.mean_ns * histogram.count for histogram in good)
            count = sum(histogram.count for histogram in good)
            family.add_metric((self._plan,), count, sum_ns / 1e9)
        return family

    def protobuf(self) -> bytes:
        """Return the page as protobuf: each family after its length."""
        from google.protobuf import proto

        content = io.BytesIO()
        for metric in self._metrics:
            if metric.type == "summary":
                proto.serialize_length_prefixed(_summary_message(metric), content)
                continue
            is_counter = metric.type == "counter"
            name = f"{metric.name}_total" if is_counter else metric.name
            family = message("MetricFamily")(
                name=name, help=metric.documentation, type="COUNTER" if is_counter else "GAUGE"
            )
            for sample in metric.samples:
                point = family.metric.add()
                label_all(point, sample.labels)
                (point.counter if is_counter else point.gauge).value = sample.value
            proto.serialize_length_prefixed(family, content)
        if self._times:
            family = message("MetricFamily")(
                name="loadrig_request_duration_seconds", help="How long requests took.", type="HISTOGRAM"
            )
            for (route, outcome), histogram in self._times.items():
                point = family.metric.add()
                label_all(point, {"plan": self._plan, "route": route, "outcome": outcome})
                buckets, native = exponential(histogram), point.histogram
                native.sample_count, native.sample_sum = buckets.total, buckets.total_s
                native.schema, native.zero_threshold = SCALE, LEAST_S
                lay_out(buckets, native.positive_span, native.positive_delta)
            proto.serialize_length_prefixed(family, content)
        return content.getvalue()


def _summary_message(metric: Metric) -> Any:
    """Return a summary as protobuf: a point, which has the quantiles, the count and the sum."""
    family = message("MetricFamily")(name=metric.name, help=metric.documentation, type="SUMMARY")
    point = family.metric.add()
    for sample in metric.samples:
        labels = dict(sample.labels)
        if (quantile := labels.pop("quantile", None)) is not None:
            point.summary.quantile.add(quantile=float(quantile), value=sample.value)
        elif sample.name.endswith("_count"):
            point.summary.sample_count = int(sample.value)
        else:
            point.summary.sample_sum = sample.value
        del point.label[:]
        label_all(point, labels)
    return family


def label_all(metric: Any, labels: Mapping[str, str]) -> None:
    """Add the labels to a message."""
    for name, value in labels.items():
        metric.label.add(name=name, value=value)


def check(place: str) -> None:
    """Raise ValueError for a place without a port."""
    host_and_port(place)


@contextlib.contextmanager
def begin(place: str, plan: str) -> Iterator[ScrapedPage]:
    """Listen. Raises ValueError for a place that is none, OSError where it cannot be listened on."""
    page = ScrapedPage(plan)

    class ScrapeHandler(http.server.BaseHTTPRequestHandler):
        """Answers to a scrape."""

        timeout = SLOWEST_CLIENT_S

        def do_GET(self) -> None:
            """Send the page."""
            if self.path.partition("?")[0] not in ("/", "/metrics"):
                self.send_error(404)
                return
            # Prometheus names protobuf first where it wants native histograms, and last where it does not.
            is_protobuf = self.headers.get("Accept", "").startswith(PROTOBUF)
            content = page.protobuf() if is_protobuf else page.content
            self.send_response(200)
            self.send_header("Content-Type", PROTOBUF_TYPE if is_protobuf else CONTENT_TYPE_LATEST)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the library's
            """Say nothing of a request."""

    server = http.server.ThreadingHTTPServer(host_and_port(place), ScrapeHandler)
    server.daemon_threads = True
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="scrapes", daemon=True)
        thread.start()
        try:
            yield page
        finally:
            server.shutdown()
            thread.join()
