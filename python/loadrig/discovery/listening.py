"""The servers of this machine that listen for TCP connections, from /proc alone: for who has no address."""

import os
from dataclasses import dataclass, replace

from loadrig.base import sockets
from loadrig.base.component import SERVER, Component
from loadrig.base.running import Address
from loadrig.discovery._describe import describe
from loadrig.discovery._kinds import BY_PORT
from loadrig.discovery._scene import MachineScene
from loadrig.discovery.as_plan import url_of

SPEAK_HTTP = frozenset({"http", "https", "elasticsearch", "clickhouse", "etcd"})
"""Kinds of server by port that are asked by HTTP."""

NOT_ASKED = (frozenset(BY_PORT.values()) - SPEAK_HTTP) | {"mariadb", "redis", "proxysql", "mosquitto"}
"""Kinds of server that are not asked by HTTP: a plan is not made of them, they are what servers talk to."""

OWN_PROTOCOL = frozenset({"sshd", "systemd-resolve", "dnsmasq", "exim4", "master", "rpcbind", "cupsd"})
"""Names of programs of a usual machine that listen and do not speak HTTP."""

TLS_PORTS = frozenset({443, 8443})
"""Ports at which a server is asked by TLS. Source: IANA's registry, and the habit of Java servers."""


@dataclass(frozen=True, slots=True)
class Listening:
    """Servers that listen on this machine, lowest port first.

    unseen: number of listening sockets whose program this user may not see.
    """

    servers: tuple[Component, ...]
    unseen: int


def listening_servers() -> Listening:
    """Return every server in this network namespace that may be asked by HTTP; nothing is sent to any."""
    scene = MachineScene()
    listeners = scene.network(None).listeners
    scene.look_for_holders(listener.inode for listener in listeners)
    by_root: dict[int, list[sockets.Listener]] = {}
    unseen: set[int] = set()
    for listener in listeners:
        root = scene.root_of([listener])
        if root is None:
            unseen.add(listener.port)
        elif root != os.getpid():
            by_root.setdefault(root, []).append(listener)
    servers = []
    for root, held in by_root.items():
        first, *others = sorted({_address(listener) for listener in held}, key=lambda address: address.port)
        server, *_ = describe(SERVER, root, scene.everyone, first, others)
        if server.kind not in NOT_ASKED and scene.everyone[root].name not in OWN_PROTOCOL:
            servers.append(server)
    return Listening(tuple(sorted(servers, key=_port)), len(unseen))


def url(server: Component) -> str:
    """Return the URL at which a server that listens is asked."""
    if server.address is None:
        return ""
    scheme = "https" if server.address.port in TLS_PORTS else "http"
    return url_of(replace(server.address, scheme=scheme))


def _port(server: Component) -> int:
    return server.address.port if server.address else 0


def _address(listener: sockets.Listener) -> Address:
    return Address(listener.address, listener.port)
