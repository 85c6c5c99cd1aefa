"""Server of an address of this machine: from a port to the root of the server's process tree."""

import pwd
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import processes, sockets
from loadrig.base.base_texts import texts
from loadrig.base.running import Address

PROXIES = frozenset({"docker-proxy", "rootlessport", "slirp4netns", "conmon"})
"""Programs that only pass a port on: the server itself is in a container, with a port of its own."""


@dataclass(frozen=True, slots=True)
class ListeningProcess:
    """Process that listens at an address.

    listens: whether anybody does. pid: root of the server's tree, None if not known. note: what a person
    should know when the tree is not known, or may be the wrong one.
    """

    listens: bool
    pid: int | None = None
    note: str = ""


def find(address: Address) -> ListeningProcess:
    """Find the process that listens on an address of this machine; about 20 ms."""
    if address.unix:
        text = Path("/proc/net/unix").read_text()
        listening = [
            listener for listener in sockets.parse_unix_listeners(text) if listener.address == address.unix
        ]
    else:
        # A name has more than one address; the server may listen on either.
        hosts = ("127.0.0.1", "::1") if "localhost" in address.host else (address.host,)
        listening = [listener for host in hosts for listener in sockets.listeners_at(host, address.port)]
    if not listening:
        return ListeningProcess(listens=False)
    held = sockets.holders(listener.inode for listener in listening)
    if not held:
        return ListeningProcess(listens=True, note=_hidden(address, listening))
    everyone = processes.table()
    root, note = root_of(held.keys() & everyone.keys(), everyone)
    if root is not None and everyone[root].name in PROXIES:
        note = texts().passed_on(address.url, everyone[root].name)
        root = None
    return ListeningProcess(listens=True, pid=root, note=note)


def root_of(held: Iterable[int], everyone: Mapping[int, processes.Stat]) -> tuple[int | None, str]:
    """Return the root among processes that hold a listening socket: the one whose parent does not hold it.

    A master hands its socket to its workers, so they hold it too. Several roots are servers of their own that
    share a port (SO_REUSEPORT): the one with the most descendants is taken, and the note says so.
    """
    # The first process of the system opens sockets for services that it starts; it serves nobody itself.
    holding = set(held) - {1} or set(held)
    roots = [pid for pid in holding if everyone[pid].parent not in holding]
    if not roots:
        return None, texts().just_ended
    roots.sort(key=lambda pid: (-len(processes.tree(pid, everyone)), everyone[pid].start, pid))
    if len(roots) == 1:
        return roots[0], ""
    parents = {everyone[pid].parent for pid in roots}
    if len(parents) == 1 and (parent := parents.pop()) > 1 and _is_manager(parent, roots, everyone):
        return parent, ""
    others = ", ".join(map(str, sorted(roots[1:])))
    return roots[0], texts().port_shared(str(roots[0]), others)


def _is_manager(parent: int, roots: Sequence[int], everyone: Mapping[int, processes.Stat]) -> bool:
    """Return whether a parent of listening processes is their manager, not the shell that started them."""
    if parent not in everyone:
        return False
    names = {everyone[pid].name for pid in roots}
    return everyone[parent].name in names


def _hidden(address: Address, listening: Sequence[sockets.Listener]) -> str:
    uid = listening[0].uid
    if uid < 0:
        return texts().listener_unseen(str(address.unix))
    try:
        user = pwd.getpwuid(uid).pw_name
    except KeyError:
        user = "?"
    return texts().listener_of(address.url, user, str(uid))
