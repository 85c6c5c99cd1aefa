"""A Node program from inside: how late its event loop is, its heap, its collections, what it waits for.

## What it reads

For each process of the program (of a cluster: up to four, those that use most CPU) a few lines of
JavaScript, evaluated through the inspector, hold a timer of 20 ms, an observer of collections, and give
process.memoryUsage, V8's heap limit, eventLoopUtilization and the active resources when they are asked.
All that is done only where it is allowed by name, as whoever reaches an inspector can run code as the server:
by `permit: [node-inspector]` in the plan, by --permit node-inspector, or by an option of this probe. Then an
inspector that is open already is used; else that of the process that uses most CPU is opened by SIGUSR1 at
port 9229 of 127.0.0.1, and closed again at the end. With `inspect: true` the rig starts the server with an
inspector on a free port, which shows all processes of a cluster.
Node prints lines such as "Debugger listening" when that happens. When the rig is killed, the next `loadrig`
command closes what it had opened, and what it has left in the process ends by itself within a minute.

## How to read it

One event loop does everything in turn: `delay_max_s` is how long a request had to wait before anybody
looked at it, whichever it was. A loop that is late while `busy_share` is near 1 has too much to do, and one
process is one core: more processes help. A loop that is late now and then while it is idle otherwise is
blocked by single calls (parsing, hashing, synchronous files): a CPU profile names them. Delays of half a
millisecond are the timer's own. `gc_pause_s` is part of the busy time; pauses of more than a
millisecond are events. A heap near `heap_limit_bytes` is collected ever more often, then the process dies.
`active_requests` that grow wait for the disk or for names (the pool of four threads, UV_THREADPOOL_SIZE).

## Cost

0.7 ms of one core for a sample of one process, in threads of its own. In the process 0.6 ms for a sample,
and 6 ms a second for the timer, if it does nothing else: a loop that is at work wakes up anyway.
Measured on Linux 6.18, Python 3.11, Node 20.20.
"""

import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import dataclass as plain_dataclass
from pathlib import Path

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.effects import EFFECT_EVENTS, ServerEffect, begun, ended
from loadrig.base.leased import InspectorFacts
from loadrig.base.leases import Lease
from loadrig.base.members import only
from loadrig.base.series import Event, Metric, Sample
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_node import ProbesNodeErrors
from loadrig.language.en.errors.probes_watch import ProbesWatchErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._counting import Counters
from loadrig.probes._node.inspector import (
    USUAL_PORT,
    Closed,
    Inspector,
    close_inspector,
    identity,
    node_processes,
    open_inspector,
    ports_of,
)
from loadrig.probes._node.reply import NodeReply, reply_of
from loadrig.probes._session import Lost, Place, Session, Unavailable
from loadrig.probes._watch import samples_of

ERRORS = texts_of(ProbesNodeErrors)
WATCH_ERRORS = texts_of(ProbesWatchErrors)

METRICS: Mapping[str, Metric] = {
    "delay_mean_s": Metric("s", "gauge", "Mean delay of the event loop.", "nodejs.eventloop.delay.mean"),
    "delay_p50_s": Metric("s", "gauge", "Median delay of the event loop.", "nodejs.eventloop.delay.p50"),
    "delay_p99_s": Metric("s", "gauge", "Its 99th percentile.", "nodejs.eventloop.delay.p99"),
    "delay_max_s": Metric("s", "gauge", "The longest since the last sample.", "nodejs.eventloop.delay.max"),
    "busy_share": Metric(
        "1", "gauge", "Share of time in which the loop ran code.", "nodejs.eventloop.utilization"
    ),
    "heap_used_bytes": Metric("B", "gauge", "Objects on the heap, dead ones too.", "v8js.memory.heap.used"),
    "heap_total_bytes": Metric("B", "gauge", "Heap taken from the system."),
    "heap_limit_bytes": Metric("B", "gauge", "Size at which the process dies.", "v8js.memory.heap.limit"),
    "external_bytes": Metric("B", "gauge", "Memory of objects outside of the heap, buffers included."),
    "array_buffers_bytes": Metric("B", "gauge", "Memory of ArrayBuffers and Buffers."),
    "rss_bytes": Metric("B", "gauge", "Memory of the process in RAM.", "process.memory.usage"),
    "gc_cycles": Metric("1", "counter", "Collections, and steps of those that are done in steps."),
    "gc_pause_s": Metric("s", "counter", "Time in which they stopped the loop.", "v8js.gc.duration"),
    "gc_major_pause_s": Metric("s", "counter", "The part of it spent on the whole heap (mark and sweep)."),
    "active_resources": Metric("1", "gauge", "What keeps the process alive: sockets, timers, requests."),
    "active_requests": Metric("1", "gauge", "Those that wait for files, names or connections."),
    "sockets": Metric("1", "gauge", "Those that are TCP connections."),
    "timers": Metric("1", "gauge", "Those that are timers."),
}

EVENTS: Mapping[str, str] = {
    "gc_pause": "A collection stopped the event loop for more than a millisecond.",
    "note": "Something about this watching that a reader must know.",
    **EFFECT_EVENTS,
}

ONLY = {"runtime": ("node",)}

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "opens a port", "The inspector of one process, at 127.0.0.1:9229, by SIGUSR1; closed at the end.",
        "permit: [node-inspector]",
    ),
    ServerEffect(
        "opens a port", "An inspector on a free port of 127.0.0.1, from the start of the server.",
        "inspect: true",
    ),
    ServerEffect(
        "loads code", "A timer of 20 ms and an observer of collections, evaluated by the inspector; ended.",
        "permit: [node-inspector]",
    ),
)  # fmt: skip

EVERY_S = 1.0
MOST_PROCESSES = 4
LOOK_AGAIN_S = 10.0
"""Seconds between two looks for new processes, and for an inspector where there was none."""

TRIES = 3

BUDGET_S = 2.4
"""Seconds for all processes of a reading together, so `detach` need not wait longer than an Aside does."""

# Source: perf_hooks.constants and the flags of Node's documentation.
_KINDS = {1: "minor", 2: "minor mark-sweep", 4: "major", 8: "incremental", 16: "weak callbacks"}
_FORCED, _IDLE = 4, 64

_WATCH = Path(__file__).with_name("_node") / "watch.js"
_READ = 'globalThis[Symbol.for("loadrig.watch")]?.read() ?? null'
_END = 'globalThis[Symbol.for("loadrig.watch")]?.end()'
_REQUESTS = ("Req", "ReqWrap", "ReqCallback", "ReqPromise", "WriteWrap", "ConnectWrap", "ShutdownWrap")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: how the inside of a Node program is reached."""

    inspector: str | None = option(
        'Where its inspector listens, as "host:port"; found by itself on this machine.',
        default=None,
        example="127.0.0.1:9229",
    )
    open_inspector: bool | None = option(
        "Whether to use the inspector, and to open that of a running process by SIGUSR1 and close it at the "
        "end; left out: where the plan's `permit` or --permit names node-inspector.",
        default=None,
    )
    inspect: bool = option(
        "Start the server with NODE_OPTIONS=--inspect=127.0.0.1:0; for a server that the rig starts.",
        default=False,
    )


fits = only(ONLY)


def prepare(options: Options, folder: Path) -> Mapping[str, str]:
    """Return NODE_OPTIONS with an inspector on a free port, if the plan asks for it; other options stay."""
    del folder
    if not options.inspect:
        return {}
    before = os.environ.get("NODE_OPTIONS", "")
    return {"NODE_OPTIONS": f"{before} --inspect=127.0.0.1:0".strip()}


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe.

    Raises Unavailable where the program is neither on this machine nor named by `inspector`.
    """
    named = None
    if options.inspector is not None:
        host, _, port = options.inspector.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise Unavailable.of(ERRORS.not_an_address(repr(options.inspector)), code="probe.not-that")
        named = (host.strip("[]"), int(port))
    elif component.pid is None:
        raise Unavailable.of(ERRORS.not_here(component.name), code="probe.no-process")
    may_open = options.open_inspector
    if may_open is None:
        may_open = "node-inspector" in place.permits
    return NodeWatch(
        component, named, may_open=may_open, may_use=may_open or options.inspect or named is not None
    )


@plain_dataclass(slots=True)
class _Process:
    """An event loop that is watched."""

    pid: int
    inspector: Inspector


class NodeWatch(Aside):
    """Session of the probe. named: where the inspector is, if the plan names it.

    may_open: whether an inspector may be opened; may_use: whether an open one may be used.
    """

    def __init__(
        self, component: Component, named: tuple[str, int] | None, *, may_open: bool, may_use: bool
    ) -> None:
        self._component, self._named = component, named
        self._may_open, self._may_use = may_open, may_use
        self._processes: dict[int, _Process] = {}
        self._opened: dict[int, Lease] = {}
        self._tries: dict[tuple[int, int], int] = {}
        self._pending: list[Event] = []
        self._noted_counts = (0, 0)
        self._look_at = 0.0
        self._closed: Lost | None = None
        self._counters: Counters[tuple[str, str]] = Counters()
        self._script = f"({_WATCH.read_text(encoding='utf-8')})"
        super().__init__(self._look, self._leave, EVERY_S)

    def _look(self, t_ns: int) -> Reading:
        """Take a reading, in the thread of the session."""
        until = time.monotonic() + BUDGET_S
        if time.monotonic() >= self._look_at or not (self._processes or self._closed):
            self._find()
        if not self._processes and self._closed is not None:
            raise self._closed
        reading, lost = Reading(), None
        for process in list(self._processes.values()):
            try:
                reply = self._ask(process, until)
            except Lost as silent:
                lost = silent
                self._forget(process)
                continue
            reading.samples += self._samples(t_ns, process.pid, reply)
            reading.events += pauses_of(process.pid, reply)
        if lost is not None and not reading.samples:
            raise lost
        return reading

    def _find(self) -> None:
        """Connect to the processes that are not yet watched, as many as may be."""
        self._look_at = time.monotonic() + LOOK_AGAIN_S
        self._closed = None
        if self._named is not None:
            if not self._processes:
                self._take_in(*self._named, None)
            return
        root = self._component.pid
        assert root is not None
        if processes.start_of(root) is None:
            raise Lost.of(WATCH_ERRORS.its_process_gone(str(root)), code="probe.no-process")
        if not self._may_use:
            self._closed = Lost.of(ERRORS.not_permitted(), code="probe.not-permitted")
            return
        pids = node_processes(root)
        for pid in busiest(pids, MOST_PROCESSES):
            if pid not in self._processes and (port := self._open_port_of(pid)) is not None:
                self._try_to_take_in(port, pid)
        if not self._processes and self._closed is None:
            self._open_one(pids)
        self._tell_left_out(len(pids))

    def _try_to_take_in(self, port: int, pid: int) -> None:
        try:
            self._take_in("127.0.0.1", port, pid)
        except Lost as lost:
            self._closed = lost

    def _open_port_of(self, pid: int) -> int | None:
        """Return the port of a process's inspector; None if none listens."""
        ports = ports_of(pid)
        if pid in self._opened:
            return USUAL_PORT if USUAL_PORT in ports else None
        # The address under load is no inspector. All other ports are asked once, and again if they are
        # silent.
        loaded = self._component.address.port if self._component.address else None
        for port in sorted(ports - {loaded}):
            if self._tries.get((pid, port), 0) >= TRIES:
                continue
            try:
                identity("127.0.0.1", port)
            except Lost as lost:
                tries = TRIES if lost.code == "probe.not-that" else 1
                self._tries[pid, port] = self._tries.get((pid, port), 0) + tries
                continue
            return port
        return None

    def _open_one(self, pids: list[int]) -> None:
        """Let the busiest process open its inspector, if that is allowed.

        Processes with children are left out: a cluster's master makes all its workers open theirs, too.
        """
        root = self._component.pid
        chosen = busiest(leaves_of(pids), 1)
        if not chosen:
            self._closed = Closed.of(ERRORS.no_node_program(str(root)), code="probe.no-inspector")
        elif not self._may_open:
            self._closed = Closed.of(ERRORS.inspector_closed(str(chosen[0])), code="probe.no-inspector")
        elif chosen[0] in self._opened:
            self._closed = Closed.of(ERRORS.not_yet_open(str(chosen[0])), code="probe.no-inspector")
        else:
            try:
                open_inspector(chosen[0], self._note_opened)
            except Lost as lost:
                self._closed = lost
                return
            self._try_to_take_in(USUAL_PORT, chosen[0])

    def _note_opened(self, lease: Lease) -> None:
        assert isinstance(lease.facts, InspectorFacts)
        pid = lease.facts.pid
        self._opened[pid] = lease
        text = event_words(SENTENCES.inspector_opened, str(pid), str(USUAL_PORT), "127.0.0.1")
        self._pending.append(begun(time.monotonic_ns(), "node", "inspector", "opens a port", text, pid))

    def _tell_left_out(self, n: int) -> None:
        watched = len(self._processes)
        if n > watched > 0 and self._noted_counts != (watched, n):
            self._noted_counts = (watched, n)
            text = ERRORS.processes_left_out(watched, n)
            facts = {"watched": watched, "processes": n, "mend": ERRORS.more_processes}
            self._pending.append(Event(time.monotonic_ns(), "note", "node", text, facts))

    def _take_in(self, host: str, port: int, pid: int | None) -> None:
        inspector = Inspector(host, port)
        is_opened = pid in self._opened
        try:
            own_pid = int(inspector.evaluate(f"{self._script}({json.dumps(is_opened)})"))
        except Lost:
            inspector.close()
            raise
        # In a container a process knows itself by another pid than the rig does.
        pid = pid or own_pid
        self._processes[pid] = _Process(pid, inspector)
        text = event_words(SENTENCES.node_watch_begun, str(pid))
        self._pending.append(begun(time.monotonic_ns(), "node", "watch", "loads code", text, pid))

    def _ask(self, process: _Process, until: float) -> NodeReply:
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise Lost.of(ERRORS.answers_late(), code="probe.no-answer")
        reply = process.inspector.evaluate(_READ, min(1.0, left_s))
        if reply is None:  # nobody read for a minute, so the script ended
            raise Lost.of(ERRORS.no_longer_watched(str(process.pid)), code="probe.no-answer")
        return reply_of(reply)

    def _forget(self, process: _Process) -> None:
        """Drop a process that is gone or does not answer any more; the next reading connects anew."""
        process.inspector.close()
        del self._processes[process.pid]
        self._look_at = 0.0
        if processes.start_of(process.pid) is None and (lease := self._opened.pop(process.pid, None)):
            lease.end()

    def _samples(self, t_ns: int, pid: int, reply: NodeReply) -> list[Sample]:
        subject = f"pid:{pid}"
        values = {(metric, subject): value for metric, value in values_of(reply).items()}
        return samples_of(t_ns, "node", self._counters.continued(values, METRICS))

    def events(self) -> list[Event]:
        """Return the events of the readings, and how many processes are left out."""
        pending, self._pending = self._pending, []
        return pending + super().events()

    def _leave(self) -> None:
        for process in self._processes.values():
            # The script in a process that does not answer ends by itself when nobody reads.
            with contextlib.suppress(Lost):
                process.inspector.evaluate(_END)
                text = event_words(SENTENCES.node_watch_ended, str(process.pid))
                self._pending.append(ended(time.monotonic_ns(), "node", "watch", text, process.pid))
            # It closes also where its answer is late, so nobody disconnects meanwhile.
            if process.pid in self._opened:
                process.inspector.wait_until_ended()
            process.inspector.close()
        for pid, lease in self._opened.items():
            if close_inspector(lease, closes_itself=pid in self._processes):
                text = event_words(SENTENCES.inspector_closed, str(pid))
                self._pending.append(ended(time.monotonic_ns(), "node", "inspector", text, pid))


def busiest(pids: list[int], most: int) -> list[int]:
    """Return the living processes that have used most CPU, at most `most`."""
    table = processes.table()
    alive = [table[pid] for pid in pids if pid in table]
    return [stat.pid for stat in sorted(alive, key=lambda stat: -(stat.user + stat.system))[:most]]


def leaves_of(pids: list[int]) -> list[int]:
    """Return the processes that are no parent of another one."""
    parents = {stat.parent for stat in processes.table().values() if stat.pid in pids}
    return [pid for pid in pids if pid not in parents]


def values_of(reply: NodeReply) -> dict[str, float]:
    """Return the metrics in a process's reply; none of the delay where its timer has not yet fired."""
    memory, resources = reply.memory, reply.resources
    values = {
        "busy_share": reply.utilization,
        "heap_used_bytes": memory.heap_used,
        "heap_total_bytes": memory.heap_total,
        "heap_limit_bytes": reply.limit,
        "external_bytes": memory.external,
        "array_buffers_bytes": memory.array_buffers,
        "rss_bytes": memory.rss,
        "gc_cycles": reply.collections,
        "gc_pause_s": reply.paused_ms / 1e3,
        "gc_major_pause_s": reply.paused_by_major_ms / 1e3,
        "active_resources": sum(resources.values()),
        "active_requests": sum(n for name, n in resources.items() if name.endswith(_REQUESTS)),
        "sockets": resources.get("TCPSocketWrap", 0),
        "timers": resources.get("Timeout", 0),
    }
    delays = reply.delay_ms or {}
    return values | {f"delay_{name}_s": ms / 1e3 for name, ms in delays.items()}


def pauses_of(pid: int, reply: NodeReply) -> list[Event]:
    """Return long pauses as events, on the rig's clock: both sides read the same monotonic clock."""
    events = []
    for start_ms, duration_ms, kind, flags in reply.pauses:
        began_ns = int(reply.now_ns) - int((reply.now_ms - start_ms) * 1e6)
        name = _KINDS.get(kind, str(kind))
        cause = "forced" if flags & _FORCED else "idle" if flags & _IDLE else "allocation"
        facts = {
            "duration_s": duration_ms / 1e3, "collector": "v8", "kind": name, "cause": cause,
            "is_pause": True, "pid": pid,
        }  # fmt: skip
        text = event_words(SENTENCES.node_stopped, name, str(pid), f"{duration_ms:.3g} ms")
        events.append(Event.of(began_ns, "gc_pause", f"pid:{pid}", text, facts))
    return events
