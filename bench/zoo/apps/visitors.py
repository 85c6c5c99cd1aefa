"""Visitors on a bad line: so many connections to a port, each of which sends its request a byte at a time."""

import socket
import sys
import time

port, many = map(int, sys.argv[1:])
TEXT = b"GET /orders HTTP/1.1\r\nHost: shop\r\nUser-Agent: " + b"x" * 200


def connect() -> socket.socket:
    """Return a visitor who has just come."""
    return socket.create_connection(("127.0.0.1", port))


visitors = [[connect(), 0] for _ in range(many)]
while True:
    for visitor in visitors:
        try:
            visitor[0].send(TEXT[visitor[1] : visitor[1] + 1] or b"x")
            visitor[1] += 1
        except OSError:
            visitor[:] = [connect(), 0]
    time.sleep(0.25)
