"""Kills of a server for lack of memory, by the kernel's log, its control groups and its counters.

Three sources, the surest first: the kernel's log names the process that it killed (readable by root, or
where kernel.dmesg_restrict is 0); the process's control group counts its kills; the machine counts all.
Sources: Documentation/admin-guide/cgroup-v2.rst (memory.events), cgroup-v1/memory.rst (memory.oom_control),
mm/oom_kill.c, Documentation/ABI/testing/dev-kmsg.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loadrig.base import cgroups, kernel_files

Evidence = Literal["kernel_log", "control_group", "machine"]
"""Sources that tell of a kill: the first two name this server, the last only says that some process was
killed."""

VMSTAT = Path("/proc/vmstat")
KMSG = Path("/dev/kmsg")

RECORD_BYTES = 8192
"""Bytes of the buffer for one record of the kernel's log: a read with fewer fails with EINVAL."""

_KILLED = re.compile(r"Killed process (\d+) ")


@dataclass(frozen=True, slots=True)
class KillCounts:
    """Kills for lack of memory until now, of a process's control group and of the machine.

    None where not counted.
    """

    group_folder: Path | None
    group: int | None
    machine: int | None

    @classmethod
    def of(cls, pid: int | None, vmstat: Path = VMSTAT) -> "KillCounts":
        """Read the counts of a living process's group and of the machine."""
        folder = _group_of(pid) if pid is not None else None
        return cls(folder, _count(folder) if folder else None, _field(vmstat))

    def evidence(self, pid: int | None, vmstat: Path = VMSTAT, kmsg: Path = KMSG) -> Evidence | None:
        """Return what tells that the process was killed for lack of memory since these counts were read."""
        if pid is not None and pid in killed_pids(kmsg):
            return "kernel_log"
        now = _count(self.group_folder) if self.group_folder else None
        if now is not None and self.group is not None and now > self.group:
            return "control_group"
        machine = _field(vmstat)
        if machine is not None and self.machine is not None and machine > self.machine:
            return "machine"
        return None


def killed_pids(kmsg: Path = KMSG) -> set[int]:
    """Return the processes that the kernel's log says it killed; empty where the log may not be read."""
    return {int(match[1]) for record in _records(kmsg) if (match := _KILLED.search(record))}


def _records(kmsg: Path) -> Iterator[str]:
    try:
        handle = os.open(kmsg, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    try:
        while True:
            try:
                record = os.read(handle, RECORD_BYTES)
            except BrokenPipeError:  # records were overwritten before they were read; the next read goes on
                continue
            except OSError:  # EAGAIN: all that there is was read
                return
            if not record:
                return
            yield record.decode(errors="replace")
    finally:
        os.close(handle)


def _group_of(pid: int) -> Path | None:
    group = cgroups.group_for(cgroups.of(pid), "memory")
    return group.folder if group else None


def _count(folder: Path) -> int | None:
    for name in ("memory.events", "memory.oom_control"):
        if (count := _field(folder / name)) is not None:
            return count
    return None


def _field(path: Path) -> int | None:
    """Return the number of kills in a file of lines "name number"; None where there is none."""
    for line in (kernel_files.read(path) or "").splitlines():
        word, _, value = line.partition(" ")
        if word == "oom_kill" and value.strip().isdecimal():
            return int(value)
    return None
