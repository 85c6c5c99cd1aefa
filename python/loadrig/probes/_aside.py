"""A reading that has to wait for somebody, done beside the observer's thread so that no other waits."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from loadrig.base.series import Event, Sample
from loadrig.probes._session import Lost

LEAVE_S = 3.0
"""How long `detach` waits for a reading under way; its own time-outs must be shorter."""


@dataclass(slots=True)
class Reading:
    """What one reading brought."""

    samples: list[Sample] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


class Aside:
    """A session whose readings are taken by a thread of its own. Implements Session.

    read(t_ns): one reading; may wait as long as its own time-outs let it, and raises Lost when the other
    side does not answer, refuses, or is gone. close(): gives back what `read` has opened; called in the
    same thread after the last reading. cpu_beside_s: CPU seconds of other threads that work for it.
    every_s: least time between two readings; 0 for each time that the observer asks.

    What a reading has brought is handed over when the observer asks next, bearing the instant at which
    it was begun; a reading that takes longer than a period leaves out the ones that it overlaps.
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
        self._brought = Reading()
        self._failure: Exception | None = None
        self._events: list[Event] = []
        self.cpu_s = 0.0
        self._thread = threading.Thread(target=self._work, name="loadrig-probe", daemon=True)
        self._thread.start()

    def sample(self, t_ns: int) -> list[Sample]:
        """Take what the last reading has brought, and let the next begin if it is time."""
        if self._began_ns is not None:
            if not self._done.is_set():
                return []
            brought, failure = self._take()
        else:
            brought, failure = Reading(), None
        if self._began_ns is None or t_ns - self._began_ns >= self._every_ns:
            self._begin(t_ns)
        self._events += brought.events
        if failure is not None:
            raise failure
        return brought.samples

    def _begin(self, t_ns: int) -> None:
        self._began_ns = t_ns
        self._done.clear()
        self._asked.set()

    def _take(self) -> tuple[Reading, Exception | None]:
        brought, failure = self._brought, self._failure
        self._brought, self._failure = Reading(), None
        return brought, failure

    def events(self) -> list[Event]:
        """What the readings told of."""
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
                self._brought = self._read(self._began_ns or time.monotonic_ns())
            except Exception as error:  # handed to the observer, which says what became of it
                self._failure = error
            self.cpu_s = time.thread_time() + self._cpu_beside_s()
            self._done.set()
        with suppress(OSError, Lost):  # the other side was gone before
            self._close()
        self.cpu_s = time.thread_time() + self._cpu_beside_s()
