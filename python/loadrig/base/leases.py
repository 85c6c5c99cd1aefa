"""What the rig has started or changed and not yet undone: one small file for each thing.

A rig that is killed with SIGKILL cannot clean up. It leaves these files, and `loadrig doctor`
lists those whose rig is dead; `loadrig doctor --clean` undoes them. A lease is taken before the
thing is made and ended after it is undone, so at worst a file speaks of something that is not
there, never the other way round.

They are kept in $XDG_STATE_HOME/loadrig/leases, else ~/.local/state/loadrig/leases. Where that
cannot be written the rig works without them (`Lease.note` says so).

What can be leased: "process" (facts: marker, pid, start, command), "cgroup" (facts: folders) and "change"
(facts: stopped, moved, written, folders), see base.changes. A process that is there only for a change has
the fact `of`: CHANGE. A change is undone by the next command already, as somebody else's server suffers.
"""

import contextlib
import itertools
import json
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadrig.base import cgroups, changes, processes

MARKER = "LOADRIG_TARGET"
"""Variable in the environment of everything started by the rig; its value is the lease's marker.

It is how a process is known that has left its session, its parent and its group.
"""

CHANGE = "change"

_numbers = itertools.count(1)


def folder() -> Path:
    """Where leases are kept. Not created by asking."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "loadrig" / "leases"


def new_marker() -> str:
    """A text that no other thing started by any rig of this machine bears."""
    start = processes.start_of(os.getpid()) or 0
    return f"loadrig-{os.getpid()}-{start}-{next(_numbers)}"


@dataclass(frozen=True, slots=True)
class Lease:
    """One thing to be undone. rig_pid, rig_start: the rig that took it; boot: see processes.boot_id.

    path: its file, or None where it could not be written; note: why.
    """

    kind: str
    facts: Mapping[str, Any]
    rig_pid: int
    rig_start: int
    boot: str
    path: Path | None = None
    note: str = ""

    @property
    def is_of_change(self) -> bool:
        """Whether it is a change to what the rig did not start, or a process that makes one."""
        return CHANGE in (self.kind, self.facts.get("of"))

    @property
    def is_stale(self) -> bool:
        """Whether nobody is left who would undo it: the rig is dead, or the machine was restarted."""
        return self.boot != processes.boot_id() or not processes.is_alive(self.rig_pid, self.rig_start)

    def end(self) -> None:
        """The thing is undone: forget it. May be called twice."""
        if self.path:
            self.path.unlink(missing_ok=True)

    def update(self, **facts: Any) -> "Lease":
        """The same lease with more facts (a pid that was not known before)."""
        changed = Lease(
            self.kind, {**self.facts, **facts}, self.rig_pid, self.rig_start, self.boot, self.path, self.note
        )
        return _written(changed, self.path) if self.path else changed

    def __str__(self) -> str:
        match self.kind:
            case "process":
                return f"process {self.facts.get('pid') or '(not known)'}: {self.facts.get('command', '?')}"
            case "cgroup":
                return "cgroup " + ", ".join(map(str, self.facts.get("folders", ())))
            case "change":
                return f"change: {self.facts.get('what', '?')}"
        return f"{self.kind} {dict(self.facts)}"


def take(kind: str, **facts: Any) -> Lease:
    """Note down a thing that this rig is about to start or change. facts: plain JSON values."""
    rig = os.getpid()
    lease = Lease(kind, facts, rig, processes.start_of(rig) or 0, processes.boot_id())
    # Those of a change are known by their names, so that a command need not read all to find none.
    name = CHANGE if lease.is_of_change else kind
    return _written(lease, folder() / f"{name}-{rig}-{lease.rig_start}-{next(_numbers)}.json")


def _written(lease: Lease, path: Path) -> Lease:
    content = {
        "kind": lease.kind, "facts": dict(lease.facts), "boot": lease.boot,
        "rig_pid": lease.rig_pid, "rig_start": lease.rig_start,
    }  # fmt: skip
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: a torn lease could not be undone.
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(content))
        draft.replace(path)
    except OSError as error:
        note = f"no lease in {path.parent}: {error.strerror}; `loadrig doctor --clean` will not know of it"
        return Lease(lease.kind, lease.facts, lease.rig_pid, lease.rig_start, lease.boot, None, note)
    return Lease(lease.kind, lease.facts, lease.rig_pid, lease.rig_start, lease.boot, path)


def listed() -> list[Lease]:
    """All leases on this machine, those of living rigs too. Files that cannot be read are left out."""
    found = []
    for path in sorted(folder().glob("*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            content = json.loads(path.read_text())
            found.append(
                Lease(
                    str(content["kind"]), dict(content["facts"]), int(content["rig_pid"]),
                    int(content["rig_start"]), str(content["boot"]), path,
                )
            )  # fmt: skip
    return found


def stale() -> list[Lease]:
    """Leases that a dead rig left, in the order in which they can be undone.

    Who makes a change goes before the change, and a change before the groups that it may be in.
    """
    found = [lease for lease in listed() if lease.is_stale]
    return sorted(found, key=lambda lease: (not lease.is_of_change, lease.kind == CHANGE))


@dataclass(frozen=True, slots=True)
class Undone:
    """What came of undoing a lease. left: what could not be undone; then the lease is kept."""

    lease: Lease
    done: tuple[str, ...] = ()
    left: tuple[str, ...] = field(default=())


def undo(lease: Lease, grace_s: float = 5.0) -> Undone:
    """Undo what a dead rig left: end the processes, remove the groups. Ends the lease if nothing is left.

    A process is ended only if it is the one meant: by its start time, or by the marker in its
    environment. Takes up to twice grace_s.
    """
    if lease.boot != processes.boot_id():
        lease.end()
        return Undone(lease, ("gone since the machine was restarted",))
    match lease.kind:
        case "process":
            outcome = _undo_process(lease, grace_s)
        case "cgroup":
            outcome = _undo_cgroup(lease, grace_s)
        case "change":
            done, left = changes.undone(lease.facts)
            outcome = Undone(lease, done, left)
        case _:
            outcome = Undone(lease, left=(f"this version does not know how to undo {lease.kind!r}",))
    if not outcome.left:
        lease.end()
    return outcome


def started_by(marker: str, pid: int | None, start: int | None) -> dict[int, int]:
    """Processes that belong to something the rig started: pid -> start. Zombies do not count.

    pid, start: its root; its tree and its session are taken only while the root is the one meant.
    """
    everyone = processes.table()
    found = set(processes.with_environment(f"{MARKER}={marker}", everyone))
    if pid and start and pid in everyone and everyone[pid].start == start:
        found.update(processes.tree(pid, everyone), processes.in_session(pid, everyone))
    return {one: everyone[one].start for one in sorted(found) if everyone[one].state not in "ZX"}


def end_processes(wanted: Mapping[int, int], signal_number: int) -> None:
    """Send a signal to processes (pid -> start) that are still the ones meant."""
    for pid, start in wanted.items():
        if processes.is_alive(pid, start):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal_number)


def _undo_process(lease: Lease, grace_s: float) -> Undone:
    marker, pid, start = (lease.facts.get(name) for name in ("marker", "pid", "start"))

    def living() -> dict[int, int]:
        return started_by(str(marker), pid, start)

    return _end_all(lease, living, grace_s)


def _undo_cgroup(lease: Lease, grace_s: float) -> Undone:
    folders = [Path(text) for text in lease.facts.get("folders", ())]

    # The name of the group bears its rig's pid and start: whoever is in it was put there by that rig.
    def living() -> dict[int, int]:
        found = {pid: processes.start_of(pid) for one in folders for pid in cgroups.members(one)}
        return {pid: start for pid, start in found.items() if start is not None}

    outcome = _end_all(lease, living, grace_s)
    done, left = list(outcome.done), list(outcome.left)
    for one in folders:
        existed = one.exists()
        if not cgroups.remove(one):
            left.append(f"cgroup {one}")
        elif existed:
            done.append(f"removed cgroup {one}")
    return Undone(lease, tuple(done), tuple(left))


def _end_all(lease: Lease, living: Callable[[], dict[int, int]], grace_s: float) -> Undone:
    names: dict[int, str] = {}
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + grace_s
        wanted = living()
        names.update({pid: processes.command_line(pid) for pid in wanted})
        end_processes(wanted, signal_number)
        while wanted and time.monotonic() < deadline:
            time.sleep(0.02)
            wanted = living()
        if not wanted:
            break
    left = living()
    return Undone(
        lease,
        tuple(f"ended process {pid}: {name}" for pid, name in names.items() if pid not in left),
        tuple(f"process {pid}: {processes.command_line(pid)}" for pid in left),
    )
