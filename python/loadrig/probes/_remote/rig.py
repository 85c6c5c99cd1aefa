"""An observer on another host, as the rig sees it: started, heard, put on the rig's clock, stopped.

## What it does

`VIA… PYTHON -P -m loadrig.probes` is started on this machine, without a shell; any command will do that
carries its standard input and output to a process there (`ssh web1`, `kubectl exec -i web-0 --`). On
that host the same probes run as here. What they read comes back as lines (see `wire`), and stands in
the recording under the host's name: `web1/host`, `web1/server`.

Its clock is compared with the rig's by twenty exchanges at the start, a few after 1, 3 and 10 s and every
30 s, and once more at the end (see `clocks`). How far off an instant may be stands in the manifest.

If the connection is lost the run goes on: there is a gap, and the host is tried again every 10 s.

## Cost

Of what is observed: a tick of 150 samples (the default probes of a host and one process) is 1.4 kB, 9 to
14 bytes a sample; the sums, events and clocks beside them are 0.1 kB a second. Saying a sample takes
0.8 µs of one core there, hearing it 1.1 µs here. The observer there used 1.6 % of one core at 1 Hz, of
which the probes were four fifths, and 27 MB of memory; its thread here 0.07 % of one core.
Over a network of two namespaces on one machine, through ssh, clocks agreed to ±0.06 to ±0.1 ms.
Measured on Linux 6.18, Python 3.11.
"""

import os
import shlex
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from loadrig.base.component import Component
from loadrig.base.errors import RigError
from loadrig.base.safe_python import SAFE_PATH
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_remote import ProbesRemoteRigErrors
from loadrig.probes._observer import Sink
from loadrig.probes._remote import link as _link
from loadrig.probes._remote import talk as _talk
from loadrig.probes._remote import wire as _wire
from loadrig.probes._remote.presence import Presence
from loadrig.probes._remote.report import HostReport
from loadrig.recording.manifest_document import ObserverDocument
from loadrig.recording.service_map import MapDocument

if TYPE_CHECKING:  # the observer over there runs without plans
    from loadrig.plan.model import ObservedHost

ERRORS = texts_of(ProbesRemoteRigErrors)

RETRY_S = 10.0
"""Seconds between the loss of a host and the next attempt to reach it."""

FINAL = frozenset({"probe.no-tool", "probe.no-right", "probe.refused", "probe.version", "probe.not-that"})
"""Codes of errors that do not mend themselves: the host is not tried again, as it may lock out callers."""


NONSENSE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that a line raises which no observer has written."""


class RemoteObserver:
    """Link to an observer on a host, which it starts, and whose messages it records in a thread of its own.

    Nothing that happens there ends the run. Any thread may ask for its results, as of an Observer.

    base: the plan's folder. permits: effects that the plan allows on servers there.
    changed: called after components or metrics have been added.
    """

    def __init__(
        self,
        plan: "ObservedHost",
        every_s: float,
        sink: Sink,
        *,
        base: Path = Path(),
        permits: Collection[str] = (),
        changed: Callable[[], None] = lambda: None,
        retry_s: float = RETRY_S,
    ) -> None:
        self.name = plan.name
        self._plan = plan
        self._every_s = every_s
        self._base, self._permits = base, sorted(permits)
        self._retry_s = retry_s
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._link: _link.Link | None = None
        self._notes: deque[str] = deque()
        self._report = HostReport(plan.name, sink, self._dated, self._notes, changed)
        self._presence = Presence(plan.name, sink, self._notes)
        self._talks: list[_talk.Talk] = []
        self._heard_bytes = 0
        self._cpu_s = 0.0

    # --- results, for any thread -----------------------------------------------------------------------

    @property
    def components(self) -> tuple[Component, ...]:
        """Components that are observed there, by the names that they have here."""
        return self._report.components

    @property
    def far_pid(self) -> int | None:
        """Process id of the observer there, None before it has answered."""
        hello = self._hello()
        return hello.pid if hello else None

    def metrics(self) -> dict[str, dict[str, str]]:
        """Return what the samples mean, for the manifest, as Observer.metrics does."""
        return self._report.metrics

    def map(self) -> MapDocument | None:
        """Return who talks to whom there; None while no server is known there."""
        return self._report.map

    def new_notes(self) -> list[str]:
        """Return the notes for a person since the last call."""
        notes = []
        with suppress(IndexError):
            while True:
                notes.append(self._notes.popleft())
        return notes

    def cost(self) -> dict[str, Any]:
        """Return what watching cost there, as Observer.cost does.

        Under the key `here` stands what hearing it cost the rig.
        """
        link = self._link
        heard_bytes = self._heard_bytes + (link.heard_bytes if link else 0)
        return {**self._report.costs, "here": {"cpu_s": self._cpu_s, "bytes": heard_bytes}}

    def facts(self) -> ObserverDocument:
        """Return the manifest's entry of the observer: who answered, how its clock goes, what it cost."""
        aligned = [talk.align for talk in self._talks if talk.align.clock is not None]
        clock = aligned[-1].clock if aligned else None
        hello = self._hello()
        return ObserverDocument(
            name=self.name,
            via=self._plan.via,
            offset_ms=clock.offset_ns / 1e6 if clock else None,
            residual_ms=max(align.residual_ns for align in aligned) / 1e6 if aligned else None,
            drift_ppm=clock.drift * 1e6 if clock else None,
            n=sum(align.n for align in aligned),
            host=hello.host if hello else None,
            loadrig=hello.loadrig if hello else None,
            python=hello.python if hello else None,
            cost=self.cost(),
        )

    def _hello(self) -> _wire.Hello | None:
        """Return the last hello of the observer there; None before it has answered."""
        return next((talk.hello for talk in reversed(self._talks) if talk.hello), None)

    # --- its life --------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to connect, and return at once."""
        self._thread = threading.Thread(target=self._follow, name=f"loadrig-{self.name}", daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Begin to stop, without waiting for it."""
        self._stopping.set()
        link = self._link
        if link is not None:
            link.wake()

    def stop(self) -> None:
        """Take the last samples from there, end the command and the thread. May be called twice."""
        self.leave()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _follow(self) -> None:
        # A sink that fails raises for all its writers, too, and the trial reports it, as in Observer.
        with suppress(RigError):
            while not self._stopping.is_set():
                missing, last_words = self._connect()
                if missing is None:
                    break
                self._presence.lose(missing, last_words, self._talks[-1].heard_ns if self._talks else None)
                if missing.code in FINAL:
                    break
                self._stopping.wait(self._retry_s)
        self._cpu_s = time.thread_time()

    def _connect(self) -> tuple[Unavailable | None, list[str]]:
        """Connect once, from the start to the end.

        Return why it ended, None if on request, and its last words.
        """
        way_and_python = (*shlex.split(self._plan.via), *shlex.split(self._plan.python))
        command = [*way_and_python, SAFE_PATH, "-m", "loadrig.probes"]
        try:
            link = _link.Link(command)
        except OSError as error:
            return _link.why_not_started(command, error), []
        self._link = link
        try:
            self._converse(link)
        except _link.Ended as ended:
            if self._stopping.is_set():
                return None, []
            plan, has_answered = self._plan, self._talks[-1].hello is not None
            why = _link.why_ended(
                ended.code, link.last_words, plan.via, plan.python, has_answered=has_answered
            )
            return why, list(link.last_words)
        except Unavailable as missing:
            return missing, list(link.last_words)
        except NONSENSE as error:
            wording = ERRORS.nonsense(type(error).__name__, str(error), self._plan.via)
            return Unavailable.of(wording, code="probe.not-that"), list(link.last_words)
        finally:
            self._link = None
            self._heard_bytes += link.heard_bytes
            self._cpu_s = time.thread_time()
            link.close()
        return None, []

    def _converse(self, link: _link.Link) -> None:
        # A host that was lost may have been started anew since, with another clock.
        self._report.begin()
        plan = self._plan
        talk = _talk.Talk(link, plan.via, plan.python, self._every_s, self._take, self._stopping)
        self._talks = [old_talk for old_talk in self._talks if old_talk.align.clock is not None] + [talk]
        if talk.greet():
            talk.observe(self._order())

    def _order(self) -> _wire.ObserverOrder:
        plan = self._plan
        handed = _wire.hand_over(
            [(probe.member, probe.options) for probe in plan.probes], os.environ, self._base
        )
        return _wire.ObserverOrder(
            protocol=_wire.PROTOCOL,
            every_s=self._every_s,
            port=plan.port,
            pid=plan.pid,
            options=handed.options,
            unwatched=plan.unwatched,
            secrets=handed.secrets,
            permits=self._permits,
        )

    # --- its messages ----------------------------------------------------------------------------------

    def _take(self, message: _wire.Message) -> None:
        """Put a message where it belongs."""
        match message:
            case {"ready": _}:
                if self._presence.begin():
                    self._notes.append(clock_text(self.facts()))
            case {"refused": {"reason": reason, "mend": mend, "code": code}}:
                raise Unavailable(reason, mend, code)
            case _:
                self._report.take(message)
                if "cost" in message:
                    self._cpu_s = time.thread_time()

    def _dated(self, there_ns: int) -> int:
        return self._talks[-1].align.dated(there_ns)


def clock_text(observer: ObserverDocument) -> str:
    """Return a line on the clock of an observer of the manifest: "web1: one clock to ±0.2 ms"."""
    if observer.residual_ms is None:
        return ERRORS.never_answered(observer.name)
    return ERRORS.clock_agrees(observer.name, f"{observer.residual_ms:.2g}")
