"""From a URL, a port or a pid of this machine to the server, and from there to all that it talks to."""

import socket
import time
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from loadrig.base import processes, serving, sockets
from loadrig.base.component import SERVER, Component
from loadrig.base.errors import PlanError, Problem, Span, TargetError
from loadrig.base.loopback import is_loopback
from loadrig.base.running import Address
from loadrig.discovery._describe import describe
from loadrig.discovery._scene import Scene
from loadrig.discovery.finder import Finder
from loadrig.discovery.map import ServiceMap

LOOK_EVERY_S = 0.1
"""A look costs some milliseconds; the oftener, the shorter the connections that are still seen."""


def discover(
    where: str | None = None,
    *,
    pid: int | None = None,
    look_for_s: float = 3.0,
    wait: Callable[[float], None] = time.sleep,
) -> ServiceMap:
    """The map of a server on this machine and of what it talks to.

    where: a URL, "host:port", ":port" or the path of a Unix socket; or pid: any process of the server's tree.
    look_for_s: how long to look, ten times a second; what is not connected meanwhile is not found.
    Raises TargetError if nothing listens there or there is no such process, PlanError if `where` is no
    address or not one of this machine.
    """
    server = find_server(where, pid)
    finder = Finder(server)
    end = time.monotonic() + look_for_s
    while True:
        finder.look()
        left = end - time.monotonic()
        if left <= 0:
            break
        wait(min(LOOK_EVERY_S, left))
    return finder.map()


def find_server(where: str | None, pid: int | None) -> Component:
    """The server that listens at an address, or that a process belongs to; raises as `discover` does."""
    if pid is not None:
        return _of_process(pid, address_of(where) if where else None)
    address = address_of(where or "")
    if not address.unix and not _is_here(address.host):
        raise PlanError(
            Problem(
                what=f"{address.host} is not an address of this machine",
                why="only what runs on this machine can be looked into from here",
                where=Span(where or ""),
                mend=f"run loadrig discover on {address.host}, or name it in a plan by `observers` and `via`",
                code="discover.elsewhere",
            )
        )
    found = serving.find(address)
    if not found.listens:
        raise TargetError(
            Problem(
                what=f"nothing listens on {address.unix or address.url}",
                mend="start the server first, or correct the address",
                code="target.not-listening",
            )
        )
    notes = (found.note,) if found.note else ()
    if found.pid is None:
        return Component(SERVER, "program", address=address, notes=notes)
    server = _of_process(found.pid, address)
    return replace(server, notes=(*notes, *server.notes))


def describe_server(server: Component) -> Component:
    """All that can be seen of a server of which its target knows little; what the target knows stays."""
    if server.pid is None or processes.start_of(server.pid) is None:
        return server
    found = _of_process(server.pid, server.address, climb=False)
    return replace(
        found,
        name=server.name,
        start=server.start if server.start is not None else found.start,
        cgroup=server.cgroup,
        argv=found.argv or server.argv,
        log=server.log,
        is_ours=server.is_ours,
    )


def address_of(where: str) -> Address:
    """The address that a person means by a URL, "host:port", ":port" or a path. Raises PlanError."""
    if where.startswith(("/", "unix:")):
        return Address("localhost", 0, unix=where.removeprefix("unix:"))
    text = f"http://127.0.0.1:{where}" if where.isdecimal() else where
    text = f"http://127.0.0.1{text}" if text.startswith(":") else text
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError:
        port = 0
    if not port or not parts.hostname:
        raise PlanError(
            Problem(
                what=f"{where!r} is not the address of a server",
                where=Span("URL"),
                mend="write it as http://HOST:PORT/PATH, or :PORT, or give --pid N",
                code="plan.url",
            )
        )
    return Address(parts.hostname, port, parts.scheme)


def _is_here(host: str) -> bool:
    if is_loopback(host) or host in ("0.0.0.0", "::"):
        return True
    own = sockets.own_addresses()
    try:
        return any(str(info[4][0]) in own for info in socket.getaddrinfo(host, None))
    except OSError:
        return False


def _of_process(pid: int, address: Address | None, *, climb: bool = True) -> Component:
    """The tree that a process belongs to, as the server.

    climb: from a worker to the master that shares its listening socket.
    """
    scene = Scene()
    if pid not in scene.everyone or scene.everyone[pid].state in "ZX":
        raise TargetError(
            Problem(
                what=f"there is no process {pid}",
                mend="correct --pid, or give the address that the server listens on",
                code="target.no-process",
            )
        )
    network = scene.network(pid)
    if climb:
        by_inode = {one.inode: one for one in (*network.listeners, *network.unix_listeners)}
        held = [by_inode[inode] for inode in sockets.holders(by_inode, [pid]).get(pid, ())]
        pid = (scene.root_of(held) if held else None) or pid
    listens = scene.listens(processes.tree(pid, scene.everyone), network)
    if address is None and listens:
        first = listens[0]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(first.host, first.host)
        address = replace(first, host=host)
    others = [one for one in listens if not address or (one.port, one.unix) != (address.port, address.unix)]
    return describe(SERVER, pid, scene.everyone, address, others)[0]
