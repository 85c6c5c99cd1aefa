"""Servers that misbehave in one known way each, on a free port of 127.0.0.1, in threads."""

import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.servers._daemon import free_port as free_port

Answer = Callable[[socket.socket], None]
HeadAnswer = Callable[[socket.socket, bytes], None]

PAUSE_S = 0.005
"""Seconds until a kept connection is answered: users who do not think would fill both cores with requests."""


@contextmanager
def serving(answer: Answer, *, keep_open: bool = False, pause_s: float = PAUSE_S) -> Iterator[int]:
    """Yield the port of a server that lets `answer` do what it will with each request.

    keep_open: answer every request of a connection instead of one, each after a pause of `pause_s`.
    """
    with serving_heads(
        lambda connection, _: answer(connection), keep_open=keep_open, pause_s=pause_s
    ) as port:
        yield port


@contextmanager
def serving_heads(answer: HeadAnswer, *, keep_open: bool = False, pause_s: float = PAUSE_S) -> Iterator[int]:
    """Yield the port of a server that reads a request head, and what came with it, for `answer`.

    keep_open: answer every request of a connection instead of one, each after a pause of `pause_s`.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    listener.settimeout(0.1)
    over = threading.Event()
    threads: list[threading.Thread] = []

    def talk(connection: socket.socket) -> None:
        with connection:
            connection.settimeout(5.0)
            try:
                while not over.is_set() and (head := _read_head(connection)):
                    if keep_open:
                        time.sleep(pause_s)
                    answer(connection, head)
                    if not keep_open:
                        return
            except OSError:
                return

    def accept() -> None:
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            thread = threading.Thread(target=talk, args=(connection,), daemon=True)
            thread.start()
            threads.append(thread)

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    try:
        yield listener.getsockname()[1]
    finally:
        over.set()
        acceptor.join(timeout=5)
        listener.close()
        for thread in threads:
            thread.join(timeout=6)


def _read_head(connection: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        chunk = connection.recv(4096)
        if not chunk:
            return b""
        head += chunk
    return head


def ok(connection: socket.socket) -> None:
    """Give a good answer."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def reset(connection: socket.socket) -> None:
    """Send an RST instead of an answer."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def not_http(connection: socket.socket) -> None:
    """Send something, but not HTTP."""
    connection.sendall(b"220 mail.example ESMTP ready\r\n")


def longer_than_announced(connection: socket.socket) -> None:
    """Send more bytes than Content-Length says."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more")


def listens(port: int) -> bool:
    """Return whether somebody listens on a port of 127.0.0.1."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def answers(port: int) -> bool:
    """Return whether it answers a request: a gunicorn listens before it has a worker."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


@contextmanager
def recording(requests: list[bytes]) -> Iterator[int]:
    """Yield the port of a server that keeps every request whole (Content-Length bodies) and answers 200."""

    def talk(connection: socket.socket, head: bytes) -> None:
        start, _, body = head.partition(b"\r\n\r\n")
        for line in start.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                while len(body) < int(value):
                    body += connection.recv(4096)
        requests.append(start + b"\r\n\r\n" + body)
        ok(connection)

    with serving_heads(talk) as port:
        yield port
