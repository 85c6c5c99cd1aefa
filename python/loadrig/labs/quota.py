"""Control groups with a CPU quota, for the server or a service of a lab.

In v1 the group is made below our own of the controller `cpu`. In v2 it is made at the top of what is
mounted: a group with processes of its own, as ours is, cannot hand the controller down.
Source: Documentation/admin-guide/cgroup-v2.rst, "No Internal Process Constraint"; cgroup-v1/cpu.
"""

import os
import shlex
import sys
import time
from pathlib import Path
from typing import Self

from loadrig.base import cgroups, leases
from loadrig.base.errors import TargetError
from loadrig.base.leased import GroupFacts
from loadrig.base.leases import Lease
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsQuotaErrors

ERRORS = texts_of(LabsQuotaErrors)

PERIOD_US = 100_000
"""Period of a quota in µs, the kernel's own default: a quota of 0.25 is 25 ms in every 100."""

REMOVE_WAIT_S = 5.0
"""Seconds to wait for a group to become free: it is busy for a moment after its last process has ended."""


class QuotaGroup:
    """Control group that limits the cores of its processes together. Made by `make`, removed by `remove`."""

    def __init__(self, folder: Path, lease: Lease) -> None:
        self.folder = folder
        self._lease = lease

    @property
    def prefix(self) -> list[str]:
        """Words that, put before a command, hold it in the group."""
        return [sys.executable, "-I", "-S", str(Path(__file__).with_name("_hold.py")), str(self.folder)]

    @property
    def text(self) -> str:
        """Words of `prefix` as a text for a command line."""
        return shlex.join(self.prefix)

    def remove(self) -> None:
        """Remove the group; one that still has processes stays leased, for `loadrig doctor --clean`."""
        deadline = time.monotonic() + REMOVE_WAIT_S
        while not cgroups.remove(self.folder):
            if time.monotonic() > deadline:
                return
            time.sleep(0.02)
        self._lease.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def make(cores: float) -> QuotaGroup:
    """Return a new group with a quota. Raise TargetError lab.quota where this machine does not permit it."""
    parent, version = _parent()
    folder = parent / f"{leases.group_name(leases.new_name())}-quota"
    lease = leases.take(GroupFacts(folders=(str(folder),)))
    try:
        if version == 2:
            _hand_down(parent)
        folder.mkdir()
        limit(folder, version, round(cores * PERIOD_US))
    except OSError as error:
        cgroups.remove(folder)
        lease.end()
        raise _refused(cores, f"{error.filename or folder}: {error.strerror}") from None
    return QuotaGroup(folder, lease)


def _parent() -> tuple[Path, int]:
    """Return the folder in which a group with a quota can be made, and the version of its tree."""
    mounts = cgroups.mounts()
    own = cgroups.of()
    if "cpu" in own:
        return own["cpu"], 1
    second = next((mount for mount in mounts if mount.version == 2), None)
    if second is None:
        raise _refused(0.0, ERRORS.nothing_mounted)
    return second.folder, 2


def _hand_down(parent: Path) -> None:
    control = parent / "cgroup.subtree_control"
    if "cpu" not in control.read_text(encoding="ascii").split():
        control.write_text("+cpu", encoding="ascii")


def limit(folder: Path, version: int, quota_us: int) -> None:
    """Write a quota into a group, as its version wants it."""
    if version == 2:
        (folder / "cpu.max").write_text(f"{quota_us} {PERIOD_US}", encoding="ascii")
        return
    (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US), encoding="ascii")
    (folder / "cpu.cfs_quota_us").write_text(str(quota_us), encoding="ascii")


def _refused(cores: float, why: str) -> TargetError:
    wording = ERRORS.no_group(f"{cores:g}" if cores else "", why, os.geteuid() == 0)
    return TargetError.of(wording, code="lab.quota")
