"""The machine as one look sees it: processes, networks, who listens where; each read at most once."""

import glob
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from loadrig._native import Sockets, process_tree
from loadrig.base import processes, serving, sockets
from loadrig.base.loopback import is_loopback
from loadrig.base.running import Address
from loadrig.discovery._seen import Seen, read_text

_WILDCARDS = ("0.0.0.0", "::")
# Processes that listen more often than others, looked at first: the rest need not be looked at then.
_LIKELY = re.compile(
    r"redis|valkey|mariadbd|mysqld|postgres|nginx|memcached|java|node|python|gunicorn|uvicorn|apache2|httpd|haproxy"
    r"|mongod|beam\.smp|envoy|docker-proxy"
)


class Network:
    """One network namespace. key: names it; proc: a folder of /proc that has its `net`."""

    def __init__(self, key: str, proc: Path) -> None:
        self.key, self.proc = key, proc

    @cached_property
    def _tcp(self) -> tuple[list[sockets.Listener], list[sockets.Connection]]:
        return tcp_sockets(self.proc)

    @property
    def listeners(self) -> list[sockets.Listener]:
        """Its listening TCP sockets."""
        return self._tcp[0]

    @cached_property
    def unix_listeners(self) -> list[sockets.Listener]:
        """Its listening Unix sockets that have a path."""
        try:
            found = sockets.parse_unix_listeners((self.proc / "net" / "unix").read_text(errors="replace"))
        except OSError:
            return []
        return [one for one in found if one.address.startswith("/")]

    @cached_property
    def own(self) -> set[str]:
        """Its own addresses."""
        return sockets.own_addresses(self.proc)

    @cached_property
    def opened(self) -> list[sockets.Connection]:
        """The ends of established connections that were opened, not accepted.

        An accepted one bears the port that is listened on: those to a server are its clients'.
        """
        taken = {(one.address, one.port) for one in self.listeners}
        everywhere = {one.port for one in self.listeners if one.address in _WILDCARDS}
        return [
            one
            for one in self._tcp[1]
            if one.inode and one.port not in everywhere and (one.address, one.port) not in taken
        ]

    def is_here(self, host: str) -> bool:
        """Whether an address is one of its own."""
        return is_loopback(host) or host in self.own

    def listening_at(self, host: str, port: int) -> list[sockets.Listener]:
        """The sockets that take connections to an address of its own."""
        wanted = (host, *_WILDCARDS)
        return [one for one in self.listeners if one.port == port and one.address in wanted]


def tcp_sockets(proc: Path) -> tuple[list[sockets.Listener], list[sockets.Connection]]:
    """Listening sockets and established connections of a network namespace: the one place that reads them.

    Our own by netlink, in a fifth of the time that the text takes; another one's text can be read without
    entering it.
    """
    if proc == processes.PROC:
        with suppress(OSError):  # netlink is refused in some containers
            return sockets.listeners(), [sockets.Connection(*row[:5]) for row in Sockets().connections()]
    listening: list[sockets.Listener] = []
    connected: list[sockets.Connection] = []
    for name in ("tcp", "tcp6"):
        try:
            text = (proc / "net" / name).read_text(encoding="ascii")
        except OSError:  # a kernel without IPv6, or the last process of the namespace has ended
            continue
        listening += sockets.parse_listeners(text)
        connected += sockets.parse_connections(text)
    return listening, connected


class Scene:
    """What is looked at together. Made for one look, and then forgotten."""

    def __init__(self) -> None:
        self._networks: dict[str, Network] = {}
        self._holder: dict[int, int | None] = {}

    @cached_property
    def everyone(self) -> dict[int, processes.Stat]:
        """All processes that can be seen."""
        return processes.table()

    def network(self, pid: int | None) -> Network:
        """The network namespace of a process; ours where that is not known."""
        own = _namespace("self")
        key = (_namespace(pid) if pid is not None else "") or own
        if key not in self._networks:
            self._networks[key] = Network(key, processes.PROC if key == own else processes.PROC / str(pid))
        return self._networks[key]

    def owners(self, roots: Mapping[int, str], known: Mapping[int, str]) -> dict[int, str]:
        """Whose each process is: pid -> the name of the nearest root above it; others are left out.

        known: what an earlier look has found. Only the trees of the roots are read, not all processes.
        """
        trees = {root: process_tree(root, _of(name, known), processes.PROC) for root, name in roots.items()}
        found: dict[int, str] = {}
        # A root below another one has the smaller tree, which is laid over the greater one.
        for root in sorted(roots, key=lambda root: len(trees[root]), reverse=True):
            found.update(dict.fromkeys(trees[root], roots[root]))
        return found

    def owner(self, pid: int, roots: Mapping[int, str]) -> str | None:
        """Whose one process is."""
        while pid in self.everyone and pid not in roots:
            pid = self.everyone[pid].parent
        return roots.get(pid)

    def listens(self, pids: Iterable[int], network: Network) -> list[Address]:
        """Where these processes listen, lowest port first, Unix sockets last."""
        by_inode = {one.inode: one for one in (*network.listeners, *network.unix_listeners)}
        held = sockets.holders(by_inode, pids)
        found = {by_inode[inode] for inodes in held.values() for inode in inodes}
        return [
            Address(one.address, one.port) if one.port else Address("localhost", 0, unix=one.address)
            for one in sorted(found, key=lambda one: (not one.port, one.port, one.address))
        ]

    def look_for_holders(self, inodes: Iterable[int]) -> None:
        """Find one holder of each listening socket, all in one pass; `holder` then knows them."""
        missing = {inode for inode in inodes if inode not in self._holder}
        if not missing:
            return
        self._holder.update(dict.fromkeys(missing))
        likely = sorted(self.everyone.values(), key=lambda one: not _LIKELY.match(one.name))
        for one in likely:
            if not missing:
                return
            if one.parent == 2 or one.pid == 2:  # a thread of the kernel: it holds no files
                continue
            for inode in sockets.holders(missing, [one.pid]).get(one.pid, ()):
                self._holder[inode] = one.pid
                missing.discard(inode)

    def server_at(self, network: Network, host: str, port: int) -> int | None:
        """Root of the server that takes connections to an address, seen from a network; None if not known."""
        if not network.is_here(host):
            return self._elsewhere(network, host, port)
        listening = network.listening_at(host, port)
        root = self.root_of(listening)
        if root is None or self.everyone[root].name not in serving.PROXIES:
            return root
        line = processes.command_line(root)
        inner = re.search(r"-container-ip (\S+).*-container-port (\d+)", line)
        return self._elsewhere(network, inner[1], int(inner[2])) if inner else None

    def root_of(self, listening: Iterable[sockets.Listener]) -> int | None:
        """Root of the tree that holds one of these listening sockets; None if nobody may be seen to."""
        inodes = {one.inode for one in listening}
        self.look_for_holders(inodes)
        pids = {pid for inode in inodes if (pid := self._holder.get(inode)) is not None}
        if not pids:
            return None
        # A master and its workers share it: they are above and beside the one that was found.
        for pid in list(pids):
            one = self.everyone[pid]
            above = one.parent
            while above > 1 and above in self.everyone and sockets.holders(inodes, [above]):
                pids.add(above)
                above = self.everyone[above].parent
            beside = [
                other.pid
                for other in self.everyone.values()
                if other.parent == one.parent and other.name == one.name
            ]
            pids.update(sockets.holders(inodes, beside))
        return serving.root_of(pids & self.everyone.keys(), self.everyone)[0]

    def _elsewhere(self, network: Network, host: str, port: int) -> int | None:
        """A server in another network of this machine (a container's) that has the address `host`."""
        for other in self._others(network):
            if host in other.own and (listening := other.listening_at(host, port)):
                return self.root_of(listening)
        return None

    def _others(self, network: Network) -> list[Network]:
        found: dict[str, Network] = {}
        for pid in self.everyone:
            key = _namespace(pid)
            if key and key != network.key and key not in found:
                found[key] = self.network(pid)
        return list(found.values())


def _of(name: str, owners: Mapping[int, str]) -> list[int]:
    return [pid for pid, owner in owners.items() if owner == name]


def _namespace(pid: int | str) -> str:
    """What names the network namespace of a process; "" if that may not be known."""
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""


def named_sockets(seen: Seen, kind: str, listeners: Iterable[sockets.Listener]) -> list[sockets.Listener]:
    """The Unix sockets that a process is told of by its command line, environment or nginx's configuration.

    Who is connected to a Unix socket cannot be read from /proc: the end that connects has no path.
    """
    told = "\0".join((*seen.argv, *seen.environment.values()))
    if kind == "nginx":
        told += "\0".join(_nginx_files(seen))
    return [one for one in listeners if re.search(rf"{re.escape(one.address)}(?![\w./-])", told)]


def _nginx_files(seen: Seen) -> list[str]:
    """The texts of nginx's configuration and of the files that it includes, one level deep."""
    line = " ".join(seen.argv)
    named = re.search(r"\s-c\s*(\S+)", line)
    main = named[1] if named else "/etc/nginx/nginx.conf"
    texts = [seen.text(main)]
    for pattern in re.findall(r"^\s*include\s+([^;]+);", texts[0], re.MULTILINE):
        path = seen.inside(os.path.join(os.path.dirname(main), pattern.strip()))
        texts += [read_text(Path(name)) for name in sorted(glob.glob(str(path)))]
    return texts
