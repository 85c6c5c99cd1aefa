"""A small application that asks a redis and then works for about a millisecond: `gunicorn small:app`."""

import os
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any

ROUNDS = 10_000
_own = threading.local()


def app(_environ: dict[str, Any], start: Callable[[str, list[tuple[str, str]]], Any]) -> Iterable[bytes]:
    """Every path has the same answer."""
    line = getattr(_own, "line", None)
    if line is None:
        line = _own.line = socket.create_connection(("127.0.0.1", int(os.environ["REDIS_PORT"])))
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.sendall(b"PING\r\n")
    message = line.recv(64)
    body = b"%d %s" % (_work(), message)
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


def _work() -> int:
    total = 0
    for number in range(ROUNDS):
        total += number * number % 7
    return total
