"""A reading that has to wait for an answer, done beside the observer's thread so that no probe waits."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from loadrig.base.series import Event, Sample
from loadrig.probes._session import Lost

LEAVE_S = 3.0
"""Seconds that `detach` waits for a reading under way; the reading's own time-outs must be shorter."""


@dataclass(slots=True)
class Reading:
    """Samples and events of a reading."""

    samples: list[Sample] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


class Aside:
    """A session whose readings are taken in a thread of its own. Implements Session.

    read(t_ns): takes a reading; may wait as long as its own time-outs let it, and raises Lost when the other
    side does not answer, refuses, or is gone. close(): gives back what `read` has opened; called in the
    same thread after the last reading. cpu_beside_s: CPU seconds of other threads that work for the session.
    every_s: least time between two readings; 0 for each time that the observer asks.

    The samples of a reading are handed over when the observer asks next, and bear the instant at which
    the reading began; a reading that takes longer than a period leaves out the periods that it overlaps.
    """

    def __init__(
        self,
        read: Callable[[int], Reading],
        close: Callable[[], None] = lambda: None,
        every_s: float = 0.0,
        cpu_beside_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._read, self._close = read, close
        self._cpu_beside_s = cpu_beside_s
        self._every_ns = int(every_s * 1e9)
        self._asked, self._done = threading.Event(), threading.Event()
        self._leaving = False
        self._began_ns: int | None = None
        self._reading = Reading()
        self._failure: Exception | None = None
        self._events: list[Event] = []
        self.cpu_s = 0.0
        self._thread = threading.Thread(target=self._work, name="loadrig-probe", daemon=True)
        self._thread.start()

    def sample(self, t_ns: int) -> list[Sample]:
        """Return the samples of the last reading, and let the next begin if it is due."""
        if self._began_ns is not None:
            if not self._done.is_set():
                return []
            reading, failure = self._take()
        else:
            reading, failure = Reading(), None
        if self._began_ns is None or t_ns - self._began_ns >= self._every_ns:
            self._begin(t_ns)
        self._events += reading.events
        if failure is not None:
            raise failure
        return reading.samples

    def _begin(self, t_ns: int) -> None:
        self._began_ns = t_ns
        self._done.clear()
        self._asked.set()

    def _take(self) -> tuple[Reading, Exception | None]:
        reading, failure = self._reading, self._failure
        self._reading, self._failure = Reading(), None
        return reading, failure

    def events(self) -> list[Event]:
        """Return the events of the readings since the last call."""
        happened, self._events = self._events, []
        return happened

    def detach(self) -> None:
        """End the thread after the reading under way."""
        self._leaving = True
        self._asked.set()
        self._thread.join(LEAVE_S)

    def _work(self) -> None:
        while True:
            self._asked.wait()
            self._asked.clear()
            if self._leaving:
                break
            try:
                self._reading = self._read(self._began_ns or time.monotonic_ns())
            except Exception as error:  # handed to the observer, which reports it
                self._failure = error
            self.cpu_s = time.thread_time() + self._cpu_beside_s()
            self._done.set()
        with suppress(OSError, Lost):  # the other side is gone already
            self._close()
        self.cpu_s = time.thread_time() + self._cpu_beside_s()
