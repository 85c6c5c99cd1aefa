"""The machine as one look sees it: processes, networks, listeners; each is read at most once."""

import glob
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from loadrig._native import Sockets, process_tree
from loadrig.base import kernel_files, processes, serving, sockets
from loadrig.base.loopback import is_loopback
from loadrig.base.running import Address
from loadrig.discovery._seen import VisibleProcess, read_text

_WILDCARDS = ("0.0.0.0", "::")
# Processes that listen more often than others, looked at first: the rest need not be looked at then.
_LIKELY = re.compile(
    r"redis|valkey|mariadbd|mysqld|postgres|nginx|memcached|java|node|python|gunicorn|uvicorn|apache2|httpd|haproxy"
    r"|mongod|beam\.smp|envoy|docker-proxy"
)


class NetworkNamespace:
    """A network namespace. key: its name; proc: a folder of /proc that has its `net`."""

    def __init__(self, key: str, proc: Path) -> None:
        self.key, self.proc = key, proc

    @cached_property
    def _tcp(self) -> tuple[list[sockets.Listener], list[sockets.Connection]]:
        return tcp_sockets(self.proc)

    @property
    def listeners(self) -> list[sockets.Listener]:
        """Listening TCP sockets of the namespace."""
        return self._tcp[0]

    @cached_property
    def unix_listeners(self) -> list[sockets.Listener]:
        """Listening Unix sockets of the namespace that have a path."""
        listeners = sockets.parse_unix_listeners(kernel_files.read(self.proc / "net" / "unix") or "")
        return [listener for listener in listeners if listener.address.startswith("/")]

    @cached_property
    def own(self) -> set[str]:
        """Addresses of the namespace itself."""
        return sockets.own_addresses(self.proc)

    @cached_property
    def opened(self) -> list[sockets.Connection]:
        """Ends of established connections that were opened, not accepted.

        The accepted end bears the port that is listened on: it belongs to the server, not to the client.
        """
        listened = {(listener.address, listener.port) for listener in self.listeners}
        everywhere = {listener.port for listener in self.listeners if listener.address in _WILDCARDS}
        return [
            connection
            for connection in self._tcp[1]
            if connection.inode
            and connection.port not in everywhere
            and (connection.address, connection.port) not in listened
        ]

    def is_here(self, host: str) -> bool:
        """Return whether an address belongs to this namespace."""
        return is_loopback(host) or host in self.own

    def listening_at(self, host: str, port: int) -> list[sockets.Listener]:
        """Return the sockets that take connections to an address of this namespace."""
        wanted = (host, *_WILDCARDS)
        return [
            listener for listener in self.listeners if listener.port == port and listener.address in wanted
        ]


def tcp_sockets(proc: Path) -> tuple[list[sockets.Listener], list[sockets.Connection]]:
    """Return the listening sockets and established connections of a network namespace.

    This is the only place that reads them.

    The rig's own namespace is read by netlink, in a fifth of the time that the text takes; the text of
    another namespace can be read without entering it.
    """
    if proc == processes.PROC:
        with suppress(OSError):  # netlink is refused in some containers
            return sockets.listeners(), [sockets.Connection(*row[:5]) for row in Sockets().connections()]
    listening: list[sockets.Listener] = []
    connected: list[sockets.Connection] = []
    for name in ("tcp", "tcp6"):
        # None of a kernel without IPv6, or if the last process of the namespace has ended.
        text = kernel_files.read(proc / "net" / name) or ""
        listening += sockets.parse_listeners(text)
        connected += sockets.parse_connections(text)
    return listening, connected


class MachineScene:
    """Processes, networks and listeners of the machine at one look. Made for the look, then dropped."""

    def __init__(self) -> None:
        self._networks: dict[str, NetworkNamespace] = {}
        self._holder: dict[int, int | None] = {}

    @cached_property
    def everyone(self) -> dict[int, processes.Stat]:
        """All processes that can be seen, by pid."""
        return processes.table()

    def network(self, pid: int | None) -> NetworkNamespace:
        """Return the network namespace of a process; the rig's own where that is not known."""
        own = _namespace("self")
        key = (_namespace(pid) if pid is not None else "") or own
        if key not in self._networks:
            self._networks[key] = NetworkNamespace(
                key, processes.PROC if key == own else processes.PROC / str(pid)
            )
        return self._networks[key]

    def owners(self, roots: Mapping[int, str], before: Mapping[int, str]) -> dict[int, str]:
        """Return the name of the nearest root above each process, by pid; processes without one are left out.

        known: owners found by an earlier look. Only the trees of the roots are read, not all processes.
        """
        trees = {
            root: process_tree(root, [pid for pid, owner in before.items() if owner == name], processes.PROC)
            for root, name in roots.items()
        }
        owners: dict[int, str] = {}
        # A root below another one has the smaller tree, which is laid over the greater one.
        for root in sorted(roots, key=lambda root: len(trees[root]), reverse=True):
            owners.update(dict.fromkeys(trees[root], roots[root]))
        return owners

    def owner(self, pid: int, roots: Mapping[int, str]) -> str | None:
        """Return the name of the nearest root above a process; None if there is none."""
        while pid in self.everyone and pid not in roots:
            pid = self.everyone[pid].parent
        return roots.get(pid)

    def listens(self, pids: Iterable[int], network: NetworkNamespace) -> list[Address]:
        """Return where these processes listen, lowest port first, Unix sockets last."""
        by_inode = {listener.inode: listener for listener in (*network.listeners, *network.unix_listeners)}
        held = sockets.holders(by_inode, pids)
        listeners = {by_inode[inode] for inodes in held.values() for inode in inodes}
        return [
            Address(listener.address, listener.port)
            if listener.port
            else Address("localhost", 0, unix=listener.address)
            for listener in sorted(
                listeners, key=lambda listener: (not listener.port, listener.port, listener.address)
            )
        ]

    def look_for_holders(self, inodes: Iterable[int]) -> None:
        """Find a holder of each listening socket, all in one pass; `root_of` then needs no further pass."""
        missing = {inode for inode in inodes if inode not in self._holder}
        if not missing:
            return
        self._holder.update(dict.fromkeys(missing))
        likely = sorted(self.everyone.values(), key=lambda process: not _LIKELY.match(process.name))
        for process in likely:
            if not missing:
                return
            if process.parent == 2 or process.pid == 2:  # a thread of the kernel: it holds no files
                continue
            for inode in sockets.holders(missing, [process.pid]).get(process.pid, ()):
                self._holder[inode] = process.pid
                missing.discard(inode)

    def server_at(self, network: NetworkNamespace, host: str, port: int) -> int | None:
        """Return the root of the server that takes connections to an address; None if not known.

        network: the namespace in which the address is meant.
        """
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
        """Return the root of the process tree that holds a listening socket; None if no holder may be seen.

        listening: sockets of which the tree holds at least one.
        """
        inodes = {listener.inode for listener in listening}
        self.look_for_holders(inodes)
        pids = {pid for inode in inodes if (pid := self._holder.get(inode)) is not None}
        if not pids:
            return None
        # A master and its workers share the socket: they are above and beside the process that was found.
        for pid in list(pids):
            process = self.everyone[pid]
            above = process.parent
            while above > 1 and above in self.everyone and sockets.holders(inodes, [above]):
                pids.add(above)
                above = self.everyone[above].parent
            beside = [
                sibling.pid
                for sibling in self.everyone.values()
                if sibling.parent == process.parent and sibling.name == process.name
            ]
            pids.update(sockets.holders(inodes, beside))
        return serving.root_of(pids & self.everyone.keys(), self.everyone)[0]

    def _elsewhere(self, network: NetworkNamespace, host: str, port: int) -> int | None:
        """Return the root of a server in another network of this machine that has the address `host`."""
        for neighbour in self._others(network):
            if host in neighbour.own and (listening := neighbour.listening_at(host, port)):
                return self.root_of(listening)
        return None

    def _others(self, network: NetworkNamespace) -> list[NetworkNamespace]:
        networks: dict[str, NetworkNamespace] = {}
        for pid in self.everyone:
            key = _namespace(pid)
            if key and key != network.key and key not in networks:
                networks[key] = self.network(pid)
        return list(networks.values())


def _namespace(pid: int | str) -> str:
    """Return the name of a process's network namespace; "" if that may not be known."""
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""


def named_sockets(
    process: VisibleProcess, kind: str, listeners: Iterable[sockets.Listener]
) -> list[sockets.Listener]:
    """Return the listening Unix sockets that a process knows by its settings.

    They are looked for in the command line and environment, and in the configuration of nginx.

    Who is connected to a Unix socket cannot be read from /proc: the end that connects has no path.
    """
    text = "\0".join((*process.argv, *process.environment.values()))
    if kind == "nginx":
        text += "\0".join(_nginx_files(process))
    return [
        listener for listener in listeners if re.search(rf"{re.escape(listener.address)}(?![\w./-])", text)
    ]


def _nginx_files(process: VisibleProcess) -> list[str]:
    """Return the texts of nginx's configuration and of the files that it includes, one level deep."""
    line = " ".join(process.argv)
    option = re.search(r"\s-c\s*(\S+)", line)
    main = option[1] if option else "/etc/nginx/nginx.conf"
    texts = [process.text(main)]
    for pattern in re.findall(r"^\s*include\s+([^;]+);", texts[0], re.MULTILINE):
        path = process.inside(os.path.join(os.path.dirname(main), pattern.strip()))
        texts += [read_text(Path(name)) for name in sorted(glob.glob(str(path)))]
    return texts
