"""Look from a host whether the server can be connected to. It goes to the hosts of Ray by value.

It imports nothing but the standard library, as what runs on those hosts.
"""

import os
import socket
from collections.abc import Sequence
from typing import NamedTuple

CONNECTS_WITHIN_S = 5.0
"""Longest wait for a connection, in seconds: three tries of TCP, which waits one second and then two."""


class ServerWay(NamedTuple):
    """Way from a host to the servers of a load.

    sources: addresses of the host from which it connects; the fleet may know it by another one.
    lacking: the first address that cannot be reached, with how; None where all can be.
    """

    sources: list[str]
    lacking: tuple[str, str] | None = None


def way_to(addresses: Sequence[str]) -> ServerWay:
    """Connect to each address once, until one cannot be reached; return from where, and which cannot.

    addresses: "ip:port", IPv6 in brackets, or the path of a Unix socket. Each connection is closed at once.
    """
    sources: list[str] = []
    for address in addresses:
        try:
            sources += _connect(address)
        except OSError as error:
            return ServerWay(sources, (address, os.strerror(error.errno) if error.errno else str(error)))
    return ServerWay(sources)


def _connect(address: str) -> list[str]:
    """Connect once; return the address from which, none of a Unix socket. Raises OSError."""
    if address.startswith("/"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(CONNECTS_WITHIN_S)
            connection.connect(address)
        return []
    ip, _, port = address.rpartition(":")
    with socket.create_connection((ip.strip("[]"), int(port)), timeout=CONNECTS_WITHIN_S) as connection:
        return [str(connection.getsockname()[0])]
