"""OTLP over gRPC and over TLS: told to servers of the published services, by grpcio and by Python's own."""

import datetime
import http.server
import importlib.util
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2

from loadrig.publishers import _otlp_ways, otlp
from loadrig.publishers._otlp_ways import OVER_GRPC, OVER_HTTP, PROTOCOL, place_of
from tests.publishers.test_pushed import TIMES_MS, pushed_news

STOPS_WITHIN_S = 10.0


@dataclass
class OtlpServer:
    """Server of both services, as it was asked."""

    refusal: str = ""
    failure: grpc.StatusCode | None = None
    metrics: list[Any] = field(default_factory=list)
    logs: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def export_metrics(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.headers.append(dict(context.invocation_metadata()))
        if self.failure is not None:
            context.abort(self.failure, "not now")
        self.metrics.append(request)
        answer = metrics_service_pb2.ExportMetricsServiceResponse()
        answer.partial_success.error_message = self.refusal
        return answer

    def export_logs(self, request: Any, _context: grpc.ServicerContext) -> Any:
        self.logs.append(request)
        return logs_service_pb2.ExportLogsServiceResponse()

    @contextmanager
    def serving(self, credentials: grpc.ServerCredentials | None = None, port: int = 0) -> Iterator[int]:
        """Yield the port."""
        server = grpc.server(futures.ThreadPoolExecutor(2))
        services = (
            ("metrics", "Metrics", self.export_metrics, metrics_service_pb2),
            ("logs", "Logs", self.export_logs, logs_service_pb2),
        )
        for signal, word, method, messages in services:
            handler = grpc.unary_unary_rpc_method_handler(
                method,
                request_deserializer=getattr(messages, f"Export{word}ServiceRequest").FromString,
                response_serializer=getattr(messages, f"Export{word}ServiceResponse").SerializeToString,
            )
            name = f"opentelemetry.proto.collector.{signal}.v1.{word}Service"
            service = grpc.method_handlers_generic_handler(name, {"Export": handler})
            server.add_generic_rpc_handlers((service,))
        address = f"127.0.0.1:{port}"
        used = (
            server.add_insecure_port(address)
            if credentials is None
            else server.add_secure_port(address, credentials)
        )
        server.start()
        try:
            yield used
        finally:
            server.stop(None).wait(STOPS_WITHIN_S)


@dataclass(frozen=True)
class Certificate:
    """Certificate of 127.0.0.1 that signs itself, in files."""

    certificate: Path
    key: Path


def certificate(folder: Path, name: str) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = Certificate(folder / f"{name}.pem", folder / f"{name}.key")
    files.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    files.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return files


@pytest.fixture(autouse=True)
def _unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEADERS", "PROTOCOL", "CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"):
        monkeypatch.delenv(getattr(_otlp_ways, name), raising=False)


def test_grpc_is_told_metrics_and_logs_with_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_otlp_ways.HEADERS, "X-Scope=us%20all,authorization=Bearer of-a-test")
    server = OtlpServer()
    with server.serving() as port, otlp.begin(f"grpc://127.0.0.1:{port}", "shop") as receiver:
        receiver.take(pushed_news())
    (headers,) = server.headers
    assert (headers["x-scope"], headers["authorization"]) == ("us all", "Bearer of-a-test")
    assert headers["user-agent"].startswith("loadrig")
    (request,) = server.metrics
    metrics = {metric.name: metric for metric in request.resource_metrics[0].scope_metrics[0].metrics}
    assert metrics["loadrig.requests"].sum.data_points[0].as_int == 9
    (point,) = metrics["loadrig.request_duration"].exponential_histogram.data_points
    assert point.count == len(TIMES_MS)
    (logs,) = server.logs
    (record,) = logs.resource_logs[0].scope_logs[0].log_records
    assert (record.event_name, record.body.string_value) == ("restarted", "again")


def test_a_refusal_a_failure_and_an_unsendable_header_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = OtlpServer(refusal="too old")
    with refusing.serving() as port, otlp.begin(f"grpc://127.0.0.1:{port}", "shop") as receiver:
        with pytest.raises(OSError, match="too old"):
            receiver.take(pushed_news())
        refusing.failure = grpc.StatusCode.RESOURCE_EXHAUSTED
        with pytest.raises(OSError, match="RESOURCE_EXHAUSTED: not now"):
            receiver.take(pushed_news())
        monkeypatch.setenv(_otlp_ways.HEADERS, "a b=%00")
        with pytest.raises(OSError, match=r"."):
            receiver.take(pushed_news())


def test_a_receiver_that_comes_back_is_told_again_within_seconds() -> None:
    server = OtlpServer()
    with server.serving() as port:
        pass
    with otlp.begin(f"grpc://127.0.0.1:{port}", "shop") as receiver:
        with pytest.raises(OSError, match="UNAVAILABLE"):
            receiver.take(pushed_news())
        with server.serving(port=port):
            waiting = threading.Event()
            for _ in range(100):
                try:
                    receiver.take(pushed_news())
                except OSError:
                    waiting.wait(0.1)
                else:
                    break
    assert server.metrics


def test_grpc_over_tls_trusts_and_shows_what_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = certificate(tmp_path, "ours"), certificate(tmp_path, "theirs")
    credentials = grpc.ssl_server_credentials(
        [(theirs.key.read_bytes(), theirs.certificate.read_bytes())],
        root_certificates=ours.certificate.read_bytes(),
        require_client_auth=True,
    )
    server = OtlpServer()
    with server.serving(credentials) as port:
        monkeypatch.setenv(_otlp_ways.CERTIFICATE, str(theirs.certificate))
        with (
            otlp.begin(f"grpcs://127.0.0.1:{port}", "shop") as nobody,
            pytest.raises(OSError, match="UNAVAILABLE"),
        ):
            nobody.take(pushed_news())
        monkeypatch.setenv(_otlp_ways.CLIENT_CERTIFICATE, str(ours.certificate))
        monkeypatch.setenv(_otlp_ways.CLIENT_KEY, str(ours.key))
        monkeypatch.setenv(PROTOCOL, OVER_GRPC)
        with otlp.begin(f"https://127.0.0.1:{port}", "shop") as receiver:
            receiver.take(pushed_news())
    assert len(server.metrics) == len(server.logs) == 1


def test_http_over_tls_trusts_and_shows_what_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = certificate(tmp_path, "ours"), certificate(tmp_path, "theirs")
    posted = []

    class TlsHandler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            posted.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(ours.certificate))
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(theirs.certificate, theirs.key)
    with http.server.HTTPServer(("127.0.0.1", 0), TlsHandler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        url = f"https://127.0.0.1:{server.server_port}"
        try:
            with otlp.begin(url, "shop") as stranger, pytest.raises(OSError, match=r"(?i)certificate"):
                stranger.take(pushed_news())
            monkeypatch.setenv(_otlp_ways.CERTIFICATE, str(theirs.certificate))
            monkeypatch.setenv(_otlp_ways.CLIENT_CERTIFICATE, str(ours.certificate))
            monkeypatch.setenv(_otlp_ways.CLIENT_KEY, str(ours.key))
            with otlp.begin(url, "shop") as receiver:
                receiver.take(pushed_news())
        finally:
            server.shutdown()
            thread.join()
    assert posted == ["/v1/metrics", "/v1/logs"]


@pytest.mark.parametrize("scheme", ["grpcs", "https"])
def test_a_file_that_is_not_there_is_said_at_the_beginning(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(_otlp_ways.CERTIFICATE, str(tmp_path / "missing.pem"))
    with pytest.raises(FileNotFoundError), otlp.begin(f"{scheme}://127.0.0.1:1", "shop"):
        pass


def test_where_grpcio_is_missing_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match=r"loadrig\[otlp\]"), otlp.begin("grpc://127.0.0.1:1", "shop"):
        pass
    otlp.check("http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("place", "protocol", "meant"),
    [
        ("grpc://web", "", (OVER_GRPC, "web:4317", False)),
        ("grpcs://[::1]:9/", OVER_HTTP, (OVER_GRPC, "[::1]:9", True)),
        ("http://web:4317", OVER_GRPC, (OVER_GRPC, "web:4317", False)),
        ("https://web/otlp/", "", (OVER_HTTP, "https://web/otlp", True)),
        ("https://web/otlp", OVER_HTTP, (OVER_HTTP, "https://web/otlp", True)),
    ],
)
def test_a_place_says_what_is_spoken(
    place: str, protocol: str, meant: tuple[str, str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PROTOCOL, protocol)
    assert place_of(place) == meant


@pytest.mark.parametrize(
    ("place", "protocol"),
    [
        ("ftp://web", ""),
        ("127.0.0.1:4317", ""),
        ("http://web", "http/json"),
        ("http://web/v1/metrics", OVER_GRPC),
        ("grpc://", ""),
        ("grpc://web:99999", ""),
        ("grpc://[::1", ""),
        ("grpc://web:x", ""),
        ("grpc://web\0", ""),
        ("grpc://web?a=b", ""),
    ],
)
def test_a_place_that_means_nothing_is_refused(
    place: str, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PROTOCOL, protocol)
    with pytest.raises(ValueError, match=r"."):
        place_of(place)
