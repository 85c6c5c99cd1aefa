"""Origins of a record: the machine, its boot, the PID namespace, and the user and process that made it.

A pid and a start time name a process only to who sees the same processes: on the same kernel since the same
boot, in the same PID namespace, with the same clock. Elsewhere (on another host with the same home, in a
container) the number is nobody's or a stranger's, and a living rig looks dead.
Source: pid_namespaces(7), time_namespaces(7), machine-id(5), proc_pid_stat(5).
"""

import hashlib
import os
import time
from dataclasses import dataclass
from typing import Literal

from loadrig.base import kernel_files, processes

FIRST_PID_NAMESPACE = "pid:[4026531836]"
"""The machine's own PID namespace: PROC_PID_INIT_INO of include/linux/proc_ns.h in the kernel."""

Standing = Literal[
    "living", "dead", "restarted", "other-host", "other-pid-namespace", "other-user", "other-proc", "unknown"
]
"""Standing of the process that took a lease, seen from here. Only `dead` and `restarted` may be acted on."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a record: who made it, and where. Made by `here`.

    machine: /etc/machine-id; host: its name; boot: see processes.boot_id; space: its PID and time namespaces,
    as the kernel writes them; owner: the effective user; rig_pid, rig_start: the process; taken_s: when, in
    seconds of wall time since 1970.
    """

    machine: str
    host: str
    boot: str
    space: str
    owner: int
    rig_pid: int
    rig_start: int
    taken_s: float

    @property
    def name(self) -> str:
        """The beginning of the name of everything that this rig makes."""
        return f"loadrig-{self.rig_pid}-{self.rig_start}"

    @property
    def place(self) -> str:
        """Digest of boot and namespaces, within which pid and start mean one process: 16 hexadecimal digits.

        A digest of boot and namespaces: their names are too long for a folder's.
        """
        return hashlib.sha256(f"{self.boot} {self.space}".encode()).hexdigest()[:16]


def here() -> Origin:
    """Return the origin of this process."""
    rig = os.getpid()
    start = processes.start_of(rig) if processes.shows_own() else None
    return Origin(
        machine=_line("/etc/machine-id") or _line("/var/lib/dbus/machine-id"), host=os.uname().nodename,
        boot=processes.boot_id(), space=processes.space(), owner=os.geteuid(), rig_pid=rig,
        rig_start=start or 0, taken_s=time.time(),
    )  # fmt: skip


def standing(recorder: Origin) -> Standing:
    """Return the standing of the process that recorded something, seen from this process."""
    own = here()
    if recorder.owner != own.owner:
        return "other-user"
    if not own.boot or recorder.boot != own.boot:
        return "restarted" if _is_before_restart(recorder, own) else "other-host"
    if recorder.space != own.space:
        return "other-pid-namespace"
    if not own.rig_start:
        return "other-proc"
    if not recorder.rig_start:
        return "unknown"
    return "living" if _may_live(recorder.rig_pid, recorder.rig_start) else "dead"


def _is_before_restart(recorder: Origin, own: Origin) -> bool:
    """Return whether an origin is of this machine before its last restart.

    Containers are left out, as many share a machine id and a host name; and so is what was taken after this
    machine was started, which must be another one with the same names.
    """
    of_machine = all(origin.space.startswith(FIRST_PID_NAMESPACE) for origin in (recorder, own))
    same = (recorder.machine, recorder.host) == (own.machine, own.host)
    return bool(of_machine and same and own.machine and own.boot and recorder.boot) and (
        recorder.taken_s < time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    )


def _may_live(pid: int, start: int) -> bool:
    stat = processes.stat(pid)
    if stat is not None:
        return stat.start == start and stat.state not in "ZX"
    # /proc may hide processes (hidepid): only the kernel's answer means that it is gone.
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _line(path: str) -> str:
    return (kernel_files.read(path) or "").strip()
