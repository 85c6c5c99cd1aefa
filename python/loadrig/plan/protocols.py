"""Version of HTTP that a plan names, or means where it names none."""

from collections.abc import Iterable, Mapping
from dataclasses import fields

from loadrig.plan.model import ConnectionParts, Connections, HttpVersion, Protocol, Request
from loadrig.plan.node import Node, Scalar, at, described
from loadrig.plan.reader import Reader
from loadrig.plan.written import WrittenConnections

VERSIONS: Mapping[str, HttpVersion] = {"1.1": "1.1", "2": "2"}

STREAMS = 100
"""Number of requests at once on an HTTP/2 connection unless the plan says otherwise. RFC 9113, section 6.5.2,
wants servers to allow no fewer; a server that allows fewer lowers it by its
SETTINGS_MAX_CONCURRENT_STREAMS."""

_MEANT_TWO = ("h2", "h2c", "http2", "http/2", "http/2.0", "2.0")
_WHY_NOT = {
    "1": "a connection that closes after each request is connections: {keep_alive: false}",
    "3": "HTTP/3 is not spoken: the Rust crates for it are still experimental",
}


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
    mend = "write http: 1.1 or http: 2"
    if text in _MEANT_TWO or text == "3":
        mend = "write http: 2"
    elif text == "1":
        mend = "write http: 1.1"
    reader.problem(
        what=f"http is {described(node)}; it must be 1.1 or 2",
        where=node.span,
        why=_WHY_NOT.get(text, ""),
        mend=mend,
        code="plan.http-version",
        node=node,
    )
    return None
