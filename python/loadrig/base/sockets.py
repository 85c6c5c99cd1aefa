"""Listening and connected sockets, who holds them, and this machine's addresses, read from /proc/net.

`proc` is a folder that has a `net`: /proc for the network of this process, /proc/PID for that of another.

Source: proc_net_tcp in the kernel's documentation (Documentation/networking/proc_net_tcp.rst) and
proc_pid_net(5). IPv4 addresses are one, IPv6 addresses four 32-bit words in the byte order of the
machine.
"""

import ipaddress
import re
import socket
import struct
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from loadrig._native import Sockets, socket_holders
from loadrig.base import processes

LISTEN = "0A"

# A row of an established connection: its two ends, and the inode behind state, queues, timer, retransmits,
# user and timeout.
_ESTABLISHED = re.compile(
    r"^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) 01 \S+ \S+ \S+ +\d+ +\d+ (\d+)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Listener:
    """Listening socket. address: "0.0.0.0", "::1" …, or the path of a Unix socket (then port is 0)."""

    address: str
    port: int
    inode: int
    uid: int


class Connection(NamedTuple):
    """End of an established TCP connection. A tuple, as thousands of them are made."""

    address: str
    port: int
    remote: str
    remote_port: int
    inode: int


@lru_cache(maxsize=4096)
def decode_address(text: str) -> str:
    """Return an address that /proc/net/tcp{,6} writes as "0100007F": "127.0.0.1".

    IPv4 inside IPv6 is given as IPv4: a server on "::" sees the client of 127.0.0.1 that way.
    """
    words = [int(text[i : i + 8], 16) for i in range(0, len(text), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    if len(packed) == 4:
        return socket.inet_ntop(socket.AF_INET, packed)
    mapped = ipaddress.IPv6Address(packed).ipv4_mapped
    return str(mapped) if mapped else socket.inet_ntop(socket.AF_INET6, packed)


def parse_listeners(text: str) -> list[Listener]:
    """Return the listening sockets in the text of /proc/net/tcp or tcp6."""
    parsed = []
    for line in text.splitlines()[1:]:
        if f" {LISTEN} " not in line:  # of thousands of rows few do, and to split them all takes long
            continue
        fields = line.split(None, 10)
        if len(fields) > 9 and fields[3] == LISTEN:
            address, port = fields[1].split(":")
            parsed.append(Listener(decode_address(address), int(port, 16), int(fields[9]), int(fields[7])))
    return parsed


def parse_unix_listeners(text: str) -> list[Listener]:
    """Return listening Unix sockets with a path, in the text of /proc/net/unix. The owner is unknown (-1)."""
    parsed = []
    for line in text.splitlines()[1:]:
        fields = line.split(None, 7)
        # Flags 00010000 is __SO_ACCEPTCON: the socket listens.
        if len(fields) == 8 and fields[3] == "00010000":
            parsed.append(Listener(fields[7], 0, int(fields[6]), -1))
    return parsed


def listeners(proc: Path = processes.PROC) -> list[Listener]:
    """Return all listening TCP sockets of a network namespace.

    Those of our own namespace are read by netlink, where that is not refused.
    """
    if proc == processes.PROC:
        with suppress(OSError):  # it is refused in some containers
            return [Listener(*row) for row in Sockets().listeners()]
    listening: list[Listener] = []
    for name in ("tcp", "tcp6"):
        try:
            listening += parse_listeners(_listening(proc / "net" / name))
        except FileNotFoundError:  # a kernel without IPv6
            continue
    return listening


def _listening(path: Path) -> str:
    """Return the head line and the listening sockets of /proc/net/tcp or tcp6, as text.

    The kernel lists them first. Behind them there may be thousands that wait to be forgotten, as after
    a load: to read those would take longer than all else that is looked at here.
    """
    with path.open(encoding="ascii") as file:
        lines = [next(file, "")]
        for line in file:
            if f" {LISTEN} " not in line:
                break
            lines.append(line)
    return "".join(lines)


def parse_connections(text: str) -> list[Connection]:
    """Return established connections in the text of /proc/net/tcp or tcp6; about 2 µs for each."""
    return [
        Connection(
            decode_address(fields[0]),
            int(fields[1], 16),
            decode_address(fields[2]),
            int(fields[3], 16),
            int(fields[4]),
        )
        for fields in _ESTABLISHED.findall(text)
    ]


def parse_own_addresses(fib_trie: str) -> set[str]:
    """Return the IPv4 addresses of this machine, in the text of /proc/net/fib_trie."""
    addresses, last = set(), ""
    for line in fib_trie.splitlines():
        words = line.split()
        if words[:1] == ["|--"]:
            last = words[1]
        elif words == ["/32", "host", "LOCAL"]:
            addresses.add(last)
    return addresses


def own_addresses(proc: Path = processes.PROC) -> set[str]:
    """Return every address of the machine in a network namespace, loopback included."""
    addresses: set[str] = set()
    try:
        addresses = parse_own_addresses((proc / "net" / "fib_trie").read_text(encoding="ascii"))
        for line in (proc / "net" / "if_inet6").read_text(encoding="ascii").splitlines():
            addresses.add(str(ipaddress.IPv6Address(int(line.split()[0], 16))))
    except OSError:  # a kernel without IPv6, or a process that has ended
        pass
    return addresses


def listeners_at(host: str, port: int) -> list[Listener]:
    """Return the sockets that listen at this address, or at a wildcard address that covers it.

    They answer at the address, or stand in the way of binding it.
    """
    wanted = {host, "0.0.0.0", "::"}
    if host in ("0.0.0.0", "::", ""):
        return [listener for listener in listeners() if listener.port == port]
    return [listener for listener in listeners() if listener.port == port and listener.address in wanted]


def holders(inodes: Iterable[int], candidates: Iterable[int] | None = None) -> dict[int, set[int]]:
    """Return the processes that hold sockets: pid -> inodes. Processes that may not be read are passed over.

    Reads every descriptor of every process: about 3 ms on a machine with 200 processes.
    """
    return socket_holders(set(inodes), None if candidates is None else list(candidates), processes.PROC)
