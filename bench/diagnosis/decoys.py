"""Decoys look like an illness and are none: each is there with the fault, and alone in healthy runs."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

MANY = 3_000
WITHIN_S = 3.0
BURN = """
import time
while True:
    end = time.monotonic() + 0.04
    while time.monotonic() < end:
        pass
    time.sleep(0.06)
"""
"""Two fifths of a core."""
OTHER_CORE = 0


@contextlib.contextmanager
def time_wait(port: int) -> Iterator[None]:
    """Thousands of connections that the server closed first: they wait for a minute and harm nobody."""
    end = time.monotonic() + WITHIN_S
    for _ in range(MANY):
        if time.monotonic() > end:
            break
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), timeout=2.0) as connection,
        ):
            connection.sendall(b"GET /list HTTP/1.1\r\nHost: store\r\nConnection: close\r\n\r\n")
            while connection.recv(65536):
                pass
    yield


@contextlib.contextmanager
def busy_core(port: int) -> Iterator[None]:  # noqa: ARG001 (a decoy is told the server's port)
    """Run a program beside the server that uses two fifths of a core that the server does not have."""
    burner = subprocess.Popen(
        [sys.executable, "-c", BURN], preexec_fn=lambda: os.sched_setaffinity(0, {OTHER_CORE})
    )
    try:
        yield
    finally:
        burner.kill()
        burner.wait()


@contextlib.contextmanager
def stand_in(port: int) -> Iterator[None]:
    """Something that takes connections, answers each, and closes first, where the server will be later."""
    is_over = threading.Event()

    def serve(listener: socket.socket) -> None:
        while not is_over.is_set():
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with socket.create_server(("127.0.0.1", port), backlog=64) as listener:
        listener.settimeout(0.1)
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


ALL: Mapping[str, Callable[[int], AbstractContextManager[None]]] = {
    "time_wait": time_wait,
    "busy_core": busy_core,
}
"""By name. Visible collections of garbage and a cache that fills are numbers of the applications."""
