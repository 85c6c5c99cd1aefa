"""Shape that probes share: sessions that read whenever they are asked, and what a component must be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from loadrig.base import processes
from loadrig.base.component import HOST, Component
from loadrig.base.series import Event, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_watch import ProbesWatchErrors
from loadrig.probes._session import Lost, Place, Session, Unavailable, read

ERRORS = texts_of(ProbesWatchErrors)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: none."""


class Watch:
    """Session that holds nothing open: a subclass reads in `sample`. Implements Session.

    probe: its name, for samples and events. root: folder below which it reads, "/" but in tests.
    """

    probe: ClassVar[str]

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root
        self._events: list[Event] = []
        self._noted: set[str] = set()

    def text(self, path: str) -> str:
        """Return the text of a file below the root; empty where it may not be read."""
        return read(self.root / path) or ""

    def samples(self, t_ns: int, values: Mapping[tuple[str, str], float]) -> list[Sample]:
        """Return values, by metric and subject, as samples of an instant."""
        return samples_of(t_ns, self.probe, values)

    def note_once(self, t_ns: int, text: str, facts: Mapping[str, Any] | None = None, key: str = "") -> None:
        """Add an event `note`, unless there was one of its key, or text, already."""
        if (key or text) not in self._noted:
            self._noted.add(key or text)
            self._events.append(Event(t_ns, "note", self.probe, text, facts or {}))

    def events(self) -> list[Event]:
        """Return the events since the last call."""
        happened, self._events = self._events, []
        return happened

    def detach(self) -> None:
        """Do nothing: the probe holds nothing open."""


def samples_of(t_ns: int, probe: str, values: Mapping[tuple[str, str], float]) -> list[Sample]:
    """Return values, by metric and subject, as samples of a probe at an instant."""
    return [Sample(t_ns, probe, metric, subject, value) for (metric, subject), value in values.items()]


def is_host(component: Component) -> bool:
    """Return whether a component is the host."""
    return component.kind == HOST


def is_program(component: Component) -> bool:
    """Return whether a component is a program; `attach` refuses one that runs elsewhere."""
    return component.kind != HOST


def process_of(component: Component) -> int:
    """Return the process of a component. Raises Unavailable where it is not known, or has ended."""
    if component.pid is None or processes.start_of(component.pid) is None:
        raise Unavailable.of(ERRORS.process_unknown(component.name), code="probe.no-process")
    return component.pid


def on_host(path: str, watch: Callable[[Path], Session]) -> Callable[[object, Component, Place], Session]:
    """Return the function `attach` of a probe of the host without options, which reads a file of /proc."""

    def attach(options: object, component: Component, place: Place) -> Session:
        """Attach the probe. Raises Unavailable where its file of /proc is not there."""
        del options, component
        need(place.root, path)
        return watch(place.root)

    return attach


def ended(pid: int | None) -> Lost:
    """Return the error for a program whose process has ended."""
    return Lost.of(ERRORS.process_ended(str(pid)), code="probe.no-process")


def need(root: Path, path: str) -> None:
    """Return if a file of /proc is there. Raises Unavailable where it is not."""
    if read(root / path) is None:
        raise Unavailable.of(ERRORS.no_kernel_file(path), code="probe.not-readable")
