"""OpenMetrics: a page that Prometheus scrapes, on this machine unless another address is named.

## What is told

Gauges of the last second `loadrig_due_per_second`, `loadrig_good_per_second`, `loadrig_failed_per_second`,
`loadrig_in_flight`, `loadrig_users`, `loadrig_response_seconds` (label `quantile`), `loadrig_cores` and
`loadrig_memory_bytes` (label `component`), and the counter `loadrig_requests_total` (label `outcome`)
of the trial.
Every one has the label `plan`.

## Who receives it

Prometheus, Grafana's agents, VictoriaMetrics, an OpenTelemetry collector, by a scrape of
`http://127.0.0.1:PORT/metrics`. `--to openmetrics=9464` listens on the loopback address; an address
that is named
is listened on as it is: `--to openmetrics=0.0.0.0:9464`.

## What is missing

Seconds between two scrapes; whatever was before the first, but for the counter.
"""

import contextlib
import http.server
import threading
from collections.abc import Iterator
from typing import cast

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest

from loadrig.language.choice import texts_of
from loadrig.language.en.publishers import PublishersTexts
from loadrig.publishers._news import LiveNews, figures
from loadrig.publishers._places import host_and_port

TITLE = texts_of(PublishersTexts).openmetrics
PLACE = "PORT"

SLOWEST_CLIENT_S = 5.0
"""Time in which a client must have sent its request, in seconds: one that does not holds a thread."""


class ScrapedPage:
    """Page of the last second, made anew at every look."""

    def __init__(self, plan: str) -> None:
        self._plan = plan
        self._metrics: list[Metric] = []
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
        last = [] if not news.seconds else list(figures(news.seconds[-1]))
        for figure in (*last, *news.tiers()):
            name = f"loadrig_{figure.name}"
            labels = {"plan": self._plan, **figure.labels}
            family = families.setdefault(name, GaugeMetricFamily(name, name, labels=tuple(labels)))
            cast("GaugeMetricFamily", family).add_metric(tuple(labels.values()), figure.value)
        if not last:  # nothing new: what was there stays
            return
        ended = CounterMetricFamily("loadrig_requests", "Requests that ended.", labels=("plan", "outcome"))
        for outcome, count in news.ended.items():
            ended.add_metric((self._plan, outcome), count)
        self._metrics = [*families.values(), ended]
        self.content = self._page()


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
            content = page.content
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE_LATEST)
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
