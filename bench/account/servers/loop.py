"""An asyncio server of known truth, one loop in one thread: python -m bench.account.servers.loop CELL.

It reads sockets itself, and not by asyncio's streams: those read whatever has come, so that no request
would ever wait unread for anything but the loop, and the kernel's stamps of arrivals would be lost.
"""

import asyncio
import json
import os
import socket
import sys
import threading
import time
from contextlib import AbstractAsyncContextManager, closing, nullcontext, suppress
from typing import Any

from bench.account.cells import ACCEPT, KERNEL, PROCESS
from bench.account.servers import books

BACKLOG = 1024


class LoopServer:
    """The server. cell: what `cells.spec` has written. To be made inside of a running loop."""

    def __init__(self, cell: dict[str, Any]) -> None:
        self._cell = cell
        self._is_plain = not cell["unix"]
        self._book = books.Book(self._is_plain)
        self._slots, self._pool = _places(cell["slots"]), _places(cell["pool"])
        self._lock = asyncio.Lock()
        self._free: list[socket.socket] = []
        self._answer = books.answer(cell["parts"], cell["closes"])
        self._data = os.urandom(cell["disk_kb"] << 10)
        self._schedstat = books.schedstat()
        self._own = threading.local()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._listener = self._listening()

    def start(self) -> int:
        """Accept from now on; the port, or 0 at a Unix socket."""
        for _ in range(self._cell["slots"] if self._cell["queue"] == ACCEPT else 1):
            self._begin(self._accept())
        return 0 if self._cell["unix"] else int(self._listener.getsockname()[1])

    def book_json(self) -> str:
        """Return the book."""
        return self._book.to_json()

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _listening(self) -> socket.socket:
        if self._cell["unix"]:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(self._cell["unix"])
            listener.listen(BACKLOG)
        else:
            listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
            books.stamped(listener)
        listener.setblocking(False)
        return listener

    async def _accept(self) -> None:
        """Take connections, and serve them here or in tasks of their own."""
        while True:
            connection, _ = await self._loop.sock_accept(self._listener)
            accepted_ns = time.monotonic_ns()
            if self._cell["queue"] == ACCEPT:
                await self._serve(connection, accepted_ns)
            else:
                self._begin(self._serve(connection, accepted_ns))

    async def _serve(self, connection: socket.socket, accepted_ns: int) -> None:
        """Answer the requests of a connection until its client leaves."""
        connection.setblocking(False)
        with suppress(OSError), closing(connection):
            while await self._answer_next(connection, accepted_ns) and not self._cell["closes"]:
                accepted_ns = 0

    async def _answer_next(self, connection: socket.socket, accepted_ns: int) -> bool:
        """Read a request and answer it; False where there is none."""
        spent = books.Spent()
        if self._cell["queue"] == KERNEL:
            await self._readable(connection)
        async with self._slot(KERNEL):
            waited = await self._read(connection)
            if waited is None:
                return False
            read_ns = time.monotonic_ns()
            books.before(spent, waited, accepted_ns, read_ns)
            async with self._slot(PROCESS):
                spent.add("slot", read_ns)
                await self._work(spent)
                for part in self._answer:
                    await self._loop.sock_sendall(connection, part)
            spent.add("hand", read_ns)
        self._book.add(spent)
        return True

    def _slot(self, queue: str) -> AbstractAsyncContextManager[object]:
        """Return a slot, where it is here that requests wait for one."""
        return self._slots if self._cell["queue"] == queue else nullcontext()

    async def _readable(self, connection: socket.socket) -> None:
        """Wait until there is something to read, without reading it."""
        waiter: asyncio.Future[None] = self._loop.create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        self._loop.add_reader(connection, wake)
        try:
            await waiter
        finally:
            self._loop.remove_reader(connection)

    async def _read(self, connection: socket.socket) -> int | None:
        """Read a request and return how long it had waited, 0 where that is not known; None at the end."""
        text, waited = b"", 0
        while not text.endswith(b"\r\n\r\n"):
            try:
                data, ancillary, _, _ = connection.recvmsg(65536, books.ANCILLARY_BYTES)
            except BlockingIOError:
                await self._readable(connection)
                continue
            waited = books.waited_ns(ancillary, time.time_ns())
            if not data:
                return None
            text += data
        return waited

    async def _work(self, spent: books.Spent) -> None:
        cell = self._cell
        if cell["sleep_ms"]:
            await asyncio.sleep(cell["sleep_ms"] / 1e3)
        if cell["cpu_ms"]:
            delay_ns = books.delay_ns(self._schedstat)
            books.burn(spent, cell["cpu_ms"])
            spent.fields["delay"] += books.delay_ns(self._schedstat) - delay_ns
        if cell["lock_ms"]:
            began = time.monotonic_ns()
            async with self._lock:
                await asyncio.sleep(cell["lock_ms"] / 1e3)
            spent.add("lock", began)
        if cell["calls"]:
            began = time.monotonic_ns()
            async with self._pool:
                spent.add("pool", began)
                await self._call(spent)
        if cell["disk_kb"]:
            await self._loop.run_in_executor(None, self._synced, spent)

    def _synced(self, spent: books.Spent) -> None:
        """Sync in a thread of the executor's: its run delay is the request's, from its last work on."""
        if not hasattr(self._own, "schedstat"):
            self._own.schedstat, self._own.delay_ns = books.schedstat(), 0
        path = f"{self._cell['file']}.{threading.get_ident()}"
        books.synced(spent, path, self._data, self._own.schedstat)
        delay_ns = books.delay_ns(self._own.schedstat)
        spent.fields["delay"] += delay_ns - self._own.delay_ns
        self._own.delay_ns = delay_ns

    async def _call(self, spent: books.Spent) -> None:
        """Ask the dependency over a connection that is free, or a new one."""
        port = self._cell["dependency_port"]
        try:
            connection = self._free.pop()
        except IndexError:
            connection = socket.socket()
            connection.setblocking(False)
            await self._loop.sock_connect(connection, ("127.0.0.1", port))
        began = time.monotonic_ns()
        await self._loop.sock_sendall(connection, books.call(port))
        text, read_ns = b"", began
        while not text.endswith(b"ok"):
            data, read_ns = await self._received(connection)
            if not data:
                raise ConnectionError("the dependency has gone")
            text += data
        # From here on the request has waited for its turn of the loop, with its answer read.
        spent.fields["call"] += read_ns - began
        self._free.append(connection)

    async def _received(self, connection: socket.socket) -> tuple[bytes, int]:
        """Read as soon as the loop sees data, and say when that was."""
        waiter: asyncio.Future[tuple[bytes, int]] = self._loop.create_future()

        def take() -> None:
            if not waiter.done():
                try:
                    waiter.set_result((connection.recv(65536), time.monotonic_ns()))
                except OSError as failed:
                    waiter.set_exception(failed)

        self._loop.add_reader(connection, take)
        try:
            return await waiter
        finally:
            self._loop.remove_reader(connection)


def _places(number: int) -> AbstractAsyncContextManager[object]:
    """So many places that are waited for; 0 has room for all."""
    return asyncio.Semaphore(number) if number else nullcontext()


async def serve(cell: str) -> None:
    """Serve until standard input closes, which a thread waits for."""
    server = LoopServer(json.loads(cell))
    print(json.dumps({"port": server.start()}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(server.book_json(), flush=True)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
