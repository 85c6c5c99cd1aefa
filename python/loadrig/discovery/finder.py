"""The finder: looks again and again, while load runs, at what a server and its dependencies talk to."""

from dataclasses import dataclass, replace

from loadrig.base import processes
from loadrig.base.component import HOST, Component
from loadrig.base.running import Address
from loadrig.discovery._describe import describe
from loadrig.discovery._kinds import BY_PORT
from loadrig.discovery._owners import Owners
from loadrig.discovery._scene import MachineScene, NetworkNamespace, named_sockets
from loadrig.discovery._seen import VisibleProcess
from loadrig.discovery.map import MapEdge, ServiceMap, place
from loadrig.language.choice import texts_of
from loadrig.language.en.discovery import DiscoveryTexts

TEXTS = texts_of(DiscoveryTexts)

DEPTH = 3
"""Steps from the server that are followed, at most."""

SCHEME = "tcp"
"""Scheme of the addresses of dependencies: the probes know which protocol is spoken there."""

_Key = tuple[str, str, Address]


@dataclass(slots=True)
class _Count:
    """Counts of what the looks saw of an edge."""

    connections: int = 0
    different: int = 0
    looks: int = 0


class ComponentFinder:
    """Finder of the components that a server talks to, directly or by others; made by whoever watches it.

    server: as `describe_server` returns it. Only /proc is read, nothing is ever sent. Not for several
    threads.
    """

    def __init__(self, server: Component) -> None:
        self._components = {server.name: server}
        self._depth = {server.name: 0}
        self._edges: dict[_Key, _Count] = {}
        self._owners = Owners(server.name)
        # Kept from look to look. Who answers at an address; components whose settings were searched for Unix
        # sockets.
        self._names_at: dict[tuple[str, str, int], str] = {}
        self._searched: set[tuple[str, int]] = set()
        # Components, and addresses to which they were seen to hold connections.
        self._hints: set[tuple[str, Address]] = set()

    @property
    def server(self) -> Component:
        """The server from which the search begins."""
        return next(iter(self._components.values()))

    def hint(self, source: str, host: str, port: int) -> None:
        """Note that a component was seen to hold a connection to an address: the next look follows it.

        It is for connections shorter than the time between two looks, seen by a probe that looks more often.
        """
        self._hints.add((source, Address(host, port, SCHEME)))

    def look(self) -> list[Component]:
        """Look once. Return the components that are new, and those that run as a new process now."""
        scene = MachineScene()
        before = dict(self._components)
        self._renew(scene)
        counted: dict[_Key, int] = {}
        while True:
            count_before = len(self._components)
            self._take_hints(scene)
            self._follow_settings(scene)
            counted = self._count(scene)
            if len(self._components) == count_before:
                break
        for key, connections in counted.items():
            count = self._edges[key]
            count.connections = max(count.connections, connections)
            count.looks += 1
        return [
            component for name, component in self._components.items() if before.get(name) is not component
        ]

    def map(self) -> ServiceMap:
        """Return the map of all that was found so far."""
        edges = (
            MapEdge(source, to, address, count.connections, count.different, count.looks)
            for (source, to, address), count in self._edges.items()
        )
        return ServiceMap(tuple(self._components.values()), tuple(edges))

    def _count(self, scene: MachineScene) -> dict[_Key, int]:
        """Return the open connections of each edge now; components found meanwhile are not yet counted."""
        seen_from = (scene.network(component.pid) for component in self._sources())
        networks = {network.key: network for network in seen_from}
        followed = {component.name for component in self._sources()}
        self._owners.attribute(scene, list(networks.values()), followed, self._roots())
        met: dict[tuple[str, str, str, int], list[int]] = {}
        for network in networks.values():
            for row in network.opened:
                if source := self._owners.of(row.inode):
                    met.setdefault((network.key, source, row.remote, row.remote_port), []).append(row.inode)
        scene.look_for_holders(
            listener.inode
            for key, _, host, port in met
            if (key, host, port) not in self._names_at and networks[key].is_here(host)
            for listener in networks[key].listening_at(host, port)
        )
        counted: dict[_Key, int] = {}
        # Well-known ports first: where two redis are met at once, the one at 6379 is called "redis".
        for key, source, host, port in sorted(
            met, key=lambda entry: (entry[3] not in BY_PORT, entry[3], entry)
        ):
            inodes = met[key, source, host, port]
            to = self._answering(scene, networks[key], host, port, self._depth[source] + 1)
            edge = (source, to, Address(host, port, SCHEME))
            count = self._edges.setdefault(edge, _Count())
            count.different += self._owners.count(inodes)
            counted[edge] = len(inodes)
        return counted

    def _sources(self) -> list[Component]:
        """Return the components whose connections are followed: local, and not too far from the server."""
        return [
            component
            for name, component in self._components.items()
            if component.pid is not None and self._depth[name] < DEPTH
        ]

    def _roots(self) -> dict[int, str]:
        return {
            component.pid: name for name, component in self._components.items() if component.pid is not None
        }

    # --- who answers -------------------------------------------------------------------------------

    def _answering(
        self, scene: MachineScene, network: NetworkNamespace, host: str, port: int, depth: int
    ) -> str:
        """Return the name of the component that takes connections to an address, new or known."""
        key = (network.key, host, port)
        if key not in self._names_at:
            address = Address(host, port, SCHEME)
            pid = scene.server_at(network, host, port)
            self._names_at[key] = (
                self._unseen(address, depth, network.is_here(host))
                if pid is None
                else self._local(scene, pid, address, depth)
            )
        return self._names_at[key]

    def _local(self, scene: MachineScene, pid: int, address: Address, depth: int) -> str:
        """Return the name of the component to whose tree a process belongs, new or known."""
        owner = scene.owner(pid, self._roots())
        if owner is not None:
            return owner
        described = self._described(scene, pid, address)
        name = self._name(described[0].kind if described[0].kind != "program" else described[1], address)
        self._components[name] = replace(described[0], name=name)
        self._depth[name] = depth
        self._owners.expect(name)
        return name

    def _described(self, scene: MachineScene, pid: int, address: Address) -> tuple[Component, str]:
        network = scene.network(pid)
        listens = scene.listens(processes.tree(pid, scene.everyone), network)
        further = [
            listened for listened in listens if (listened.port, listened.unix) != (address.port, address.unix)
        ]
        return describe("", pid, scene.everyone, address, further)

    def _unseen(self, address: Address, depth: int, is_here: bool) -> str:
        """Add a component of which only the address is known, and return its name."""
        kind = BY_PORT.get(address.port, "program")
        name = self._name(kind if kind != "program" else place(address), address)
        note = TEXTS.listener_unseen(place(address)) if is_here else TEXTS.elsewhere(place(address))
        self._components[name] = Component(name, kind, address=address, notes=(note,))
        self._depth[name] = depth
        return name

    def _name(self, wanted: str, address: Address) -> str:
        """Return a name that is free: the kind alone, with its port, or with its address."""
        names = self._components.keys() | {HOST}
        end = f"{wanted}:{address.unix or address.port}"
        for name in (wanted, end, f"{wanted}:{place(address)}"):
            if name not in names:
                return name
        return next(name for n in range(2, len(names) + 3) if (name := f"{end}-{n}") not in names)

    def _renew(self, scene: MachineScene) -> None:
        """Look for components that have ended and were started again: they keep their names."""
        for name, component in list(self._components.items()):
            if (
                component.pid is None
                or component.start is None
                or component.address is None
                or processes.is_alive(component.pid, component.start)
            ):
                continue
            network = scene.network(None)
            pid = (
                scene.root_of(
                    listener
                    for listener in network.unix_listeners
                    if listener.address == component.address.unix
                )
                if component.address.unix
                else scene.server_at(network, component.address.host, component.address.port)
            )
            if pid is not None and not any(other.pid == pid for other in self._components.values()):
                renewed, _ = self._described(scene, pid, component.address)
                self._components[name] = replace(
                    renewed, name=name, cgroup=component.cgroup, log=component.log, is_ours=component.is_ours
                )
                self._owners.expect(name)

    # --- what no connection tells ----------------------------------------------------------------------

    def _take_hints(self, scene: MachineScene) -> None:
        """Make an edge for each address that a component was seen to talk to."""
        edges = {(source, address) for source, _, address in self._edges}
        while self._hints:
            source, address = self._hints.pop()
            component = self._components.get(source)
            if component is None or (source, address) in edges or self._depth[source] >= DEPTH:
                continue
            network = scene.network(component.pid)
            to = self._answering(scene, network, address.host, address.port, self._depth[source] + 1)
            self._edges[source, to, address] = _Count()

    def _follow_settings(self, scene: MachineScene) -> None:
        """Make an edge for each listening Unix socket that settings name; once for a process."""
        for component in self._sources():
            if component.pid is None or (component.name, component.pid) in self._searched:
                continue
            self._searched.add((component.name, component.pid))
            for listener in named_sockets(
                VisibleProcess(component.pid), component.kind, scene.network(component.pid).unix_listeners
            ):
                pid = scene.root_of([listener])
                address = Address("localhost", 0, SCHEME, listener.address)
                depth = self._depth[component.name] + 1
                to = (
                    self._unseen(address, depth, is_here=True)
                    if pid is None
                    else self._local(scene, pid, address, depth)
                )
                if to != component.name:  # else it is the component's own socket
                    self._edges.setdefault((component.name, to, address), _Count())
