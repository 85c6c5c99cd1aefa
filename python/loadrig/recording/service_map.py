"""Types of the service map, as it stands in a manifest, in a trial's result and in `loadrig discover --json`.

`discovery.map.document_of` makes it of what was seen. Maps of earlier versions lack some of it.
"""

from collections.abc import Mapping
from typing import Annotated

from loadrig.base.component import HOST
from loadrig.base.documents import Document, Says


class MapComponent(Document, frozen=True):
    """Component of the system under load; secrets are masked by three asterisks."""

    name: Annotated[str, Says("its name, unique in a run")]
    kind: Annotated[str, Says("what the program is: `host`, `gunicorn`, `redis`, …, else `program`")]
    program_version: Annotated[str, Says('version of the program, or ""')] = ""
    runtime: Annotated[str, Says("`cpython`, `jvm`, `go`, `node`, `native` or empty")] = ""
    version: Annotated[str, Says("version of the runtime where there is one, else of the program")] = ""
    pid: Annotated[int | None, Says("root of its processes; null where that is not known")] = None
    start: Annotated[int | None, Says("ticks since boot at which that began, or null")] = None
    workers: Annotated[int, Says("number of processes below the root")] = 0
    address: Annotated[str | None, Says("where others reach it: `127.0.0.1:6379`, a path, or null")] = None
    listens: Annotated[tuple[str, ...], Says("other addresses that it listens on")] = ()
    argv: Annotated[tuple[str, ...], Says("its command line")] = ()
    settings: Annotated[Mapping[str, str], Says("settings of its command line and environment")] = {}
    limits: Annotated[
        Mapping[str, float],
        Says("limits that it has of `cores`, `memory_bytes`, `pids` and `descriptors`"),
    ] = {}
    cpus: Annotated[tuple[int, ...], Says("cores that it may run on")] = ()
    container: Annotated[str, Says('container that holds it, or ""')] = ""
    is_ours: Annotated[bool, Says("whether loadrig started it")] = False
    notes: Annotated[tuple[str, ...], Says("what a person should know of it")] = ()

    @property
    def versions(self) -> str:
        """Kind and versions: "gunicorn 27.0.1, cpython 3.11"."""
        if self.runtime in ("", "native"):
            return f"{self.kind} {self.program_version or self.version}".rstrip()
        return f"{self.kind} {self.program_version}".rstrip() + f", {self.runtime} {self.version}".rstrip()


class EdgeDocument(Document, frozen=True):
    """Connections that a component opens to another one."""

    source: Annotated[str, Says("name of the component that opens them")]
    to: Annotated[str, Says("name of the component that accepts them")]
    address: Annotated[str, Says("address at which it is spoken to")] = ""
    connections: Annotated[int, Says("most connections open at one look")] = 0
    different: Annotated[int, Says("number of different connections seen, a lower bound")] = 0
    looks: Annotated[int, Says("number of looks that saw any open")] = 0


class MapDocument(Document, frozen=True):
    """Map of who talks to whom."""

    components: Annotated[tuple[MapComponent, ...], Says("components, the server first")] = ()
    edges: Annotated[tuple[EdgeDocument, ...], Says("who opens connections to whom")] = ()
    notes: Annotated[tuple[str, ...], Says("what could not be seen, in sentences")] = ()

    @property
    def programs(self) -> list[MapComponent]:
        """Components that are no host."""
        return [component for component in self.components if component.kind != HOST]
