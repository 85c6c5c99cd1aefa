"""End of connections on which nothing comes any more, so that Ray makes them anew.

TCP doubles the time to its next try with each one that is lost (RFC 6298, 5.5). After a link was down for
4 s that try is up to 4 s away, where it is lost too another 8, and a living generator would be taken for
lost. So it is also where a firewall on the way has forgotten the connection. A fresh one works at once: what
was on its way is given again over it, as after any reset.
"""

import ctypes
import ipaddress
import os
import socket
import stat
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from loadrig.base.clock import MS, NS
from loadrig.fleet._ray_actor import BEAT_S
from loadrig.fleet._ray_head import answers

STALLED_AFTER_S = 1.5 * BEAT_S
"""Time without a byte of an actor that was asked after which its connection counts as stalled, in seconds: it
answers within a beat, and half of one is for the way. It leaves more than half of the time after which an
actor that nobody calls ends its generator (`FORGOTTEN_AFTER_S`) for trying a fresh one."""

LOOKS_EVERY_S = 0.5
"""Time between two looks for actors that are silent, in seconds."""

LAST_RECEIVED = struct.Struct("52xI")
"""Time since the last data came within the kernel's `tcp_info`, in milliseconds."""

FAMILIES = (socket.AF_INET, socket.AF_INET6)

UNSPECIFIED = struct.pack("H14x", socket.AF_UNSPEC)
"""Address to which a connected socket is connected to end it at once, by a reset."""

Address = tuple[str, int]


class StallWatch:
    """Watch on connections to actors, on a thread of its own.

    silent: returns the addresses of those that were asked, and have answered nothing for `STALLED_AFTER_S`.
    """

    def __init__(self, silent: Callable[[], Iterable[Address]]) -> None:
        self._silent = silent
        self._is_over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def stop(self) -> None:
        """Look no more."""
        self._is_over.set()

    def _watch(self) -> None:
        while not self._is_over.wait(LOOKS_EVERY_S):
            for address in self._silent():
                end_stalled(address)


def end_stalled(address: Address, after_s: float = STALLED_AFTER_S) -> int:
    """End connections of this process on which nothing came for some time; return how many.

    None is ended where a fresh one cannot be made either: the host is cut off, and may be back before TCP's
    next try. One on which something comes is slow, and would only be slower for being begun anew.
    """
    stalled = list(_stalled(address, after_s))
    try:
        if not stalled or not answers(f"{address[0]}:{address[1]}"):
            return 0
        libc = ctypes.CDLL(None)
        # As other threads use the socket it is not closed: they read that it was reset.
        return sum(libc.connect(each.fileno(), UNSPECIFIED, len(UNSPECIFIED)) == 0 for each in stalled)
    finally:
        for each in stalled:
            each.close()


def _stalled(address: Address, after_s: float) -> Iterator[socket.socket]:
    """Yield sockets of this process that are connected to an address; each is a duplicate, to be closed."""
    inodes: set[int] = set()
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # it was closed meanwhile
            descriptor = os.dup(int(name))
            facts = os.fstat(descriptor)
            # A duplicate may have the number that the listing itself had, and several may be of one socket.
            if not stat.S_ISSOCK(facts.st_mode) or facts.st_ino in inodes:
                os.close(descriptor)
                continue
            inodes.add(facts.st_ino)
            duplicate = socket.socket(fileno=descriptor)
            if _is_stalled(duplicate, address, after_s):
                yield duplicate
            else:
                duplicate.close()


def _is_stalled(duplicate: socket.socket, address: Address, after_s: float) -> bool:
    if duplicate.family not in FAMILIES or duplicate.type != socket.SOCK_STREAM:
        return False
    try:
        if plain_address(duplicate.getpeername()) != plain_address(address):
            return False
        facts = duplicate.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LAST_RECEIVED.size)
    except OSError:
        return False  # it is connected to nobody
    (silent_ms,) = LAST_RECEIVED.unpack(facts)
    return bool(silent_ms * MS >= after_s * NS)


def plain_address(address: tuple[object, ...]) -> Address:
    """Return an address as it is written by itself: Ray's sockets have IPv4 ones within IPv6 ones."""
    host = ipaddress.ip_address(str(address[0]))
    mapped = host.ipv4_mapped if isinstance(host, ipaddress.IPv6Address) else None
    return str(mapped or host), int(str(address[1]))
