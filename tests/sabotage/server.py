"""A small HTTP server that can be wrong in many ways; run as a program with its options as JSON.

One process, one event loop, on one core. It prints the port that it listens on. Not for production:
it understands requests without a body.
"""

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Options:
    """port: 0 for a free one. cpus: cores it may use.

    delay_s: asleep before each answer; spin_s: busy; hold_s: asleep while nobody else is answered.
    close_after: answers on a connection before it is closed; 0 keeps it. bad_every: every n-th answer
    has `bad_status` and no body; 0 for none. accept_every_s: time between two accepts; 0 accepts at once.
    """

    port: int = 0
    cpus: tuple[int, ...] = ()
    delay_s: float = 0.005
    spin_s: float = 0.0
    hold_s: float = 0.0
    status: int = 200
    body: str = "ok"
    headers: dict[str, str] = field(default_factory=dict)
    close_after: int = 0
    bad_every: int = 0
    bad_status: int = 500
    accept_every_s: float = 0.0
    backlog: int = 1024


class ServedConnection(asyncio.Protocol):
    """One connection."""

    answered_by_all = 0

    def __init__(self, options: Options) -> None:
        self.options = options
        self.waiting = b""
        self.answered = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while b"\r\n\r\n" in self.waiting:
            self.waiting = self.waiting.partition(b"\r\n\r\n")[2]
            if self.options.delay_s:
                asyncio.get_running_loop().call_later(self.options.delay_s, self.answer)
            else:
                self.answer()

    def answer(self) -> None:
        """Answer one request as the options say."""
        options = self.options
        if options.hold_s:
            time.sleep(options.hold_s)
        until = time.perf_counter() + options.spin_s
        while time.perf_counter() < until:
            pass
        ServedConnection.answered_by_all += 1
        self.answered += 1
        is_bad = options.bad_every and ServedConnection.answered_by_all % options.bad_every == 0
        status, body = (options.bad_status, "") if is_bad else (options.status, options.body)
        closes = options.close_after and self.answered >= options.close_after
        headers = {"Content-Length": str(len(body)), **options.headers}
        if closes:
            headers["Connection"] = "close"
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(f"HTTP/1.1 {status} Word\r\n{head}\r\n{body}".encode())
        if closes:
            self.transport.close()


async def serve(options: Options) -> None:
    """Serve until killed."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: ServedConnection(options),
        "127.0.0.1",
        options.port,
        backlog=options.backlog,
        start_serving=not options.accept_every_s,
    )
    listener = server.sockets[0]
    print(listener.getsockname()[1], flush=True)
    if not options.accept_every_s:
        await server.serve_forever()
    # asyncio accepts all that wait at once; here each waits for its turn, in the kernel's queue.
    listener = listener.dup()
    server.close()
    listener.listen(options.backlog)
    while True:
        await asyncio.sleep(options.accept_every_s)
        connection, _ = await loop.sock_accept(listener)
        await loop.connect_accepted_socket(lambda: ServedConnection(options), connection)


if __name__ == "__main__":
    chosen = Options(**json.loads(sys.argv[1]))
    if chosen.cpus:
        os.sched_setaffinity(0, chosen.cpus)
    asyncio.run(serve(chosen))
