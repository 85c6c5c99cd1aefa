"""The thread that lets every probe read at the same even instants, and counts what that costs."""

import threading
import time
from array import array
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Protocol, Self

from loadrig.base.clock import NS
from loadrig.base.component import THIS_HOST, Component
from loadrig.base.errors import RigError
from loadrig.base.series import Event, Metric, Sample
from loadrig.probes._attached import Attached, ChosenProbe, Fleet
from loadrig.probes._looking import ComponentLooks, Finder
from loadrig.probes._session import Place


class Sink(Protocol):
    """Taker of samples and events, such as the writer of a recording."""

    def samples(self, samples: list[Sample], component: str) -> None: ...

    def event(self, event: Event) -> None: ...


class Observer:
    """Sampler of the probes of all components, at a fixed period, in a thread of its own, until stopped.

    It begins with the components given, and asks the finder for others while the load runs. Deadlines are
    absolute: the n-th sample is due at start + n·every, however long the ones before took, so no drift
    and no added jitter. A tick that would be late by more than a period is left out and counted as
    missed. A probe that raises is detached and the event probe_failed says why; a probe that has lost what
    it watches leaves a gap and is asked again. All other probes go on. `tick` is the whole work and can be
    called without the thread.

    chosen: the probes that are to be used, with their options where the plan gives any.
    changed: called after components or metrics have been added.
    """

    def __init__(
        self,
        chosen: Iterable[ChosenProbe],
        components: Iterable[Component],
        every_s: float,
        sink: Sink,
        *,
        place: Place | None = None,
        finder: Finder | None = None,
        changed: Callable[[], None] = lambda: None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._fleet = Fleet(chosen, place or Place(), sink.event)
        self._looks = ComponentLooks(finder, self._fleet)
        self._waiting = [THIS_HOST, *components]
        self._every_ns = int(every_s * NS)
        self._sink = sink
        self._changed = changed
        self._clock = clock
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._ticks = self._samples = self._missed = 0
        self._cpu_s = 0.0
        self._late_ns = array("q")  # an array, as a soak takes a reading each second for hours

    @property
    def components(self) -> tuple[Component, ...]:
        """Components that are known now."""
        return self._fleet.components()

    def new_notes(self) -> list[str]:
        """Return the notes for a person since the last call, such as a probe that cannot watch, and why."""
        return self._fleet.new_notes()

    def metrics(self) -> dict[str, dict[str, str]]:
        """Return what the samples mean, for the manifest.

        "probe.metric" -> unit, kind, doc, and otel if there is one.
        """
        return {name: _described(metric) for name, metric in sorted(self._fleet.metrics.items())}

    def tick(self, t_ns: int) -> None:
        """Let every probe read once, and hand on the samples and events."""
        self._ticks += 1
        began_ns = self._clock()
        waiting, self._waiting = self._waiting, []
        for component in waiting:
            self._fleet.take_in(component, t_ns)
        at_work = list(self._fleet.attached)
        self._read(at_work, t_ns)
        # Last, as looking may take a while, and samples are to be of even instants. A found component is read
        # at once all the same: a short run has no second to lose.
        has_looked = self._looks.look(t_ns)
        self._read(
            [probe for probe in self._fleet.attached if probe not in at_work], t_ns + self._clock() - began_ns
        )
        has_metrics = self._fleet.has_new_metrics()
        if waiting or has_looked or has_metrics:
            self._changed()

    def _read(self, probes: Iterable[Attached], t_ns: int) -> None:
        by_component: dict[str, list[Sample]] = {}
        for probe in probes:
            by_component.setdefault(probe.component.name, []).extend(self._fleet.sample(probe, t_ns))
        for component, samples in by_component.items():
            self._samples += len(samples)
            self._sink.samples(samples, component)

    def cost(self) -> dict[str, Any]:
        """Return what watching cost: CPU seconds, in all and by probe; samples; delays; missed ticks.

        late_ms: the median and the worst delay of a tick after its due time. The CPU time counts the
        observer's thread, sink included, the threads of probes that wait for answers, and the programs
        that probes have started. budget: CPU time that all sensors together may use, see `_purse`.
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
            "probes": {**probes, "discovery": round(self._looks.cpu_s, 6)},
            "budget": self._fleet.purse.facts(),
        }

    def start(self) -> None:
        """Begin to sample; the first sample is taken at once."""
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
        """Run the thread: observe until asked to stop, or until nothing can be written any more.

        A sink that fails raises for every writer, so for the trial at its next frame, too, and the trial
        reports it; here it only means that watching has lost its purpose.
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

    def __exit__(self, *_: object) -> None:
        self.stop()


def next_tick(n: int, elapsed_ns: int, every_ns: int) -> tuple[int, int]:
    """Return the tick after the n-th, and how many ticks are left out before it.

    elapsed_ns: time since the first tick.

    A tick that is late by less than one period is still taken.
    """
    due = max(n + 1, elapsed_ns // every_ns)
    return due, due - (n + 1)


def _described(metric: Metric) -> dict[str, str]:
    described = {"unit": metric.unit, "kind": metric.kind, "doc": metric.doc}
    return {**described, "otel": metric.otel} if metric.otel else described
