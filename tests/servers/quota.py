"""A control group with a CPU quota around a process that runs, made for a test and removed after it."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base import cgroups

_PERIOD_US = 100_000


@contextmanager
def quota(pid: int, cores: float) -> Iterator[Path]:
    """Hold a process at so many cores; gives the group's folder. Skips where that is not permitted.

    The process must end before the block does, or it goes back to where it came from.
    """
    controller = "cpu" if any("cpu" in mount.controllers for mount in cgroups.mounts()) else "2"
    before = cgroups.of(pid).get(controller)
    if before is None:
        pytest.skip("control groups are not mounted here")
    group = before / f"loadrig-test-quota-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"a control group may not be made here ({error.strerror}): run as root")
    try:
        _limit(group, controller, int(cores * _PERIOD_US))
        (group / "cgroup.procs").write_text(str(pid))
        yield group
    finally:
        for member in cgroups.members(group):
            (before / "cgroup.procs").write_text(str(member))
        end = time.monotonic() + 60
        while not cgroups.remove(group) and time.monotonic() < end:
            time.sleep(0.02)


def _limit(group: Path, controller: str, quota_us: int) -> None:
    try:
        if controller == "cpu":
            (group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        else:
            (group / "cpu.max").write_text(f"{quota_us} {_PERIOD_US}")
    except OSError as error:
        group.rmdir()
        pytest.skip(f"a control group may have no CPU quota here: {error.strerror}")
