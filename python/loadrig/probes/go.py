"""A Go program from inside: goroutines, heap, garbage collections, contended locks, cores that it counts on.

## What it reads

The pages of `net/http/pprof` at the addresses on which the program listens on this machine, as text:
heap (with runtime.MemStats at its end), goroutine, and now and then mutex and block. Where there is no
pprof: expvar's /debug/vars, else the `go_` figures of a Prometheus page. One connection is kept for it.
From outside, of every Go program: GOMAXPROCS, worked out as the runtime does, from its environment, its
affinity mask, the quota of its group, and what stands in its file.
With `gctrace: true` and a server that the rig starts, also the collections in what it prints.

A program without any of these pages can be given them by one line:
`import _ "net/http/pprof"`, and `http.ListenAndServe("127.0.0.1:6060", nil)` where it serves no default mux.

## How to read it

`goroutines` that grow while the load stays: requests queue inside, or goroutines leak; `started` says which
function they run, `waiting_in` where they stand. A `gomaxprocs` far above `quota_cores` lets many threads
burn the quota early in each period, and then all stand still: the probe cgroup shows for how long. Before
Go 1.25 the runtime did not look at quotas; since then it does, but never goes below 2.
`gc_pause_s` is how long the world stood still; below 1 % of the time the collector is not what hurts.
Collections cost CPU too: `gc_cpu_share`. Halving `allocated_bytes` a second halves both, as does a heap
goal of twice the size. `mutex_wait_s` and `block_wait_s` grow only where the program has switched these
profiles on; the second counts also those who wait for work. A program short of CPU answers late: each
page is given 2 s, then there is a gap, and it is asked again.

## Cost

2.2 ms of one core for a sample of a program with 40 goroutines, in a thread of its own; in the program
1.9 ms, and 1.5 µs more for each goroutine: of more than 5,000 they are counted more rarely.
Measured on Linux 6.18, Python 3.11, Go 1.26.
"""

import functools
import math
import os
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from loadrig.base import cgroups, processes
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.members import only
from loadrig.base.series import Event, Metric, Sample
from loadrig.base.shape import option
from loadrig.base.units import show_cores
from loadrig.discovery._elf import GoBuild, go_build
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_go import ProbesGoErrors
from loadrig.language.en.errors.probes_watch import ProbesWatchErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._go import runtime as _go_runtime
from loadrig.probes._go.collections import Collections
from loadrig.probes._go.pages import FigurePage, GoFigures, Pprof, look_for
from loadrig.probes._pages import Pages, near, url_of
from loadrig.probes._session import Lost, Place, Session, Unavailable
from loadrig.probes._tail import Tail

ERRORS = texts_of(ProbesGoErrors)
WATCH_ERRORS = texts_of(ProbesWatchErrors)

ONLY = {"runtime": ("go",)}

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect("asks the server", "For its pages of pprof, expvar or Prometheus, once a second."),
    ServerEffect(
        "changes a setting",
        "GODEBUG=gctrace=1 in the environment of a server that the rig starts.",
        "gctrace: true",
    ),
)

METRICS: Mapping[str, Metric] = {
    "goroutines": Metric("1", "gauge", "Goroutines that live.", "go.goroutine.count"),
    "started": Metric("1", "gauge", "Goroutines by the function that they were started to run."),
    "waiting_in": Metric("1", "gauge", "Goroutines by the function that they stand in."),
    "gomaxprocs": Metric("1", "gauge", "Threads that may run Go code at once.", "go.processor.limit"),
    "quota_cores": Metric("cores", "gauge", "CPU time allowed per time, of a program with a limit."),
    "threads": Metric("1", "gauge", "Threads of the system; far above gomaxprocs: blocked in system calls."),
    "heap_alloc_bytes": Metric("B", "gauge", "Objects on the heap, dead ones not yet swept included."),
    "heap_in_use_bytes": Metric("B", "gauge", "Spans of the heap that hold objects."),
    "heap_sys_bytes": Metric("B", "gauge", "Heap memory taken from the system, returned parts included."),
    "heap_goal_bytes": Metric("B", "gauge", "Heap size that sets off a collection.", "go.memory.gc.goal"),
    "stack_bytes": Metric("B", "gauge", "Memory of goroutines' stacks."),
    "sys_bytes": Metric("B", "gauge", "All memory taken from the system by the runtime."),
    "allocated_bytes": Metric("B", "counter", "Bytes allocated on the heap.", "go.memory.allocated"),
    "allocations": Metric("1", "counter", "Objects allocated on the heap.", "go.memory.allocations"),
    "gc_cycles": Metric("1", "counter", "Garbage collections."),
    "gc_pause_s": Metric("s", "counter", "Time for which collections stopped the program."),
    "gc_longest_pause_s": Metric("s", "gauge", "Longest stop among the collections since the last sample."),
    "gc_cpu_share": Metric("1", "gauge", "Share of the CPU time spent on collecting since it began."),
    "mutex_waits": Metric("1", "counter", "Waits for locks, where the mutex profile is on."),
    "mutex_wait_s": Metric("s", "counter", "Time waited for locks, summed over goroutines."),
    "block_waits": Metric("1", "counter", "Waits for locks and channels, where the block profile is on."),
    "block_wait_s": Metric("s", "counter", "Time of these waits, summed over goroutines."),
}  # fmt: skip

EVENTS: Mapping[str, str] = {
    "gc_pause": "A garbage collection stopped the whole program for more than a millisecond.",
    "go_runtime": "What the Go runtime counts on: its version, GOMAXPROCS, the cores it may use.",
    "note": "Something about this watching that a reader must know.",
}

EVERY_S = 1.0
BUDGET_S = 2.5
"""Seconds for all pages of a reading together, so that `detach` need not wait longer than an Aside does."""

TRIES = 3
LOOK_AGAIN_S = 30.0
"""Number of looks, one at each reading, while an address does not answer, and seconds between later looks."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: where a Go program shows its figures."""

    pprof: str | None = option(
        "The pages of net/http/pprof: a URL, or a path at the addresses of the server; found by itself at "
        "/debug/pprof.",
        default=None,
        example="http://127.0.0.1:6060/debug/pprof",
    )
    gctrace: bool = option(
        "Start the server with GODEBUG=gctrace=1 and read its collections from what it prints; for a server "
        "that the rig starts.",
        default=False,
    )


fits = only(ONLY)


def prepare(options: Options, folder: Path) -> Mapping[str, str]:
    """Return GODEBUG with the trace of the collector, where the plan asks for it.

    Other settings in it stay.
    """
    del folder
    if not options.gctrace:
        return {}
    before = os.environ.get("GODEBUG", "")
    return {"GODEBUG": f"{before},gctrace=1" if before else "gctrace=1"}


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe.

    Raises Unavailable where the program is neither on this machine nor named by `pprof`.
    """
    bases, path = near(component), "/debug/pprof"
    if options.pprof is not None and options.pprof.startswith("/"):
        path = options.pprof.rstrip("/")
    elif options.pprof is not None:
        parts = urlsplit(url_of("go", "pprof", options.pprof))
        bases, path = (f"{parts.scheme}://{parts.netloc}",), parts.path.rstrip("/") or path
    if component.pid is None and not bases:
        raise Unavailable.of(ERRORS.not_here(component.name), code="probe.no-process")
    return GoWatch(options, component, place.root, bases, path)


class GoWatch(Aside):
    """Session of the probe. bases: the addresses to look for pages at; path: where pprof is below them."""

    def __init__(
        self, options: Options, component: Component, root: Path, bases: tuple[str, ...], path: str
    ) -> None:
        self._component, self._root = component, root
        self._bases, self._path = bases, path
        self._source: Pprof | FigurePage | None = None
        self._find_at, self._tries = 0.0 if bases else math.inf, 0
        self._nothing: Lost | None = None
        # Filled in the thread of the session while another takes from it: never exchanged, or what comes just
        # then would be lost.
        self._pending: deque[Event] = deque()
        self._cores: _go_runtime.Cores | None = None
        self._build: GoBuild | None = None
        self._environment: Mapping[str, str] = {}
        self._known_procs: int | None = None
        self._collections = Collections(self._open_trace(options), component.start)
        super().__init__(self._look, self._leave, EVERY_S)

    def _open_trace(self, options: Options) -> Tail | None:
        component = self._component
        if component.pid is None:
            return None
        self._environment = processes.environment(component.pid, self._root / "proc")
        is_on = _go_runtime.parse_godebug(self._environment.get("GODEBUG", "")).get("gctrace", "0") != "0"
        if component.log is None or not (is_on or options.gctrace):
            return None
        return Tail(component.log, from_start=component.is_ours)

    def events(self) -> list[Event]:
        """Return the events of the readings, and those of the runtime also if the program does not answer."""
        pending = [self._pending.popleft() for _ in range(len(self._pending))]
        return pending + super().events()

    def _look(self, t_ns: int) -> Reading:
        """Take a reading, in the thread of the session."""
        until = time.monotonic() + BUDGET_S
        values = self._outside(t_ns)
        new_traces = self._collections.read_traces()
        for trace in new_traces:
            self._known_procs = trace.procs or self._known_procs
        page = self._inside(until, t_ns)
        events: list[Event] = []
        if page is not None and page.stats is not None:
            values |= self._collections.of_stats(page.stats, events)
        elif self._collections.is_traced:
            values |= self._collections.of_traces(new_traces, events)
        samples = [Sample(t_ns, "go", metric, "", value) for metric, value in values.items()]
        if page is not None:
            samples += [
                Sample(t_ns, "go", metric, subject, self._grown(metric, value))
                for (metric, subject), value in page.values.items()
            ]
        return Reading(samples, events)

    def _grown(self, metric: str, value: float) -> float:
        return self._collections.counters.go_on(metric, value) if METRICS[metric].kind == "counter" else value

    def _outside(self, t_ns: int) -> dict[str, float]:
        """Return what is seen of any Go program, and make an event of it when it is new."""
        pid = self._component.pid
        if pid is None:
            return {}
        stat = processes.stat(pid, self._root / "proc")
        if stat is None:
            raise Lost.of(WATCH_ERRORS.its_process_gone(str(pid)), code="probe.no-process")
        if self._build is None and self._cores is None:
            self._build = go_build(self._root / f"proc/{pid}/exe")
        version = self._build.version if self._build else self._component.version
        cores = _go_runtime.cores_of(
            version,
            self._environment,
            self._build,
            _go_runtime.cpus_allowed(pid, self._root),
            _go_runtime.quotas(cgroups.of(pid)),
        )
        if self._known_procs is not None:
            cores = _go_runtime.Cores(
                self._known_procs, "the program", cores.cpus, cores.quota, cores.own_quota
            )
        if cores != self._cores:
            self._cores = cores
            self._pending.append(_runtime_event(t_ns, version, cores))
        values = {"gomaxprocs": cores.procs, "quota_cores": cores.quota, "threads": stat.threads}
        return {metric: value for metric, value in values.items() if value is not None}

    def _inside(self, until: float, t_ns: int) -> GoFigures | None:
        if self._source is None and time.monotonic() >= self._find_at:
            self._find(until, t_ns)
        if self._source is None and self._nothing is not None:
            raise self._nothing
        if self._source is None:
            return None
        page = self._source.read(until)
        self._known_procs = page.procs or self._known_procs
        return page

    def _find(self, until: float, t_ns: int) -> None:
        """Look for pages once; again where an address did not answer, as a server short of CPU may not."""
        silent: Lost | None = None
        for base in self._bases:
            pages = Pages(base)
            try:
                self._source = look_for(pages, self._path, until)
            except Lost as lost:
                silent = lost
            if self._source is not None:
                return
            pages.close()
        self._tries += 1
        if silent is not None and self._tries < TRIES:
            raise silent
        places = functools.reduce(ERRORS.either, self._bases)
        missing = Lost.of(ERRORS.no_pages(places), code="probe.not-that")
        if self._component.pid is None:
            self._nothing = silent or missing
            self._find_at = time.monotonic() + LOOK_AGAIN_S
            return
        self._find_at = time.monotonic() + LOOK_AGAIN_S if silent else math.inf
        if self._tries <= TRIES:
            text = ERRORS.only_outside(self._component.name, missing.reason, missing.mend)
            facts = {"code": missing.code, "mend": missing.mend}
            self._pending.append(Event(t_ns, "note", "go", text, facts))

    def _leave(self) -> None:
        if self._source is not None:
            self._source.pages.close()
        self._collections.close()


def _runtime_event(t_ns: int, version: str, cores: _go_runtime.Cores) -> Event:
    facts = {
        "version": version, "gomaxprocs": cores.procs, "gomaxprocs_from": cores.why, "cpus": cores.cpus,
        "quota_cores": cores.quota,
    }  # fmt: skip
    text = event_words(
        SENTENCES.go_runtime, version, "" if cores.procs is None else str(cores.procs), str(cores.why or ""),
        "" if cores.quota is None else show_cores(cores.quota),
    )  # fmt: skip
    return Event.of(t_ns, "go_runtime", "go", text, facts)
