"""Connections of others to the server while the rig loads it: the evidence of check G16.

Every established connection to the served address has two ends. The client's end is ours where one of our
processes holds it; it is somebody else's where its address is not of this machine, or where another process
holds it that is not the server itself. The kernel counts the bytes that came over each, so a connection that
is only held open is told from one that sends requests. Whose end is not known is nobody's.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadrig._native import Sockets
from loadrig.base import peers, processes, sockets
from loadrig.base.clock import NS
from loadrig.base.peers import ConnectionEnd
from loadrig.base.running import Address
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialOthersTexts

TEXTS = texts_of(TrialOthersTexts)

EVERY_NS = NS

LOOKS_AT_FIRST = 4
COST_AT_FIRST, COST_SHARE = 0.005, 0.001
"""Shares of one core, 0 to 1, that looks may cost: the first for so many looks, the second for those that
follow. A short load is to have some looks, and in a long load none costs much. After a look of more than a
millisecond the next one waits."""

MOST_CLIENTS = 5
"""Largest number of clients that are named, those with the most bytes first."""

MOST_KEPT = 4_096
"""Largest number of connections of others that are followed; more would disturb what they are to guard."""

_ANY = {"0.0.0.0", "::"}

Place = tuple[str, int]


@dataclass(slots=True)
class Client:
    """A connection of somebody else. name: a process or an address. last: bytes received at the last look."""

    name: str
    last: int | None
    received: int = 0


class Others:
    """Follower of the connections of others to an address. Made by the witness when the load begins.

    ours: pids of the rig. servers: pids of the server under test, whose calls to itself are its own. hosts:
    addresses of other machines from which the rig loads it, where nobody sees which process calls.
    """

    def __init__(
        self,
        address: Address,
        ours: Iterable[int],
        servers: Callable[[], Iterable[int]] = tuple,
        hosts: Iterable[str] = (),
    ) -> None:
        self._address, self._ours, self._servers = address, set(ours), servers
        self._why_not = ""
        self._looks = self._seen_in = self._most = 0
        self._first_ns = self._last_ns = 0
        self._due_ns = 0
        self._clients: dict[tuple[Place, Place], Client] = {}
        self._local = {*sockets.own_addresses(), *hosts}
        listening = {listener.address for listener in sockets.listeners_at(address.host, address.port)}
        # Elsewhere a program may use the same port for a connection of its own to somebody.
        self._at = None if address.unix or not listening or listening & _ANY else listening
        self._holders: dict[int, str] = {}

    def add_ours(self, pids: Iterable[int], hosts: Iterable[str] = ()) -> None:
        """Take further processes and machines for the rig's own: they took the place of lost ones."""
        self._ours.update(pids)
        self._local.update(hosts)

    def look(self, t_ns: int, *, at_last: bool = False) -> None:
        """Read the connections, if a look is due. at_last: the load is over, so that a look is due."""
        if self._why_not or (t_ns < self._due_ns and not at_last):
            return
        began_ns = time.thread_time_ns()
        try:
            self._take(t_ns, self._of_others())
        except OSError as error:
            self._why_not = TEXTS.kernel_does_not(str(error.strerror or error))
        share = COST_AT_FIRST if self._looks < LOOKS_AT_FIRST else COST_SHARE
        self._due_ns = t_ns + max(EVERY_NS, int((time.thread_time_ns() - began_ns) / share))

    def _has_only_ours(self) -> bool:
        """Return whether all connections to the address are ours, by one walk through the kernel's table.

        Reading the bytes too, for each end and family apart, takes four walks of a millisecond each.
        """
        rows, port = Sockets().connections(), self._address.port
        inodes = {(host, near): inode for host, near, _, far, inode, _ in rows if far == port}
        peer_places = [
            (peer, far)
            for host, near, peer, far, _, _ in rows
            if near == port and (self._at is None or host in self._at)
        ]
        return not peer_places or {inodes.get(place) for place in peer_places} <= peers.socket_inodes(
            self._ours
        )

    def _of_others(self) -> list[tuple[ConnectionEnd, str]]:
        if not self._address.unix and self._has_only_ours():
            return []
        if self._address.unix:
            served = peers.unix_ends(self._address.unix)
            inodes = {end.peer: end.peer[1] for end in served}
        else:
            port = self._address.port
            # Read the near ends first, so that a connection opened in between is not taken for somebody
            # else's.
            inodes = {end.own: end.inode for end in peers.tcp_ends(remote_port=port, with_bytes=False)}
            served = peers.tcp_ends(local_port=port, with_bytes=True)
            served = [end for end in served if self._at is None or end.own[0] in self._at]
        if not served:
            return []
        ours = peers.socket_inodes(self._ours)
        strange = [end for end in served if inodes.get(end.peer) not in ours]
        if not strange:
            return []
        held = self._held({inode for end in strange if (inode := inodes.get(end.peer)) is not None})
        strangers = []
        for end in strange:
            inode = inodes.get(end.peer)
            if inode is not None:
                name = held.get(inode, "")
            else:
                name = "" if not end.peer[0] or end.peer[0] in self._local else end.peer[0]
            if name:
                strangers.append((end, name))
        return strangers

    def _held(self, inodes: set[int]) -> dict[int, str]:
        """Return the process that holds each socket.

        "" where it is ours or the server's own, or cannot be seen.
        """
        new = inodes - self._holders.keys()
        if new:
            apart = {*self._ours, *self._servers()}
            for pid, held in sockets.holders(new).items():
                if pid not in apart:
                    stat = processes.stat(pid)
                    name = stat.name if stat else TEXTS.process_has_ended
                    self._holders.update(dict.fromkeys(held, TEXTS.process(name, str(pid))))
            for inode in new - self._holders.keys():
                # Look again next time: the socket may have been handed on, or be closing.
                self._holders.pop(inode, None)
        self._holders = {inode: name for inode, name in self._holders.items() if inode in inodes}
        return self._holders

    def _take(self, t_ns: int, others: list[tuple[ConnectionEnd, str]]) -> None:
        is_first = not self._looks
        self._first_ns = self._first_ns or t_ns
        self._last_ns = t_ns
        self._looks += 1
        self._seen_in += bool(others)
        self._most = max(self._most, len(others))
        for end, name in others:
            key = (end.own, end.peer)
            client = self._clients.get(key)
            if client is None:
                if len(self._clients) >= MOST_KEPT:
                    continue
                # A connection seen at the first look had its bytes before; a later connection has all its
                # bytes since then.
                before = end.bytes_received if is_first or end.bytes_received is None else 0
                client = self._clients[key] = Client(name, before)
            if end.bytes_received is not None and client.last is not None:
                # Fewer bytes than before: it is another connection with the same two ports.
                gained = end.bytes_received - client.last
                client.received += gained if gained >= 0 else end.bytes_received
                client.last = end.bytes_received

    def to_json(self) -> dict[str, Any]:
        """Return what was seen, for the manifest."""
        if self._why_not or not self._looks:
            return {"unknown": self._why_not or TEXTS.nobody_looked}
        by_name: dict[str, list[Client]] = {}
        for client in self._clients.values():
            by_name.setdefault(client.name, []).append(client)
        ranking = sorted(by_name.items(), key=lambda item: -sum(client.received for client in item[1]))
        return {
            "looks": self._looks,
            "seen_in": self._seen_in,
            "connections": self._most,
            "is_counted": not self._address.unix and all(c.last is not None for c in self._clients.values()),
            "bytes": sum(client.received for client in self._clients.values()),
            "from_ns": self._first_ns,
            "to_ns": self._last_ns,
            "clients": [
                {"who": name, "connections": len(every), "bytes": sum(client.received for client in every)}
                for name, every in ranking[:MOST_CLIENTS]
            ],
        }


def watched(
    address: Address,
    server: int | None,
    generators: Iterable[int],
    servers: Callable[[], Iterable[int]],
    hosts: Iterable[str] = (),
) -> Others | str:
    """Return the follower of the connections of others to a server, or why there can be none."""
    if server is None:
        return TEXTS.server_process_not
    if _namespace(server) != _namespace(os.getpid()):
        return TEXTS.server_lives_network
    return Others(address, (os.getpid(), *generators), servers, hosts)


def _namespace(pid: int) -> int | None:
    try:
        return os.stat(Path(f"/proc/{pid}/ns/net")).st_ino
    except OSError:
        return None
