"""Observers of a trial: one here, one on each host that the plan names, and what they see."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from loadrig.base import members, processes
from loadrig.base.component import Component, of_target
from loadrig.base.running import RunningTarget
from loadrig.plan.model import Plan
from loadrig.plan.secrets import revealed
from loadrig.probes import Observer, Place
from loadrig.recording.writer import TrialWriter

if TYPE_CHECKING:  # neither is needed before the load has begun
    from loadrig.discovery import ComponentFinder
    from loadrig.probes._remote.rig import RemoteObserver
    from loadrig.recording.service_map import MapDocument

ROOM = "loadrig.probes"


class Watching:
    """Watch on a server, its host and what it talks to while the block runs, into a recording.

    The observers on other hosts are started at once, as a login takes its time; the observer here by `at`,
    when the server runs. What cannot be watched is noted, and never ends the run. folder: folder of the
    trial.
    """

    def __init__(self, plan: Plan, writer: TrialWriter, folder: Path) -> None:
        self._plan = plan
        self._writer = writer
        self._base = Path(plan.path).parent if plan.path else Path()
        self._folder = folder
        self._tiers: _Tiers | None = None
        self._has_begun = False
        self._here: Observer | None = None
        self._elsewhere = self._on_hosts(plan) if plan.observers else []
        self._stack = ExitStack()

    def _on_hosts(self, plan: Plan) -> "list[RemoteObserver]":
        from loadrig.probes._remote.rig import RemoteObserver

        every_s = plan.trial.probe_every
        return [
            RemoteObserver(
                asked, every_s, self._writer, base=self._base, changed=self._keep, permits=self._plan.permit
            )
            for asked in revealed(plan.observers, plan)
        ]

    @contextmanager
    def at(self, target: RunningTarget) -> Iterator[None]:
        """Watch this server while the block runs; after the block nobody takes a sample any more."""
        server = of_target(target, processes.start_of(target.pid) if target.pid else None)
        self._tiers = _Tiers(server)
        self._here = Observer(
            revealed(self._plan.probes, self._plan),
            [server],
            self._plan.trial.probe_every,
            self._writer,
            place=Place(folder=self._folder, base=self._base, permits=frozenset(self._plan.permit)),
            finder=self._tiers,
            changed=self._keep,
        )
        try:
            with self._here:
                yield
        finally:
            for observer in self._elsewhere:
                observer.leave()  # so that none waits for the others

    @property
    def _everyone(self) -> "tuple[Observer | RemoteObserver, ...]":
        return (*self._elsewhere, *([self._here] if self._here is not None else ()))

    def components(self) -> tuple[Component, ...]:
        """Return all components that are known now, on this host."""
        return self._here.components if self._here is not None else ()

    def new_notes(self) -> list[str]:
        """Return notes for a person that were not returned before."""
        return [note for observer in self._everyone for note in observer.new_notes()]

    def facts(self) -> dict[str, Any]:
        """Return facts for the manifest: the metrics, the service map, and the cost of watching.

        They are complete after the block.
        """
        facts = self.facts_so_far()
        if self._here is not None:
            facts["observer"] = self._here.cost()
        if self._elsewhere:
            from loadrig.base.documents import plain

            facts["observers"] = [plain(observer.facts()) for observer in self._elsewhere]
        return facts

    def facts_so_far(self) -> dict[str, Any]:
        """Return the metrics and the service map, as far as they are known by now."""
        metrics = {name: metric for observer in self._everyone for name, metric in observer.metrics().items()}
        facts: dict[str, Any] = {"metrics": metrics}
        here = self._tiers.latest_map if self._tiers is not None else None
        maps = [part for part in (here, *(observer.map() for observer in self._elsewhere)) if part]
        if maps:
            facts["map"] = _merged(maps)
        return facts

    def _keep(self) -> None:
        # The first is before the load, which does not wait for the disk; a killed rig loses the later ones
        # no more than any series.
        if self._has_begun:
            self._writer.manifest_update(**self.facts_so_far())
        else:
            self._has_begun = True
            self._writer.manifest_note(**self.facts_so_far())

    def __enter__(self) -> Self:
        for observer in self._elsewhere:
            self._stack.enter_context(observer)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _merged(maps: "list[MapDocument]") -> Any:
    """Return the maps of several hosts as one, as plain data."""
    # The library of documents is dear to import, and before the load there is no map.
    from loadrig.base.documents import plain
    from loadrig.recording.service_map import MapDocument

    return plain(
        MapDocument(
            components=tuple(component for part in maps for component in part.components),
            edges=tuple(edge for part in maps for edge in part.edges),
            notes=tuple(note for part in maps for note in part.notes),
        )
    )


class _Tiers:
    """Discovery, begun when it is first asked for: the load does not wait for it. Implements Finder.

    latest_map: the map after the last look, for any thread; None before the first.
    """

    def __init__(self, server: Component) -> None:
        self._server = server
        self._finder: ComponentFinder | None = None
        self._hints: list[tuple[str, str, int]] = []
        self.latest_map: MapDocument | None = None

    def hint(self, source: str, host: str, port: int) -> None:
        """Let the finder follow this address: a component was seen to hold a connection to it."""
        if self._finder is not None:
            self._finder.hint(source, host, port)
        else:
            self._hints.append((source, host, port))

    def look(self) -> list[Component]:
        """Return new components; at the first look the server too, with all that can be seen of it."""
        from loadrig.discovery import ComponentFinder, describe_server, document_of

        new: list[Component] = []
        if self._finder is None:
            described = describe_server(self._server)
            self._finder = ComponentFinder(described)
            for source, host, port in self._hints:
                self._finder.hint(source, host, port)
            new = [described]
        new += self._finder.look()
        self.latest_map = document_of(self._finder.map())
        return new


def environment(plan: Plan, folder: Path) -> dict[str, str]:
    """Return the variables that a plan's probes need in the environment of a server that the rig starts.

    Only probes with options of their own need variables: the rig changes nothing unless it is asked to.
    """
    variables: dict[str, str] = {}
    for chosen in plan.probes:
        prepare: Any = (
            getattr(members.load(ROOM, chosen.member), "prepare", None) if chosen.is_asked else None
        )
        if prepare is not None:
            variables.update(prepare(revealed(chosen.options, plan), folder))
    return variables
