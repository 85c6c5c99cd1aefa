"""The thread that lets every probe read at the same even instants, and counts what that costs."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from loadrig.base import members
from loadrig.base.errors import Problem, RigError
from loadrig.base.running import RunningTarget
from loadrig.base.series import Event, Metric, Sample
from loadrig.probes._session import Session, Unavailable

ROOM = "loadrig.probes"
NS = 1_000_000_000


class Chosen(Protocol):
    """A probe chosen in a plan: its name and its options."""

    @property
    def member(self) -> str: ...

    @property
    def options(self) -> Any: ...


class Sink(Protocol):
    """Where samples and events go: the writer of a recording."""

    def samples(self, samples: list[Sample]) -> None: ...

    def event(self, event: Event) -> None: ...


@dataclass(slots=True)
class Attached:
    """One probe at work, and what it has cost so far."""

    name: str
    session: Session
    metrics: Mapping[str, Metric]
    cpu_s: float = 0.0


class Observer:
    """Samples all probes every so often, on a thread of its own, until it is stopped.

    Deadlines are absolute: the n-th sample is due at start + n·every, however long the ones before
    took, so no drift and no added jitter. A sample that would be late by more than a period is left
    out and counted as missed. A probe that raises is detached and the event probe_failed says why;
    the others go on. `tick` is the whole work and can be called without the thread.
    """

    def __init__(
        self,
        attached: Sequence[Attached],
        every_s: float,
        sink: Sink,
        notes: Sequence[str] = (),
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.attached = list(attached)
        self.notes = tuple(notes)
        self._all = tuple(attached)
        self._every_ns = int(every_s * NS)
        self._sink = sink
        self._clock = clock
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._ticks = self._samples = self._missed = 0
        self._cpu_s = 0.0
        self._late_ns: list[int] = []

    @classmethod
    def attach(cls, chosen: Iterable[Chosen], target: RunningTarget, every_s: float, sink: Sink) -> Self:
        """Attach the chosen probes. One that is not available here becomes a note and an event."""
        attached, notes = [], []
        for one in chosen:
            module = members.load(ROOM, one.member)
            try:
                session = module.attach(one.options, target)
            except Unavailable as missing:
                text = f"probe {one.member} is off: {missing.reason}; {missing.mend}"
                notes.append(text)
                facts = {"code": missing.code, "mend": missing.mend}
                sink.event(Event(time.monotonic_ns(), "note", one.member, text, facts))
                continue
            attached.append(Attached(one.member, session, module.METRICS))
        return cls(attached, every_s, sink, notes)

    def metrics(self) -> dict[str, dict[str, str]]:
        """What the samples mean, for the manifest: "probe.metric" -> unit, kind, doc."""
        return {
            f"{one.name}.{name}": {"unit": metric.unit, "kind": metric.kind, "doc": metric.doc}
            for one in self._all
            for name, metric in one.metrics.items()
        }

    def tick(self, t_ns: int) -> None:
        """Let every probe read once, and hand on what it read and what happened."""
        self._ticks += 1
        samples: list[Sample] = []
        for one in list(self.attached):
            before = time.thread_time()
            try:
                samples += one.session.sample(t_ns)
                for event in one.session.events():
                    self._sink.event(event)
            except Exception as error:
                self._drop(one, t_ns, error)
            finally:
                one.cpu_s += time.thread_time() - before
        self._samples += len(samples)
        self._sink.samples(samples)

    def _drop(self, one: Attached, t_ns: int, error: Exception) -> None:
        import traceback  # only here and below: nobody waits for it where no probe fails

        self.attached.remove(one)
        problem = Problem(
            what=f"probe {one.name} failed and was detached: {type(error).__name__}: {error}",
            mend="leave it out of the plan's probes; please report it with the trace in events.jsonl",
            code="probe.failed",
        )
        facts = {"code": problem.code, "mend": problem.mend, "trace": traceback.format_exc(limit=-5)}
        self._sink.event(Event(t_ns, "probe_failed", one.name, problem.what, facts))
        _detach(one.session)

    def cost(self) -> dict[str, Any]:
        """What watching cost: CPU seconds, in all and by probe; samples; how late; how many missed.

        late_ms: the median and the worst delay of a tick after its due time. The CPU time counts the
        observer's thread, sink included.
        """
        late = sorted(self._late_ns)
        return {
            "cpu_s": self._cpu_s,
            "ticks": self._ticks,
            "samples": self._samples,
            "missed": self._missed,
            "every_s": self._every_ns / NS,
            "late_ms": {
                "p50": late[len(late) // 2] / 1e6 if late else None,
                "max": late[-1] / 1e6 if late else None,
            },
            "probes": {one.name: round(one.cpu_s, 6) for one in self._all},
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
        while self.attached:
            _detach(self.attached.pop().session)

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


def _detach(session: Session) -> None:
    try:
        session.detach()
    except Exception:
        import traceback

        # It is given up in any case; what it could not give back ends with this process.
        traceback.print_exc()
