"""Version of HTTP that a plan names, or means where it names none."""

from collections.abc import Iterable, Mapping
from dataclasses import fields

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_load import PlanProtocolsErrors
from loadrig.plan.model import ConnectionParts, Connections, HttpVersion
from loadrig.plan.node import Node, Scalar, at, described
from loadrig.plan.reader import Reader
from loadrig.plan.requests import Protocol, Request
from loadrig.plan.written import WrittenConnections

ERRORS = texts_of(PlanProtocolsErrors)

VERSIONS: Mapping[str, HttpVersion] = {"1.1": "1.1", "2": "2"}

STREAMS = 100
"""Number of requests at once on an HTTP/2 connection unless the plan says otherwise. RFC 9113, section 6.5.2,
wants servers to allow no fewer; a server that allows fewer lowers it by its
SETTINGS_MAX_CONCURRENT_STREAMS."""

_MEANT_TWO = ("h2", "h2c", "http2", "http/2", "http/2.0", "2.0")
_WHY_NOT = {"1": ERRORS.closing_has_a_key, "3": ERRORS.no_http3}


def build_connections(
    reader: Reader, written: WrittenConnections, requests: Iterable[Request]
) -> Connections:
    """Return connections with HTTP version and streams filled in.

    requests: all of the plan, the login too.
    """
    named = _version(reader, written.http) if written.http is not None else None
    http = named or usual(requests)
    return Connections(
        **{part.name: getattr(written, part.name) for part in fields(ConnectionParts)},
        http=http,
        streams=written.streams or (STREAMS if http == "2" else 1),
    )


def usual(requests: Iterable[Request]) -> HttpVersion:
    """Return the version where the plan names none: 2 if all requests are gRPC calls, else 1.1.

    WebSockets do not count: they have HTTP/1.1 connections of their own in any case.
    """
    protocols = {request.protocol for request in requests} - {"websocket"}
    return "2" if protocols == {"grpc"} else "1.1"


def protocol_of(node: Node) -> Protocol:
    """Return the protocol of a request as written; http where it names none, which is reported elsewhere."""
    if at(node, "grpc") is not None:
        return "grpc"
    return "websocket" if at(node, "websocket") is not None else "http"


def _version(reader: Reader, node: Node) -> HttpVersion | None:
    """Return the version that `http:` names; None after a problem.

    YAML reads 1.1 as a number, and 2.0 is 2.
    """
    value = node.value if isinstance(node, Scalar) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text = f"{value:g}" if is_number else str(value).strip().lower()
    if text in VERSIONS:
        return VERSIONS[text]
    meant = ""
    if text in _MEANT_TWO or text == "3":
        meant = "2"
    elif text == "1":
        meant = "1.1"
    reader.reject(
        ERRORS.unknown_version(described(node), meant, _WHY_NOT.get(text, "")),
        code="plan.http-version",
        where=node.span,
        node=node,
    )
    return None
