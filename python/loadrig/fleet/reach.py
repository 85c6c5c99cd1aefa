"""Look from a host whether the server can be connected to. It goes to the hosts of Ray by value.

It imports nothing but the standard library, as what runs on those hosts.
"""

import os
import socket
from collections.abc import Sequence

CONNECTS_WITHIN_S = 5.0
"""Longest wait for a connection, in seconds: three tries of TCP, which waits one second and then two."""


def unreached(addresses: Sequence[str]) -> tuple[str, str] | None:
    """Connect to each address once; return the first that cannot be reached, with how. None: all can be.

    addresses: "ip:port", IPv6 in brackets, or the path of a Unix socket. Each connection is closed at once.
    """
    for address in addresses:
        try:
            _connect(address)
        except OSError as error:
            return address, os.strerror(error.errno) if error.errno else str(error)
    return None


def _connect(address: str) -> None:
    if address.startswith("/"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(CONNECTS_WITHIN_S)
            connection.connect(address)
        return
    ip, _, port = address.rpartition(":")
    socket.create_connection((ip.strip("[]"), int(port)), timeout=CONNECTS_WITHIN_S).close()
