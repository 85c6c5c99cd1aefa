"""Ways to a receiver of OTLP: HTTP, and gRPC where its library is installed."""

import contextlib
import os
import ssl
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from loadrig.language.choice import texts_of
from loadrig.language.en.publishers import PublishersTexts
from loadrig.publishers._post import LONGEST_S, post

TEXTS = texts_of(PublishersTexts)

NO_GRPC = TEXTS.no_grpc

HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
"""Variable of the environment with headers. Source, of this one and of those below: OpenTelemetry's
specification of exporters."""

PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
"""Variable of the environment that says what is spoken with an http(s) URL."""

CERTIFICATE = "OTEL_EXPORTER_OTLP_CERTIFICATE"
"""Variable of the environment with the file of the certificates that are trusted."""

CLIENT_CERTIFICATE = "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"
"""Variable of the environment with the file of the certificate that is shown to the receiver."""

CLIENT_KEY = "OTEL_EXPORTER_OTLP_CLIENT_KEY"
"""Variable of the environment with the file of that certificate's key, where it is not in the same file."""

OVER_HTTP, OVER_GRPC = "http/protobuf", "grpc"
"""Protocols that are spoken, as PROTOCOL names them."""

SECURE = {"http": False, "https": True, "grpc": False, "grpcs": True}
"""Schemes of places, each with whether it means TLS."""

GRPC_PORT = 4317
"""Port of OTLP over gRPC, where a place names none. Source: OpenTelemetry's specification."""

RETRIED_MS = 1000
"""Time until gRPC connects anew, in milliseconds: seconds are told once a second."""

Signal = Literal["metrics", "logs"]

METHODS: dict[Signal, str] = {
    "metrics": "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
    "logs": "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
}
"""Methods of gRPC. Source: the services of opentelemetry-proto."""


class OtlpPlace(NamedTuple):
    """Place of a receiver. address: a URL for HTTP, HOST:PORT for gRPC."""

    protocol: str
    address: str
    is_secure: bool


class OtlpWay(Protocol):
    """Way to a receiver that has been begun."""

    def deliver(self, signal: Signal, content: bytes) -> bytes:
        """Hand over a message and return the answer. Raises OSError where it is not taken."""


def place_of(place: str) -> OtlpPlace:
    """Return what a place means. Raises ValueError for one that means nothing."""
    parts = urllib.parse.urlsplit(place)
    if parts.scheme not in SECURE or "\0" in place:
        raise ValueError(TEXTS.no_otlp_url(place))
    protocol = OVER_GRPC
    if parts.scheme in ("http", "https"):
        protocol = os.environ.get(PROTOCOL, "") or OVER_HTTP
    if protocol not in (OVER_HTTP, OVER_GRPC):
        raise ValueError(TEXTS.no_otlp_protocol(PROTOCOL, protocol, f"{OVER_HTTP}, {OVER_GRPC}"))
    is_secure = SECURE[parts.scheme]
    if protocol == OVER_HTTP:
        return OtlpPlace(protocol, place.rstrip("/"), is_secure)
    if not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(TEXTS.no_grpc_place(place))
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return OtlpPlace(protocol, f"{host}:{parts.port or GRPC_PORT}", is_secure)


def headers_of(text: str) -> dict[str, str]:
    """Return the headers of "key=value,key=value", whose values are percent-encoded."""
    pairs = (pair.partition("=") for pair in text.split(",") if "=" in pair)
    return {key.strip(): urllib.parse.unquote(value.strip()) for key, _, value in pairs}


@contextlib.contextmanager
def otlp_way(place: OtlpPlace) -> Iterator[OtlpWay]:
    """Yield the way to a place. Raises OSError where files that it needs are missing."""
    if place.protocol == OVER_HTTP:
        yield HttpWay(place.address, _tls() if place.is_secure else None)
        return
    import grpc

    options = (
        ("grpc.primary_user_agent", "loadrig"),
        ("grpc.initial_reconnect_backoff_ms", RETRIED_MS),
        ("grpc.max_reconnect_backoff_ms", RETRIED_MS),
    )
    channel = (
        grpc.secure_channel(place.address, _credentials(), options)
        if place.is_secure
        else grpc.insecure_channel(place.address, options)
    )
    with channel:
        yield GrpcWay(channel)


class HttpWay:
    """Way to the addresses below one URL."""

    def __init__(self, url: str, tls: ssl.SSLContext | None) -> None:
        self._url, self._tls = url, tls

    def deliver(self, signal: Signal, content: bytes) -> bytes:
        """Post a message to the address of its signal."""
        headers = {
            "Content-Type": "application/x-protobuf",
            "User-Agent": "loadrig",
            **headers_of(os.environ.get(HEADERS, "")),
        }
        return post(f"{self._url}/v1/{signal}", content, headers, self._tls)


class GrpcWay:
    """Way to the services of one server."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    def deliver(self, signal: Signal, content: bytes) -> bytes:
        """Call the method of a message's signal."""
        import grpc

        # gRPC takes names of headers in small letters alone.
        headers = [(key.lower(), value) for key, value in headers_of(os.environ.get(HEADERS, "")).items()]
        try:
            # Messages are bytes already, so the call has no codec.
            answer: bytes = self._channel.unary_unary(METHODS[signal])(
                content, timeout=LONGEST_S, metadata=headers
            )
        except grpc.RpcError as error:
            raise OSError(f"{error.code().name}: {error.details()}") from error
        except (TypeError, ValueError) as error:  # a header that gRPC cannot send
            raise OSError(str(error)) from error
        return answer


def _tls() -> ssl.SSLContext | None:
    """Return what the environment says of TLS for HTTP; None for what the system trusts."""
    trusted, shown, key = (os.environ.get(name) for name in (CERTIFICATE, CLIENT_CERTIFICATE, CLIENT_KEY))
    if not trusted and not shown:
        return None
    context = ssl.create_default_context(cafile=trusted or None)
    if shown:
        context.load_cert_chain(shown, key or None)
    return context


def _credentials() -> Any:
    """Return what the environment says of TLS for gRPC; without it what gRPC's library trusts."""
    import grpc

    trusted, shown, key = (os.environ.get(name) for name in (CERTIFICATE, CLIENT_CERTIFICATE, CLIENT_KEY))
    return grpc.ssl_channel_credentials(
        Path(trusted).read_bytes() if trusted else None,
        Path(key or shown).read_bytes() if shown else None,
        Path(shown).read_bytes() if shown else None,
    )
