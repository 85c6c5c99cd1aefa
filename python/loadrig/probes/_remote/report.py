"""The report of an observer on another host, by the names and the clock of the rig."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from loadrig.base.component import HOST, Component
from loadrig.base.series import Sample
from loadrig.probes._counting import Counters
from loadrig.probes._observer import Sink
from loadrig.probes._remote import wire as _wire
from loadrig.recording.service_map import MapDocument


class HostReport:
    """Components, metrics, map and costs as last reported; samples and events go on to the sink.

    date: from the clock there to the rig's. notes: receives those of the host. changed: called after
    components or metrics have been added.
    """

    def __init__(
        self,
        name: str,
        sink: Sink,
        date: Callable[[int], int],
        notes: deque[str],
        changed: Callable[[], None],
    ) -> None:
        self._name, self._sink, self._date, self._notes, self._changed = name, sink, date, notes, changed
        self.components: tuple[Component, ...] = ()
        self.metrics: dict[str, dict[str, str]] = {}
        self.map: MapDocument | None = None
        self.costs: dict[str, Any] = {}
        self._counters: Counters[tuple[str, str, str, str]] = Counters()
        self._unpacker = _wire.Unpacker()

    def begin(self) -> None:
        """Begin with another observer there, which numbers its series anew."""
        self._unpacker = _wire.Unpacker()

    def take(self, message: _wire.Message) -> None:
        """Take in a message. Raises LookupError, TypeError or ValueError for what makes no sense."""
        match message:
            case {"samples": packed}:
                self._keep_samples(_wire.content(_wire.PackedSamples, packed))
            case {"new": series}:
                self._unpacker.add(_wire.content(list[_wire.Series], series))
            case {"event": packed}:
                event = _wire.unpacked_event(packed)
                where = f"{self._name}/{event.component or HOST}"
                self._sink.event(replace(event, t_ns=self._date(event.t_ns), component=where))
            case {"known": packed}:
                reported = _wire.content(_wire.ReportedComponents, packed)
                self.metrics = reported.metrics
                self.components = tuple(_wire.placed(each, self._name) for each in reported.components)
                self._changed()
            case {"map": packed}:
                self.map = (
                    _wire.placed_map(_wire.content(MapDocument, packed), self._name) if packed else None
                )
            case {"notes": notes}:
                self._notes += [f"{self._name}: {note}" for note in notes]
            case {"cost": cost}:
                self.costs = cost

    def _keep_samples(self, packed: _wire.PackedSamples) -> None:
        component, samples = self._unpacker.samples(packed, self._date)
        where = f"{self._name}/{component}"
        self._sink.samples([self._continued(where, sample) for sample in samples], where)

    def _continued(self, component: str, sample: Sample) -> Sample:
        """Return a sample whose counter goes on from where it was when the connection was lost."""
        if self.metrics.get(f"{sample.probe}.{sample.metric}", {}).get("kind") != "counter":
            return sample
        key = (component, sample.probe, sample.metric, sample.subject)
        value = self._counters.go_on(key, sample.value)
        return sample if value == sample.value else replace(sample, value=value)
