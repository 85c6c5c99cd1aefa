"""Libraries in a JVM, read by their MBeans: whether one runs there, and what its silence means."""

import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import jvm_threads
from loadrig.base.component import Component
from loadrig.base.error_words import ErrorWords
from loadrig.base.series import Metric, Sample
from loadrig.probes._aside import Reading
from loadrig.probes._counting import Counters
from loadrig.probes._jvm import attach, session
from loadrig.probes._jvm.access import PacedAccess
from loadrig.probes._jvm.attach import Jvm
from loadrig.probes._jvm.beans import Beans, Question
from loadrig.probes._session import Lost, Place


@dataclass(frozen=True, slots=True)
class Library:
    """A library, as its probe describes it.

    probe, metrics: the probe's name and METRICS. jars: beginnings of the names of jars that hold the library.
    question: its MBeans. figures: makes metric, subject and value of them. silence: why a library that runs
    shows no MBeans, in words. server: kind of server that it is, by which its threads tell whether it
    runs; "" where its jars alone tell.
    """

    probe: str
    metrics: Mapping[str, Metric]
    jars: tuple[str, ...]
    question: Question
    figures: Callable[[Beans], Iterator[tuple[str, str, float]]]
    silence: ErrorWords
    server: str = ""

    def runs_in(self, jvm: Jvm | None) -> bool:
        """Return whether a JVM runs the library."""
        if jvm is None:
            return False
        threads = jvm_threads.names(Path(f"/proc/{jvm.pid}")) if self.server else ()
        server = jvm_threads.server_of(threads)
        return uses(jvm, *self.jars) if server is None else server == self.server


class LibraryReader:
    """Maker of samples from the MBeans of a library; knows what their absence means."""

    def __init__(self, library: Library, jvm: Jvm | None) -> None:
        self._library, self._jvm = library, jvm
        self._is_silent: bool | None = None
        self._counters: Counters[tuple[str, str]] = Counters()

    def read(self, beans: Beans, t_ns: int) -> Reading:
        """Take a reading. Raises Lost if the library runs and shows nothing."""
        library = self._library
        if not beans:
            if self._is_silent is None:
                self._is_silent = library.runs_in(self._jvm)
            if self._is_silent:
                raise Lost.of(library.silence, code="probe.no-mbeans")
        values = {(metric, subject): value for metric, subject, value in library.figures(beans)}
        values = self._counters.continued(values, library.metrics)
        return Reading([Sample(t_ns, library.probe, *key, value) for key, value in values.items()])


def watch(library: Library, options: PacedAccess, component: Component, place: Place) -> session.MBeanWatch:
    """Watch a library. Raises Unavailable if the JVM lets nobody in, exposes no JMX and runs the library."""
    try:
        target = session.where(library.probe, options, component, place)
    except Lost as lost:
        if lost.code != "probe.not-permitted" or library.runs_in(attach.of(component)):
            raise
        target = None  # the library does not run in this JVM, so nothing is missing
    reader = LibraryReader(library, target.jvm if target else None)
    return session.MBeanWatch(target, library.question, reader.read, options.every)


def uses(jvm: Jvm, *names: str) -> bool:
    """Return whether a JVM holds a jar open whose name begins with one of `names`.

    The jar may be packed in another, as Spring Boot does.
    """
    for path in _jars(jvm):
        if path.name.startswith(names):
            return True
        if any(inner.startswith(names) for inner in _packed(path)):
            return True
    return False


def _jars(jvm: Jvm) -> Iterator[Path]:
    for path in jvm.files():
        if path.endswith((".jar", ".war")):
            yield Path(f"{jvm.root()}{path}") if jvm.has_own_files() else Path(path)


def _packed(path: Path) -> list[str]:
    """Return the names of the jars within a jar or war."""
    try:
        with zipfile.ZipFile(path) as outer:
            return [name.rpartition("/")[2] for name in outer.namelist() if name.endswith(".jar")]
    except (OSError, zipfile.BadZipFile):
        return []
