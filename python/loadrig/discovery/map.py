"""Service map: which component opens connections to which, and its form as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loadrig.base.component import Component
from loadrig.base.running import Address


@dataclass(frozen=True, slots=True)
class MapEdge:
    """Connections that a component opens to another one.

    source, to: names of components. address: where `to` is spoken to. connections: the most that
    were open at one look, 0 where only hints or settings tell of the edge. different: number of different
    connections seen, a lower bound of those that there were. looks: how many saw any open.
    """

    source: str
    to: str
    address: Address
    connections: int = 0
    different: int = 0
    looks: int = 0


@dataclass(frozen=True, slots=True)
class ServiceMap:
    """Map of the components, the server first, in the order of finding, and the edges between them.

    notes: sentences on what could not be seen.
    """

    components: tuple[Component, ...]
    edges: tuple[MapEdge, ...] = ()
    notes: tuple[str, ...] = ()

    def component(self, name: str) -> Component:
        """Return the component with this name. Raises KeyError if there is none."""
        for component in self.components:
            if component.name == name:
                return component
        raise KeyError(name)


def place(address: Address) -> str:
    """Return an address as a person writes it: "127.0.0.1:6379", "[::1]:6379", "/run/mysqld.sock"."""
    if address.unix:
        return address.unix
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{host}:{address.port}"


def to_json(service_map: ServiceMap) -> dict[str, Any]:
    """Return the map as plain data, as it stands in a manifest and in `loadrig discover --json`.

    {"components": [...], "edges": [...], "notes": [...]}. A component has name, kind, program_version,
    runtime, version, pid, start, workers, address, listens, argv, settings, limits ("cores",
    "memory_bytes", "pids", "descriptors"), cpus, container, is_ours, notes; pid, start and address are null
    where they are not known. An edge has source, to, address, connections, different and looks. Addresses
    are texts: "127.0.0.1:6379", or the path of a Unix socket. Secrets are masked by three asterisks.
    """
    return {
        "components": [component_to_json(component) for component in service_map.components],
        "edges": [
            {
                "source": edge.source,
                "to": edge.to,
                "address": place(edge.address),
                "connections": edge.connections,
                "different": edge.different,
                "looks": edge.looks,
            }
            for edge in service_map.edges
        ],
        "notes": list(service_map.notes),
    }


def component_to_json(component: Component) -> Mapping[str, Any]:
    """Return a component as plain data; `to_json` lists its keys."""
    return {
        "name": component.name,
        "kind": component.kind,
        "program_version": component.program_version,
        "runtime": component.runtime,
        "version": component.version,
        "pid": component.pid,
        "start": component.start,
        "workers": component.workers,
        "address": place(component.address) if component.address else None,
        "listens": [place(address) for address in component.listens],
        "argv": list(component.argv),
        "settings": dict(component.settings),
        "limits": dict(component.limits),
        "cpus": list(component.cpus),
        "container": component.container,
        "is_ours": component.is_ours,
        "notes": list(component.notes),
    }
