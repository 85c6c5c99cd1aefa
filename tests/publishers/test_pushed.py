"""News of a run in protobuf: read by OpenTelemetry's published messages and by ours."""

import http.server
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cramjam
import pytest
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2

from loadrig._native import Histogram
from loadrig.following.document import HappeningDocument, SecondDocument, TierDocument, TrialNewsDocument
from loadrig.publishers import LiveNews, otlp, remote_write
from loadrig.publishers._exponential import SCALE, exponential
from loadrig.publishers._otlp_ways import HEADERS
from loadrig.publishers._prometheus import message

TIMES_MS = [1, 2, 2, 3, 50, 50, 50, 700, 4000]


def timed(times_ms: list[int]) -> Histogram:
    histogram = Histogram()
    for time_ms in times_ms:
        histogram.record(time_ms * 1_000_000)
    return histogram


def pushed_news(number: int = 1) -> LiveNews:
    second = SecondDocument(
        t_s=1.5, planned=100.0, due=100.0, ok=95.0, failed=5.0, p50_s=0.01, p95_s=None, p99_s=0.2,
        in_flight=3, users=0, lag_s=None, busy_share=0.1,
    )  # fmt: skip
    event = HappeningDocument(t_s=1.25, kind="restarted", component="server", text="again")
    trial = TrialNewsDocument(
        number=number, seconds=(second,), outcomes={"ok": 9}, tiers=(TierDocument(name="server", cores=1.5),),
        happenings=(event,), counted_to_s=second.t_s, has_counted=True,
    )  # fmt: skip
    return LiveNews(trial, {("/cart", "ok"): timed(TIMES_MS)})


@contextmanager
def receiving(status: int = 200, answer: bytes = b"") -> Iterator[tuple[str, list[tuple[str, Any, bytes]]]]:
    """Yield a URL, and what has been posted below it."""
    posted: list[tuple[str, Any, bytes]] = []

    class PushHandler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(
                (self.path, self.headers, self.rfile.read(int(self.headers["Content-Length"])))
            )  # fmt: skip
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), PushHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", posted
        finally:
            server.shutdown()
            thread.join()


def test_every_time_lies_in_its_exponential_bucket() -> None:
    point = exponential(timed(TIMES_MS))
    assert point.total == len(TIMES_MS)
    assert point.total_s == pytest.approx(sum(TIMES_MS) / 1000, rel=0.003)
    for time_ms in TIMES_MS:
        place = math.ceil(math.log2(time_ms / 1000) * 2**SCALE) - 1
        # Beside an edge a time may be in the next bucket: it was read to 0.23 %.
        assert any(point.counts[max(0, at - point.first)] for at in (place, place + 1, place - 1))
    spans = list(point.spans())
    assert sum(gap + len(counts) for gap, counts in spans) == len(point.counts)
    assert exponential(Histogram()) == (0, [], 0, 0.0)


def test_otlp_sends_metrics_and_logs_as_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HEADERS, "x-scope=us%20all,authorization=Bearer of-a-test")
    with receiving() as (url, posted), otlp.begin(url, "shop") as receiver:
        receiver.take(pushed_news())
    (metrics_path, headers, metrics_content), (logs_path, _, logs_content) = posted
    assert (metrics_path, logs_path) == ("/v1/metrics", "/v1/logs")
    assert (headers["x-scope"], headers["Authorization"]) == ("us all", "Bearer of-a-test")
    (resource,) = metrics_service_pb2.ExportMetricsServiceRequest.FromString(metrics_content).resource_metrics
    metrics = {metric.name: metric for metric in resource.scope_metrics[0].metrics}
    assert metrics["loadrig.good_per_second"].gauge.data_points[0].as_double == 95
    assert metrics["loadrig.requests"].sum.data_points[0].as_int == 9
    (point,) = metrics["loadrig.request_duration"].exponential_histogram.data_points
    assert sum(point.positive.bucket_counts) == point.count == len(TIMES_MS)
    assert point.start_time_unix_nano < point.time_unix_nano == 1_500_000_000
    (logs,) = logs_service_pb2.ExportLogsServiceRequest.FromString(logs_content).resource_logs
    (record,) = logs.scope_logs[0].log_records
    assert (record.event_name, record.body.string_value) == ("restarted", "again")


def test_requests_of_the_second_that_a_load_did_not_fill_are_told() -> None:
    whole = pushed_news()
    part = TrialNewsDocument(number=1, outcomes={"ok": 12}, counted_to_s=1.7, has_counted=True)
    nothing = TrialNewsDocument(number=1, outcomes={"ok": 12}, counted_to_s=1.7)
    with (
        receiving() as (url, otlp_posted),
        otlp.begin(url, "shop") as over_otlp,
        receiving(204) as (write_url, posted),
        remote_write.begin(f"{write_url}/api/v1/write", "shop") as over_remote_write,
    ):
        for news in (whole, LiveNews(part, whole.times), LiveNews(nothing, whole.times)):
            over_otlp.take(news)
            over_remote_write.take(news)
    metrics_content = [content for path, _, content in otlp_posted if path == "/v1/metrics"][-1]
    (resource,) = metrics_service_pb2.ExportMetricsServiceRequest.FromString(metrics_content).resource_metrics
    metrics = {metric.name: metric for metric in resource.scope_metrics[0].metrics}
    (point,) = metrics["loadrig.requests"].sum.data_points
    assert (point.as_int, point.time_unix_nano) == (12, 1_700_000_000)
    assert "loadrig.due_per_second" not in metrics
    (_, (_, _, content)) = posted
    request = message("WriteRequest").FromString(bytes(cramjam.snappy.decompress_raw(content)))
    by_name = {each.labels[0].value: each for each in request.timeseries}
    assert by_name["loadrig_requests_total"].samples[0].value == 12


def test_what_an_otlp_receiver_refuses_is_an_error() -> None:
    refusal = metrics_service_pb2.ExportMetricsServiceResponse()
    refusal.partial_success.rejected_data_points = 3
    refusal.partial_success.error_message = "too old"
    with (
        receiving(answer=refusal.SerializeToString()) as (url, _),
        otlp.begin(url, "shop") as receiver,
        pytest.raises(OSError, match="too old"),
    ):
        receiver.take(pushed_news())


def test_remote_write_sends_native_histograms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(remote_write.TOKEN, "of-a-test")
    with receiving(204) as (url, posted), remote_write.begin(f"{url}/api/v1/write", "shop") as receiver:
        receiver.take(pushed_news())
    ((path, headers, content),) = posted
    assert (path, headers["Authorization"]) == ("/api/v1/write", "Bearer of-a-test")
    request = message("WriteRequest").FromString(bytes(cramjam.snappy.decompress_raw(content)))
    for each in request.timeseries:
        names = [label.name for label in each.labels]
        assert names == sorted(names)
    by_name = {each.labels[0].value: each for each in request.timeseries}
    assert by_name["loadrig_requests_total"].samples[0].value == 9
    (histogram,) = by_name["loadrig_request_duration_seconds"].histograms
    assert histogram.count_int == len(TIMES_MS)
    counts, total = 0, 0
    for delta in histogram.positive_deltas:
        counts += delta
        total += counts
    assert total == len(TIMES_MS)
    assert sum(span.length for span in histogram.positive_spans) == len(histogram.positive_deltas)


def test_a_receiver_that_does_not_take_it_is_an_error() -> None:
    with (
        receiving(400, b"out of order") as (url, _),
        remote_write.begin(url, "shop") as receiver,
        pytest.raises(OSError, match="out of order"),
    ):
        receiver.take(pushed_news())


@pytest.mark.parametrize("url", ["http://", "http://[::1", "http://127.0.0.1:x/", "http://127.0.0.1:1/"])
def test_an_address_that_cannot_be_asked_is_an_error_and_no_crash(url: str) -> None:
    with remote_write.begin(url, "shop") as receiver, pytest.raises(OSError, match=r"."):
        receiver.take(pushed_news())
