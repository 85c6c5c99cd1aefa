"""The inspector that the rig has had a Node process open, and how it is closed, also by another rig.

Who reaches it can run code as the server, so it is leased before it is opened and closed by whoever comes
first: the rig, the next command after a kill, or the process itself, where the rig's lines in it are read no
more.
Source: Node's documentation (Debugger, inspector); the Chrome DevTools Protocol, domain Runtime.
"""

import contextlib
import json
import time
from collections.abc import Mapping
from typing import Any

from loadrig.base import processes, sockets

USUAL_PORT = 9229
"""Port at which Node always opens its inspector at SIGUSR1."""

HOST = "127.0.0.1"
ANSWER_S = 1.0
CLOSES_WITHIN_S = 2.0
"""Longest wait until an inspector is closed, in seconds: a process whose one thread is busy closes it when it
has a moment."""

_CLOSE = """{ const inspector = require("node:inspector"); setTimeout(() => inspector.close(), 1); 1 }"""


def is_open(pid: int, port: int = USUAL_PORT) -> bool:
    """Return whether a process listens at its inspector's port by loopback."""
    listeners = {listener.inode: listener for listener in sockets.listeners() if listener.port == port}
    return bool(sockets.holders(listeners, [pid]).get(pid))


def closed(pid: int, start: int, port: int = USUAL_PORT) -> bool:
    """Close the inspector of the process with this pid and start.

    Return whether it is closed, or the process gone.
    """
    # Not at the top: with the mail library that it imports it takes 20 ms, and few leases are an inspector's.
    import http.client

    end = time.monotonic() + CLOSES_WITHIN_S
    while processes.is_alive(pid, start) and is_open(pid, port):
        if time.monotonic() > end:
            return False
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, http.client.HTTPException):
            _tell_to_close(port)
        wait_until_closed(pid, port, ANSWER_S)
    return True


def wait_until_closed(pid: int, port: int, at_most_s: float) -> bool:
    """Wait until an inspector that was told to close has closed; return whether it has."""
    end = time.monotonic() + at_most_s
    while is_open(pid, port):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def undone(facts: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Close an inspector that a dead rig has had opened.

    Return what was done and what could not be, as sentences.
    """
    pid, start, port = facts["pid"], facts["start"], facts["port"]
    was_open = processes.is_alive(pid, start) and is_open(pid, port)
    if not closed(pid, start, port):
        return (), (f"the inspector of process {pid} at {HOST}:{port} is open still",)
    return ((f"the inspector of process {pid} is closed",) if was_open else ()), ()


def _tell_to_close(port: int) -> None:
    from websockets.exceptions import WebSocketException
    from websockets.sync.client import connect

    url = f"ws://{HOST}:{port}/{_identity(port)}"
    expression = {"expression": _CLOSE, "includeCommandLineAPI": True, "silent": True}
    try:
        with connect(
            url, proxy=None, compression=None, ping_interval=None, open_timeout=ANSWER_S, close_timeout=0.2
        ) as talk:
            talk.send(json.dumps({"id": 1, "method": "Runtime.evaluate", "params": expression}))
            talk.recv(timeout=ANSWER_S)
    except WebSocketException as error:
        raise OSError(str(error)) from None


def _identity(port: int) -> str:
    import http.client

    connection = http.client.HTTPConnection(HOST, port, timeout=ANSWER_S)
    try:
        connection.request("GET", "/json/list")
        return str(json.loads(connection.getresponse().read(1 << 20))[0]["id"])
    finally:
        connection.close()
