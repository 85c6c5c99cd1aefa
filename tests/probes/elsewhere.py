"""Sink and plans that tests of observers on other hosts share."""

import threading

from loadrig.base import members
from loadrig.base.series import Event, Sample
from loadrig.plan.model import ChosenMember, ObservedHost


class SampleKeeper:
    """A sink that keeps what it is given, by component."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._samples: list[tuple[str, Sample]] = []
        self.happened: list[Event] = []

    def samples(self, samples: list[Sample], component: str) -> None:
        with self._lock:
            self._samples += [(component, sample) for sample in samples]

    def event(self, event: Event) -> None:
        self.happened.append(event)

    def of(self, component: str, metric: str, subject: str | None = None) -> list[Sample]:
        """Return all samples of a metric ("process.threads") of a component."""
        with self._lock:
            return [
                sample
                for where, sample in self._samples
                if where == component
                and f"{sample.probe}.{sample.metric}" == metric
                and subject in (None, sample.subject)
            ]

    def count(self) -> int:
        with self._lock:
            return len(self._samples)

    def components(self) -> set[str]:
        with self._lock:
            return {where for where, _ in self._samples}

    def events(self, kind: str) -> list[Event]:
        return [event for event in list(self.happened) if event.kind == kind]


def asked(
    via: str = "env",
    *,
    python: str,
    port: int | None = None,
    pid: int | None = None,
    probes: tuple[ChosenMember, ...] = (),
    only: tuple[str, ...] = ("process", "system_cpu"),
) -> ObservedHost:
    """Return an observer of a plan.

    only: the probes that are used there, so that a test waits for no others.
    """
    off = tuple(name for name in members.names("loadrig.probes") if name not in only)
    return ObservedHost(name="web1", via=via, python=python, port=port, pid=pid, probes=probes, unwatched=off)
