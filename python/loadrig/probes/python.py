"""Python: holders of the interpreter lock (GIL), garbage collection, and places where memory grows.

## What it reads

Every `every` seconds, for two seconds, py-spy looks 40 times at the process of the server that uses most
CPU, without halting it: does a thread hold the lock, and in which function? Meanwhile
/proc/PID/task/TID/syscall says which of its threads run and which wait for the lock.

Only where the rig starts the server, and only when asked (`inside: true`): a small `sitecustomize`
on PYTHONPATH counts the collections of the garbage collector and how long each took, in every process
of the server, and writes it into the trial's folder. With `memory_sites: true` it also traces allocations
(tracemalloc) and tells every `memory_every` seconds at which lines of the code memory has grown since its
first look, which it takes `memory_after` and `memory_every` seconds after the process began. The server's
code is not changed; a `sitecustomize` of its own runs all the same. Collections shorter than 1 ms are only
summed. Nothing is told by a server whose environment has a PYTHONPATH of its own in the plan, that runs with
`-I` or `-E`, or that may not write into the trial's folder.

## How to read it

`gil_share` near 1 means that this process can do no more, however many threads it has and however idle
the machine is: more processes help, threads do not. `waiting_threads` is how many would run if they could;
each wakes every 5 ms to ask for the lock, and counts among `running_threads` while it does.
A share near 1 with `running_threads` below 1 means that a thread sleeps while it holds the lock, in an
extension that does not release it. The event `gil_top` names the functions that held it.
For an interval over a longer time take `held_looks` and `looks`: a share of so many looks.
Looks are spaced at random (exponentially), so no period of the server can hide from them.

Memory that grows at one line, in step with the requests, is a leak at that line or a cache that fills;
`memory_sites` lists the ten lines that grew most, in all processes that live. A worker that is recycled
before its second look tells nothing.

## Cost

25 ms of one core for a burst: 15 ms (14 to 19) for py-spy, most of it to start, and 8 ms (5 to 11) for
twenty looks at five threads; 0.2 % of a core at `every: 15s`. Inside the server 1.4 µs for a collection.
With `memory_sites` a request that makes 400 objects took 1.16 ms of CPU (1.09 to 1.23) instead of 0.31 (0.25
to 0.33): use it to find a leak, never to measure speed.
Measured on Linux 6.18, Python 3.11, py-spy 0.4.3, two cores shared with other work.
"""

import json
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from loadrig.base import cgroups, private, processes
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.members import only
from loadrig.base.series import Event, Metric, Sample
from loadrig.base.shape import option
from loadrig.base.units import Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_python import ProbesPythonErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._python import gil as _gil
from loadrig.probes._rights import may_trace
from loadrig.probes._session import Lost, Place, Session, Unavailable
from loadrig.probes._watch import Watch, ended, process_of

if TYPE_CHECKING:
    from loadrig.probes._python.reports import InsideReader

ERRORS = texts_of(ProbesPythonErrors)

ONLY = {"runtime": ("cpython",)}

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "loads code",
        "A sitecustomize of ours, by PYTHONPATH, into every process of a server that the rig starts.",
        "inside: true",
    ),
    ServerEffect("loads code", "tracemalloc is switched on there.", "memory_sites: true"),
    ServerEffect("writes a file", "What it has counted, in the trial's folder.", "inside: true"),
)

METRICS: Mapping[str, Metric] = {
    "gil_share": Metric(
        "1", "gauge", "Share of looks, in one burst, in which a thread held the interpreter lock."
    ),
    "looks": Metric("1", "counter", "Looks at the interpreter lock of the busiest process, since attached."),
    "held_looks": Metric("1", "counter", "Looks in which a thread held the interpreter lock."),
    "running_threads": Metric("1", "gauge", "Threads of the busiest process that run or could run."),
    "waiting_threads": Metric("1", "gauge", "Threads of the busiest process that wait for the lock."),
    "collections": Metric(
        "1", "counter", "Collections of the garbage collector, by generation, in all processes.",
        otel="cpython.gc.collections",
    ),
    "gc_pause_s": Metric("s", "counter", "Time that processes stood still for the garbage collector."),
    "collected": Metric(
        "1", "counter", "Objects that the garbage collector has freed.", otel="cpython.gc.collected_objects"
    ),
    "uncollectable": Metric(
        "1", "counter", "Objects that it found but could not free.", otel="cpython.gc.uncollectable_objects"
    ),
    "site_bytes": Metric("B", "gauge", "Memory held by what was allocated at a line of code."),
    "site_growth_bytes": Metric("B", "gauge", "Growth of that since the first look."),
}  # fmt: skip

EVENTS: Mapping[str, str] = {
    "gil_top": "The functions that held the interpreter lock in a burst of looks.",
    "gc_pause": "A collection of the garbage collector that took more than 1 ms.",
    "memory_sites": "The lines of code whose memory has grown most since the first look.",
    "note": "What cannot be seen, and why.",
}

LOOK_S = 2
LOOKS_PER_S = 20

CHOOSE_S = 0.25
"""Seconds over which CPU time is compared to find the busiest process: 25 ticks of the kernel's clock."""

TOP_SHARE = 0.25
"""Share of looks in which the lock must be held for its holders to be reported."""

SILENT_S = 20.0
"""Seconds after which a server that was asked to tell, and has told nothing, becomes a note."""

_INSIDE = Path(__file__).with_name("_inside")

REPORTS_FOLDER = "inside"
"""Folder below the trial's, with a file for each process of a server that writes about itself."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: how often to look, and whether a server of the rig's reports from inside."""

    every: Seconds = option(
        "Seconds from one burst of looks to the next; a burst takes two.",
        default=Seconds(10),
        low=2,
    )
    inside: bool = option(
        "Count collections of the garbage collector inside the server, where the rig starts it.",
        default=False,
    )
    memory_sites: bool = option(
        "Trace allocations inside the server, where the rig starts it; it then needs 2 to 4 times the CPU.",
        default=False,
    )
    memory_after: Seconds = option(
        "Seconds from the start of a process until allocations are traced.",
        default=Seconds(10),
        low=0,
    )
    memory_every: Seconds = option(
        "Seconds from one look at the memory to the next.",
        default=Seconds(10),
        low=0.1,
    )
    memory_depth: int = option(
        "Frames by which allocations are told apart: 1 is the line, 2 also the line that called it.",
        default=1, low=1, high=50,
    )  # fmt: skip


fits = only(ONLY)


def prepare(options: Options, folder: Path) -> Mapping[str, str]:
    """Return the environment by which a server that the rig starts writes about itself.

    Returns an empty mapping if the plan does not ask for it.
    """
    if not (options.inside or options.memory_sites):
        return {}
    inside = folder / REPORTS_FOLDER
    private.make_folder(inside)
    config: dict[str, object] = {"folder": str(inside.absolute())}
    if options.memory_sites:
        config["sites"] = {
            "after_s": options.memory_after, "every_s": options.memory_every, "depth": options.memory_depth,
        }  # fmt: skip
    paths = (str(_INSIDE), os.environ.get("PYTHONPATH", ""))
    # An empty entry would mean the current folder.
    return {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "LOADRIG_INSIDE": json.dumps(config),
    }


def _reader_of(inside: Path) -> "InsideReader":
    # Imported here, as few servers write about themselves.
    from loadrig.probes._python.reports import InsideReader

    return InsideReader(inside, "python")


class PythonWatch(Watch):
    """Session of a process tree. spy: the path of py-spy, None where nobody may look from outside.

    inside: the folder to which its processes write, if they do.
    """

    probe = "python"

    def __init__(
        self,
        options: Options,
        pid: int,
        group: Path | None,
        spy: str | None,
        inside: Path | None,
        root: Path = Path("/"),
    ) -> None:
        super().__init__(root)
        self._pid, self._start, self._group, self._spy = pid, processes.start_of(pid), group, spy
        self._stopping = threading.Event()
        self._aside = Aside(self._read, every_s=options.every) if spy else None
        self._inside = _reader_of(inside) if inside else None
        self._counted = (0, 0)
        self._spy_cpu_s = 0.0
        self._silent_ns: int | None = None

    @property
    def cpu_s(self) -> float:
        """CPU time beside the observer's thread, py-spy's included."""
        return self._spy_cpu_s + (self._aside.cpu_s if self._aside else 0.0)

    def sample(self, t_ns: int) -> list[Sample]:
        """Return the samples of the last burst, and those from inside.

        Raises Lost when the server has ended.
        """
        if processes.start_of(self._pid) != self._start:
            raise ended(self._pid)
        samples: list[Sample] = []
        if self._inside is not None:
            samples, events = self._inside.read(t_ns)
            self._events += events
            if self._inside.is_silent:
                self._remark_on_silence(t_ns)
        if self._aside is not None:
            samples += self._aside.sample(t_ns)
            self._events += self._aside.events()
            looks, held = self._counted
            samples.append(Sample(t_ns, "python", "looks", "", looks))
            samples.append(Sample(t_ns, "python", "held_looks", "", held))
        return samples

    def _remark_on_silence(self, t_ns: int) -> None:
        """Add a note, once, if no process has written the line that each writes at its start."""
        if self._silent_ns is None:
            self._silent_ns = t_ns
        if t_ns - self._silent_ns > SILENT_S * 1e9:
            self.note_once(t_ns, ERRORS.silent_inside)

    def _read(self, t_ns: int) -> Reading:
        """Take a burst of looks, in a thread of its own."""
        pid = self._busiest()
        if pid is None or self._spy is None:
            return Reading()
        try:
            burst = _gil.burst(self._spy, pid, LOOK_S, LOOKS_PER_S, self._stopping)
        except _gil.RefusedPySpy as refused:
            if processes.start_of(pid) is None:
                return Reading()
            raise self._lost(pid, str(refused)) from None
        return Reading() if burst is None else self._burst_reading(t_ns, burst)

    def _lost(self, pid: int, reason: str) -> Lost:
        """Return why py-spy failed.

        A worker may belong to another user than its master, which could be traced.
        """
        try:
            may_trace(pid, ERRORS.stacks, self.root)
        except Unavailable as missing:
            return Lost(missing.reason, missing.mend, missing.code)
        return Lost.of(ERRORS.not_understood(str(pid), reason), code="probe.not-that")

    def _burst_reading(self, t_ns: int, burst: _gil.GilBurst) -> Reading:
        self._counted = (self._counted[0] + burst.looks, self._counted[1] + burst.held)
        self._spy_cpu_s += burst.cpu_s
        reading = Reading()

        def add(metric: str, subject: str, value: float | None) -> None:
            if value is not None:
                reading.samples.append(Sample(t_ns, "python", metric, subject, value))

        add("running_threads", "", burst.running)
        add("waiting_threads", "", burst.waiting)
        if burst.looks > 0:
            share = burst.held / burst.looks
            add("gil_share", "", share)
            add("gil_share", f"pid:{burst.pid}", share)
            if share >= TOP_SHARE:
                reading.events.append(_top(t_ns, burst, share))
        return reading

    def _busiest(self) -> int | None:
        """Return the Python process of the tree that uses most CPU now; None without one, or at the end."""
        before = {pid: _cpu_ticks(pid) for pid in self._tree() if _gil.is_python(pid)}
        if self._stopping.wait(CHOOSE_S):
            return None
        grown = {pid: _cpu_ticks(pid) - ticks for pid, ticks in before.items() if processes.start_of(pid)}
        return max(grown, key=lambda pid: grown[pid], default=None)

    def _tree(self) -> list[int]:
        if self._group is not None:
            return cgroups.members(self._group)
        return processes.tree(self._pid, processes.table())

    def detach(self) -> None:
        """End py-spy and the thread, close the files."""
        self._stopping.set()
        if self._aside is not None:
            self._aside.detach()
        if self._inside is not None:
            self._inside.close()


def _cpu_ticks(pid: int) -> int:
    stat = processes.stat(pid)
    return stat.user + stat.system if stat else 0


def _top(t_ns: int, burst: _gil.GilBurst, share: float) -> Event:
    frames = [{"frame": frame, "share": n / burst.looks} for frame, n in burst.frames.most_common(5)]
    text = event_words(SENTENCES.lock_held, str(burst.pid), f"{share:.0%}", str(frames[0]["frame"]))
    facts = {
        "duration_s": float(LOOK_S),
        "pid": burst.pid,
        "share": share,
        "looks": burst.looks,
        "frames": frames,
    }
    return Event.of(t_ns, "gil_top", f"pid:{burst.pid}", text, facts)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe.

    Raises Unavailable if its process is not known, py-spy is missing, or it may not be traced.

    A server that tells of itself is read all the same; then a note says what is missing.
    """
    pid = process_of(component)
    inside = place.folder / REPORTS_FOLDER if component.is_ours and place.folder else None
    if inside is not None and not (options.inside or options.memory_sites):
        inside = None
    spy = _gil.program()
    try:
        if spy is None:
            raise Unavailable.of(ERRORS.no_py_spy(), code="probe.no-tool")
        may_trace(pid, ERRORS.stacks, place.root)
    except Unavailable as missing:
        if inside is None:
            raise
        watch = PythonWatch(options, pid, component.cgroup, None, inside)
        watch.note_once(time.monotonic_ns(), ERRORS.lock_not_watched(missing.reason, missing.mend))
        return watch
    return PythonWatch(options, pid, component.cgroup, spy, inside, place.root)
