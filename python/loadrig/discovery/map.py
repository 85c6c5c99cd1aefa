"""Who opens connections to whom: the service map, and its form as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loadrig.base.component import Component
from loadrig.base.running import Address


@dataclass(frozen=True, slots=True)
class Edge:
    """One component opens connections to another.

    source, to: names of components. address: where `to` is spoken to. connections: the most that were
    open at one look, 0 where only hints or settings tell of it. different: how many different ones the
    looks saw, which is the least that there were. looks: in how many looks it was open.
    """

    source: str
    to: str
    address: Address
    connections: int = 0
    different: int = 0
    looks: int = 0


@dataclass(frozen=True, slots=True)
class ServiceMap:
    """The components, the server first, in the order in which they were found, and the edges between them.

    notes: sentences on what could not be seen.
    """

    components: tuple[Component, ...]
    edges: tuple[Edge, ...] = ()
    notes: tuple[str, ...] = ()

    def component(self, name: str) -> Component:
        """The component of this name. Raises KeyError if there is none."""
        for one in self.components:
            if one.name == name:
                return one
        raise KeyError(name)


def place(address: Address) -> str:
    """An address as a person writes it: "127.0.0.1:6379", "[::1]:6379", "/run/mysqld.sock"."""
    if address.unix:
        return address.unix
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{host}:{address.port}"


def to_json(found: ServiceMap) -> dict[str, Any]:
    """The map as plain data, as it stands in a manifest and in `loadrig discover --json`.

    {"components": [...], "edges": [...], "notes": [...]}. A component has name, kind, program_version,
    runtime, version, pid, start, workers, address, listens, argv, settings, limits ("cores",
    "memory_bytes", "pids", "descriptors"), cpus, container, is_ours, notes; pid, start and address are null
    where they are not known. An edge has source, to, address, connections, different and looks. Addresses
    are texts: "127.0.0.1:6379", or the path of a Unix socket. Secrets are masked by three asterisks.
    """
    return {
        "components": [component_to_json(one) for one in found.components],
        "edges": [
            {
                "source": edge.source,
                "to": edge.to,
                "address": place(edge.address),
                "connections": edge.connections,
                "different": edge.different,
                "looks": edge.looks,
            }
            for edge in found.edges
        ],
        "notes": list(found.notes),
    }


def component_to_json(one: Component) -> Mapping[str, Any]:
    """One component as plain data."""
    return {
        "name": one.name,
        "kind": one.kind,
        "program_version": one.program_version,
        "runtime": one.runtime,
        "version": one.version,
        "pid": one.pid,
        "start": one.start,
        "workers": one.workers,
        "address": place(one.address) if one.address else None,
        "listens": [place(address) for address in one.listens],
        "argv": list(one.argv),
        "settings": dict(one.settings),
        "limits": dict(one.limits),
        "cpus": list(one.cpus),
        "container": one.container,
        "is_ours": one.is_ours,
        "notes": list(one.notes),
    }
