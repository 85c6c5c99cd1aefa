"""Prometheus's remote write 1.0, with native histograms: seconds pushed as they come, under their own times.

## What is told

Gauges of each second `loadrig_due_per_second`, `loadrig_good_per_second`, `loadrig_failed_per_second`,
`loadrig_in_flight`, `loadrig_users`, `loadrig_response_seconds` (label `quantile`), `loadrig_cores` and
`loadrig_memory_bytes` (label `component`), the counter `loadrig_requests_total` (label `outcome`) of the
trial, and the native histogram `loadrig_request_duration_seconds` (labels `route` and `outcome`) of the
trial, in seconds from when a request was due.
Every one has the label `plan`.

## Who receives it

Prometheus (`--web.enable-remote-write-receiver`, before 3.8 with `--enable-feature=native-histograms`),
Grafana Mimir, VictoriaMetrics, Thanos: `--to remote_write=http://127.0.0.1:9090/api/v1/write`, with the token
that the environment has in `PROMETHEUS_RW_BEARER_TOKEN`.

## What is missing

Seconds that were told while the receiver was gone: they are not sent again.
Times are rounded to buckets that are 4.4 % wide.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.language.choice import texts_of
from loadrig.language.en.publishers import PublishersTexts
from loadrig.publishers._exponential import SCALE, exponential
from loadrig.publishers._news import LiveFigure, LiveNews, figures
from loadrig.publishers._post import is_url, post
from loadrig.publishers._prometheus import lay_out, message

TEXTS = texts_of(PublishersTexts)

TITLE = TEXTS.remote_write
PLACE = "URL"

TOKEN = "PROMETHEUS_RW_BEARER_TOKEN"
"""Variable of the environment with the token, so that it stands on no command line."""

HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
    "User-Agent": "loadrig",
}
"""Headers of a request. Source: Prometheus's specification of remote write 1.0."""


class RemoteWriter:
    """Writer to one URL."""

    def __init__(self, plan: str, url: str) -> None:
        self._plan, self._url = plan, url

    def take(self, news: LiveNews) -> None:
        """Write what is new. Raises OSError where it is not taken."""
        if not news.has_sums:
            return
        import cramjam

        content = self.request(news).SerializeToString()
        token = os.environ.get(TOKEN)
        headers = {**HEADERS, "Authorization": f"Bearer {token}"} if token else HEADERS
        post(self._url, bytes(cramjam.snappy.compress_raw(content)), headers)

    def request(self, news: LiveNews) -> Any:
        """Return what is new as a message."""
        request = message("WriteRequest")()
        series: dict[tuple[str, ...], Any] = {}

        def sample(figure: LiveFigure, at_ms: int) -> None:
            key = (figure.name, *figure.labels.values())
            if key not in series:
                series[key] = self._series(request, figure.name, figure.labels)
            series[key].samples.add(value=figure.value, timestamp=at_ms)

        for second in news.seconds:
            for figure in figures(second):
                sample(figure, int(second.t_s * 1000))
        at_ms = int(news.counted_to_s * 1000)
        for figure in news.tiers():
            sample(figure, at_ms)
        for outcome, count in news.ended.items():
            sample(LiveFigure("requests_total", {"outcome": outcome}, count), at_ms)
        for (route, outcome), times in news.times.items():
            labels = {"route": route, "outcome": outcome}
            buckets = exponential(times)
            histogram = self._series(request, "request_duration_seconds", labels).histograms.add(
                count_int=buckets.total, sum=buckets.total_s, schema=SCALE, zero_count_int=0, timestamp=at_ms
            )
            lay_out(buckets, histogram.positive_spans, histogram.positive_deltas)
        return request

    def _series(self, request: Any, name: str, labels: Mapping[str, str]) -> Any:
        series = request.timeseries.add()
        every = {"__name__": f"loadrig_{name}", "plan": self._plan, **labels}
        for label, value in sorted(every.items()):  # receivers refuse another order
            series.labels.add(name=label, value=value)
        return series


def check(place: str) -> None:
    """Raise ValueError for a place that is no URL."""
    if not is_url(place):
        raise ValueError(TEXTS.no_url(place, "http://127.0.0.1:9090/api/v1/write"))


@contextlib.contextmanager
def begin(place: str, plan: str) -> Iterator[RemoteWriter]:
    """Note the place. Raises ValueError for one that is no URL."""
    check(place)
    yield RemoteWriter(plan, place)
