"""The server's processes, as one tree: CPU time, memory, threads, descriptors, births and deaths.

## What it reads

For each process of the server's tree: /proc/PID/stat, smaps_rollup, io, the number of open descriptors
and their limit, and of each thread its status (state, context switches) and schedstat (time in the run
queue, and run). Which processes: those in the group that the rig made for the server, else the children's
children of its root.

## How to read it

The subject `tree` is the whole server; `pid:N` one process, for `cpu_s` and `pss_bytes`; `state:R` the
threads in a state, for `threads`: R runs or waits for a core, S waits for something, D waits for a disk
(or for another thing that cannot be interrupted), T is stopped.
CPU time includes workers that have died: from the group's account where there is one, else from the
times that the kernel passes to the parent which waits for them; what nobody waited for is counted as
last seen. Memory is PSS, which divides shared pages among those that share them, so a sum over workers
is right; RSS counts them again in each worker, and is all there is where the processes of another
user may not be read (a note says so; disk bytes are left out then). USS is what would come free if the
process ended.
A process that is born and dies between two samples is seen in the CPU time only.

## Cost

2.5 ms of one core for a sample of 20 processes with 100 threads: 13 µs a process and 10 µs a thread for
the kernel's texts, half a millisecond for the sums; and, where the server has no group of its own, the
kernel's list of the children of each thread, or with more than 64 threads 7 µs for each process of the
machine. Memory costs 10 ms for each GB that smaps_rollup walks, and is read so seldom that a reading with it
takes at most 0.1 % of the time.
Measured on Linux 6.18, Python 3.11.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loadrig._native import ProcessFacts, process_tree, read_processes
from loadrig.base import cgroups, processes
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Event, Metric, Sample
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_kernel import ProbesProcessErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._accounts import Carrier, CounterGrowth, TreeTime
from loadrig.probes._groups import read_v1, read_v2
from loadrig.probes._session import Place, Session
from loadrig.probes._watch import Watch, ended, is_program, process_of

ERRORS = texts_of(ProbesProcessErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "cpu_s": Metric(
        "s", "counter", "CPU time, dead workers included; since the server started.", otel="process.cpu.time"
    ),
    "cpu_user_s": Metric("s", "counter", "CPU time in user code.", otel="process.cpu.time"),
    "cpu_system_s": Metric("s", "counter", "CPU time in the kernel.", otel="process.cpu.time"),
    "children_cpu_s": Metric("s", "counter", "Of cpu_s, that of processes which have ended."),
    "first_threads_s": Metric(
        "s", "counter", "CPU time of each process's first thread, since attached: of Node that of its code."
    ),
    "run_delay_s": Metric("s", "counter", "Time that runnable threads waited for a core, since attached."),
    "pss_bytes": Metric("B", "gauge", "Memory, shared pages divided among those that share them."),
    "uss_bytes": Metric("B", "gauge", "Memory that no other process shares."),
    "rss_bytes": Metric(
        "B", "gauge", "Memory, shared pages counted in each process.", otel="process.memory.usage"
    ),
    "threads": Metric("1", "gauge", "Threads; also by their state.", otel="process.thread.count"),
    "processes": Metric("1", "gauge", "Processes."),
    "fds": Metric("1", "gauge", "Open descriptors.", otel="process.unix.file_descriptor.count"),
    "fds_share": Metric(
        "1", "gauge", "Open descriptors over the limit, of the process nearest to its limit."
    ),
    "voluntary_switches": Metric(
        "1", "counter", "Times that a thread waited for something, since attached.",
        otel="process.context_switches",
    ),
    "involuntary_switches": Metric(
        "1", "counter", "Times that a thread was taken off its core, since attached.",
        otel="process.context_switches",
    ),
    "major_faults": Metric(
        "1", "counter", "Page faults that had to read from a disk, since attached.",
        otel="process.paging.faults",
    ),
    "disk_read_bytes": Metric("B", "counter", "Read from disks, since attached.", otel="process.disk.io"),
    "disk_written_bytes": Metric(
        "B", "counter", "Written, to be put on disks sooner or later, since attached.", otel="process.disk.io"
    ),
}  # fmt: skip

EVENTS: Mapping[str, str] = {
    "process_born": "A process of the tree was started.",
    "process_died": "A process of the tree ended; `memory_bytes` is what it had when last seen.",
}

_PAGE_BYTES: int = os.sysconf("SC_PAGE_SIZE")

MEMORY_SHARE = 0.001
"""Share of the time for reading smaps_rollup, at most. Reading walks the page tables and holds up the
process's own mmap calls, so a large server's memory is read less often than every sample."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: how closely threads are looked at."""

    threads: int = option(
        "Threads are read one by one (switches, run-queue delay) up to so many; above it they are not.",
        default=256, low=0,
    )  # fmt: skip


@dataclass(slots=True)
class _Passed:
    """Growth of a count that the kernel passes to the parent of a process that ends.

    So the sum over a tree neither grows nor falls by an end; where it falls, nobody waited for a process,
    and its last count is kept.
    """

    total: float = 0.0
    _last: float | None = None

    def add(self, count: float) -> float:
        """Take the present sum. Return the growth since the first call."""
        if self._last is not None:
            self.total += max(0.0, count - self._last)
        self._last = count
        return self.total


@dataclass(slots=True)
class _State:
    """State that is kept from the sample before, and from the whole session."""

    tree: list[int] = field(default_factory=list)
    born: dict[int, processes.Stat] = field(default_factory=dict)
    time: TreeTime = field(default_factory=TreeTime)
    growth: dict[str, CounterGrowth] = field(default_factory=dict)
    disk: tuple[_Passed, _Passed] = field(default_factory=lambda: (_Passed(), _Passed()))
    disk_bytes: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    pss: dict[int, int] = field(default_factory=dict)
    states: set[str] = field(default_factory=set)
    memory_due_ns: int = 0
    first: bool = True


class ProcessWatch(Watch):
    """Session of a process tree. root: "/" but in tests; group: folder of the rig's group, if any.

    start: of its root in ticks since boot, as the pid alone may be another process's later; None for the
    process that has the pid now.
    """

    probe = "process"

    def __init__(
        self,
        options: Options,
        pid: int,
        group: Path | None = None,
        root: Path = Path("/"),
        start: int | None = None,
    ) -> None:
        super().__init__(root)
        self._pid = pid
        self._start = start
        self._group = group
        self._options = options
        self._state = _State()

    @property
    def _proc(self) -> Path:
        return self.root / "proc"

    def sample(self, t_ns: int) -> list[Sample]:
        """Read every process of the tree. Raises Lost when all of them have ended."""
        samples: list[Sample] = []

        def add(metric: str, value: float, subject: str = "tree") -> None:
            samples.append(Sample(t_ns, "process", metric, subject, value))

        everyone = self._tree(t_ns)
        facts = [process for process in everyone if process.state not in "ZX"]
        stats = {process.pid: _stat(process) for process in everyone}
        alive = {process.pid: stats[process.pid] for process in facts}
        self._note_changes(t_ns, alive)
        self._state.first = False
        if not alive:
            raise ended(self._pid)
        add("processes", len(facts))
        add("threads", sum(process.thread_count for process in facts))
        for metric, value, subject in (*self._cpu(stats), *self._memory(t_ns, facts)):
            add(metric, value, subject)
        for metric, value, subject in (*self._threads(t_ns, facts), *self._disk(everyone)):
            add(metric, value, subject)
        for metric, value in _descriptors(facts):
            add(metric, value)
        faults = {(process.pid, process.start, ""): float(process.faults) for process in facts}
        add("major_faults", self._grown("major_faults", faults))
        return samples

    def _tree(self, t_ns: int) -> list[ProcessFacts]:
        """Return the facts of all processes, zombies too, as their time is not yet their parent's."""
        if self._group is not None:
            pids = cgroups.members(self._group)
        else:
            pids = self._state.tree = process_tree(self._pid, self._state.tree, self._proc)
            root = processes.stat(self._pid, self._proc) if pids else None
            self._start = self._start if self._start is not None or root is None else root.start
            if root is None or root.start != self._start:
                return []
        with_memory = t_ns >= self._state.memory_due_ns
        began = time.monotonic()
        facts = read_processes(pids, self._options.threads, with_memory, self._proc)
        if with_memory:
            self._state.memory_due_ns = t_ns + int((time.monotonic() - began) / MEMORY_SHARE * 1e9)
        return facts

    def _note_changes(self, t_ns: int, stats: Mapping[int, processes.Stat]) -> None:
        before = self._state.born
        if not self._state.first:
            for pid, stat in stats.items():
                if pid not in before or before[pid].start != stat.start:
                    text = event_words(SENTENCES.process_started, str(pid), stat.name)
                    self._events.append(Event.of(t_ns, "process_born", f"pid:{pid}", text, {"pid": pid}))
            for pid, stat in before.items():
                if pid not in stats or stats[pid].start != stat.start:
                    memory = self._state.pss.get(pid, stat.rss_pages * _PAGE_BYTES)
                    text = event_words(SENTENCES.process_ended, str(pid), stat.name)
                    facts = {"pid": pid, "reason": "unknown", "memory_bytes": memory}
                    self._events.append(Event.of(t_ns, "process_died", f"pid:{pid}", text, facts))
        self._state.born = dict(stats)

    def _cpu(self, stats: Mapping[int, processes.Stat]) -> Iterable[tuple[str, float, str]]:
        tick = 1 / processes.TICKS_PER_S
        user, system = self._state.time.add(stats.values())
        account = self._account()
        if account:
            yield "cpu_s", account["usage_s"], "tree"
            yield "cpu_user_s", account.get("user_s", 0.0), "tree"
            yield "cpu_system_s", account.get("system_s", 0.0), "tree"
        else:
            yield "cpu_s", (user + system) * tick, "tree"
            yield "cpu_user_s", user * tick, "tree"
            yield "cpu_system_s", system * tick, "tree"
        own = {stat.pid: stat.user + stat.system for stat in stats.values()}
        yield "children_cpu_s", (user + system - sum(own.values())) * tick, "tree"
        for pid, ticks in own.items():
            yield "cpu_s", ticks * tick, f"pid:{pid}"

    def _account(self) -> dict[str, float]:
        """Return CPU times by the group's own account, in nanosecond steps; empty where there is none."""
        if self._group is None:
            return {}
        account = read_v1("cpuacct", self._group) or read_v2(self._group)
        return account if "usage_s" in account else {}

    def _memory(self, t_ns: int, facts: Sequence[ProcessFacts]) -> Iterable[tuple[str, float, str]]:
        yield "rss_bytes", sum(process.rss_pages for process in facts) * _PAGE_BYTES, "tree"
        refused = next((process.pid for process in facts if process.memory_refused), None)
        if refused is not None:
            self.note_once(t_ns, ERRORS.memory_hidden(str(refused)))
            return
        sizes = {process.pid: process.memory_bytes for process in facts if process.memory_bytes is not None}
        if not sizes:
            return
        self._state.pss = {pid: pss for pid, (pss, _) in sizes.items()}
        yield "pss_bytes", sum(pss for pss, _ in sizes.values()), "tree"
        yield "uss_bytes", sum(uss for _, uss in sizes.values()), "tree"
        for pid, (pss, _) in sizes.items():
            yield "pss_bytes", pss, f"pid:{pid}"

    def _threads(self, t_ns: int, facts: Sequence[ProcessFacts]) -> Iterable[tuple[str, float, str]]:
        threads = {(process.pid, process.start): process.threads for process in facts}
        if None in threads.values():
            self.note_once(t_ns, ERRORS.too_many_threads(str(self._options.threads)))
            return
        states = Counter[str]()
        delay: dict[Carrier, float] = {}
        first: dict[Carrier, float] = {}
        voluntary: dict[Carrier, float] = {}
        involuntary: dict[Carrier, float] = {}
        for (pid, start), rows in threads.items():
            for tid, state, waited, preempted, delay_ns, ran_ns in rows or ():
                key = (pid, start, str(tid))
                states[state] += 1
                voluntary[key], involuntary[key] = waited, preempted
                if delay_ns is not None:
                    delay[key] = delay_ns / 1e9
                if tid == pid and ran_ns is not None:
                    first[key] = ran_ns / 1e9
        # A state that no thread has any more is zero, not unknown.
        self._state.states.update(states)
        for state in self._state.states:
            yield "threads", states[state], f"state:{state}"
        yield "voluntary_switches", self._grown("voluntary_switches", voluntary), "tree"
        yield "involuntary_switches", self._grown("involuntary_switches", involuntary), "tree"
        if delay:
            yield "run_delay_s", self._grown("run_delay_s", delay), "tree"
        if first:
            yield "first_threads_s", self._grown("first_threads_s", first), "tree"

    def _disk(self, everyone: Sequence[ProcessFacts]) -> Iterable[tuple[str, float, str]]:
        if any(process.io_bytes is None and process.state not in "ZX" for process in everyone):
            return  # another user's, or ended in the meantime; a sum without it would mislead
        # A zombie's counts cannot be read, and are not yet its parent's.
        last = self._state.disk_bytes
        counts = {
            (process.pid, process.start): process.io_bytes or last.get((process.pid, process.start), (0, 0))
            for process in everyone
        }
        self._state.disk_bytes = counts
        read, written = self._state.disk
        yield "disk_read_bytes", read.add(sum(n for n, _ in counts.values())), "tree"
        yield "disk_written_bytes", written.add(sum(n for _, n in counts.values())), "tree"

    def _grown(self, name: str, values: Mapping[Carrier, float]) -> float:
        return self._state.growth.setdefault(name, CounterGrowth()).add(values)


def _stat(row: ProcessFacts) -> processes.Stat:
    return processes.Stat(
        row.pid, row.name, row.state, row.parent, row.group, row.session, row.faults, row.user, row.system,
        row.dead_user, row.dead_system, row.thread_count, row.start, row.rss_pages,
    )  # fmt: skip


def _descriptors(facts: Sequence[ProcessFacts]) -> Sequence[tuple[str, float]]:
    open_now = [(process.fds, process.fd_limit) for process in facts if process.fds is not None]
    if not open_now:
        return ()
    shares = [fds / limit for fds, limit in open_now if limit]
    return ("fds", sum(fds for fds, _ in open_now)), ("fds_share", max(shares, default=0.0))


fits = is_program


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable if its process is not known or is gone."""
    pid = process_of(component)
    return ProcessWatch(options, pid, component.cgroup, place.root, component.start)
