"""OpenTelemetry's OTLP over HTTP or gRPC: metrics of every second, and events of the run as logs.

## What is told

Gauges of each second `loadrig.due_per_second`, `loadrig.good_per_second`, `loadrig.failed_per_second`,
`loadrig.in_flight`, `loadrig.users`, `loadrig.response_seconds` (attribute `quantile`), `loadrig.cores` and
`loadrig.memory_bytes` (attribute `component`), the sum `loadrig.requests` (attribute `outcome`) of the trial,
and the exponential histogram `loadrig.request_duration` (attributes `route` and `outcome`, unit `s`) of the
trial, from when a request was due. Both are cumulative since the trial's first second.
Logs are the events of the run, such as a server that was restarted: `event_name` is the kind, the attribute
`component` says of what.
The resource has `service.name=loadrig` and `loadrig.plan`.

## Who receives it

An OpenTelemetry collector, Grafana Alloy, Prometheus 3, whatever takes OTLP in protobuf.
Over HTTP: `--to otlp=http://127.0.0.1:4318`, to which `/v1/metrics` and `/v1/logs` are appended.
Over gRPC: `--to otlp=grpc://127.0.0.1:4317`, or `grpcs://` with TLS; this needs
`pip install 'loadrig[otlp]'`. `OTEL_EXPORTER_OTLP_PROTOCOL=grpc` means the same with a URL of http or https.
Headers that it wants stand in `OTEL_EXPORTER_OTLP_HEADERS`, as `key=value,key=value`.
With TLS, `OTEL_EXPORTER_OTLP_CERTIFICATE` names the file of the certificates that are trusted,
`OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE` and `OTEL_EXPORTER_OTLP_CLIENT_KEY` what is shown to the receiver.

## What is missing

Seconds that were told while the receiver was gone: they are not sent again.
Times are rounded to buckets that are 4.4 % wide. Lines of the server's own log are not sent.
Nothing is compressed, and JSON is not spoken.
"""

import contextlib
import importlib.util
from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.language.choice import texts_of
from loadrig.language.en.publishers import PublishersTexts
from loadrig.publishers._exponential import SCALE, exponential
from loadrig.publishers._news import LiveFigure, LiveNews, figures
from loadrig.publishers._otlp_ways import NO_GRPC, OVER_GRPC, OtlpWay, Signal, otlp_way, place_of

TITLE = texts_of(PublishersTexts).otlp
PLACE = "URL"

SECOND_NS = 1_000_000_000


class OtlpSender:
    """Sender of both signals to one receiver."""

    def __init__(self, plan: str, way: OtlpWay) -> None:
        self._plan, self._way = plan, way
        self._trial, self._since_ns = (0, False), 0

    def take(self, news: LiveNews) -> None:
        """Send what is new. Raises OSError where it is not taken, or a part of it is refused."""
        if news.has_sums:
            from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics

            self._send("metrics", self.metrics(news), metrics.ExportMetricsServiceResponse())
        if news.happenings:
            from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs

            self._send("logs", self.logs(news), logs.ExportLogsServiceResponse())

    def _send(self, signal: Signal, request: Any, answer: Any) -> None:
        answer.ParseFromString(self._way.deliver(signal, request.SerializeToString()))
        if answer.partial_success.error_message:
            raise OSError(answer.partial_success.error_message)

    def metrics(self, news: LiveNews) -> Any:
        """Return the figures of every second as a message."""
        from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
        from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE

        trial = news.trial.number, news.trial.is_of_proof
        if trial != self._trial:
            first_s = news.seconds[0].t_s if news.seconds else news.counted_to_s
            self._trial, self._since_ns = trial, int(first_s * SECOND_NS) - SECOND_NS
        request = metrics_service_pb2.ExportMetricsServiceRequest()
        scope = self._scope(request.resource_metrics.add(), "scope_metrics")
        metrics: dict[str, Any] = {}

        def metric(name: str, unit: str) -> Any:
            if name not in metrics:
                metrics[name] = scope.metrics.add(name=f"loadrig.{name}", unit=unit)
            return metrics[name]

        def gauge(figure: LiveFigure, at_ns: int) -> None:
            point = metric(figure.name, "").gauge.data_points.add(
                time_unix_nano=at_ns, as_double=figure.value
            )
            attribute_all(point, figure.labels)

        for second in news.seconds:
            for figure in figures(second):
                gauge(figure, int(second.t_s * SECOND_NS))
        at_ns = int(news.counted_to_s * SECOND_NS)
        for figure in news.tiers():
            gauge(figure, at_ns)
        for outcome, count in news.ended.items():
            counted = metric("requests", "{request}").sum
            counted.is_monotonic, counted.aggregation_temporality = True, AGGREGATION_TEMPORALITY_CUMULATIVE
            point = counted.data_points.add(
                start_time_unix_nano=self._since_ns, time_unix_nano=at_ns, as_int=count
            )
            attribute_all(point, {"outcome": outcome})
        for (route, outcome), times in news.times.items():
            timed = metric("request_duration", "s").exponential_histogram
            timed.aggregation_temporality = AGGREGATION_TEMPORALITY_CUMULATIVE
            buckets = exponential(times)
            point = timed.data_points.add(
                start_time_unix_nano=self._since_ns, time_unix_nano=at_ns, scale=SCALE,
                count=buckets.total, sum=buckets.total_s,
                min=times.min_ns / SECOND_NS, max=times.max_ns / SECOND_NS,
            )  # fmt: skip
            point.positive.offset = buckets.first
            point.positive.bucket_counts.extend(buckets.counts)
            attribute_all(point, {"route": route, "outcome": outcome})
        return request

    def logs(self, news: LiveNews) -> Any:
        """Return the events of the run as a message."""
        from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
        from opentelemetry.proto.logs.v1.logs_pb2 import SEVERITY_NUMBER_INFO

        request = logs_service_pb2.ExportLogsServiceRequest()
        scope = self._scope(request.resource_logs.add(), "scope_logs")
        for event in news.happenings:
            at_ns = int(event.t_s * SECOND_NS)
            record = scope.log_records.add(
                time_unix_nano=at_ns, observed_time_unix_nano=at_ns, severity_number=SEVERITY_NUMBER_INFO,
                event_name=event.kind,
            )  # fmt: skip
            record.body.string_value = event.text
            attribute_all(record, {"component": event.component} if event.component else {})
        return request

    def _scope(self, resource: Any, field: str) -> Any:
        attribute_all(resource.resource, {"service.name": "loadrig", "loadrig.plan": self._plan})
        scope = getattr(resource, field).add()
        scope.scope.name = "loadrig"
        return scope


def attribute_all(message: Any, attributes: Mapping[str, str]) -> None:
    """Add the attributes to a message."""
    for key, value in attributes.items():
        message.attributes.add(key=key).value.string_value = value


def check(place: str) -> None:
    """Raise ValueError for a place that means none, and for gRPC where its library is not installed."""
    if place_of(place).protocol == OVER_GRPC and importlib.util.find_spec("grpc") is None:
        raise ValueError(NO_GRPC)


@contextlib.contextmanager
def begin(place: str, plan: str) -> Iterator[OtlpSender]:
    """Begin a way to the place. Raises ValueError as `check`, OSError where it lacks a file."""
    check(place)
    with otlp_way(place_of(place)) as way:
        yield OtlpSender(plan, way)
