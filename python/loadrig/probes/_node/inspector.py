"""The inspector of a Node process: found, opened, asked, closed.

Source: Node's documentation (Debugger, inspector, process events: SIGUSR1); the Chrome DevTools Protocol,
domain Runtime. What is asked is answered also while the event loop stands still: V8 interrupts itself.
"""

import json
import os
import signal
import time
from collections.abc import Callable
from typing import Any

from loadrig.base import leases, node_inspector, processes, sockets
from loadrig.base.leased import InspectorFacts
from loadrig.base.leases import Lease
from loadrig.base.node_inspector import USUAL_PORT as USUAL_PORT
from loadrig.base.running import Address
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_node import ProbesNodeInspectorErrors
from loadrig.probes._pages import Pages
from loadrig.probes._session import Lost, Unavailable

ERRORS = texts_of(ProbesNodeInspectorErrors)

OPENS_WITHIN_S = 1.0
ANSWER_S = 1.0

MOST_BYTES = 1 << 24
"""Largest answer that is read, in bytes: a reading has some hundred."""


class Closed(Lost):
    """Error where there is no inspector to talk to, and none was opened."""


class Inspector:
    """A connection to an inspector.

    Raises Lost, code probe.no-answer, where the inspector does not answer.
    """

    def __init__(self, host: str, port: int) -> None:
        self._where = f"{host}:{port}"
        try:
            self._talk = node_inspector.InspectorTalk(Address(host, port), identity(host, port), MOST_BYTES)
        except Unavailable as error:
            raise Lost(error.reason, error.mend, error.code) from None

    def evaluate(self, expression: str, timeout_s: float = ANSWER_S) -> Any:
        """Return the value of an expression, as plain data.

        The expression can use `require`, in modules of any kind.
        """
        flags = {"returnByValue": True, "includeCommandLineAPI": True, "silent": True}
        try:
            result = self._talk.call("Runtime.evaluate", timeout_s, expression=expression, **flags)
        except Unavailable as error:
            if error.code == "probe.refused":
                raise self._not_that(error.reason) from None
            raise Lost(error.reason, error.mend, error.code) from None
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise self._not_that(details.get("exception", {}).get("description", details.get("text", "")))
        return result["result"].get("value")

    def _not_that(self, why: str) -> Lost:
        first = why.partition("\n")[0]
        return Lost.of(ERRORS.questions_refused(self._where, first), code="probe.not-that")

    def wait_until_ended(self) -> bool:
        """Wait until the process, which is told to close its inspector, has ended the connection.

        Return whether it has; see base.node_inspector for why nobody disconnects meanwhile.
        """
        return self._talk.wait_until_ended(node_inspector.CLOSES_WITHIN_S)

    def close(self) -> None:
        """Close the connection; the inspector goes on listening."""
        self._talk.close()


def identity(host: str, port: int) -> str:
    """Return the id under which an inspector is spoken to. Raises Lost where none answers."""
    pages = Pages(Address(host, port).url)
    try:
        page = pages.get("/json/list", ANSWER_S)
        if page.status == 200:
            return str(json.loads(page.body)[0]["id"])
    except (ValueError, LookupError, TypeError):
        pass  # raised below
    finally:
        pages.close()
    raise Lost.of(ERRORS.no_inspector(f"{host}:{port}"), code="probe.not-that")


def ports_of(pid: int) -> set[int]:
    """Return the TCP ports on which a process listens by loopback."""
    listeners = {
        listener.inode: listener
        for listener in sockets.listeners()
        if listener.address in ("0.0.0.0", "::", "::1") or listener.address.startswith("127.")
    }
    held = sockets.holders(listeners, [pid]).get(pid, set())
    return {listeners[inode].port for inode in held}


def open_inspector(pid: int, opened: Callable[[Lease], None]) -> None:
    """Let a process open its inspector at USUAL_PORT.

    opened: called with the lease for closing it before anything is done, as a busy process may open it late.

    A Node process opens it at SIGUSR1, at port 9229 always, so only one process of a machine can be opened
    this way. It is not moved to another port from within, although the protocol can: of 60 processes of Node
    20 that closed and opened their inspectors in one go 2 died. Opening and closing alone killed none of 900.
    Raises Lost, and changes nothing, where that port is taken, the process would die of the signal, or
    cannot be reached.
    """
    _check_may_open(pid)
    start = processes.start_of(pid) or 0
    opened(leases.take(InspectorFacts(pid=pid, start=start, port=USUAL_PORT)))
    os.kill(pid, signal.SIGUSR1)
    until = time.monotonic() + OPENS_WITHIN_S
    while USUAL_PORT not in ports_of(pid):
        if time.monotonic() > until:
            raise Lost.of(ERRORS.not_opened_within(str(pid), f"{OPENS_WITHIN_S:g}"), code="probe.no-answer")
        time.sleep(0.01)


def close_inspector(lease: Lease, *, closes_itself: bool) -> bool:
    """Close an inspector that was opened, and end its lease. Return whether it is closed.

    closes_itself: whether it is closing by itself already, so that it is only waited for.
    """
    facts = lease.facts
    assert isinstance(facts, InspectorFacts)
    is_closed = closes_itself and node_inspector.wait_until_closed(facts.pid, facts.port, ANSWER_S / 2)
    is_closed = is_closed or node_inspector.closed(facts.pid, facts.start, facts.port)
    if is_closed:
        lease.end()
    return is_closed


def _check_may_open(pid: int) -> None:
    listeners = sockets.listeners_at("127.0.0.1", USUAL_PORT)
    if listeners:
        raise Closed.of(ERRORS.port_taken(str(pid), str(USUAL_PORT)), code="probe.no-inspector")
    if not processes.is_caught(pid, signal.SIGUSR1):
        raise Closed.of(ERRORS.signal_not_handled(str(pid)), code="probe.no-inspector")
    try:
        is_near = os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net")
        os.kill(pid, 0)
    except PermissionError:
        raise Lost.of(ERRORS.other_user(str(pid)), code="probe.no-right") from None
    except OSError:
        raise Lost.of(ERRORS.process_gone(str(pid)), code="probe.no-process") from None
    if not is_near:
        raise Closed.of(ERRORS.own_network(str(pid)), code="probe.no-inspector")


def node_processes(root: int) -> list[int]:
    """Return the processes of a tree that run Node, children before their parents."""
    return [pid for pid in reversed(processes.tree(root, processes.table())) if _is_node(pid)]


def _is_node(pid: int) -> bool:
    try:
        name = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:  # gone, or another user's
        return False
    return name.removesuffix(" (deleted)") in ("node", "nodejs")
