"""A threaded server of known truth: python -m bench.account.servers.threads CELL.

Each connection has a thread. Where requests wait in the accept queue there are as many threads as slots
instead, and each accepts for itself.
"""

import json
import os
import select
import socket
import ssl
import sys
import threading
import time
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from pathlib import Path
from typing import Any

from bench.account.cells import ACCEPT, KERNEL, PROCESS
from bench.account.servers import books

BACKLOG = 1024
STACK_BYTES = 256 << 10


class ThreadsServer:
    """The server. cell: what `cells.spec` has written."""

    def __init__(self, cell: dict[str, Any]) -> None:
        self._cell = cell
        self._is_plain = not cell["unix"] and not cell["certificate"]
        self._book = books.Book(self._is_plain)
        self._slots, self._pool = _places(cell["slots"]), _places(cell["pool"])
        self._lock = threading.Lock()
        self._free: list[socket.socket] = []
        self._answer = books.answer(cell["parts"], cell["closes"])
        self._data = os.urandom(cell["disk_kb"] << 10)
        self._tls = None
        if cell["certificate"]:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            folder = Path(cell["certificate"])
            self._tls.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        self._listener = self._listening()

    def start(self) -> int:
        """Accept from now on; the port, or 0 at a Unix socket."""
        cell = self._cell
        for _ in range(cell["slots"] if cell["queue"] == ACCEPT else 1):
            threading.Thread(target=self._accept, daemon=True).start()
        return 0 if cell["unix"] else int(self._listener.getsockname()[1])

    def book_json(self) -> str:
        """Return the book."""
        return self._book.to_json()

    def _listening(self) -> socket.socket:
        if self._cell["unix"]:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(self._cell["unix"])
            listener.listen(BACKLOG)
            return listener
        listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        if self._is_plain:
            books.stamped(listener)
        return listener

    def _accept(self) -> None:
        """Take connections, and serve them here or in threads of their own."""
        while True:
            connection, _ = self._listener.accept()
            accepted_ns = time.monotonic_ns()
            if self._cell["queue"] == ACCEPT:
                self._serve(connection, accepted_ns)
            else:
                threading.Thread(target=self._serve, args=(connection, accepted_ns), daemon=True).start()

    def _serve(self, connection: socket.socket, accepted_ns: int) -> None:
        """Answer the requests of a connection until its client leaves."""
        schedstat = books.schedstat()
        with suppress(OSError), closing(connection):
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            while self._answer_next(connection, accepted_ns, schedstat) and not self._cell["closes"]:
                accepted_ns = 0
        connection.close()
        os.close(schedstat)

    def _answer_next(self, connection: socket.socket, accepted_ns: int, schedstat: int) -> bool:
        """Read a request and answer it; False where there is none."""
        spent = books.Spent()
        if self._cell["queue"] == KERNEL:
            _wait(connection)
        with self._slot(KERNEL):
            read = self._read(connection)
            if read is None:
                return False
            read_ns, waited = read
            delay_ns = books.delay_ns(schedstat)
            books.before(spent, waited, accepted_ns, read_ns)
            with self._slot(PROCESS):
                spent.add("slot", read_ns)
                self._work(spent, schedstat)
                for part in self._answer:
                    # Before the write: behind it the thread waits for the interpreter, its answer sent.
                    written_ns = time.monotonic_ns()
                    connection.sendall(part)
            spent.fields["hand"] = written_ns - read_ns
            spent.fields["delay"] += books.delay_ns(schedstat) - delay_ns
        self._book.add(spent)
        return True

    def _slot(self, queue: str) -> AbstractContextManager[object]:
        """Return a slot, where it is here that requests wait for one."""
        return self._slots if self._cell["queue"] == queue else nullcontext()

    def _read(self, connection: socket.socket) -> tuple[int, int] | None:
        """Read a request: when, and how long it had waited, 0 where that is not known; None at the end."""
        text, read_ns, waited = b"", 0, 0
        while not text.endswith(b"\r\n\r\n"):
            read_ns = _wait(connection)
            if self._is_plain:
                read_wall_ns = time.time_ns()
                data, ancillary, _, _ = connection.recvmsg(65536, books.ANCILLARY_BYTES)
                waited = books.waited_ns(ancillary, read_wall_ns)
            else:
                data = connection.recv(65536)
            if not data:
                return None
            text += data
        return read_ns, waited

    def _work(self, spent: books.Spent, schedstat: int) -> None:
        cell = self._cell
        if cell["sleep_ms"]:
            time.sleep(cell["sleep_ms"] / 1e3)
        if cell["cpu_ms"]:
            books.burn(spent, cell["cpu_ms"])
        if cell["lock_ms"]:
            began = time.monotonic_ns()
            with self._lock:
                time.sleep(cell["lock_ms"] / 1e3)
            spent.add("lock", began)
        if cell["calls"]:
            began = time.monotonic_ns()
            with self._pool:
                spent.add("pool", began)
                delay_ns = books.delay_ns(schedstat)
                self._call(spent)
                spent.fields["delay"] -= books.delay_ns(schedstat) - delay_ns
        if cell["disk_kb"]:
            books.synced(spent, f"{cell['file']}.{threading.get_ident()}", self._data, schedstat)

    def _call(self, spent: books.Spent) -> None:
        """Ask the dependency over a connection that is free, or a new one."""
        port = self._cell["dependency_port"]
        try:
            connection = self._free.pop()
        except IndexError:
            connection = socket.create_connection(("127.0.0.1", port))
        began = time.monotonic_ns()
        connection.sendall(books.call(port))
        text, read_ns = b"", began
        while not text.endswith(b"ok"):
            read_ns = _wait(connection)
            data = connection.recv(65536)
            if not data:
                raise ConnectionError("the dependency has gone")
            text += data
        spent.fields["call"] += read_ns - began
        self._free.append(connection)


def _wait(connection: socket.socket) -> int:
    """Wait until there is something to read, and say when the thread could read it.

    A thread that waits in the reading itself has read before it has the interpreter, and cannot tell when.
    """
    if not (isinstance(connection, ssl.SSLSocket) and connection.pending()):
        waits = select.poll()
        waits.register(connection, select.POLLIN)
        waits.poll()
    return time.monotonic_ns()


def _places(number: int) -> AbstractContextManager[object]:
    """So many places that are waited for; 0 has room for all."""
    return threading.Semaphore(number) if number else nullcontext()


def main(cell: str) -> None:
    """Serve until standard input closes."""
    threading.stack_size(STACK_BYTES)
    server = ThreadsServer(json.loads(cell))
    print(json.dumps({"port": server.start()}), flush=True)
    sys.stdin.read()
    print(server.book_json(), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
