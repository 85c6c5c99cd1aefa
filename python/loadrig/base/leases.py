"""Leases: what the rig has started or changed and not yet undone, one small file for each thing.

A rig that is killed with SIGKILL cannot clean up. It leaves these files, and `loadrig doctor`
lists those whose rig is dead; `loadrig doctor --clean` undoes them. A lease is taken before the
thing is made and ended after it is undone, so at worst a file speaks of something that is not
there, never the other way round.

They are kept in $XDG_STATE_HOME/loadrig/leases, else ~/.local/state/loadrig/leases: a folder of this user's
alone (see base.own_files and base.state). Where that cannot be written the rig works without them
(`Lease.note` says so). Homes are shared by hosts and by containers, so each lease says where it was taken,
and only those are acted on that were taken on this boot, in this PID namespace, by this user, by a process
that is dead; the rest is left alone and `left_alone` says why. Nothing that a lease says is trusted: see
base.lease_facts.

What can be leased stands in base.leased, by its kind: "process", "cgroup", "change", see base.changes,
"folder" for passing data, and "inspector" for what the rig has had a Node process open. A change is undone by
the next command already, as somebody else's server suffers; so is an open inspector.
"""

import contextlib
import itertools
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from loadrig.base import (
    cgroups,
    changes,
    known_secrets,
    lease_facts,
    node_inspector,
    origins,
    own_files,
    processes,
    state,
)
from loadrig.base.base_texts import texts
from loadrig.base.leased import (
    CHANGE,
    INSPECTOR,
    ChangeFacts,
    Facts,
    FolderFacts,
    GroupFacts,
    InspectorFacts,
    ProcessFacts,
    UnreadFacts,
    kind_of,
)
from loadrig.base.origins import Origin, Standing

MARKER = "LOADRIG_TARGET"
"""Name of the variable in the environment of everything that the rig starts; its value is the lease's marker.

By it a process is known that has left its session, its parent and its group."""

SCHEMA = "loadrig.lease/2"
"""Version of a lease's file. Version 1 had no schema and did not say where it was taken; it is left alone."""

MOST_BYTES = 4 << 20
"""Largest size of a lease's file, in bytes: it names at most the processes of one server, 20 bytes each, so a
longer file is not a rig's."""

_numbers = itertools.count(1)


def folder() -> Path:
    """Return the folder of leases. Asking does not create it."""
    return Path(state.folder()) / "leases"


def new_name() -> str:
    """Return a name that nothing else made by any rig of this machine bears; everybody may read it."""
    return f"{origins.here().name}-{next(_numbers)}"


def group_name(name: str) -> str:
    """Return the name of a control group for a thing with this name.

    It also says in which boot and namespaces its rig's pid has a meaning, as a group may outlive every lease;
    see base.lost_groups.
    """
    return f"{name}-{origins.here().place}"


def new_marker() -> str:
    """Return a text for MARKER that nobody can guess.

    A process that bears it was started by this rig, whoever it runs as.
    """
    return f"{new_name()}-{os.urandom(16).hex()}"


def name_of(marker: str) -> str:
    """Return the part of a marker that everybody may read."""
    return marker.rpartition("-")[0]


@dataclass(frozen=True, slots=True)
class Lease:
    """Note of a thing to be undone. origin: who took it, and where.

    path: its file, or None where it could not be written; note: why not.
    """

    facts: Facts
    origin: Origin
    path: Path | None = None
    note: str = ""

    @property
    def kind(self) -> str:
        """Kind of the thing, as the file names it."""
        return kind_of(self.facts)

    @property
    def rig_pid(self) -> int:
        """Pid of the rig that took the lease."""
        return self.origin.rig_pid

    @property
    def rig_start(self) -> int:
        """Start of the process of that rig, in ticks since boot."""
        return self.origin.rig_start

    @property
    def is_of_change(self) -> bool:
        """Whether the lease is of a change to what the rig did not start, or of a process that makes one."""
        if isinstance(self.facts, ProcessFacts):
            return self.facts.of == CHANGE
        return self.kind in (CHANGE, INSPECTOR)

    @property
    def standing(self) -> Standing:
        """Standing of the rig that took the lease, seen from here."""
        return origins.standing(self.origin)

    @property
    def is_stale(self) -> bool:
        """Whether nobody is left who would undo it: the rig is dead, or the machine was restarted."""
        return self.standing in ("dead", "restarted")

    def end(self) -> None:
        """Remove the lease, once its thing is undone. May be called twice."""
        if self.path:
            # A file that cannot be removed is undone again by the next `loadrig doctor --clean`, which
            # changes nothing.
            with contextlib.suppress(OSError), own_files.opened(self.path.parent) as handle:
                own_files.remove(handle, self.path.name)

    def update(self, facts: Facts) -> "Lease":
        """Return the lease with other facts (such as a pid that was not known before).

        Where they cannot be written, the file lacks them, and goes with the lease all the same.
        """
        changed = replace(self, facts=facts)
        if self.path is None:
            return changed
        return replace(_written(changed, self.path), path=self.path, note=self.note)

    def __str__(self) -> str:
        match self.facts:
            case ProcessFacts() as facts:
                return texts().leased_process(str(facts.pid or texts().pid_unknown), facts.command)
            case GroupFacts() as facts:
                return "cgroup " + ", ".join(facts.folders)
            case ChangeFacts() as facts:
                return texts().leased_change(facts.what)
            case InspectorFacts() as facts:
                return texts().leased_inspector(str(facts.pid), str(facts.port))
            case FolderFacts() as facts:
                return texts().leased_folder(facts.folder)
            case UnreadFacts() as facts:
                return f"{facts.kind} {dict(facts.facts)}"


def take(facts: Facts) -> Lease:
    """Record a thing that this rig is about to start or change."""
    lease = Lease(facts, origins.here())
    # Those of a change are known by their names, so that a command need not read all to find none. The host
    # is in the name, as two hosts with one home may give two rigs the same pid.
    name = CHANGE if lease.is_of_change else lease.kind
    place = lease.origin.boot.replace("-", "")[:8]
    return _written(
        lease, folder() / f"{name}-{lease.rig_pid}-{lease.rig_start}-{next(_numbers)}-{place}.json"
    )


def _written(lease: Lease, path: Path) -> Lease:
    facts = lease.facts
    content = {
        "schema": SCHEMA, "kind": lease.kind,
        "facts": dict(facts.facts) if isinstance(facts, UnreadFacts) else asdict(facts),
        "origin": asdict(lease.origin),
    }  # fmt: skip
    try:
        with own_files.opened(path.parent, make=True) as handle:
            # Whole or not at all: a torn lease could not be undone.
            own_files.write(handle, path.name, json.dumps(known_secrets.hidden_in(content)).encode())
    except OSError as error:
        note = texts().no_lease_written(str(path.parent), str(error.strerror))
        return replace(lease, path=None, note=note)
    return replace(lease, path=path)


@dataclass(frozen=True, slots=True)
class IdleLease:
    """A lease on which nobody acts here. path: its file; what: the thing; why: a code; reason: a sentence.

    why: a Standing, or "not-private", "old-version", "unreadable", "not-trusted".
    """

    path: Path
    what: str
    why: str
    reason: str


def listed() -> list[Lease]:
    """Return all leases in the folder that can be read, those of living rigs and of other hosts too."""
    return [entry for entry in _read() if isinstance(entry, Lease)]


def left_alone() -> list[IdleLease]:
    """Return what lies in the folder of leases and is left alone, each with the reason.

    Leases of living rigs of this machine and leases to be undone are not among them.
    """
    alone = []
    for lease in _read():
        if isinstance(lease, IdleLease):
            alone.append(lease)
        elif lease.standing not in ("living", "dead", "restarted"):
            assert lease.path
            alone.append(IdleLease(lease.path, str(lease), lease.standing, texts().standings[lease.standing]))
    return alone


def _read() -> Iterator[Lease | IdleLease]:
    place = folder()
    try:
        with own_files.opened(place) as handle:
            for name in own_files.names(handle):
                if name.endswith(".json") and not name.startswith("."):
                    with contextlib.suppress(FileNotFoundError):  # ended in the meantime
                        yield _parsed(place / name, handle)
    except own_files.NotPrivateError as error:
        yield IdleLease(place, texts().all_in_folder, "not-private", texts().not_private(str(error.strerror)))
    except OSError:  # there is none, or it cannot be read
        return


def _parsed(path: Path, handle: int) -> Lease | IdleLease:
    # Not at the top: a command looks for leases that a dead rig left, and few find one.
    from loadrig.base import lease_document

    try:
        content = own_files.read(handle, path.name, MOST_BYTES)
        head = lease_document.head(content)
        if head.schema != SCHEMA:
            return IdleLease(path, head.kind[:40], "old-version", texts().other_version(head.schema, SCHEMA))
        return Lease(*lease_document.read(content), path)
    except own_files.NotPrivateError as error:
        return IdleLease(path, "?", "not-private", texts().not_private(str(error.strerror)))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        return IdleLease(path, "?", "unreadable", texts().no_lease(str(error))[:200])


def stale() -> list[Lease]:
    """Return the leases that a dead rig left, in the order in which they can be undone.

    A process that makes a change goes before the change, and a change before the groups that it may be in.
    """
    leases = [lease for lease in listed() if lease.is_stale]
    return sorted(leases, key=lambda lease: (not lease.is_of_change, lease.kind == CHANGE))


@dataclass(frozen=True, slots=True)
class Undone:
    """Outcome of undoing a lease. left: what could not be undone; then the lease is kept."""

    lease: Lease
    done: tuple[str, ...] = ()
    left: tuple[str, ...] = field(default=())


def undo(lease: Lease, grace_s: float = 5.0) -> Undone:
    """Undo what a dead rig left: end the processes, remove the groups. End the lease if nothing is left.

    A process is ended only if its start time, or the marker in its environment, shows that it is the one in
    the lease. Leases of another host's rig, another user's or a living rig are left as they are, and so is
    what does not look like a rig's doing. Takes up to twice grace_s.
    """
    standing = lease.standing
    if standing not in ("dead", "restarted"):
        return Undone(lease, left=(texts().left_alone(texts().standings[standing]),))
    if refused := lease_facts.problem(lease.facts, lease.origin.name):
        return Undone(lease, left=(refused,))
    if standing == "restarted" and lease.kind != "folder":
        lease.end()
        return Undone(lease, (texts().gone_by_restart,))
    match lease.facts:
        case ProcessFacts() as facts:
            outcome = _undo_process(lease, facts, grace_s)
        case GroupFacts() as facts:
            outcome = _undo_cgroup(lease, facts, grace_s)
        case FolderFacts() as facts:
            outcome = _undo_folder(lease, Path(facts.folder))
        case InspectorFacts() as facts:
            outcome = Undone(lease, *node_inspector.undone(facts))
        case ChangeFacts() as facts:
            outcome = Undone(lease, *changes.undone(facts))
        case UnreadFacts():
            raise AssertionError("such facts have a problem")
    if not outcome.left:
        lease.end()
    return outcome


def started_by(marker: str, pid: int | None, start: int | None) -> dict[int, int]:
    """Return the processes that belong to something the rig started: pid -> start. Zombies do not count.

    pid, start: root of the processes; its tree and its session are taken only while the root has that start
    time.
    """
    everyone = processes.table()
    pids = set(processes.with_environment(f"{MARKER}={marker}", everyone))
    if pid and start and pid in everyone and everyone[pid].start == start:
        pids.update(processes.tree(pid, everyone), processes.in_session(pid, everyone))
    return {number: everyone[number].start for number in sorted(pids) if everyone[number].state not in "ZX"}


def end_processes(wanted: Mapping[int, int], signal_number: int) -> None:
    """Send a signal to processes (pid -> start) that still have that start time."""
    for pid, start in wanted.items():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            _send(pid, start, signal_number)


def _send(pid: int, start: int, signal_number: int) -> None:
    """Send a signal to a process with this start time. Raises ProcessLookupError and PermissionError."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        raise
    except OSError:  # before Linux 5.3, and where a sandbox forbids it
        if processes.is_alive(pid, start):
            os.kill(pid, signal_number)
        return
    try:
        # Looked at after it is held: the number cannot become another process's between look and signal.
        if processes.is_alive(pid, start):
            signal.pidfd_send_signal(handle, signal_number)
    finally:
        os.close(handle)


def _undo_process(lease: Lease, facts: ProcessFacts, grace_s: float) -> Undone:
    def living() -> dict[int, int]:
        started = started_by(facts.marker, facts.pid, facts.start)
        # Whoever undoes it may be the last of what the dead rig started, and ends by itself.
        return {pid: start for pid, start in started.items() if pid != os.getpid()}

    return _end_all(lease, living, grace_s)


def _undo_cgroup(lease: Lease, facts: GroupFacts, grace_s: float) -> Undone:
    folders = [Path(text) for text in facts.folders]

    # The name of the group bears its rig's pid and start: whoever is in it was put there by that rig.
    def living() -> dict[int, int]:
        starts = {pid: processes.start_of(pid) for group in folders for pid in cgroups.members(group)}
        return {pid: start for pid, start in starts.items() if start is not None}

    outcome = _end_all(lease, living, grace_s)
    done, not_done = list(outcome.done), list(outcome.left)
    for group in folders:
        existed = group.exists()
        if not cgroups.remove(group):
            not_done.append(f"cgroup {group}")
        elif existed:
            done.append(texts().removed_group(str(group)))
    return Undone(lease, tuple(done), tuple(not_done))


def _undo_folder(lease: Lease, path: Path) -> Undone:
    try:
        own_files.remove_tree(path)
    except FileNotFoundError:
        return Undone(lease)
    except OSError as error:
        return Undone(lease, left=(texts().folder_not_removed(str(path), str(error.strerror or error)),))
    return Undone(lease, (texts().removed_folder(str(path)),))


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
    survivors = living()
    return Undone(
        lease,
        tuple(texts().ended_process(str(pid), name) for pid, name in names.items() if pid not in survivors),
        tuple(texts().leased_process(str(pid), processes.command_line(pid)) for pid in survivors),
    )
