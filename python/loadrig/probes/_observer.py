"""The thread that lets every probe read at the same even instants, and counts what that costs."""

import threading
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Protocol, Self

from loadrig.base.component import THIS_HOST, Component
from loadrig.base.errors import RigError
from loadrig.base.series import Event, Metric, Sample
from loadrig.probes._attached import Attached, Chosen, Fleet
from loadrig.probes._session import Place

NS = 1_000_000_000

LOOK_AT_S = (0.9, 1.9, 2.9, 4.9, 9.9)
"""When components are looked for: once the load has had time to open connections, and for those that come
later every LOOK_EVERY_S. A little before the full seconds, so that the tick of that second does it."""

LOOK_EVERY_S = 10.0


class Sink(Protocol):
    """Where samples and events go: the writer of a recording."""

    def samples(self, samples: list[Sample], component: str) -> None: ...

    def event(self, event: Event) -> None: ...


class Finder(Protocol):
    """Who finds components while the load runs."""

    def look(self) -> Sequence[Component]:
        """Components that are new, or of which more is known than before; known by their names."""

    def hint(self, source: str, host: str, port: int) -> None:
        """A component was seen to hold a connection to this address."""


class Observer:
    """Samples the probes of all components every so often, on a thread of its own, until it is stopped.

    It begins with the components given, and asks the finder for more while the load runs. Deadlines are
    absolute: the n-th sample is due at start + n·every, however long the ones before took, so no drift
    and no added jitter. A sample that would be late by more than a period is left out and counted as
    missed. A probe that raises is detached and the event probe_failed says why; one that has lost what
    it watches leaves a gap and is asked again. The others go on. `tick` is the whole work and can be
    called without the thread.

    chosen: the probes of the room that are to be used, those with options of their own with these.
    changed: called after components or metrics have been added.
    """

    def __init__(
        self,
        chosen: Iterable[Chosen],
        components: Iterable[Component],
        every_s: float,
        sink: Sink,
        *,
        place: Place | None = None,
        finder: Finder | None = None,
        changed: Callable[[], None] = lambda: None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._fleet = Fleet(chosen, place or Place(), sink.event, clock)
        self._waiting = [THIS_HOST, *components]
        self._every_ns = int(every_s * NS)
        self._sink = sink
        self._finder = finder
        self._changed = changed
        self._clock = clock
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._ticks = self._samples = self._missed = self._looks = 0
        self._first_ns: int | None = None
        self._cpu_s = 0.0
        self._looking_s = 0.0
        self._late_ns = array("q")  # hours have a reading each second

    @property
    def components(self) -> tuple[Component, ...]:
        """All components known now."""
        return self._fleet.components()

    @property
    def attached(self) -> tuple[Attached, ...]:
        """The probes at work now."""
        return tuple(self._fleet.attached)

    def new_notes(self) -> list[str]:
        """What a person should know (a probe that cannot watch, and why), said once."""
        return self._fleet.new_notes()

    def metrics(self) -> dict[str, dict[str, str]]:
        """What the samples mean, for the manifest: "probe.metric" -> unit, kind, doc, and otel if any."""
        return {name: _described(metric) for name, metric in sorted(self._fleet.metrics.items())}

    def tick(self, t_ns: int) -> None:
        """Let every probe read once, and hand on what it read and what happened."""
        self._ticks += 1
        began_ns = self._clock()
        waiting, self._waiting = self._waiting, []
        for given in waiting:
            self._fleet.take_in(given, t_ns)
        at_work = list(self._fleet.attached)
        self._read(at_work, t_ns)
        # Last, as it may take a while, and the samples are to be of even instants. What was found is read
        # at once all the same: a short run has no second to lose.
        has_looked = self._look(t_ns)
        self._read(
            [one for one in self._fleet.attached if one not in at_work], t_ns + self._clock() - began_ns
        )
        has_metrics = self._fleet.has_new_metrics()
        if waiting or has_looked or has_metrics:
            self._changed()

    def _read(self, asked: Iterable[Attached], t_ns: int) -> None:
        by_component: dict[str, list[Sample]] = {}
        for one in asked:
            by_component.setdefault(one.component.name, []).extend(self._fleet.sample(one, t_ns))
        for component, samples in by_component.items():
            self._samples += len(samples)
            self._sink.samples(samples, component)

    def _look(self, t_ns: int) -> bool:
        """Look for components if it is time, and take in those that are new. Whether it was time."""
        if self._first_ns is None:
            self._first_ns = t_ns
        if self._finder is None or (t_ns - self._first_ns) / NS < _due_s(self._looks):
            return False
        self._looks += 1
        before = time.thread_time()
        found = self._found(t_ns, self._finder)
        self._looking_s += time.thread_time() - before
        for component in found:
            self._fleet.take_in(component, t_ns)
        return True

    def _found(self, t_ns: int, finder: Finder) -> Sequence[Component]:
        try:
            for source, host, port in self._fleet.new_peers():
                finder.hint(source, host, port)
            return finder.look()
        except Exception as error:
            self._finder = None
            self._fleet.failed("discovery", "", t_ns, error)
            return ()

    def cost(self) -> dict[str, Any]:
        """What watching cost: CPU seconds, in all and by probe; samples; how late; how many missed.

        late_ms: the median and the worst delay of a tick after its due time. The CPU time counts the
        observer's thread, sink included, the threads of probes that wait for answers, and the programs
        that probes have started. budget: what all sensors together may use, see `_purse`.
        """
        late = sorted(self._late_ns)
        probes = {name: round(cpu_s, 6) for name, cpu_s in self._fleet.cost().items()}
        return {
            "cpu_s": self._cpu_s + self._fleet.cpu_aside_s(),
            "ticks": self._ticks,
            "samples": self._samples,
            "missed": self._missed,
            "every_s": self._every_ns / NS,
            "late_ms": {
                "p50": late[len(late) // 2] / 1e6 if late else None,
                "max": late[-1] / 1e6 if late else None,
            },
            "probes": {**probes, "discovery": round(self._looking_s, 6)},
            "budget": self._fleet.purse.told(),
        }

    def start(self) -> None:
        """Begin: the first sample is taken at once."""
        self._thread = threading.Thread(target=self._follow, name="loadrig-observer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take a last sample, detach all probes and end the thread. May be called twice."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._fleet.detach()

    def _follow(self) -> None:
        """The thread: observe until told to stop, or until nothing can be kept any more.

        A sink that fails says so to whoever else writes to it too (the trial, at its next frame), and
        that one reports it; here it only means that watching has lost its purpose.
        """
        with suppress(RigError):
            self._run()

    def _run(self) -> None:
        first_ns = self._clock()
        n = 0
        while True:
            began_ns = self._clock()
            self._late_ns.append(began_ns - (first_ns + n * self._every_ns))
            self.tick(began_ns)
            self._cpu_s = time.thread_time()
            n, missed = next_tick(n, self._clock() - first_ns, self._every_ns)
            self._missed += missed
            wait_ns = first_ns + n * self._every_ns - self._clock()
            if self._stopping.wait(max(0, wait_ns) / NS):
                break
        # A counter's last value closes its last interval.
        self.tick(self._clock())
        self._cpu_s = time.thread_time()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def next_tick(n: int, elapsed_ns: int, every_ns: int) -> tuple[int, int]:
    """The tick after the n-th, and how many are left out, when so much time has passed since the first.

    A tick that is late by less than one period is still taken.
    """
    due = max(n + 1, elapsed_ns // every_ns)
    return due, due - (n + 1)


def _due_s(looks: int) -> float:
    """When the next look for components is due, after so many, in seconds from the first tick."""
    if looks < len(LOOK_AT_S):
        return LOOK_AT_S[looks]
    return LOOK_AT_S[-1] + (looks - len(LOOK_AT_S) + 1) * LOOK_EVERY_S


def _described(metric: Metric) -> dict[str, str]:
    described = {"unit": metric.unit, "kind": metric.kind, "doc": metric.doc}
    return {**described, "otel": metric.otel} if metric.otel else described
