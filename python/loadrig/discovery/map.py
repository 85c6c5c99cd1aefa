"""Service map: which component opens connections to which, and its form as a document."""

from dataclasses import dataclass

from loadrig.base.component import Component
from loadrig.base.running import Address
from loadrig.recording.service_map import EdgeDocument, MapComponent, MapDocument


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


def document_of(service_map: ServiceMap) -> MapDocument:
    """Return the map as it stands in a manifest and in `loadrig discover --json`: its addresses are texts."""
    return MapDocument(
        components=tuple(map(_component, service_map.components)),
        edges=tuple(
            EdgeDocument(
                edge.source, edge.to, place(edge.address), edge.connections, edge.different, edge.looks
            )
            for edge in service_map.edges
        ),
        notes=service_map.notes,
    )


def _component(component: Component) -> MapComponent:
    facts = {name: getattr(component, name) for name in MapComponent.__struct_fields__}
    address = place(component.address) if component.address else None
    return MapComponent(**{**facts, "address": address, "listens": tuple(map(place, component.listens))})
