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
    """One listening socket. address: "0.0.0.0", "::1" …, or the path of a Unix socket (port 0)."""

    address: str
    port: int
    inode: int
    uid: int


class Connection(NamedTuple):
    """One end of an established TCP connection. Made by the thousand: a tuple."""

    address: str
    port: int
    remote: str
    remote_port: int
    inode: int


@lru_cache(maxsize=4096)
def decode_address(text: str) -> str:
    """An address as /proc/net/tcp{,6} writes it: "0100007F" -> "127.0.0.1".

    IPv4 inside IPv6 is given as IPv4: a server on "::" sees the client of 127.0.0.1 that way.
    """
    words = [int(text[i : i + 8], 16) for i in range(0, len(text), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    if len(packed) == 4:
        return socket.inet_ntop(socket.AF_INET, packed)
    mapped = ipaddress.IPv6Address(packed).ipv4_mapped
    return str(mapped) if mapped else socket.inet_ntop(socket.AF_INET6, packed)


def parse_listeners(text: str) -> list[Listener]:
    """Listening sockets in the text of /proc/net/tcp or tcp6."""
    found = []
    for line in text.splitlines()[1:]:
        if f" {LISTEN} " not in line:  # of thousands of rows few do, and to split them all takes long
            continue
        fields = line.split(None, 10)
        if len(fields) > 9 and fields[3] == LISTEN:
            address, port = fields[1].split(":")
            found.append(Listener(decode_address(address), int(port, 16), int(fields[9]), int(fields[7])))
    return found


def parse_unix_listeners(text: str) -> list[Listener]:
    """Listening Unix sockets with a path, in the text of /proc/net/unix. The owner is not told (-1)."""
    found = []
    for line in text.splitlines()[1:]:
        fields = line.split(None, 7)
        # Flags 00010000 is __SO_ACCEPTCON: the socket listens.
        if len(fields) == 8 and fields[3] == "00010000":
            found.append(Listener(fields[7], 0, int(fields[6]), -1))
    return found


def listeners(proc: Path = processes.PROC) -> list[Listener]:
    """All listening TCP sockets of a network namespace; of our own by netlink, where that is not refused."""
    if proc == processes.PROC:
        with suppress(OSError):  # it is refused in some containers
            return [Listener(*row) for row in Sockets().listeners()]
    found: list[Listener] = []
    for name in ("tcp", "tcp6"):
        try:
            found += parse_listeners(_listening(proc / "net" / name))
        except FileNotFoundError:  # a kernel without IPv6
            continue
    return found


def _listening(path: Path) -> str:
    """The head line and the listening sockets of /proc/net/tcp or tcp6.

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
    """Established connections in the text of /proc/net/tcp or tcp6; about 2 µs for each."""
    return [
        Connection(
            decode_address(one[0]), int(one[1], 16), decode_address(one[2]), int(one[3], 16), int(one[4])
        )
        for one in _ESTABLISHED.findall(text)
    ]


def parse_own_addresses(fib_trie: str) -> set[str]:
    """The IPv4 addresses that are the machine's own, in the text of /proc/net/fib_trie."""
    found, last = set(), ""
    for line in fib_trie.splitlines():
        words = line.split()
        if words[:1] == ["|--"]:
            last = words[1]
        elif words == ["/32", "host", "LOCAL"]:
            found.add(last)
    return found


def own_addresses(proc: Path = processes.PROC) -> set[str]:
    """Every address of the machine in a network namespace, loopback included."""
    found: set[str] = set()
    try:
        found = parse_own_addresses((proc / "net" / "fib_trie").read_text(encoding="ascii"))
        for line in (proc / "net" / "if_inet6").read_text(encoding="ascii").splitlines():
            found.add(str(ipaddress.IPv6Address(int(line.split()[0], 16))))
    except OSError:  # a kernel without IPv6, or a process that has ended
        pass
    return found


def listeners_at(host: str, port: int) -> list[Listener]:
    """Sockets that answer (or stand in the way of binding) this address: the same one, or a wildcard."""
    wanted = {host, "0.0.0.0", "::"}
    if host in ("0.0.0.0", "::", ""):
        return [one for one in listeners() if one.port == port]
    return [one for one in listeners() if one.port == port and one.address in wanted]


def holders(inodes: Iterable[int], candidates: Iterable[int] | None = None) -> dict[int, set[int]]:
    """Who holds these sockets: pid -> inodes. Processes that may not be read are passed over.

    Reads every descriptor of every process: about 3 ms on a machine with 200 processes.
    """
    return socket_holders(set(inodes), None if candidates is None else list(candidates), processes.PROC)
