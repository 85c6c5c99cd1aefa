"""Limits within which a server runs where its knobs say so: cores, a quota of CPU, sysctls of its network.

All changes are undone. A quota belongs to the control group made for the server, which is removed with it. A
lease notes the old value of a sysctl before it is written, and its network namespace: so it is written back
after kill -9, too, and in that namespace, whichever one the next command runs in.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from loadrig.base import cgroups, changes, leases, networks
from loadrig.base.errors import TargetError
from loadrig.base.leased import ChangeFacts
from loadrig.base.leases import Lease
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target import TargetWithinErrors

ERRORS = texts_of(TargetWithinErrors)

PERIOD_US = 100_000
"""Period of a quota, in microseconds, as container platforms set it; a quota in shorter periods would be
another limit than the one that is tuned for."""

SYSCTLS = Path("/proc/sys")
OF_NAMESPACE = "net."
"""Beginning of the names of sysctls that belong to a namespace; others would change the machine."""


@dataclass(frozen=True, slots=True)
class Within:
    """Limits within which a server runs.

    cores: number of cores it is held on; quota: quota of CPU, in cores; None for no limit. sysctls: values by
    names with dots.
    """

    cores: int | None = None
    quota: float | None = None
    sysctls: Mapping[str, str] = field(default_factory=dict)


ANYWHERE = Within()


def cpus(wanted: Within, held: tuple[int, ...]) -> tuple[int, ...]:
    """Return the cores to hold the server on. held: cores that it would have; empty for all that there are.

    Raises TargetError target.too-few-cores.
    """
    if wanted.cores is None:
        return held
    there = held or tuple(sorted(os.sched_getaffinity(0)))
    if wanted.cores > len(there):
        listed = ", ".join(map(str, there))
        wording = ERRORS.too_few_cores(wanted.cores, len(there), listed)
        raise TargetError.of(wording, code="target.too-few-cores")
    return there[: wanted.cores]


def quota_folder(name: str) -> Path:
    """Return the control group in which a server's quota is to be; it is not yet made.

    Raises TargetError target.no-quota where there is none that the rig may make.
    """
    own = cgroups.group_for(cgroups.of(), "cpu")
    if own is None:
        raise no_quota(ERRORS.groups_not_mounted)
    control = own.folder / "cgroup.subtree_control"
    if own.controller == cgroups.UNIFIED and "cpu" not in _read(control).split():
        raise no_quota(ERRORS.controller_withheld(str(own.folder)))
    return own.folder / name


def set_quota(folder: Path, cores: float) -> None:
    """Write the quota of a group that was made. Raises TargetError target.no-quota."""
    allowed = max(1_000, round(cores * PERIOD_US))
    try:
        if (folder / "cpu.max").exists():
            (folder / "cpu.max").write_text(f"{allowed} {PERIOD_US}", encoding="ascii")
        else:
            (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US), encoding="ascii")
            (folder / "cpu.cfs_quota_us").write_text(str(allowed), encoding="ascii")
    except OSError as error:
        raise no_quota(f"{folder}: {error.strerror}") from None


class Sysctls:
    """Sysctls written for as long as a server runs. Made by `written`."""

    def __init__(self, facts: ChangeFacts, lease: Lease) -> None:
        self._facts, self._lease = facts, lease

    def are_written(self) -> None:
        """Note the present values of the sysctls.

        A later undo tells by them whether the sysctls are still the rig's.
        """
        # Keep the values as read, as the kernel writes some in another form: 8000,8001 is 8000-8001.
        wrote = tuple((path, _read(Path(path))) for path, _ in self._facts.written)
        self._lease = self._lease.update(replace(self._facts, wrote=wrote))

    def put_back(self) -> tuple[str, ...]:
        """Write the old values back; return what could not be, as sentences. May be called twice."""
        _, not_done = changes.undone(self._facts)
        if not not_done:
            self._lease.end()
        return not_done


def written(sysctls: Mapping[str, str], root: Path = SYSCTLS) -> Sysctls | None:
    """Write sysctls of the network namespace of the rig and its servers. Return None without sysctls.

    Raises TargetError target.sysctl where one is not there, is refused, or is the whole machine's.
    """
    if not sysctls:
        return None
    if root == SYSCTLS and networks.is_of_machine():
        wording = ERRORS.sysctl_of_machine(next(iter(sysctls)))
        raise TargetError.of(wording, code="target.sysctl")
    before: list[tuple[str, str]] = []
    for name in sysctls:
        path = root / name.replace(".", "/")
        if not name.startswith(OF_NAMESPACE) or not path.is_file():
            raise TargetError.of(ERRORS.no_sysctl_of_namespace(name), code="target.sysctl")
        before.append((str(path), _read(path)))
    names = ", ".join(f"{name} = {value}" for name, value in sysctls.items())
    facts = ChangeFacts(what=f"sysctls of a server: {names}", written=tuple(before), network=networks.own())
    written_sysctls = Sysctls(facts, leases.take(facts))
    for name, value in sysctls.items():
        try:
            (root / name.replace(".", "/")).write_text(value, encoding="ascii")
        except OSError as error:
            written_sysctls.put_back()
            wording = ERRORS.sysctl_refused(name, value, error.strerror or "")
            raise TargetError.of(wording, code="target.sysctl") from None
    written_sysctls.are_written()
    return written_sysctls


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def no_quota(reason: str) -> TargetError:
    """Return the problem of a server that cannot be put under its quota."""
    return TargetError.of(ERRORS.no_quota(reason), code="target.no-quota")
