"""Outcomes of requests by our names: from a status, or from the text of an error.

Texts are those of Go's net/http (vegeta, k6) and of Java's sockets and Apache HttpClient (JMeter). What no
pattern knows is `failed`, never a guess.
"""

import re

ANSWERED = frozenset(("ok", "http_3xx", "http_4xx", "http_5xx", "check_failed", "grpc_error"))
"""Outcomes of requests that got an answer."""

OUTCOMES = (
    "ok", "http_3xx", "http_4xx", "http_5xx", "check_failed", "timeout", "connect_refused", "connect_timeout",
    "connect_reset", "connect_failed", "tls_failed", "reset", "closed", "stream_reset", "go_away", "not_http",
    "excess_body", "no_ports", "no_descriptors", "failed",
)  # fmt: skip
"""Outcomes that an importer may give, in a fixed order: a sample on the disk has the number of its own."""

_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE), outcome)
    for pattern, outcome in (
        # Tried in this order: specific patterns stand before general ones.
        (r"too many open files", "no_descriptors"),
        (r"cannot assign requested address|address already in use|bindexception", "no_ports"),
        (r"dial[^:]*: i/o timeout|connect(ion)? timed out|ConnectTimeoutException|dial: .*timeout",
         "connect_timeout"),
        (r"dial tcp.*(i/o timeout|deadline exceeded)", "connect_timeout"),
        (r"connection refused|HttpHostConnectException|ConnectException", "connect_refused"),
        (r"no such host|lookup .*:|UnknownHostException|no route to host|network is unreachable|"
         r"NoRouteToHostException", "connect_failed"),
        (r"tls:|x509|certificate|SSL\w*Exception|server gave HTTP response to HTTPS client", "tls_failed"),
        (r"GOAWAY", "go_away"),
        (r"stream error|RST_STREAM|StreamResetException", "stream_reset"),
        (r"timeout|timed out|deadline exceeded", "timeout"),
        (r"connection reset|broken pipe", "reset"),
        (r"\bEOF\b|server closed|NoHttpResponseException|ConnectionClosedException|failed to respond|"
         r"socket closed|use of closed network connection|Premature close|ClosedChannelException|"
         r"connection closed", "closed"),
        (r"malformed HTTP|ClientProtocolException|ProtocolException|not a valid HTTP", "not_http"),
    )
)  # fmt: skip


def outcome_of_text(text: str) -> str:
    """Return the outcome of a request without an answer, by its error's text; `failed` if nothing fits."""
    for pattern, outcome in _PATTERNS:
        if pattern.search(text):
            return outcome
    return "failed"


def outcome_of_status(status: int) -> str:
    """Return the outcome of an answer that its tool calls failed, by its status; else `check_failed`."""
    if 300 <= status < 400:
        return "http_3xx"
    if 400 <= status < 500:
        return "http_4xx"
    return "http_5xx" if 500 <= status < 600 else "check_failed"
