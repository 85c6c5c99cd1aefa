"""Control groups of dead rigs that no lease names any more, such as after the folder of leases was removed.

Nobody but a rig gives a group such a name, and only what can be proved is acted on: the name says which
process made it and where that pid and start mean something (see origins.Origin.place), that process is dead,
the group belongs to this user, and nobody is in it nor below it. Processes in such a group are never ended:
without a lease nothing tells the rig's own server from one of somebody else that an experiment had moved.
The kernel itself refuses to remove a group that somebody has entered meanwhile.
Source: rmdir(2); cgroups(7); Documentation/admin-guide/cgroup-v2.rst, "Creating and removing".
"""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from loadrig.base import cgroups, lease_facts, leases, origins
from loadrig.base.base_texts import texts
from loadrig.base.leased import ChangeFacts, GroupFacts
from loadrig.base.leases import Lease, Undone
from loadrig.base.origins import Origin

CONTROLLERS = frozenset({"cpu", "cpuacct", "memory"})
"""Controllers of v1 in whose trees a rig makes groups; v2 has one tree for all."""

_NAME = re.compile(rf"loadrig-(\d{{1,7}})-(\d{{1,19}})-\d+-({lease_facts.PLACE})(-quota)?", re.ASCII)


def lost_leases() -> list[Lease]:
    """Return a lease without a file for each name of lost groups.

    Groups that a lease names, readable here, are not lost: they are undone with it.
    """
    here = origins.here()
    leased = {name for lease in leases.listed() for name in _folders_of(lease)}
    lost: dict[str, list[str]] = {}
    makers: dict[str, Origin] = {}
    for folder in _folders():
        maker = _maker(folder.name, here)
        if maker is None or str(folder) in leased or not _is_lost(folder, maker):
            continue
        makers[folder.name] = maker
        lost.setdefault(folder.name, []).append(str(folder))
    return [Lease(GroupFacts(folders=tuple(folders)), makers[name]) for name, folders in sorted(lost.items())]


def remove(lease: Lease) -> Undone:
    """Remove the groups of a lease that `found` returned, each only if it is still lost."""
    done, not_removed = [], []
    for folder in map(Path, _folders_of(lease)):
        if _is_lost(folder, lease.origin) and cgroups.remove(folder):
            done.append(texts().removed_group(str(folder)))
        elif folder.exists():  # else another doctor was here, before us or at the same time
            not_removed.append(f"cgroup {folder}")
    return Undone(lease, tuple(done), tuple(not_removed))


def _folders_of(lease: Lease) -> tuple[str, ...]:
    return lease.facts.folders if isinstance(lease.facts, GroupFacts | ChangeFacts) else ()


def _folders() -> Iterator[Path]:
    """Yield all groups of the trees in which rigs make some.

    Each group comes once, though a tree may be mounted twice.
    """
    inodes: set[tuple[int, int]] = set()
    for mount in cgroups.mounts():
        if mount.version == 2 or mount.controllers & CONTROLLERS:
            yield from _below(mount.folder, inodes)


def _below(top: Path, inodes: set[tuple[int, int]]) -> Iterator[Path]:
    waiting = [top]
    while waiting:  # not by recursion: who may make groups may make them as deep as they like
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                inner = sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
            status = folder.lstat()
        except OSError:  # gone meanwhile, not for this user, or too deep for a path
            continue
        if (status.st_dev, status.st_ino) in inodes:
            continue
        inodes.add((status.st_dev, status.st_ino))
        yield folder
        waiting += map(Path, inner)


def _maker(name: str, here: Origin) -> Origin | None:
    """Return the maker of a group, told from its name.

    None where the name is not that of a rig of this boot and these namespaces.
    """
    match = _NAME.fullmatch(name)
    if match is None or not here.boot or not here.space or match[3] != here.place:
        return None
    return replace(here, rig_pid=int(match[1]), rig_start=int(match[2]))


def _is_lost(folder: Path, maker: Origin) -> bool:
    """Return whether a group's maker is dead, and nobody is in the group.

    The group and all groups below it must be this user's, with nobody inside.
    """
    if origins.standing(maker) != "dead":
        return False
    return all(_is_ours_and_empty(path, maker.owner) for path in (folder, *folder.glob("**/")))


def _is_ours_and_empty(folder: Path, owner: int) -> bool:
    try:
        if folder.lstat().st_uid != owner:
            return False
        events = folder / "cgroup.events"
        # v2 alone has it. It counts threads too, which a threaded group shows in no cgroup.procs.
        if events.exists() and "populated 0" not in events.read_text(encoding="ascii").splitlines():
            return False
    except OSError:
        return False
    return not cgroups.members(folder)
