"""The session of a JVM's log about collections: what its lines add up to, and what is worth telling."""

import time
from dataclasses import dataclass, field

from loadrig.base import clock, processes
from loadrig.base.component import Component
from loadrig.base.series import Event, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesJvmAttachErrors, ProbesJvmGcWatchErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._jvm import attach as way_in
from loadrig.probes._jvm import gc_source
from loadrig.probes._jvm.gc_lines import GcLogEntry, GcLogReader
from loadrig.probes._session import Lost, Place

JVM_ERRORS = texts_of(ProbesJvmAttachErrors)
ERRORS = texts_of(ProbesJvmGcWatchErrors)

LEAST_CONCURRENT_S = 1e-3
LEAST_SAFEPOINT_S = 10e-3
MOST_EVENTS = 200
"""Events of a reading, at most: the longest. All pauses are counted."""


@dataclass(slots=True)
class Heap:
    """Heap as the last collection left it, and what was allocated between collections so far.

    knows_allocation: whether the log tells what was allocated.
    """

    after_bytes: int | None = None
    committed_bytes: int | None = None
    allocated_bytes: int = 0
    knows_allocation: bool = True

    def add(self, entry: GcLogEntry, collector: str) -> None:
        """Take an entry of the log; one that tells nothing of the heap changes nothing."""
        before, after = entry.before_bytes, entry.after_bytes
        if before is None or after is None:
            return
        # ZGC's threads go on allocating while it collects, and its collections overlap.
        self.knows_allocation = collector != "ZGC"
        if self.after_bytes is not None and self.knows_allocation:
            self.allocated_bytes += max(0, before - self.after_bytes)
        self.after_bytes = after
        if entry.committed_bytes is not None:
            self.committed_bytes = entry.committed_bytes

    def values(self) -> dict[tuple[str, str], float]:
        """Return what is known of the heap, by metric and subject."""
        allocated = self.allocated_bytes if self.knows_allocation and self.after_bytes is not None else None
        figures = {
            "heap_after_bytes": self.after_bytes,
            "allocated_bytes": allocated,
            "heap_committed_bytes": self.committed_bytes,
        }
        return {(name, ""): value for name, value in figures.items() if value is not None}


@dataclass(slots=True)
class GcTally:
    """Sums over a log so far."""

    pause_s: float = 0.0
    concurrent_s: float = 0.0
    safepoint_s: float = 0.0
    safepoint_reach_s: float = 0.0
    safepoints: int = 0
    stall_s: float = 0.0
    promoted_bytes: int = 0
    pauses: dict[str, int] = field(default_factory=dict)
    heap: Heap = field(default_factory=Heap)

    def add(self, entry: GcLogEntry, collector: str) -> Event | None:
        """Count an entry. Return an event if the entry is worth one. collector: of the JVM, for the event."""
        self.promoted_bytes += entry.promoted_bytes
        self.heap.add(entry, collector)
        if entry.what == "pause":
            self.pause_s += entry.duration_s
            self.pauses[entry.kind] = self.pauses.get(entry.kind, 0) + 1
            return _event("gc_pause", entry, collector)
        if entry.what == "concurrent":
            self.concurrent_s += entry.duration_s
            # ZGC's whole turn becomes an event instead, which is made of these.
            if entry.duration_s >= LEAST_CONCURRENT_S and collector != "ZGC":
                return _event("gc_concurrent", entry, collector)
        elif entry.what == "turn":
            return _event("gc_concurrent", entry, collector)
        elif entry.what == "stall":
            self.stall_s += entry.duration_s
        elif entry.what == "safepoint":
            self.safepoints += 1
            self.safepoint_s += entry.duration_s
            self.safepoint_reach_s += entry.reach_s
            if not entry.is_gc and entry.duration_s >= LEAST_SAFEPOINT_S:
                return _stop(entry)
        return None

    def samples(self, t_ns: int) -> list[Sample]:
        """Return the sums so far as samples."""
        values: dict[tuple[str, str], float] = {
            (name, ""): getattr(self, name)
            for name in ("pause_s", "concurrent_s", "safepoint_s", "safepoint_reach_s", "safepoints",
                         "stall_s", "promoted_bytes")
        }  # fmt: skip
        values |= {("pauses", kind): n for kind, n in self.pauses.items()}
        values |= self.heap.values()
        return [Sample(t_ns, "gc_log", name, subject, value) for (name, subject), value in values.items()]


class GcLogWatch:
    """Session of the probe: it follows a log, line by line. Made by attach."""

    def __init__(
        self, source: gc_source.GcLogSource, lines: GcLogReader, pid: int, start: int | None
    ) -> None:
        self._source, self._lines = source, lines
        self._pid, self._start = pid, start
        self._tally = GcTally()
        self._events: list[Event] = []
        self._has_noted_undated = False

    def sample(self, t_ns: int) -> list[Sample]:
        """Read what the log has gained. Raises Lost when the JVM has ended and all lines are read."""
        gained = self._source.lines()
        if not self._lines.collector:
            self._lines.collector = self._source.collector
        self._lines.region_bytes = self._lines.region_bytes or self._source.region_bytes
        now_ns = time.monotonic_ns()
        for line in gained:
            for entry in self._lines.take(line, now_ns):
                event = self._tally.add(entry, self._lines.collector)
                if event is not None:
                    self._events.append(event)
        if not gained and not self._is_alive():
            raise Lost.of(JVM_ERRORS.jvm_ended(str(self._pid)), code="probe.no-process")
        if not self._lines.is_dated and not self._has_noted_undated:
            self._has_noted_undated = True
            self._events.append(Event(t_ns, "note", "gc_log", ERRORS.undated))
        return self._tally.samples(t_ns)

    def _is_alive(self) -> bool:
        start = processes.start_of(self._pid)
        return start is not None and self._start in (None, start)

    def events(self) -> list[Event]:
        """Return the pauses and concurrent work since the last call; of very many the longest."""
        happened, self._events = [*self._source.events(), *self._events], []
        if len(happened) > MOST_EVENTS:
            happened.sort(key=lambda event: -float(event.facts.get("duration_s", 0)))
            happened = sorted(happened[:MOST_EVENTS], key=lambda event: event.t_ns)
        return happened

    def detach(self) -> None:
        """End the log that the JVM writes for the rig."""
        self._source.close()


def _event(kind: str, entry: GcLogEntry, collector: str) -> Event:
    facts = {
        "duration_s": entry.duration_s, "collector": collector, "kind": entry.kind, "cause": entry.cause,
        "before_bytes": entry.before_bytes, "after_bytes": entry.after_bytes,
        "committed_bytes": entry.committed_bytes, "gc_id": entry.gc_id, "is_pause": entry.what == "pause",
    }  # fmt: skip
    if entry.evacuation_failed:
        facts["evacuation_failed"] = True
    cause = f", {entry.cause}" if entry.cause else ""
    text = f"{collector} {entry.kind}{cause}: {_ms(entry)}"
    return Event(entry.start_ns, kind, collector, text.strip(), facts)


def _stop(entry: GcLogEntry) -> Event:
    facts = {"duration_s": entry.duration_s, "operation": entry.kind, "reach_s": entry.reach_s}
    text = event_words(SENTENCES.jvm_stopped, entry.kind, _ms(entry))
    return Event.of(entry.start_ns, "safepoint", entry.kind, text, facts)


def _ms(entry: GcLogEntry) -> str:
    return f"{entry.duration_s * 1e3:.3g} ms"


def begin(component: Component, place: Place) -> GcLogWatch:
    """Follow the log of a JVM. Raises Lost if no log can be read, and none switched on."""
    jvm = way_in.of(component)
    start = component.start or processes.start_of(jvm.pid)
    lines = GcLogReader(clock.from_boot((start or 0) / processes.TICKS_PER_S))
    path = gc_source.find(jvm, component.argv)
    if path is None:
        if "jvm-attach" not in place.permits:
            raise Lost.of(ERRORS.not_permitted(), code="probe.not-permitted")
        jvm.check()
        return GcLogWatch(gc_source.Enabled(jvm, place.folder), lines, jvm.pid, start)
    existing = gc_source.Existing(path, " ".join(component.argv), jvm.owner())
    lines.learn(existing.head)
    return GcLogWatch(existing, lines, jvm.pid, start)
