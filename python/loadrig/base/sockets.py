"""Listening sockets and who holds them, read from /proc/net.

Source: proc_net_tcp in the kernel's documentation (Documentation/networking/proc_net_tcp.rst) and
proc_pid_net(5). IPv4 addresses are one, IPv6 addresses four 32-bit words in the byte order of the
machine.
"""

import ipaddress
import os
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from loadrig.base import processes

LISTEN = "0A"


@dataclass(frozen=True, slots=True)
class Listener:
    """One listening socket. address: "0.0.0.0", "::1" …, or the path of a Unix socket (port 0)."""

    address: str
    port: int
    inode: int
    uid: int


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
        if f" {LISTEN} " not in line:
            continue  # nearly all of them on a busy machine: thousands that wait to be forgotten
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
    """All listening TCP sockets of this network namespace."""
    found: list[Listener] = []
    for name in ("tcp", "tcp6"):
        try:
            found += parse_listeners((proc / "net" / name).read_text())
        except FileNotFoundError:  # a kernel without IPv6
            continue
    return found


def listeners_at(host: str, port: int) -> list[Listener]:
    """Sockets that answer (or stand in the way of binding) this address: the same one, or a wildcard."""
    wanted = {host, "0.0.0.0", "::"}
    if host in ("0.0.0.0", "::", ""):
        return [one for one in listeners() if one.port == port]
    return [one for one in listeners() if one.port == port and one.address in wanted]


def holders(inodes: Iterable[int], candidates: Iterable[int] | None = None) -> dict[int, set[int]]:
    """Who holds these sockets: pid -> inodes. Processes that may not be read are passed over.

    Reads every descriptor of every process: about 10 ms on a machine with 200 processes.
    """
    wanted = {f"socket:[{inode}]": inode for inode in inodes}
    found: dict[int, set[int]] = {}
    for pid in candidates if candidates is not None else processes.pids():
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except OSError:  # gone in the meantime, or another user's
            continue
        for name in names:
            try:
                inode = wanted.get(os.readlink(f"/proc/{pid}/fd/{name}"))
            except OSError:  # closed in the meantime
                continue
            if inode is not None:
                found.setdefault(pid, set()).add(inode)
    return found
