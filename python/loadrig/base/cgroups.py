"""Control groups of this machine: their version, where they are mounted, and which of them a process is in.

Two forms are in use. v2 has one tree; v1 has a tree for each controller. Where both are mounted
("hybrid"), a controller belongs to the one that lists it.
Source: cgroups(7); Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from loadrig.base import kernel_files

NO_LIMIT_BYTES = 1 << 60
"""Least number of bytes that means "no limit": v1 writes the greatest multiple of a page below 2^63."""

UNIFIED = "2"
"""Name of the v2 tree where folders are named by their v1 controllers."""

_ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted tree of control groups.

    folder: where it is mounted; root: the part of the tree that is visible there.

    controllers: controllers of a v1 tree, empty for v2.
    """

    folder: Path
    root: PurePosixPath
    controllers: frozenset[str]
    version: Literal[1, 2]


def parse_mounts(mountinfo: str) -> list[Mount]:
    """Return the cgroup mounts in the text of /proc/self/mountinfo."""
    parsed = []
    for line in mountinfo.splitlines():
        mount_fields, separator, system_fields = line.partition(" - ")
        fields, described = mount_fields.split(), system_fields.split()
        if not separator or described[0] not in ("cgroup", "cgroup2"):
            continue
        kind, options = described[0], described[-1]
        root, folder = (_ESCAPE.sub(lambda m: chr(int(m[1], 8)), text) for text in fields[3:5])
        words = frozenset(options.split(",")) - {"rw", "ro"} if kind == "cgroup" else frozenset[str]()
        parsed.append(Mount(Path(folder), PurePosixPath(root), words, 1 if kind == "cgroup" else 2))
    return parsed


def parse_membership(text: str) -> dict[str, str]:
    """Return the text of /proc/PID/cgroup as controller -> path; the v2 tree is under the key ""."""
    paths: dict[str, str] = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for name in controllers.split(","):
            paths[name] = path
    return paths


def folder_in(mount: Mount, path: str) -> Path | None:
    """Return the folder of a group as this process sees it.

    None if the group lies outside of the mounted trees.
    """
    inside = PurePosixPath(path)
    if not inside.is_relative_to(mount.root):
        # In a namespace of its own a process may see "/" for what the mount calls by a longer name.
        return mount.folder if path == "/" else None
    return mount.folder / inside.relative_to(mount.root)


def folders(membership: Mapping[str, str], mounts: list[Mount]) -> dict[str, Path]:
    """Return the folder of each v1 controller, and of the v2 tree as UNIFIED, for one process."""
    by_controller: dict[str, Path] = {}
    for mount in mounts:
        names = mount.controllers if mount.version == 1 else frozenset({""})
        for name in names & membership.keys():
            folder = folder_in(mount, membership[name])
            if folder:
                by_controller[name or UNIFIED] = folder
    return by_controller


def mounts() -> list[Mount]:
    """Return the cgroup trees mounted here; empty where there are none."""
    return parse_mounts(kernel_files.read("/proc/self/mountinfo") or "")


def of(pid: int | Literal["self"] = "self") -> dict[str, Path]:
    """Return the folders of the groups that a process is in; empty if it is gone or there are no cgroups."""
    return folders(parse_membership(kernel_files.read(f"/proc/{pid}/cgroup") or ""), mounts())


class ControllerGroup(NamedTuple):
    """Group of a process in the tree of a controller. controller: a v1 controller, or UNIFIED."""

    controller: str
    folder: Path


def group_for(folders: Mapping[str, Path], *controllers: str) -> ControllerGroup | None:
    """Return the group in the v1 tree of the first of these controllers that is mounted, else in the v2 tree.

    None where neither is. folders: as `of` returns them.
    """
    names = (name for name in (*controllers, UNIFIED) if name in folders)
    return next((ControllerGroup(name, folders[name]) for name in names), None)


def parse_cpu_max(text: str) -> float | None:
    """Return the cores that a v2 cpu.max ("quota period" in microseconds) allows; None for "max"."""
    quota, _, period = text.partition(" ")
    return None if quota == "max" else int(quota) / int(period)


def limits_in(controller: str, folder: Path) -> dict[str, float]:
    """Return the limits of one group: "quota_cores", "memory_limit_bytes", "pids_limit".

    A resource without a limit is left out. controller: a v1 controller, or UNIFIED, as `folders` names them.
    """
    allowed: dict[str, float] = {}
    if controller == UNIFIED:
        cores = parse_cpu_max(kernel_files.read(folder / "cpu.max") or "max")
        if cores is not None:
            allowed["quota_cores"] = cores
    elif controller == "cpu":
        # No limit is written as -1.
        quota, period = (_number(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
        if quota is not None and quota > 0 and period:
            allowed["quota_cores"] = quota / period
    if controller in (UNIFIED, "memory"):
        most = _number(folder / ("memory.max" if controller == UNIFIED else "memory.limit_in_bytes"))
        if most is not None and most < NO_LIMIT_BYTES:
            allowed["memory_limit_bytes"] = most
    if controller in (UNIFIED, "pids"):
        most = _number(folder / "pids.max")
        if most is not None:
            allowed["pids_limit"] = most
    return allowed


def upwards(controller: str, folder: Path, mounted: Iterable[Mount]) -> Iterator[Path]:
    """Yield a group and the groups above it, up to the top of what is mounted: each of them can limit it.

    controller: a v1 controller, or UNIFIED, as `folders` names them. mounted: see `mounts`.
    """
    top = None
    for mount in mounted:
        if (controller in mount.controllers) if mount.version == 1 else controller == UNIFIED:
            top = mount.folder
    for group in (folder, *folder.parents):
        yield group
        if group == top:
            return


def limits(pid: int | Literal["self"] = "self") -> dict[str, float]:
    """Return the limits that all groups of a process together set, named as by `limits_in`.

    For each resource it is the tightest limit on the way up.
    """
    mounted = mounts()
    allowed: dict[str, float] = {}
    for controller, folder in of(pid).items():
        if controller not in ("cpu", "memory", "pids", UNIFIED):
            continue
        for group in upwards(controller, folder, mounted):
            for name, value in limits_in(controller, group).items():
                allowed[name] = min(value, allowed.get(name, value))
    return allowed


def _number(path: Path) -> float | None:
    """Return the number in a file that holds one; None for "max" and where there is no file."""
    text = (kernel_files.read(path) or "").strip()
    return float(text) if text.lstrip("-").isdecimal() else None


def members(folder: Path) -> list[int]:
    """Return the pids in a group, without the pids of groups below it; empty if the group is gone."""
    return [int(line) for line in (kernel_files.read(folder / "cgroup.procs") or "").split()]


def everybody(folder: Path) -> set[int]:
    """Return the pids in a group and in all groups below it."""
    return {pid for path in (folder, *folder.glob("**/")) for pid in members(path)}


def remove(folder: Path) -> bool:
    """Remove a group and the empty groups below it; return whether it is gone."""
    below = sorted((path for path in folder.glob("**/") if path != folder), reverse=True)
    for path in (*below, folder):
        try:
            path.rmdir()
        except FileNotFoundError:
            continue
        except OSError:  # still has members
            return False
    return not folder.exists()
