"""Gunicorn's workers: born, recycled, timed out, killed, with their memory before and after.

## What it reads

The children of gunicorn's master at each sample, their memory (PSS, from smaps_rollup), and the error log
of gunicorn, which says why a worker ended. The log is found by the command line, by what the master has
open, or by what it prints into when the rig started it; it may be rotated (SIGUSR1). Where it goes to a
terminal, a pipe or syslog it cannot be read: then workers end for the reason `unknown`, and a note says so.
With a log level above `info` gunicorn does not say that it recycles, and nothing of a worker that ends well.

## How to read it

`recycled`: it had served max_requests. `timed_out`: it was silent for longer than `timeout` and was killed
by its master. `killed`: by a signal from elsewhere; `out_of_memory` where the kernel said at that time
that it killed a process for lack of memory. `exited`: it was told to end, or ended by itself.
The event `worker_died` has the memory as last seen, `worker_born` that of the new worker as first seen and
the pid of the one whose place it took: where the first is much larger than the second, time and again,
recycling hides a leak. Workers that live for less than a sample are known by the log only, without memory.
Births are exact to 10 ms; a death is dated in the middle of the time that the log's second and the samples
around it leave for it, so to half a second or better.

## Cost

1.0 ms of one core (0.8 to 2.1) for a sample of 4 workers of 20 MB, half of it for their memory. At most 0.2 %
of the time goes there: where there is much, it is read less often.
Measured on Linux 6.18, Python 3.11, gunicorn 27.0, two cores shared with other work.
"""

import dataclasses
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadrig.base import clock, kernel_files, processes
from loadrig.base.clock import NS
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Event, Metric, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_python import ProbesGunicornErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._python import gil as _gil
from loadrig.probes._python import gunicorn_log as _gunicorn_log
from loadrig.probes._python.gunicorn_log import Fate, WorkerEntry
from loadrig.probes._session import Place, Session, Unavailable, parse_pairs, read
from loadrig.probes._tail import Tail
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, ended, process_of

ERRORS = texts_of(ProbesGunicornErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "workers": Metric("1", "gauge", "Workers that live."),
    "born": Metric("1", "counter", "Workers that were started, since attached."),
    "recycled": Metric("1", "counter", "Workers that ended because they had served max_requests."),
    "timed_out": Metric("1", "counter", "Workers that their master killed because they were silent."),
    "killed": Metric("1", "counter", "Workers that a signal ended, for lack of memory or otherwise."),
    "exited": Metric("1", "counter", "Workers that ended for another reason, or for an unknown one."),
}

EVENTS: Mapping[str, str] = {
    "worker_born": "A worker was started.",
    "worker_died": "A worker ended; the reason is among the facts.",
    "note": "What cannot be seen, and why.",
}

MEMORY_SHARE = 0.002
"""Share of the time for reading the workers' memory: the walk through page tables halts their allocations."""

LOGGED_WITHIN_S = 0.9
"""Seconds that a master may take to log how a worker ended: one sample more at the usual pace of 1 s."""

REPLACED_WITHIN_S = 5.0
"""Seconds in which a master replaces a worker, at most: it looks each second."""

DYING_S = 2.0
"""Seconds for which a worker is still seen after the kernel has counted its kill, at most: until it has given
back its memory, and for that it waits for a core."""

_COUNTED_AS = {"out_of_memory": "killed", "unknown": "exited"}


@dataclass(slots=True)
class _Worker:
    """A worker. inner: its pid as gunicorn sees it. seen_ns: when it was last seen alive, 0 if it never was.

    sizes: its memory at the last two readings. A worker that ends gives memory back before it is gone, so
    the larger of the two is what it had; nothing is kept once the log says that it leaves.
    """

    pid: int
    inner: int
    born_ns: int
    seen_ns: int = 0
    sizes: deque[int] = dataclasses.field(default_factory=lambda: deque(maxlen=2))
    is_reported: bool = False
    died_ns: int | None = None
    fate: Fate = dataclasses.field(default_factory=Fate)

    @property
    def memory_bytes(self) -> int | None:
        """Memory that the worker has, or had; None if it was never read."""
        return max(self.sizes, default=None)


class _MemoryPace:
    """Instants at which the memory of all workers is read, so that it costs MEMORY_SHARE of the time."""

    def __init__(self) -> None:
        self.due_ns = self._cost_ns = 0

    def spend(self, t_ns: int, cost_ns: int) -> None:
        """Note what a reading has cost: the next one is due accordingly."""
        # The lesser of two costs: a reading that met a busy kernel says nothing of the next.
        before, self._cost_ns = self._cost_ns, cost_ns
        self.due_ns = t_ns + int(min(before, cost_ns) / MEMORY_SHARE)


class _OomKills:
    """Kills for want of memory on this machine. last_ns: of the look that saw the last; -1 for none."""

    def __init__(self, proc: Path) -> None:
        self._proc, self.last_ns = proc, -1
        self._kills = self._count()

    def look(self, t_ns: int) -> None:
        """Look whether there were kills since the last look."""
        before, self._kills = self._kills, self._count()
        self.last_ns = t_ns if self._kills > before else self.last_ns

    def was_at(self, seen_ns: int) -> bool:
        """Return whether the last kill may be that of a worker. seen_ns: when it was last seen alive."""
        return self.last_ns >= max(0, seen_ns - int(DYING_S * NS))

    def _count(self) -> int:
        return parse_pairs(read(self._proc / "vmstat") or "").get("oom_kill", 0)


class GunicornWatch(Watch):
    """Session of a master. log: None where there is none to read."""

    probe = "gunicorn"

    def __init__(self, master: int, log: Path | None, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._master, self._start = master, processes.start_of(master)
        self._proc = root / "proc"
        self._tail = Tail(log) if log else None
        self._alive: dict[tuple[int, int], _Worker] = {}
        self._ending: list[_Worker] = []
        self._vacant: deque[_Worker] = deque(maxlen=1000)
        self._counts: Counter[str] = Counter()
        self._before_ns: int | None = None
        self._memory = _MemoryPace()
        self._oom = _OomKills(self._proc)
        if log is None:
            self.note_once(time.monotonic_ns(), ERRORS.no_log)

    def sample(self, t_ns: int) -> list[Sample]:
        """Look at the workers, read what is new in the log. Raises Lost when the master has ended."""
        if processes.start_of(self._master) != self._start:
            raise ended(self._master)
        # The log is read after the look: its lines on workers that are gone are there by then. So is the
        # count of kills, which the kernel raises before a worker is gone.
        self._look(t_ns)
        self._hear(t_ns)
        self._oom.look(t_ns)
        self._read_memory(t_ns)
        self._tell(t_ns)
        self._before_ns = t_ns
        values = {name: self._counts[name] for name in METRICS} | {"workers": len(self._alive)}
        return self.samples(t_ns, {(name, ""): value for name, value in values.items()})

    def _look(self, t_ns: int) -> None:
        """Look at the workers: take in those that have come, and those that have gone since the last look."""
        now = {(stat.pid, stat.start): stat for stat in self._children() if stat.state not in "ZX"}
        for key, stat in now.items():
            if key not in self._alive:
                inner = processes.own_pid(stat.pid, self._proc)
                born_ns = clock.from_boot(stat.start / processes.TICKS_PER_S)
                worker = _Worker(stat.pid, inner, born_ns, is_reported=self._before_ns is None)
                self._counts["born"] += self._before_ns is not None
                self._alive[key] = worker
            self._alive[key].seen_ns = t_ns
        for key in self._alive.keys() - now.keys():
            self._take_missing(self._alive.pop(key), t_ns)

    def _take_missing(self, worker: _Worker, t_ns: int) -> None:
        """Note that a worker is gone: its place is free, and the log may yet tell why it ended."""
        worker.died_ns = t_ns
        self._ending.append(worker)
        self._vacant.append(worker)

    def _children(self) -> list[processes.Stat]:
        """Return the master's children; by a walk over all processes where the kernel does not list them."""
        listed = read(self._proc / str(self._master) / "task" / str(self._master) / "children")
        if listed is None:
            return [stat for stat in processes.table(self._proc).values() if stat.parent == self._master]
        stats = (processes.stat(int(pid), self._proc) for pid in listed.split())
        return [stat for stat in stats if stat]

    def _hear(self, t_ns: int) -> None:
        """Take in new lines of the log."""
        if self._tail is None:
            return
        try:
            lines = self._tail.lines()
        except OSError as error:
            self._tail.close()
            self._tail = None
            self.note_once(t_ns, ERRORS.log_lost(str(error.strerror)))
            return
        for line in lines:
            if entry := _gunicorn_log.parse(line):
                self._take(t_ns, entry)

    def _take(self, t_ns: int, entry: WorkerEntry) -> None:
        worker = self._worker_of(entry.pid)
        if worker is None and entry.what == "born" and self._before_ns is not None:
            self._look(t_ns)  # it may have been born since the last look
            worker = self._worker_of(entry.pid)
            if worker is None:  # born and gone between two looks: only the log knows of it
                worker = _Worker(entry.pid, entry.pid, self._dated(entry.wall_ns, t_ns))
                self._counts["born"] += 1
                self._take_missing(worker, t_ns)
        if worker is not None:
            worker.fate.add(entry)

    def _worker_of(self, inner: int) -> _Worker | None:
        return next(
            (worker for worker in (*self._alive.values(), *self._ending) if worker.inner == inner), None
        )

    def _dated(self, wall_ns: int | None, t_ns: int) -> int:
        """Return the instant of a line: in its second, after the look before and not after this one."""
        if wall_ns is None:
            return t_ns
        return min(t_ns, max(clock.from_wall(wall_ns), self._before_ns or 0))

    def _read_memory(self, t_ns: int) -> None:
        """Read the memory of all workers when it is due, and of new ones at once."""
        is_due = t_ns >= self._memory.due_ns
        before_ns = time.thread_time_ns()
        for worker in self._alive.values():
            if (is_due or not worker.is_reported) and not worker.fate.is_ending:
                size = _pss(self._proc, worker.pid)
                worker.sizes.extend([] if size is None else [size])
        if is_due:
            self._memory.spend(t_ns, time.thread_time_ns() - before_ns)

    def _tell(self, t_ns: int) -> None:
        """Make events of births and deaths: of a death once the log has told why, or was given time to."""
        waiting = []
        for worker in self._ending:
            missed_s = (t_ns - (worker.died_ns or t_ns)) / NS
            if self._tail is None or worker.fate.is_settled or missed_s >= LOGGED_WITHIN_S:
                self._tell_born(worker)
                self._tell_died(worker, t_ns)
            else:
                waiting.append(worker)
        self._ending = waiting
        for worker in self._alive.values():
            self._tell_born(worker)

    def _tell_born(self, worker: _Worker) -> None:
        if worker.is_reported:
            return
        worker.is_reported = True
        facts: dict[str, Any] = {"pid": worker.pid, "memory_bytes": worker.memory_bytes}
        pid, memory = str(worker.pid), _memory(worker.memory_bytes)
        text = event_words(SENTENCES.worker_started, pid, memory)
        if before := self._predecessor(worker):
            facts |= {"replaces": before.pid, "memory_before_bytes": before.memory_bytes}
            memory_before = _memory(before.memory_bytes)
            text = event_words(SENTENCES.worker_replaced, pid, memory, str(before.pid), memory_before)
        self._events.append(Event.of(worker.born_ns, "worker_born", f"pid:{worker.pid}", text, facts))

    def _predecessor(self, worker: _Worker) -> _Worker | None:
        """Return the worker whose place this one took: the first that ended and was not yet replaced."""
        while self._vacant and self._vacant[0] is not worker:
            before = self._vacant.popleft()
            # A place that stays free was given up on purpose (SIGTTOU).
            if worker.born_ns - (before.died_ns or 0) < REPLACED_WITHIN_S * NS:
                return before
        return None

    def _tell_died(self, worker: _Worker, t_ns: int) -> None:
        reason = worker.fate.reason
        if reason in ("killed", "unknown") and self._oom.was_at(worker.seen_ns or worker.born_ns):
            reason = "out_of_memory"
        self._counts[_COUNTED_AS.get(reason, reason)] += 1
        died_ns = max(self._died_ns(worker, t_ns), worker.born_ns)
        lived_s = (died_ns - worker.born_ns) / NS
        facts = {
            "pid": worker.pid, "reason": reason, "memory_bytes": worker.memory_bytes, "lived_s": lived_s,
            "how": worker.fate.detail,
        }  # fmt: skip
        text = event_words(
            SENTENCES.worker_ended, str(worker.pid), reason, worker.fate.detail, f"{lived_s:.0f} s",
            _memory(worker.memory_bytes),
        )  # fmt: skip
        self._events.append(Event.of(died_ns, "worker_died", f"pid:{worker.pid}", text, facts))

    def _died_ns(self, worker: _Worker, t_ns: int) -> int:
        """Return when a worker ended: the middle of the time that is possible.

        It lies after the worker was last seen, before it was missed, and in the second of the log.
        """
        after_ns, before_ns = worker.seen_ns or worker.born_ns, worker.died_ns or t_ns
        if worker.fate.wall_ns is not None:
            second_ns = clock.from_wall(worker.fate.wall_ns)
            after_ns, before_ns = max(after_ns, second_ns), min(before_ns, second_ns + NS)
        return (after_ns + before_ns) // 2 if after_ns < before_ns else worker.died_ns or t_ns

    def detach(self) -> None:
        """Close the log."""
        if self._tail is not None:
            self._tail.close()


def _pss(proc: Path, pid: int) -> int | None:
    """Return a process's memory in bytes, with its share of shared pages; None if it may not be read."""
    size = kernel_files.fields(proc / str(pid) / "smaps_rollup").get("Pss")
    return int(size.split()[0]) * 1024 if size else None


def _memory(size: int | None) -> str:
    return f"{size / 2**20:.0f} MiB" if size is not None else ""


def fits(component: Component) -> bool:
    """Return whether a component is gunicorn, by its kind or its command line."""
    return component.kind == "gunicorn" or any(
        word.rpartition("/")[2] == "gunicorn" for word in component.argv[:4]
    )


def master_of(root: int) -> int | None:
    """Return gunicorn's master in a tree: the topmost interpreter that runs it, maybe below a shell."""

    def is_master(pid: int) -> bool:
        return "gunicorn" in processes.command_line(pid) and _gil.is_python(pid)

    if is_master(root):
        return root
    return next(filter(is_master, processes.tree(root, processes.table())), None)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable if its process is not known, is gone, or is no gunicorn."""
    del options
    pid = process_of(component)
    master = master_of(pid)
    if master is None:
        raise Unavailable.of(ERRORS.not_gunicorn(str(pid)), code="probe.not-that")
    words = processes.command_line(master).split()
    log = _gunicorn_log.find(master, tuple(component.argv) or tuple(words), component.log, place.root)
    return GunicornWatch(master, log, place.root)
