"""The inspector of a Node process: the talk with it, and how one that the rig has had opened is closed.

Who reaches it can run code as the server, so it is leased before it is opened and closed by whoever comes
first: the rig, the next command after a kill, or the process itself, where the rig's lines in it are read no
more.
Whoever tells a process to close its inspector stays connected until the process has ended the connection.
A client that disconnects at the moment of the closing crashes Node 20 (SIGSEGV): 8 of 240 processes died of
it here, and none of 410 whose client stayed.
Source: Node's documentation (Debugger, inspector); the Chrome DevTools Protocol, domain Runtime.
"""

import contextlib
import json
import time
from typing import TYPE_CHECKING, Any

from loadrig.base import processes, sockets
from loadrig.base.base_texts import texts
from loadrig.base.leased import InspectorFacts
from loadrig.base.loopback import reached
from loadrig.base.running import Address
from loadrig.base.unavailable import Unavailable

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

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
    end = time.monotonic() + CLOSES_WITHIN_S
    while processes.is_alive(pid, start) and is_open(pid, port):
        if time.monotonic() > end:
            return False
        with contextlib.suppress(Unavailable):
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


def undone(facts: InspectorFacts) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Close an inspector that a dead rig has had opened.

    Return what was done and what could not be, as sentences.
    """
    pid, start, port = facts.pid, facts.start, facts.port
    was_open = processes.is_alive(pid, start) and is_open(pid, port)
    if not closed(pid, start, port):
        return (), (texts().inspector_open_still(str(pid), f"{HOST}:{port}"),)
    return ((texts().inspector_is_closed(str(pid)),) if was_open else ()), ()


def _tell_to_close(port: int) -> None:
    address = Address(HOST, port)
    talk = InspectorTalk(address, identity(address))
    flags = {"includeCommandLineAPI": True, "silent": True}
    try:
        # It is told also where its answer is late.
        with contextlib.suppress(Unavailable):
            talk.call("Runtime.evaluate", ANSWER_S, expression=_CLOSE, **flags)
        talk.wait_until_ended(CLOSES_WITHIN_S)
    finally:
        talk.close()


# --- talking to an inspector ----------------------------------------------------------------------


class InspectorTalk:
    """Connection to an inspector, open until `close`. Raises Unavailable where it does not answer.

    name: the inspector's random id, part of its URL. most_bytes: bound of an answer's size.
    """

    def __init__(self, address: Address, name: str, most_bytes: int | None = None) -> None:
        from websockets.exceptions import WebSocketException
        from websockets.sync.client import connect

        self._address, self._last_id = address, 0
        self._exits = contextlib.ExitStack()
        try:
            # Neither through a proxy nor with pings: pings are answered by a thread of their own, and so
            # tell nothing of the program. Over the loopback, packing would only cost the server CPU time.
            opening = connect(
                f"{address.url.replace('http', 'ws', 1)}/{name}", proxy=None, compression=None,
                ping_interval=None, open_timeout=ANSWER_S, close_timeout=0.2, max_size=most_bytes,
            )  # fmt: skip
            self._socket: ClientConnection = self._exits.enter_context(opening)
        except (OSError, WebSocketException) as error:
            raise _silent(address, str(error)) from None

    def call(self, method: str, timeout_s: float, **parameters: Any) -> dict[str, Any]:
        """Return the result of a method of the protocol; events that come meanwhile are ignored.

        Raises Unavailable, code probe.refused, where the answer is an error.
        """
        from websockets.exceptions import WebSocketException

        self._last_id += 1
        until = time.monotonic() + timeout_s
        try:
            self._socket.send(json.dumps({"id": self._last_id, "method": method, "params": parameters}))
            while True:
                answer = json.loads(self._socket.recv(timeout=max(0.0, until - time.monotonic())))
                if answer.get("id") == self._last_id:
                    break
        except TimeoutError:
            raise _silent(self._address, texts().nothing_within(f"{timeout_s:g} s")) from None
        except (OSError, WebSocketException, ValueError) as error:
            raise _silent(self._address, str(error)) from None
        if "error" in answer:
            why = answer["error"].get("message", texts().an_error).partition("\n")[0]
            where = f"{self._address.host}:{self._address.port}"
            raise Unavailable.of(texts().inspector_refuses(where, method, why), code="probe.refused")
        result: dict[str, Any] = answer.get("result") or {}
        return result

    def wait_until_ended(self, at_most_s: float) -> bool:
        """Wait until the process ends the connection, as it does when it closes its inspector.

        Return whether it has within this time.
        """
        from websockets.exceptions import ConnectionClosed

        until = time.monotonic() + at_most_s
        try:
            while True:
                self._socket.recv(timeout=max(0.0, until - time.monotonic()))
        except ConnectionClosed:
            return True
        except TimeoutError:
            return False

    def close(self) -> None:
        """Close the connection; the inspector goes on listening."""
        from websockets.exceptions import WebSocketException

        with contextlib.suppress(OSError, WebSocketException):
            self._exits.close()


def identity(address: Address) -> str:
    """Return the random id of an inspector. Raises Unavailable where none answers."""
    listed = page(address, "/json/list")
    try:
        return str(listed[0]["id"])
    except (LookupError, TypeError):
        raise _silent(address, texts().no_inspector) from None


def page(address: Address, path: str) -> Any:
    """Return what an inspector has at a path, as plain data. Raises Unavailable where none answers."""
    # Not at the top: with the mail library that it imports it takes 20 ms, and few leases are an inspector's.
    import http.client

    connection = http.client.HTTPConnection(reached(address.host), address.port, timeout=ANSWER_S)
    try:
        connection.request("GET", path)
        return json.loads(connection.getresponse().read(1 << 20))
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise _silent(address, str(error)) from None
    finally:
        connection.close()


def _silent(address: Address, why: str) -> Unavailable:
    return Unavailable.of(
        texts().inspector_silent(f"{address.host}:{address.port}", why), code="probe.no-answer"
    )
