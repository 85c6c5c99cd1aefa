"""Cores that the generator shares with the busiest threads of the server: the evidence of check G14.

The kernel says of each thread how long it has run (schedstat), on which core it ran last (field 39 of its
stat) and on which it may run at all (its affinity). The core of a thread that is held on one core is known
exactly; the core of a thread that moves is known at each look. Sources: proc_pid_stat(5),
Documentation/scheduler/sched-stats.rst.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from loadrig._native import process_tree, read_tasks
from loadrig.base import cgroups, processes
from loadrig.base.clock import NS
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.running import TrialCompanionsTexts

TEXTS = texts_of(TrialCompanionsTexts)

THREADS_MOST = 256
"""Largest number of threads that are read: as many as the probe `process` reads one by one; more would
disturb what they are to guard."""

LOOKS_ENOUGH = 5
"""Least number of looks at threads that move: with fewer, where they ran is a guess."""

AS_BUSY_SHARE = 0.5
"""Share of the busiest thread's CPU time, 0 to 1, from which on a thread is part of the bottleneck: workers
that share one load are all part of it."""

TREE_EVERY_NS = 5 * NS
"""Time between two searches for new workers, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Task:
    """Thread at an instant. cpu_ns: CPU time since it began. core: where it ran last.

    may: cores it may use.
    """

    name: str
    pid: int
    cpu_ns: int
    core: int
    may: frozenset[int]


@dataclass(frozen=True, slots=True)
class Shared:
    """Share that the generator used of the core of one of the server's busiest threads.

    share: of the time, 0 to 1. how: "held" where it follows from the cores that both may use, "seen" where
    threads can move and were looked at so many times.
    """

    share: float
    core: int
    thread: str
    pid: int
    how: str
    looks: int


MOST_THREADS_KEPT = 4_096
"""Largest number of threads that are remembered: a server that makes a thread for each request has millions
in hours."""


@dataclass(slots=True)
class Companions:
    """Sums, look by look, of where generator and server ran. `add` takes the threads of each look."""

    _last: dict[int, Task] = field(default_factory=dict)
    _last_ns: int = 0
    _length_ns: int = 0
    looks: int = 0
    _used: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    _beside: defaultdict[int, defaultdict[int, int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )
    _tasks: dict[int, Task] = field(default_factory=dict)
    _may: frozenset[int] = frozenset()

    def add(self, t_ns: int, generator: Mapping[int, Task], server: Mapping[int, Task]) -> None:
        """Add the threads of one look, by their numbers."""
        if self._last_ns:
            self._length_ns += t_ns - self._last_ns
            self.looks += 1
            by_core: defaultdict[int, int] = defaultdict(int)
            for number, task in generator.items():
                used_ns = self._since_last(number, task)
                by_core[task.core] += used_ns
                if used_ns:
                    self._may |= task.may
            for number, task in server.items():
                if used_ns := self._since_last(number, task):
                    self._used[number] += used_ns
                    self._beside[number][task.core] += by_core[task.core]
        self._last_ns = t_ns
        self._last = {**generator, **server}
        self._tasks.update(server)
        if len(self._tasks) > MOST_THREADS_KEPT:
            self._forget()

    def _forget(self) -> None:
        """Forget ended threads but those that used most: no other can be the busiest of all."""
        ended = sorted(self._tasks.keys() - self._last.keys(), key=lambda number: self._used.get(number, 0))
        for number in ended[: len(self._tasks) - MOST_THREADS_KEPT // 2]:
            self._tasks.pop(number)
            self._used.pop(number, None)
            self._beside.pop(number, None)

    def _since_last(self, number: int, task: Task) -> int:
        before = self._last.get(number)
        return max(0, task.cpu_ns - before.cpu_ns) if before else 0

    def shared(self) -> Shared | str:
        """Return the most that the generator used of a core of the busiest threads, or why it is unknown."""
        busiest_ns = max(self._used.values(), default=0)
        if not busiest_ns or not self._length_ns:
            return TEXTS.no_thread_server
        bottleneck = [n for n, used_ns in self._used.items() if used_ns >= AS_BUSY_SHARE * busiest_ns]
        if not all(self._is_certain(number) for number in bottleneck) and self.looks < LOOKS_ENOUGH:
            return TEXTS.threads_can_move(str(self.looks), str(LOOKS_ENOUGH))
        candidates = [
            Shared(
                sum(self._beside[number].values()) / self._length_ns,
                max(self._beside[number], key=self._beside[number].__getitem__),
                self._tasks[number].name,
                self._tasks[number].pid,
                "held" if self._is_certain(number) else "seen",
                self.looks,
            )
            for number in bottleneck
        ]
        return max(candidates, key=lambda candidate: candidate.share)

    def _is_certain(self, number: int) -> bool:
        """Return whether the cores that both sides may use tell where they met.

        That is so with no core in common, or with one core for both.
        """
        may = self._tasks[number].may
        return not may & self._may or len(may | self._may) == 1


def tasks_of(pids: Iterable[int], proc: Path = processes.PROC) -> dict[int, Task]:
    """Return the threads of these processes; threads that end meanwhile or may not be read are left out."""
    try:
        rows = read_tasks(list(pids), THREADS_MOST, proc)
    except OSError:  # no /proc
        return {}
    return {
        number: Task(name, pid, cpu_ns, core, frozenset(cores))
        for number, pid, name, cpu_ns, core, cores in rows
    }


class ServerProcesses:
    """The pids of a server: those of the group that the rig made for it, else of its root's tree.

    apart: processes that are not the server's although they may descend from it (the rig's own).
    """

    def __init__(self, root: int, group: Path | None, apart: Sequence[int]) -> None:
        self._root = root
        self._group = group
        self._apart = {pid for pid in apart if pid != root}
        self._pids: list[int] = []
        self._due_ns = 0

    def now(self, t_ns: int) -> list[int]:
        """Return the pids at this instant; a tree is walked anew only every few seconds."""
        if self._group is not None:
            return cgroups.members(self._group)
        if t_ns >= self._due_ns:
            self._due_ns = t_ns + TREE_EVERY_NS
            pids = process_tree(self._root, self._pids, processes.PROC)
            for pid in self._apart.intersection(pids):
                apart = set(process_tree(pid, (), processes.PROC))
                pids = [number for number in pids if number not in apart]
            self._pids = pids
        return self._pids


def to_json(shared: Shared | str) -> dict[str, Any]:
    """Return the share of the core, or why it is unknown, as it is kept in a manifest."""
    if isinstance(shared, str):
        return {"unknown": shared}
    return asdict(shared)
