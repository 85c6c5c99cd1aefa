"""Facts about processes from /proc: those that live, their parents, their starts.

A pid alone names nobody for long: numbers are used again. A process is known by its pid and the
instant it started, in clock ticks since boot (field 22 of /proc/PID/stat), here `start`.
Source: proc_pid_stat(5). `proc` is the folder of a process file system; tests give a recorded one.
"""

import os
import signal
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig._native import process_table
from loadrig.base import kernel_files

PROC = Path("/proc")
TICKS_PER_S: int = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Stat:
    """Fields of /proc/PID/stat that the rig uses.

    user, system: ticks of its own; dead_user, dead_system: ticks of its dead, waited-for children
    and of theirs. start: ticks since boot. faults: major page faults.
    """

    pid: int
    name: str
    state: str
    parent: int
    group: int
    session: int
    faults: int
    user: int
    system: int
    dead_user: int
    dead_system: int
    threads: int
    start: int
    rss_pages: int


def parse_stat(text: str) -> Stat:
    """Return the fields of a /proc/PID/stat text.

    The name may hold spaces and brackets: the last ')' ends it.
    """
    opening, closing = text.index("("), text.rindex(")")
    f = text[closing + 2 :].split()
    return Stat(
        pid=int(text[:opening]), name=text[opening + 1 : closing], state=f[0],
        parent=int(f[1]), group=int(f[2]), session=int(f[3]), faults=int(f[9]),
        user=int(f[11]), system=int(f[12]), dead_user=int(f[13]), dead_system=int(f[14]),
        threads=int(f[17]), start=int(f[19]), rss_pages=int(f[21]),
    )  # fmt: skip


def stat(pid: int, proc: Path = PROC) -> Stat | None:
    """Return the stat line of one process; None if there is no such process."""
    try:
        handle = os.open(f"{proc}/{pid}/stat", os.O_RDONLY)
        try:
            return parse_stat(os.read(handle, 4096).decode(errors="replace"))
        finally:
            os.close(handle)
    except (FileNotFoundError, ProcessLookupError, NotADirectoryError):
        return None


def start_of(pid: int) -> int | None:
    """Return the ticks since boot at which a process started; None if it is gone or a zombie."""
    entry = stat(pid)
    return entry.start if entry and entry.state not in "ZX" else None


def is_alive(pid: int, start: int) -> bool:
    """Return whether a process lives: the same pid and the same start, and not a zombie."""
    return start_of(pid) == start


def own_pid(pid: int, proc: Path = PROC) -> int:
    """Return the pid by which a process knows itself: in a container another one."""
    return int(kernel_files.fields(proc / str(pid) / "status").get("NSpid", str(pid)).split()[-1])


def is_caught(pid: int, number: signal.Signals) -> bool:
    """Return whether a process handles a signal: one that it does not handle may end it."""
    caught = kernel_files.fields(PROC / str(pid) / "status").get("SigCgt", "0")
    return bool(int(caught, 16) >> (number - 1) & 1)


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of all threads of a process, to the nanosecond; 0 where it has ended.

    The clock's number is as clock_getcpuclockid(3) makes it.
    """
    try:
        return time.clock_gettime((~pid) << 3 | 2)
    except OSError:
        return 0.0


def environment(pid: int, proc: Path = PROC) -> dict[str, str]:
    """Return the environment with which a process was started; empty where it may not be read."""
    pairs = (
        pair.partition("=") for pair in (kernel_files.read(proc / str(pid) / "environ") or "").split("\0")
    )
    return {name: value for name, equals, value in pairs if equals}


def pids(proc: Path = PROC) -> list[int]:
    """Return all pids that can be seen now."""
    return [int(name) for name in os.listdir(proc) if name.isdecimal()]


def table(proc: Path = PROC) -> dict[int, Stat]:
    """Return the stat line of every process that can be seen; about 6 µs for each."""
    return {fields[0]: Stat(*fields) for fields in process_table(proc)}


def tree(root: int, processes: Mapping[int, Stat]) -> list[int]:
    """Return a process and all its descendants, parents before their children."""
    if root not in processes:
        return []
    children: dict[int, list[int]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    order = [root]
    for pid in order:  # grows while it is walked: breadth first
        order.extend(sorted(child for child in children.get(pid, ()) if child != root))
    return order


def in_session(session: int, processes: Mapping[int, Stat]) -> list[int]:
    """Return the processes of a session that are not zombies, whoever their parent is now."""
    return sorted(p.pid for p in processes.values() if p.session == session and p.state not in "ZX")


def with_environment(entry: str, candidates: Iterable[int]) -> list[int]:
    """Return the candidates that were started with "NAME=value" in their environment.

    A process hands its environment to its children, so this also finds those that have left the
    session and the tree. Processes that may not be read are passed over.
    """
    wanted = entry.encode()
    matching = []
    for pid in candidates:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    matching.append(pid)
        except OSError:  # gone in the meantime, or another user's
            continue
    return matching


def words(pid: int, proc: Path = PROC) -> tuple[str, ...]:
    """Return the words of a command line; empty where there is none, or the process is gone."""
    text = (kernel_files.read(proc / str(pid) / "cmdline") or "").rstrip("\0")
    return tuple(text.split("\0")) if text else ()


def command_line(pid: int) -> str:
    """Return the command line as a person knows it; the name in brackets where there is none."""
    if line := " ".join(words(pid)).strip():
        return line
    entry = stat(pid)
    return f"[{entry.name}]" if entry else "?"


def boot_id() -> str:
    """Return an id that differs after each boot: pids and ticks mean nothing across boots."""
    return (kernel_files.read("/proc/sys/kernel/random/boot_id") or "").strip()


def space() -> str:
    """Return the PID namespace and the time namespace of this process, as the kernel writes them.

    "" if unknown.

    Pids mean something only in their PID namespace, starts only in their time namespace.
    """
    words = []
    for name in ("pid", "time"):
        try:
            words.append(os.readlink(f"{PROC}/self/ns/{name}"))
        except OSError:  # time namespaces are younger than Linux 5.6
            continue
    return " ".join(words)


def shows_own() -> bool:
    """Return whether /proc shows the processes of this process's PID namespace.

    It does not after a bare `unshare --pid`.
    """
    try:
        return os.readlink(PROC / "self") == str(os.getpid())
    except OSError:
        return False
