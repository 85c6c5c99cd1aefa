"""A probe at work on one real server, asked again and again as the observer does."""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.effects import PERMITS
from loadrig.base.running import Address
from loadrig.base.series import Event, Sample
from loadrig.probes._session import Lost, Place, Session


def wording(text: str, *names: object) -> str:
    """Return a sentence with N for each number and its unit, and NAME for each of the names.

    What is measured, a process or a path differ from run to run, and are asserted as values; the rest of the
    sentence is the same each time.
    """
    for name in sorted(map(str, names), key=len, reverse=True):
        text = text.replace(name, "NAME")
    return re.sub(r"\d+(?:[.,]\d+)*(?: (?:[nµm]?s|min|h|(?:[kMGT]i?)?B)\b)?", "N", text)


class WatchedReading(dict[tuple[str, str], float]):
    """A reading by metric and subject; what is not there is not a number, which no claim is true of."""

    def __missing__(self, key: tuple[str, str]) -> float:
        return math.nan


def component_of(kind: str, port: int, pid: int | None = None, name: str = "") -> Component:
    """Return a server of a kind on a port of 127.0.0.1."""
    start = processes.start_of(pid) if pid else None
    return Component(name or kind, kind, pid=pid, start=start, address=Address("127.0.0.1", port))


@dataclass
class Watched:
    """A session, all that it has given, and what it said when it could not read.

    every_s: pause between two looks.
    """

    session: Session
    samples: list[Sample] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    every_s: float = 0.005

    def look(self, within_s: float = 20.0) -> WatchedReading:
        """Return the next reading, by metric and subject; empty if the session lost sight of the server."""
        # What the last question brought may be of before: it is taken and thrown away.
        self._ask_once()
        return self._until(lambda _: True, within_s)

    def until(self, claim: Callable[[WatchedReading], object], within_s: float = 20.0) -> WatchedReading:
        """Look until a reading fulfils the claim."""
        return self._until(claim, within_s)

    def until_lost(self, within_s: float = 20.0) -> Lost:
        """Ask until the session says that it sees nothing."""
        before = len(self.lost)
        end = time.monotonic() + within_s
        while len(self.lost) == before:
            assert time.monotonic() < end, "it never said that it sees nothing"
            self._ask_once()
            time.sleep(0.01)
        return self.lost[-1]

    def _until(self, claim: Callable[[WatchedReading], object], within_s: float) -> WatchedReading:
        end = time.monotonic() + within_s
        values = WatchedReading()
        while True:
            assert time.monotonic() < end, (
                f"no reading fulfils the claim; the last: {values}; {self.lost[-1:]}"
            )
            before = len(self.lost)
            samples = self._ask_once()
            if samples and len(self.lost) == before:
                values = WatchedReading({(sample.metric, sample.subject): sample.value for sample in samples})
                assert len(values) == len(samples), "two samples of one series at one instant"
                if claim(values):
                    return values
            time.sleep(self.every_s)

    def _ask_once(self) -> list[Sample]:
        try:
            samples = self.session.sample(time.monotonic_ns())
        except Lost as lost:
            self.lost.append(lost)
            samples = []
        self.samples += samples
        self.events += self.session.events()
        return samples

    def of_kind(self, kind: str) -> list[Event]:
        """Return the events of a kind so far."""
        return [event for event in self.events if event.kind == kind]

    def everything_said(self) -> str:
        """Return all texts that would reach a recording or a screen."""
        everything: list[Any] = [(sample.metric, sample.subject) for sample in self.samples]
        everything += [(event.kind, event.subject, event.text, dict(event.facts)) for event in self.events]
        everything += [(loss.reason, loss.mend, loss.code) for loss in self.lost]
        return json.dumps(everything) + repr(self.session) + repr(vars(self.session))


PERMITTED = Place(permits=frozenset(PERMITS))
"""Place where a probe may do all that a plan can allow."""


@contextmanager
def watching(
    module: ModuleType, component: Component, place: Place | None = None, **options: Any
) -> Iterator[Watched]:
    """Attach a probe, and detach it at the end. Checks what it gave."""
    session = module.attach(module.Options(**options), component, place or PERMITTED)
    watched = Watched(session)
    try:
        yield watched
    finally:
        session.detach()
    assert {sample.metric for sample in watched.samples} <= module.METRICS.keys()
    assert {event.kind for event in watched.events} <= getattr(module, "EVENTS", {}).keys()
    counters = WatchedReading()
    for sample in watched.samples:
        if module.METRICS[sample.metric].kind == "counter":
            before = counters.get((sample.metric, sample.subject), 0.0)
            assert sample.value >= before, (
                f"{sample.metric} of {sample.subject!r} fell from {before} to {sample.value}"
            )
            counters[sample.metric, sample.subject] = sample.value
