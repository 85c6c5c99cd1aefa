"""Right of this process to trace another, which py-spy and other readers of foreign memory need.

Source: ptrace(2), "Ptrace access mode checking"; Documentation/admin-guide/LSM/Yama.rst.
"""

import os
from pathlib import Path

from loadrig.probes._session import Unavailable, read

_CAP_SYS_PTRACE = 19

_NO_YAMA = 0


def may_trace(pid: int, what: str, root: Path = Path("/")) -> None:
    """Return if a program of the rig may read the memory of a process. what: what is read ("the stacks").

    Raises Unavailable probe.no-right, with the cause that applies here and a command that helps.
    """
    scope = _scope(root)
    if not _has_capability(root) and scope != _NO_YAMA:
        _refuse(
            f"{what} of process {pid} may not be read: this kernel lets only root trace a process that is "
            f"not its own child (kernel.yama.ptrace_scope is {scope})",
            "restart the machine with kernel.yama.ptrace_scope = 0" if scope >= 3
            else "sudo sysctl kernel.yama.ptrace_scope=0",
        )  # fmt: skip
    try:
        # The kernel asks the same question when memory is opened as when a process is traced.
        os.close(os.open(root / "proc" / str(pid) / "mem", os.O_RDONLY | os.O_CLOEXEC))
    except PermissionError:
        _refuse(*_reason(pid, what, root))
    except OSError:
        raise Unavailable(
            f"process {pid} has ended", "nothing to do: it is watched again when it is found again",
            "probe.no-process",
        ) from None  # fmt: skip


def _reason(pid: int, what: str, root: Path) -> tuple[str, str]:
    """Return why a process may not be traced without a general rule of the kernel, and what would help."""
    try:
        owner = os.stat(root / "proc" / str(pid)).st_uid
    except OSError:
        owner = os.geteuid()
    if os.geteuid() == 0:
        why = "root has not the right to trace (CAP_SYS_PTRACE) here, as in most containers"
        return f"{what} of process {pid} may not be read: {why}", "docker run --cap-add=SYS_PTRACE …"
    if owner != os.geteuid():
        why = (
            f"it belongs to user {owner} and this is user {os.geteuid()}, without the right to trace (ptrace)"
        )
        return f"{what} of process {pid} may not be read: {why}", "run loadrig as that user or by sudo"
    why = "it has changed its user or its rights since it started, and only root may trace it (ptrace)"
    return f"{what} of process {pid} may not be read: {why}", "run loadrig by sudo"


def _refuse(reason: str, mend: str) -> None:
    raise Unavailable(reason, mend, "probe.no-right")


def _scope(root: Path) -> int:
    text = (read(root / "proc/sys/kernel/yama/ptrace_scope") or "").strip()
    return int(text) if text.isdecimal() else _NO_YAMA


def _has_capability(root: Path) -> bool:
    """Return whether this process may trace any process that its namespaces let it see."""
    status = read(root / "proc/self/status") or ""
    for line in status.splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> _CAP_SYS_PTRACE & 1)
    return False
