"""The finder: looks again and again, while load runs, at what a server and its dependencies talk to."""

from dataclasses import dataclass, replace

from loadrig.base import processes, sockets
from loadrig.base.component import HOST, Component
from loadrig.base.running import Address
from loadrig.discovery._describe import describe
from loadrig.discovery._kinds import BY_PORT
from loadrig.discovery._scene import Network, Scene, named_sockets
from loadrig.discovery._seen import Seen
from loadrig.discovery.map import Edge, ServiceMap, place

DEPTH = 3
"""How many steps from the server are followed."""

SCHEME = "tcp"
"""Of the addresses of dependencies: what is spoken there is for the probes to know."""

_Key = tuple[str, str, Address]


@dataclass(slots=True)
class _Count:
    """What the looks saw of one edge."""

    connections: int = 0
    different: int = 0
    looks: int = 0


class Finder:
    """Finds the components that a server talks to, directly or by others; made by whoever watches it.

    server: as `describe_server` gives it. Only /proc is read, nothing is ever sent. Not for several
    threads.
    """

    def __init__(self, server: Component) -> None:
        self._components = {server.name: server}
        self._depth = {server.name: 0}
        self._edges: dict[_Key, _Count] = {}
        # Remembered from look to look: who answers at an address; whose a connection is ("" for nobody of
        # ours); whose a process was; components whose connections were taken for nobody's; connections that
        # were counted; whose settings were searched for Unix sockets.
        self._at: dict[tuple[str, str, int], str] = {}
        self._owner: dict[int, str] = {}
        self._known: dict[int, str] = {}
        self._fresh = {server.name}
        self._counted: set[int] = set()
        self._searched: set[tuple[str, int]] = set()
        # Components, and addresses to which they were seen to hold connections.
        self._hints: set[tuple[str, Address]] = set()

    @property
    def server(self) -> Component:
        """The server that all begins with."""
        return next(iter(self._components.values()))

    def hint(self, source: str, host: str, port: int) -> None:
        """A component was seen to hold a connection to this address: it is looked up at the next look.

        For connections that are shorter than the time between two looks, met by whoever looks more often.
        """
        self._hints.add((source, Address(host, port, SCHEME)))

    def look(self) -> list[Component]:
        """Look once. Returns the components that were not known, and those that run as a new process now."""
        scene = Scene()
        before = dict(self._components)
        self._renew(scene)
        counted: dict[_Key, int] = {}
        while True:
            known = len(self._components)
            self._take_hints(scene)
            self._follow_settings(scene)
            counted = self._count(scene)
            if len(self._components) == known:
                break
        for key, connections in counted.items():
            count = self._edges[key]
            count.connections = max(count.connections, connections)
            count.looks += 1
        return [one for name, one in self._components.items() if before.get(name) is not one]

    def map(self) -> ServiceMap:
        """All that was found so far."""
        edges = (
            Edge(source, to, address, count.connections, count.different, count.looks)
            for (source, to, address), count in self._edges.items()
        )
        return ServiceMap(tuple(self._components.values()), tuple(edges))

    def _count(self, scene: Scene) -> dict[_Key, int]:
        """Open connections of each edge now; those of components met on the way are not yet counted."""
        seen_from = (scene.network(one.pid) for one in self._sources())
        networks = {network.key: network for network in seen_from}
        self._attribute(scene, list(networks.values()))
        met: dict[tuple[str, str, str, int], list[int]] = {}
        for network in networks.values():
            for row in network.opened:
                if source := self._owner.get(row.inode):
                    met.setdefault((network.key, source, row.remote, row.remote_port), []).append(row.inode)
        scene.look_for_holders(
            listener.inode
            for key, _, host, port in met
            if (key, host, port) not in self._at and networks[key].is_here(host)
            for listener in networks[key].listening_at(host, port)
        )
        counted: dict[_Key, int] = {}
        # Well-known ports first: where two redis are met at once, the one at 6379 is called "redis".
        for key, source, host, port in sorted(met, key=lambda one: (one[3] not in BY_PORT, one[3], one)):
            inodes = met[key, source, host, port]
            to = self._answering(scene, networks[key], host, port, self._depth[source] + 1)
            edge = (source, to, Address(host, port, SCHEME))
            count = self._edges.setdefault(edge, _Count())
            count.different += sum(inode not in self._counted for inode in inodes)
            self._counted.update(inodes)
            counted[edge] = len(inodes)
        return counted

    def _sources(self) -> list[Component]:
        """The components whose connections are followed: local ones, not too far from the server."""
        return [
            one for name, one in self._components.items() if one.pid is not None and self._depth[name] < DEPTH
        ]

    def _attribute(self, scene: Scene, networks: list[Network]) -> None:
        """Find out whose the connections are that no earlier look has seen.

        A server that keeps its connections costs nothing here: no descriptor is read again.
        """
        alive = {row.inode for network in networks for row in network.opened}
        self._owner = {inode: name for inode, name in self._owner.items() if inode in alive}
        self._counted &= alive
        unknown = alive - self._owner.keys()
        followed = {one.name for one in self._sources()}
        fresh, self._fresh = self._fresh & followed, set()
        if not unknown and not fresh:
            return
        owners = self._owners(scene)
        pids = [pid for pid, name in owners.items() if name in followed and name not in fresh]
        held = sockets.holders(unknown, pids) if unknown else {}
        nobodys = {inode for inode in alive if not self._owner.get(inode)}
        held.update(sockets.holders(nobodys, (pid for pid, name in owners.items() if name in fresh)))
        self._owner.update(dict.fromkeys(unknown, ""))
        for pid, inodes in held.items():
            self._owner.update(dict.fromkeys(inodes, owners[pid]))

    def _owners(self, scene: Scene) -> dict[int, str]:
        """Whose each process of the components is now."""
        self._known = scene.owners(self._roots(), self._known)
        return self._known

    def _roots(self) -> dict[int, str]:
        return {one.pid: name for name, one in self._components.items() if one.pid is not None}

    # --- who answers -------------------------------------------------------------------------------

    def _answering(self, scene: Scene, network: Network, host: str, port: int, depth: int) -> str:
        """The name of the component that takes connections to an address; a new one if it is not known."""
        key = (network.key, host, port)
        if key not in self._at:
            address = Address(host, port, SCHEME)
            pid = scene.server_at(network, host, port)
            self._at[key] = (
                self._unseen(address, depth, network.is_here(host))
                if pid is None
                else self._local(scene, pid, address, depth)
            )
        return self._at[key]

    def _local(self, scene: Scene, pid: int, address: Address, depth: int) -> str:
        """The component whose tree a process belongs to; a new one if there is none yet."""
        known = scene.owner(pid, self._roots())
        if known is not None:
            return known
        found = self._described(scene, pid, address)
        name = self._name(found[0].kind if found[0].kind != "program" else found[1], address)
        self._components[name] = replace(found[0], name=name)
        self._depth[name] = depth
        self._fresh.add(name)
        return name

    def _described(self, scene: Scene, pid: int, address: Address) -> tuple[Component, str]:
        network = scene.network(pid)
        listens = scene.listens(processes.tree(pid, scene.everyone), network)
        here = [one for one in listens if (one.port, one.unix) != (address.port, address.unix)]
        return describe("", pid, scene.everyone, address, here)

    def _unseen(self, address: Address, depth: int, is_here: bool) -> str:
        """A component of which only the address is known: elsewhere, or another user's."""
        kind = BY_PORT.get(address.port, "program")
        name = self._name(kind if kind != "program" else place(address), address)
        note = (
            f"who listens on {place(address)} may not be seen by this user"
            if is_here
            else f"{place(address)} is not on this machine; told by its port alone"
        )
        self._components[name] = Component(name, kind, address=address, notes=(note,))
        self._depth[name] = depth
        return name

    def _name(self, wanted: str, address: Address) -> str:
        """A name that is free: the kind, else with its port, else with its address."""
        taken = self._components.keys() | {HOST}
        end = f"{wanted}:{address.unix or address.port}"
        for name in (wanted, end, f"{wanted}:{place(address)}"):
            if name not in taken:
                return name
        return next(name for n in range(2, len(taken) + 3) if (name := f"{end}-{n}") not in taken)

    def _renew(self, scene: Scene) -> None:
        """A component that has ended may have been started again: it keeps its name."""
        for name, one in list(self._components.items()):
            if (
                one.pid is None
                or one.start is None
                or one.address is None
                or processes.is_alive(one.pid, one.start)
            ):
                continue
            network = scene.network(None)
            pid = (
                scene.root_of(own for own in network.unix_listeners if own.address == one.address.unix)
                if one.address.unix
                else scene.server_at(network, one.address.host, one.address.port)
            )
            if pid is not None and not any(other.pid == pid for other in self._components.values()):
                found, _ = self._described(scene, pid, one.address)
                self._components[name] = replace(
                    found, name=name, cgroup=one.cgroup, log=one.log, is_ours=one.is_ours
                )
                self._fresh.add(name)

    # --- what no connection tells ----------------------------------------------------------------------

    def _take_hints(self, scene: Scene) -> None:
        """Make an edge of each address that a component was seen to talk to."""
        known = {(source, address) for source, _, address in self._edges}
        while self._hints:
            source, address = self._hints.pop()
            component = self._components.get(source)
            if component is None or (source, address) in known or self._depth[source] >= DEPTH:
                continue
            network = scene.network(component.pid)
            to = self._answering(scene, network, address.host, address.port, self._depth[source] + 1)
            self._edges[source, to, address] = _Count()

    def _follow_settings(self, scene: Scene) -> None:
        """Make an edge of each listening Unix socket that a component's settings name; once for a process."""
        for one in self._sources():
            if one.pid is None or (one.name, one.pid) in self._searched:
                continue
            self._searched.add((one.name, one.pid))
            for listener in named_sockets(Seen(one.pid), one.kind, scene.network(one.pid).unix_listeners):
                pid = scene.root_of([listener])
                address = Address("localhost", 0, SCHEME, listener.address)
                depth = self._depth[one.name] + 1
                to = (
                    self._unseen(address, depth, is_here=True)
                    if pid is None
                    else self._local(scene, pid, address, depth)
                )
                if to != one.name:  # its own socket
                    self._edges.setdefault((one.name, to, address), _Count())
