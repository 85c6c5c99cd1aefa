"""Discovery of the server at a URL, a port or a pid of this machine, and of all that it talks to."""

import socket
import time
from dataclasses import replace
from urllib.parse import urlsplit

from loadrig.base import processes, serving, sockets
from loadrig.base.component import SERVER, Component
from loadrig.base.errors import PlanError, Span, TargetError
from loadrig.base.loopback import is_loopback
from loadrig.base.running import Address
from loadrig.discovery._describe import describe
from loadrig.discovery._scene import MachineScene
from loadrig.discovery.finder import ComponentFinder
from loadrig.discovery.map import ServiceMap
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.discovery import DiscoveryFindErrors

ERRORS = texts_of(DiscoveryFindErrors)

LOOK_EVERY_S = 0.1
"""Seconds between two looks. A look costs milliseconds; more looks see shorter connections."""


def discover(where: str | None = None, *, pid: int | None = None, look_for_s: float = 3.0) -> ServiceMap:
    """Return the map of a server on this machine and of what the server talks to.

    where: a URL, "host:port", ":port" or the path of a Unix socket; or pid: any process of the server's tree.
    look_for_s: how long to look, ten times a second; what has no connection meanwhile is not found.
    Raises TargetError if nothing listens there or there is no such process, PlanError if `where` is no
    address or not one of this machine.
    """
    server = find_server(where, pid)
    finder = ComponentFinder(server)
    end = time.monotonic() + look_for_s
    while True:
        finder.look()
        left_s = end - time.monotonic()
        if left_s <= 0:
            break
        time.sleep(min(LOOK_EVERY_S, left_s))
    return finder.map()


def find_server(where: str | None, pid: int | None) -> Component:
    """Return the server that listens at an address, or that a process belongs to.

    Raises as `discover` does.
    """
    if pid is not None:
        return _server_of(pid, address_of(where) if where else None)
    address = address_of(where or "")
    if not address.unix and not _is_here(address.host):
        wording = ERRORS.elsewhere(address.host)
        raise PlanError.of(wording, code="discover.elsewhere", where=Span(where or ""))
    listening = serving.find(address)
    if not listening.listens:
        wording = ERRORS.nothing_listens(address.unix or address.url)
        raise TargetError.of(wording, code="target.not-listening")
    notes = (listening.note,) if listening.note else ()
    if listening.pid is None:
        return Component(SERVER, "program", address=address, notes=notes)
    server = _server_of(listening.pid, address)
    return replace(server, notes=(*notes, *server.notes))


def describe_server(server: Component) -> Component:
    """Return all that can be seen of a server whose target knows little.

    What the target knows is kept.
    """
    if server.pid is None or processes.start_of(server.pid) is None:
        return server
    described = _server_of(server.pid, server.address, climb=False)
    return replace(
        described,
        name=server.name,
        start=server.start if server.start is not None else described.start,
        cgroup=server.cgroup,
        argv=described.argv or server.argv,
        log=server.log,
        is_ours=server.is_ours,
    )


def address_of(where: str) -> Address:
    """Return the address that a person means by a URL, "host:port", ":port" or a path. Raises PlanError."""
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
        raise PlanError.of(ERRORS.no_address(where), code="plan.url", where=Span("URL"))
    return Address(parts.hostname, port, parts.scheme)


def _is_here(host: str) -> bool:
    if is_loopback(host) or host in ("0.0.0.0", "::"):
        return True
    own = sockets.own_addresses()
    try:
        return any(str(info[4][0]) in own for info in socket.getaddrinfo(host, None))
    except OSError:
        return False


def _server_of(pid: int, address: Address | None, *, climb: bool = True) -> Component:
    """Return the process tree that a process belongs to, as the server.

    climb: from a worker to the master that shares its listening socket.
    """
    scene = MachineScene()
    if pid not in scene.everyone or scene.everyone[pid].state in "ZX":
        raise TargetError.of(ERRORS.no_process(pid), code="target.no-process")
    network = scene.network(pid)
    if climb:
        by_inode = {listener.inode: listener for listener in (*network.listeners, *network.unix_listeners)}
        held = [by_inode[inode] for inode in sockets.holders(by_inode, [pid]).get(pid, ())]
        pid = (scene.root_of(held) if held else None) or pid
    listens = scene.listens(processes.tree(pid, scene.everyone), network)
    if address is None and listens:
        first = listens[0]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(first.host, first.host)
        address = replace(first, host=host)
    further = [
        listened
        for listened in listens
        if not address or (listened.port, listened.unix) != (address.port, address.unix)
    ]
    return describe(SERVER, pid, scene.everyone, address, further)[0]
