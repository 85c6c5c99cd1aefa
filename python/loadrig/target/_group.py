"""The cgroup of its own that a server gets where the rig may make one.

It is for counting, and for limiting only where a knob of the study is a quota: the CPU time of workers that
have died stays in the group's account, while a walk over living processes loses it. So only trees that
account are used. v1's "cpu" is left out unless there is a quota: a group there competes as one task against
all others of its parent, which would change the very thing that is measured. (Where the system mounts cpu and
cpuacct as one, this cannot be had apart.) In v2 the account of CPU time is always there, without any
controller enabled.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import cgroups
from loadrig.base.leased import GroupFacts
from loadrig.base.leases import Lease, take
from loadrig.target import _within

_V1_COUNTING = ("cpuacct", "memory")

REMOVE_WAIT_S = 2.0
"""Longest wait until a group can be removed, in seconds: the kernel lets go of it a moment after its last
process."""


@dataclass(frozen=True, slots=True)
class OwnGroup:
    """Folders made for one server; empty where none could be made. note: the reason."""

    folders: tuple[Path, ...] = ()
    lease: Lease | None = None
    note: str = ""

    @property
    def entrances(self) -> list[str]:
        """Files to which a process writes to enter the group."""
        return [str(folder / "cgroup.procs") for folder in self.folders]

    @property
    def account(self) -> Path | None:
        """Folder that counts CPU time."""
        return self.folders[0] if self.folders else None

    def members(self) -> list[int]:
        """Return the pids inside the group."""
        return cgroups.members(self.folders[0]) if self.folders else []

    def remove(self) -> list[str]:
        """Remove the folders and end the lease; return what could not be removed."""
        deadline = time.monotonic() + REMOVE_WAIT_S
        there = [folder for folder in self.folders if not cgroups.remove(folder)]
        while there and time.monotonic() < deadline:
            time.sleep(0.02)
            there = [folder for folder in there if not cgroups.remove(folder)]
        not_removed = [f"cgroup {folder}" for folder in there]
        if self.lease and not not_removed:
            self.lease.end()
        return not_removed


def make(name: str, quota: float | None = None) -> OwnGroup:
    """Make a group with this name below the rig's own; without a quota a failure is a note, not an error.

    quota: quota of CPU, in cores. Raises TargetError target.no-quota where it cannot be set.
    """
    if quota is not None:
        return _with_quota(name, quota)
    own = cgroups.of()
    parents = [own[kind] for kind in _V1_COUNTING if kind in own] if "cpuacct" in own else []
    if not parents and cgroups.UNIFIED in own:
        parents = [own[cgroups.UNIFIED]]
    if not parents:
        return OwnGroup(note="no cgroup of its own for the server: none are mounted here")
    wanted = [parent / name for parent in parents]
    lease = take(GroupFacts(folders=tuple(map(str, wanted))))
    folders, note = _make_folders(wanted)
    if not folders:
        lease.end()
        return OwnGroup(note=note)
    return OwnGroup(tuple(folders), lease, note)


def _with_quota(name: str, quota: float) -> OwnGroup:
    limited = _within.quota_folder(name)
    own = cgroups.of()
    counting = [own[kind] / name for kind in _V1_COUNTING if kind in own] if "cpuacct" in own else []
    # Where cpu and cpuacct are one tree, it is one folder.
    wanted = list(dict.fromkeys([*counting, limited]))
    lease = take(GroupFacts(folders=tuple(map(str, wanted))))
    folders, _ = _make_folders(wanted)
    group = OwnGroup(tuple(folders), lease)
    try:
        _within.set_quota(limited, quota)
    except BaseException:
        group.remove()
        raise
    return group


def _make_folders(wanted: Sequence[Path]) -> tuple[list[Path], str]:
    folders: list[Path] = []
    for folder in wanted:
        try:
            folder.mkdir()
        except OSError as error:
            note = f"no cgroup of its own for the server: {folder.parent}: {error.strerror}"
            if folder == wanted[0]:  # without the account of CPU time the others are of no use
                return [], note
            return folders, note
        folders.append(folder)
    return folders, ""
