"""Cores that a Go program believes it has, and cores that it may use: worked out from outside.

Source: runtime/cgroup_linux.go of Go 1.26 (since 1.25 the default of GOMAXPROCS is the least of the cores
of the affinity mask and the quota of the process's own group, rounded up, but at least 2; groups above
are not looked at); internal/godebugs (containermaxprocs=0 is the behaviour of before, and what a module
gets whose go.mod says less than 1.25).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import cgroups
from loadrig.base.kernel_files import fields
from loadrig.discovery._elf import GoBuild


@dataclass(frozen=True, slots=True)
class Cores:
    """Cores of a Go program. procs: GOMAXPROCS; why: its source. cpus: cores of the affinity mask.

    quota: in cores, the tightest of its group and all groups above, None for no limit; own_quota: its group's
    alone, which is what Go looks at.
    """

    procs: int | None
    why: str
    cpus: int | None
    quota: float | None
    own_quota: float | None


def parse_godebug(text: str) -> dict[str, str]:
    """Return the settings in a GODEBUG "name=value,name=value"; of a repeated name the last counts."""
    return dict(pair.split("=", 1) for pair in text.split(",") if "=" in pair)


def cpus_allowed(pid: int, root: Path) -> int | None:
    """Return the number of cores in a process's affinity mask."""
    mask = fields(root / f"proc/{pid}/status").get("Cpus_allowed")
    return int(mask.replace(",", ""), 16).bit_count() if mask else None


def quotas(folders: Mapping[str, Path]) -> tuple[float | None, float | None]:
    """Return the CPU quotas of a process in cores: the tightest of its groups, and its own group's.

    A quota is None where there is no limit. The groups are the process's own and those above it.

    folders: as cgroups.of gives them.
    """
    here = cgroups.group_for(folders, "cpu")
    if here is None:
        return None, None
    own: float | None = None
    limits: list[float] = []
    for folder in (here.folder, *here.folder.parents):
        if not (folder / "cgroup.procs").exists():  # above the tree
            break
        quota = cgroups.limits_in(here.controller, folder).get("quota_cores")
        if quota is not None:
            limits.append(quota)
            own = quota if folder == here.folder else own
    return min(limits, default=None), own


def cores_of(version: str, env: Mapping[str, str], build: GoBuild | None, cpus: int | None,
             quota: tuple[float | None, float | None]) -> Cores:  # fmt: skip
    """Return GOMAXPROCS as the runtime sets it at the start; the program may have changed it since."""
    tightest, own = quota
    variable = env.get("GOMAXPROCS", "")
    if variable.isdecimal() and int(variable) > 0:
        return Cores(int(variable), "the environment variable GOMAXPROCS", cpus, tightest, own)
    if cpus is None:
        return Cores(None, "", cpus, tightest, own)
    godebug = {**parse_godebug(build.godebug if build else ""), **parse_godebug(env.get("GODEBUG", ""))}
    if not _knows_quotas(version) or godebug.get("containermaxprocs") == "0":
        return Cores(cpus, "the affinity mask", cpus, tightest, own)
    if own is not None and max(2, math.ceil(own)) < cpus:
        return Cores(max(2, math.ceil(own)), "the quota of its group", cpus, tightest, own)
    return Cores(cpus, "the affinity mask", cpus, tightest, own)


def _knows_quotas(version: str) -> bool:
    numbers = version.split(".")[:2]
    return len(numbers) == 2 and all(n.isdecimal() for n in numbers) and tuple(map(int, numbers)) >= (1, 25)
