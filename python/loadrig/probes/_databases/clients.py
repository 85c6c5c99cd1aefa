"""Clients of a database: the components that hold the other ends of its connections, where they are here."""

import re
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from loadrig.base import kernel_files, processes, sockets
from loadrig.base.component import Component

End = tuple[str, int]
"""Address and port of a client, as its server sees them."""

DUTY = 100
"""Rest after a search for owners of connections, in lengths of that search: searches use 1 % of a core."""

SEARCH_S = 2.0
"""Least seconds between two searches, for ends whose owner was not found."""

MOST_ENDS = 10_000
"""Ends that are remembered; beyond this number, all are forgotten and looked for again."""

MOST_NAME = 40

_NUMBER = re.compile(r"\d{3,}")


class Clients:
    """Names of the clients of a server. Several threads may ask for them.

    components: those known now. pid: of the server, in whose network the connections are looked for.
    """

    def __init__(self, components: Callable[[], tuple[Component, ...]], pid: int | None) -> None:
        self._components = components
        self._pid = pid
        self._lock = threading.Lock()
        self._owners: dict[End, str] = {}
        self._usual: dict[tuple[str, str], set[str]] = {}
        self._next_at = 0.0

    def names(self, program: str, ends: Iterable[End]) -> list[str]:
        """Return a name for each end of a program: "client:server", "client:10.0.0.7 billing".

        program: name that the client gives itself, "" for none. An end whose owner is not
        found, as of a connection that lives for milliseconds, is taken for one of the owner of all ends at
        that address with the same program, where these have a single owner.
        """
        ends = list(ends)
        with self._lock:
            if any(port > 0 and (address, port) not in self._owners for address, port in ends):
                self._search(ends)
            return [self._name(program, end) for end in ends]

    def _name(self, program: str, end: End) -> str:
        address, _ = end
        owner = self._owners.get(end)
        usual = self._usual.setdefault((address, program), set())
        if owner is not None:
            usual.add(owner)
        elif len(usual) == 1:
            (owner,) = usual
        called = _NUMBER.sub("*", " ".join(program.split()))[:MOST_NAME]
        return f"client:{owner or address or 'unix'} {called}".rstrip()

    def _search(self, ends: list[End]) -> None:
        began = time.monotonic()
        if began < self._next_at:
            return
        if len(self._owners) > MOST_ENDS:
            self._owners.clear()
        self._owners.update(owners(set(ends), self._components(), self._pid))
        self._next_at = time.monotonic() + max(SEARCH_S, (time.monotonic() - began) * DUTY)


def owners(ends: set[End], components: Iterable[Component], server: int | None) -> dict[End, str]:
    """Return the components that hold these ends of connections. Reads /proc/PID/net and /proc/PID/fd."""
    roots = {
        component.pid: component.name
        for component in components
        if component.pid is not None and component.pid != server
    }
    inodes: dict[int, End] = {}
    for folder in _networks((*roots, *(() if server is None else (server,)))):
        for row in _rows(folder):
            if (row.address, row.port) in ends:
                inodes[row.inode] = (row.address, row.port)
    if not inodes:
        return {}
    everyone = processes.table()
    names: dict[End, str] = {}
    for root, name in roots.items():
        for held in sockets.holders(inodes, processes.tree(root, everyone)).values():
            names |= {inodes[inode]: name for inode in held}
    return names


def _networks(pids: Iterable[int]) -> Iterable[Path]:
    """Return a folder of /proc for each network namespace in which the processes live."""
    folders: dict[object, Path] = {}
    for pid in pids:
        folder = processes.PROC / str(pid)
        try:
            folders.setdefault((folder / "ns" / "net").stat().st_ino, folder)
        except OSError:  # gone, or another user's: it is taken to share the rig's namespace, as most do
            folders.setdefault(None, processes.PROC / "self")
    return folders.values()


def _rows(folder: Path) -> Iterable[sockets.Connection]:
    for name in ("tcp", "tcp6"):
        # None if it is gone in the meantime, or of a kernel without IPv6.
        yield from sockets.parse_connections(kernel_files.read(folder / "net" / name) or "")
