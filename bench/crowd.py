"""Many sockets on this machine: connections over loopback in TIME_WAIT, kept there while a block runs."""

import contextlib
import select
import socket
from collections.abc import Iterator
from pathlib import Path

AT_ONCE = 200
HOSTS = [f"127.0.0.{n}" for n in range(2, 12)]
"""A destination has at most as many connections in TIME_WAIT as there are ports."""


@contextlib.contextmanager
def crowd(most: int) -> Iterator[int]:
    """Open and close so many connections that `most` sockets wait; gives how many wait now.

    They are gone a minute after the block began; no longer than that may it be used.
    """
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("0.0.0.0", 0))
        listener.listen(AT_ONCE)
        listener.setblocking(False)
        port = listener.getsockname()[1]
        begun = 0
        # A port may be used again at once on loopback, so it takes a few more.
        while begun < most or (waiting() < most and begun < 2 * most):
            batch = [
                socket.create_connection((HOSTS[(begun + n) % len(HOSTS)], port)) for n in range(AT_ONCE // 2)
            ]
            begun += len(batch)
            accepted = [_accepted(listener) for _ in batch]
            # Who closes first waits.
            for one in batch:
                one.close()
            for other in accepted:
                other.close()
        yield waiting()


def _accepted(listener: socket.socket) -> socket.socket:
    select.select([listener], [], [], 5.0)
    return listener.accept()[0]


def waiting() -> int:
    """Connections in TIME_WAIT now. Source: proc_net in proc(5), the line TCP of sockstat."""
    words = Path("/proc/net/sockstat").read_text(encoding="ascii").partition("TCP:")[2].split()
    return int(words[words.index("tw") + 1])
