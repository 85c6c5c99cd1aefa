"""Time from typing a command to its first request, and to its help, beside the peers' own."""

import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench import costs, peers
from bench.costs import Failed
from bench.figures import failures, key, markdown, of_tool, shown, tools, verdict
from bench.lab import Bench
from bench.results import slim
from bench.server import Server

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
WANTED_MS = 150.0
ANYWHERE = -1
"""No core is set: so is a command that is typed."""


class ColdWitness:
    """A server that answers and knows when it was first asked. Made by `watching`."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self.port: int = self._listener.getsockname()[1]
        self.asked_at: float | None = None
        self.is_over = False

    def serve(self) -> None:
        """Answer every read with one answer, until it is over."""
        while not self.is_over:
            for ready, _ in self._selector.select(timeout=0.05):
                if ready.fileobj is self._listener:
                    connection, _ = self._listener.accept()
                    self._selector.register(connection, selectors.EVENT_READ)
                    continue
                asking: socket.socket = ready.fileobj  # type: ignore[assignment]
                try:
                    if request := asking.recv(65536):
                        self.asked_at = self.asked_at or time.monotonic()
                        asking.sendall(ANSWER)
                        if b" HTTP/1.0\r\n" not in request or b"eep-" in request:
                            continue
                except OSError:
                    pass
                self._selector.unregister(asking)
                asking.close()
        for open_one in list(self._selector.get_map().values()):
            open_one.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()


@contextmanager
def watching() -> Iterator[ColdWitness]:
    """Yield a witness on a thread of its own for the length of the block."""
    witness = ColdWitness()
    thread = threading.Thread(target=witness.serve)
    thread.start()
    try:
        yield witness
    finally:
        witness.is_over = True
        thread.join(timeout=5)


summarise = slim("first_request_ms", "wall_s", "start_ms")


def measure(lab: Bench) -> dict[str, Any]:
    """Return the first request and the help or version of each, in turns."""
    peers_here = lab.peers_of("cold")
    rows = []
    for block in range(lab.runs):
        for peer in peers_here:
            with lab.turn():
                row: dict[str, Any] = {"tool": peer.name, "block": block}
                try:
                    row |= _first_request(lab, peer)
                    row |= _start(lab, peer.program)
                except Failed as failure:
                    row["failed"] = str(failure)
                rows.append(row)
    return {"rows": rows}


def _first_request(lab: Bench, peer: peers.Peer) -> dict[str, Any]:
    with watching() as witness:
        server = Server(f"http://127.0.0.1:{witness.port}/", witness.port, 0, [])
        began = time.monotonic()
        row = lab.run_peer(peer, server, core=ANYWHERE)
    if witness.asked_at is None:
        raise Failed("it asked for nothing")
    return {**row, "first_request_ms": 1e3 * (witness.asked_at - began)}


def _start(lab: Bench, program: str) -> dict[str, Any]:
    asks = "--help" if program == "loadrig" else peers.SAYS_VERSION.get(program)
    if asks is None:
        return {}
    ran = costs.run(lab.natives.cost, [lab.path_of(program), asks], ANYWHERE)
    return {"start_ms": 1e3 * ran.cost.wall_s, "start_peak_bytes": ran.cost.peak_bytes}


def tables(section: dict[str, Any]) -> list[str]:
    """Both times of each; the goals."""
    rows = section["rows"]
    first, start = key("first_request_ms"), key("start_ms")
    table = markdown(
        ["", "first request seen, ms", "whole command, ms", "its version (ours: help), ms"],
        [
            [
                name, shown(of_tool(rows, name, first)), shown(of_tool(rows, name, key("wall_s", scale=1e3))),
                shown(of_tool(rows, name, start)),
            ]
            for name in tools(rows, first)
        ],
        bold="loadrig attack",
    )  # fmt: skip
    goals = [
        verdict(
            "`loadrig attack`: its first request", of_tool(rows, "loadrig attack", first), WANTED_MS, " ms"
        ),
        verdict("`loadrig --help`", of_tool(rows, "loadrig attack", start), WANTED_MS, " ms"),
    ]
    return [table, "\n".join(goals), *failures(rows)]
