"""Makes many TCP sockets over loopback, for `bench.modes.sockets`: python -m bench.many_sockets KIND COUNT.

KIND is time_wait or established (two sockets for each connection). Meant for a network namespace of its
own, as it takes all ports. Prints "ready", holds them until its standard input is closed, and ends.
"""

import os
import resource
import socket
import sys
from pathlib import Path

PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
FIRST_PORT = 700
PER_ADDRESS = 20_000
"""Connections from one address to one port, of some 64,000 that there could be."""
OTHERS = 100
"""Descriptors for all else."""


def time_waits(count: int) -> list[socket.socket]:
    """As many sockets in TIME_WAIT, all on the client's side."""
    with socket.create_server(("127.0.0.1", FIRST_PORT), backlog=64) as listener:
        for n in range(count):
            client, server = _pair(listener, n)
            client.close()
            server.close()
    return []


def established(count: int) -> list[socket.socket]:
    """As many sockets in ESTABLISHED, and processes to hold them: one may have so many descriptors only."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, hard), hard))
    most = (hard - OTHERS) // 2 * 2
    port = FIRST_PORT
    while count > most:
        count -= most
        port += 1
        readable, writable = os.pipe()
        if os.fork() == 0:
            held = _pairs(port, most // 2)
            os.write(writable, b"\n")
            os.close(writable)
            sys.stdin.read()  # its end is told to all who read
            del held
            os._exit(0)
        os.read(readable, 1)
    return _pairs(FIRST_PORT, count // 2)


def _pairs(port: int, count: int) -> list[socket.socket]:
    listener = socket.create_server(("127.0.0.1", port), backlog=64)
    return [listener, *(end for n in range(count) for end in _pair(listener, n))]


def _pair(listener: socket.socket, n: int) -> tuple[socket.socket, socket.socket]:
    address = f"127.0.1.{1 + n // PER_ADDRESS}"
    client = socket.create_connection(listener.getsockname(), source_address=(address, 0))
    return client, listener.accept()[0]


def main(kind: str, count: str) -> None:
    """Make them, say so, hold them."""
    PORT_RANGE.write_text("1024 65000")
    held = {"time_wait": time_waits, "established": established}[kind](int(count))
    print("ready", flush=True)
    sys.stdin.read()
    del held


if __name__ == "__main__":
    main(*sys.argv[1:])
