"""Locks of files that a program's processes take and give back: SQLite's, of PHP's sessions, by flock.

## What it reads

/proc/locks: locks for writing (flock, fcntl) that processes of the program hold, and the processes that stand
in the kernel for one. Of a lock that was not known yet, the descriptors of its holder, for the file's name.

## How to read it

`held` is 1 where the file was locked for writing at the instant, 0 where it was not: its mean is the share of
time in which nobody else could write. `waiting` are processes that stand in the kernel until they get it, as
with flock. SQLite does not stand there: whoever does not get its lock sleeps and asks again, so its waiters
are threads that sleep (`thread_states`). A lock that a process had already when watching began, and never
gives back, guards a whole run, as of a database's files, and is left out.
Locks within a process, and of files on another host, are not in this table.

## Cost

0.3 ms of one core for a sample with twenty locks on the machine, and as much for the name of a new one; with
more locks there are fewer samples, so that it stays below 0.2 % of a core.
Measured on Linux 6.18, Python 3.11.
"""

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Metric, Sample
from loadrig.probes._session import Place, Session
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_program, need, process_of

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "held": Metric("1", "gauge", "Whether a file was locked for writing, 0 or 1, by its name."),
    "waiting": Metric("1", "gauge", "Processes that stand in the kernel for a file's lock, by its name."),
}

MOST_SHARE = 0.002
"""Share of a core that may go into reading, 0 to 1: a table of ten thousand locks takes 30 ms."""

MOST_FILES = 32
"""Files that are told apart: those locked first. More are sessions of users, one each."""

SHARED_MEMORY = "-shm"
"""End of the name of the file that has the locks of a SQLite database in WAL mode."""

_FIELDS = 8
"""Fields of a line, without the arrow of a waiter. Source: lock_get_status in fs/locks.c."""


@dataclass(frozen=True, slots=True)
class FileLock:
    """A lock for writing. file: device and inode, as the kernel writes them. is_waited_for: of a waiter."""

    pid: int
    file: str
    is_waited_for: bool


def parse_locks(text: str) -> Iterator[FileLock]:
    """Yield the locks for writing, and who waits for one."""
    for line in text.splitlines():
        fields = [field for field in line.split() if field != "->"]
        if len(fields) >= _FIELDS and fields[3] == "WRITE" and fields[4].isdigit():
            yield FileLock(int(fields[4]), fields[5], "->" in line)


class FileLocksWatch(Watch):
    """Session of a program, by the root of its processes."""

    probe = "file_locks"

    def __init__(self, pid: int, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._pid = pid
        self._names: dict[str, str] = {}
        self._due_ns = 0
        self._kept = {lock for lock in self._locks() if not lock.is_waited_for}

    def sample(self, t_ns: int) -> list[Sample]:
        """Read the table of locks, if it is time: one of thousands is read less often."""
        if t_ns < self._due_ns:
            return []
        began_s = time.thread_time()
        values = self._values()
        self._due_ns = t_ns + int((time.thread_time() - began_s) / MOST_SHARE * 1e9)
        return self.samples(t_ns, values)

    def _values(self) -> dict[tuple[str, str], float]:
        locks = list(self._locks())
        self._kept &= set(locks)
        values = {(metric, name): 0.0 for name in self._names.values() for metric in ("held", "waiting")}
        for lock in locks:
            if lock in self._kept or not self._is_ours(lock.pid):
                continue
            name = self._name_of(lock)
            if not name:
                continue
            if lock.is_waited_for:
                values["waiting", name] = values.get(("waiting", name), 0.0) + 1.0
            else:
                values["held", name] = 1.0
        return values

    def _locks(self) -> Iterator[FileLock]:
        return parse_locks(self.text("proc/locks"))

    def _is_ours(self, pid: int) -> bool:
        """Return whether a process is the program's root or below it."""
        while pid > 1 and pid != self._pid:
            process = processes.stat(pid)
            pid = process.parent if process is not None else 0
        return pid == self._pid

    def _name_of(self, lock: FileLock) -> str:
        """Return the name of a locked file; empty where it cannot be read, or there are too many."""
        name = self._names.get(lock.file, "")
        if not name and len(self._names) < MOST_FILES and (name := self._read_name(lock)):
            self._names[lock.file] = name
        return name

    def _read_name(self, lock: FileLock) -> str:
        inode = int(lock.file.rpartition(":")[2])
        folder = self.root / "proc" / str(lock.pid) / "fd"
        try:
            for number in os.listdir(folder):
                if os.stat(folder / number).st_ino == inode:
                    return Path(os.readlink(folder / number)).name.removesuffix(SHARED_MEMORY)
        except OSError:
            return ""
        return ""


fits = is_program


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where there is no /proc/locks, or no process."""
    del options
    need(place.root, "proc/locks")
    return FileLocksWatch(process_of(component), place.root)
