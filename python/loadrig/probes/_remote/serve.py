"""The observer on another host: it hears the rig on its standard input and answers on its standard output.

The same Observer as on the rig runs here. Its sink writes lines (see `wire`) instead of a recording.
"""

import os
import select
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import loadrig
from loadrig.base import members, sockets
from loadrig.base.component import HOST, Component
from loadrig.base.errors import RigError
from loadrig.base.loopback import reached
from loadrig.base.series import Event, Sample
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_attached import ProbesAttachedErrors
from loadrig.language.en.errors.probes_remote import ProbesRemoteServeErrors
from loadrig.probes._observer import Observer
from loadrig.probes._remote import wire as _wire
from loadrig.probes._session import Place

if TYPE_CHECKING:
    from loadrig.discovery import ComponentFinder
    from loadrig.recording.service_map import MapDocument

PROBE_ERRORS = texts_of(ProbesAttachedErrors)
ERRORS = texts_of(ProbesRemoteServeErrors)

ROOM = "loadrig.probes"

LEAVE_S = 8.0
"""Seconds that the end may take, at most: a thread may hang in a write to a rig that no longer reads."""


class Pipe:
    """Pipe to the rig, and a sink for the observer. It takes whole lines, from several threads."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._out = descriptor
        self._lock = threading.Lock()
        self._packer = _wire.Packer()
        self._is_broken = False

    def send(self, kind: str, content: Any) -> None:
        """Send a message; nothing happens where nobody listens any more."""
        with self._lock:
            self._write(_wire.line(kind, content))

    def pong(self, t0_ns: int, t1_ns: int) -> None:
        """Answer a ping: the time is read last, after all that is being written."""
        with self._lock:
            self._write(_wire.line("pong", [t0_ns, t1_ns, time.monotonic_ns()]))

    def samples(self, samples: list[Sample], component: str) -> None:
        """Send what a component's probes have read."""
        with self._lock:
            self._write(self._packer.lines(samples, component))

    def event(self, event: Event) -> None:
        """Send an event."""
        self.send("event", _wire.packed_event(event))

    def failed(self, fault: threading.ExceptHookArgs) -> None:
        """Report that a thread here ended by a fault of the rig's code: nobody reads what is printed here."""
        text = ERRORS.observer_failed(fault.exc_type.__name__, str(fault.exc_value))
        trace = "".join(traceback.format_exception(fault.exc_value, limit=-5)) if fault.exc_value else ""
        facts = {"code": "probe.failed", "trace": trace}
        self.event(Event(time.monotonic_ns(), "probe_failed", "observer", text, facts))
        self.send("notes", [text])

    def _write(self, text: bytes) -> None:
        unwritten = memoryview(text)
        while unwritten and not self._is_broken:
            try:
                unwritten = unwritten[os.write(self._out, unwritten) :]
            except BlockingIOError:
                # A rig that does not read for so long counts as silent.
                _, is_ready, _ = select.select([], [self._out], [], _wire.SILENT_S)
                self._is_broken = not is_ready
            except OSError:  # the rig is gone; the standard input ends too, and with it the observer
                self._is_broken = True


@dataclass(frozen=True, slots=True)
class ProbeInUse:
    """A probe to use. Implements ChosenProbe."""

    member: str
    options: Any


class Tiers:
    """Finder of the server by its port or process, whenever it is started, then of all that it talks to.

    Implements Finder; used by the observer's thread.
    """

    def __init__(self, port: int | None, pid: int | None) -> None:
        self._port, self._pid = port, pid
        self._finder: ComponentFinder | None = None

    def hint(self, source: str, host: str, port: int) -> None:
        """Take note that a component holds a connection to this address: the finder follows it."""
        if self._finder is not None:
            self._finder.hint(source, host, port)

    def look(self) -> list[Component]:
        """Return the components that are new: the server first, later all that it talks to."""
        if self._finder is not None:
            return self._finder.look()
        from loadrig.discovery import ComponentFinder

        server = self._server()
        if server is None:
            return []
        self._finder = ComponentFinder(server)
        return [server]

    def _server(self) -> Component | None:
        from loadrig.discovery import find_server

        try:
            if self._pid is not None:
                return find_server(None, self._pid)
            listening = [listener for listener in sockets.listeners() if listener.port == self._port]
            return find_server(_address_of(listening[0]), None) if listening else None
        except RigError:  # the server has just ended
            return None

    def missing(self) -> str:
        """Return what to report if the server was not found; empty if it was, or none is looked for."""
        if self._finder is not None or (self._port is None and self._pid is None):
            return ""
        if self._port is not None:
            return ERRORS.nothing_listens(str(self._port))
        return ERRORS.no_process(str(self._pid))

    def map(self) -> "MapDocument | None":
        """Return who talks to whom there; None while no server is known."""
        from loadrig.discovery import document_of

        return document_of(self._finder.map()) if self._finder is not None else None


def _address_of(listener: sockets.Listener) -> str:
    """Return where a listener of this host is reached from this host."""
    host = reached(listener.address)
    return f"[{host}]:{listener.port}" if ":" in host else f"{host}:{listener.port}"


def serve(descriptor_in: int, descriptor_out: int) -> int:
    """Observe for the rig at the other end until it says stop, closes, or falls silent.

    Return the exit code.
    """
    pipe = Pipe(descriptor_out)
    threading.excepthook = pipe.failed
    pipe.send("hello", _hello())
    work: tuple[Observer, Tiers] | None = None
    is_asked_to_stop = False
    try:
        for heard_ns, message in _messages(descriptor_in):
            match message:
                case {"ping": t0_ns}:
                    pipe.pong(t0_ns, heard_ns)
                    if work is not None:
                        _tell_more(pipe, work[0])
                case {"config": {"protocol": _wire.PROTOCOL} as packed}:
                    work = _begin(pipe, _wire.content(_wire.ObserverOrder, packed))
                case {"config": {"protocol": protocol}}:
                    wording = ERRORS.other_protocol(str(protocol), str(_wire.PROTOCOL), loadrig.__version__)
                    refusal = {"reason": wording.what, "mend": wording.mend, "code": "probe.version"}
                    pipe.send("refused", refusal)
                    return 1
                case {"stop": _}:
                    is_asked_to_stop = True
                    break
    finally:
        last_resort = threading.Timer(LEAVE_S, os._exit, (1,))
        last_resort.daemon = True
        last_resort.start()
        if work is not None:
            work[0].stop()
        last_resort.cancel()
    if is_asked_to_stop:
        if work is not None:
            pipe.send("map", work[1].map())
            _tell_more(pipe, work[0])
        pipe.send("end", True)
    return 0


def _hello() -> _wire.Hello:
    return _wire.Hello(
        protocol=_wire.PROTOCOL,
        loadrig=loadrig.__version__,
        python=sys.version.split()[0],
        host=socket.gethostname(),
        pid=os.getpid(),
    )


def _messages(descriptor: int) -> Iterator[tuple[int, _wire.Message]]:
    """Yield the messages of the rig and when each was heard; ends with the rig, or after its silence."""
    pending = b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], _wire.SILENT_S)
        heard_ns = time.monotonic_ns()
        chunk = os.read(descriptor, 1 << 16) if ready else b""
        if not chunk or len(pending) > _wire.LONGEST_BYTES:
            return
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            message = _wire.parsed(line)
            if message is not None:
                yield heard_ns, message


def _begin(pipe: Pipe, order: _wire.ObserverOrder) -> tuple[Observer, Tiers]:
    """Begin what a config asks for. Return the observer and its finder."""
    # Probes look for secrets in the environment. Only this process can read it: a command line, which
    # others can read, never holds it.
    os.environ.update(order.secrets)
    tiers = Tiers(order.port, order.pid)
    components = tiers.look()
    notes = [text] if (text := tiers.missing()) else []
    chosen, refused = _chosen(order)
    for probe, missing in refused:
        text = PROBE_ERRORS.probe_off(probe, missing.reason, missing.mend)
        notes.append(text)
        facts = {"code": missing.code, "mend": missing.mend}
        pipe.event(Event(time.monotonic_ns(), "note", probe, text, facts, HOST))
    pipe.send("notes", notes)

    def changed() -> None:
        """Send what is known now.

        Called in the observer's thread, the finder's too, after looks with news.
        """
        components = [_wire.without_process(component) for component in observer.components]
        pipe.send("known", _wire.ReportedComponents(components, observer.metrics()))
        pipe.send("map", tiers.map())

    place = Place(permits=frozenset(order.permits))
    observer = Observer(chosen, components, order.every_s, pipe, place=place, finder=tiers, changed=changed)
    pipe.send("ready", True)
    observer.start()
    return observer, tiers


def _chosen(order: _wire.ObserverOrder) -> tuple[list[ProbeInUse], list[tuple[str, Unavailable]]]:
    """Return the probes to use, and those whose options this version does not know."""
    names = members.names(ROOM)
    options = order.options
    off = {*names, *options} if "all" in order.unwatched else set(order.unwatched)
    chosen, refused = [], []
    for name in sorted({*names, *options} - off):
        try:
            if name not in names:
                raise ValueError(ERRORS.probe_unknown)
            probe_options = (
                _wire.options_from(members.load(ROOM, name).Options, options[name])
                if name in options
                else None
            )
        except (ValueError, TypeError) as error:
            wording = ERRORS.probe_refused(str(error), loadrig.__version__)
            refused.append((name, Unavailable.of(wording, code="probe.version")))
            continue
        chosen.append(ProbeInUse(name, probe_options))
    return chosen, refused


def _tell_more(pipe: Pipe, observer: Observer) -> None:
    pipe.send("cost", observer.cost())
    if notes := observer.new_notes():
        pipe.send("notes", notes)
