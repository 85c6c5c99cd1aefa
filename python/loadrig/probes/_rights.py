"""Right of this process to trace another, which py-spy and other readers of foreign memory need.

Source: ptrace(2), "Ptrace access mode checking"; Documentation/admin-guide/LSM/Yama.rst.
"""

import os
from pathlib import Path

from loadrig.base.error_words import ErrorWords
from loadrig.base.kernel_files import fields
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_watch import ProbesRightsErrors
from loadrig.probes._session import Unavailable, read

ERRORS = texts_of(ProbesRightsErrors)

_CAP_SYS_PTRACE = 19

_NO_YAMA = 0


def may_trace(pid: int, what: str, root: Path = Path("/")) -> None:
    """Return if a program of the rig may read the memory of a process. what: what is read ("the stacks").

    Raises Unavailable probe.no-right, with the cause that applies here and a command that helps.
    """
    scope = _scope(root)
    if not _has_capability(root) and scope != _NO_YAMA:
        is_final = scope >= 3
        raise Unavailable.of(
            ERRORS.traced_by_root_only(what, str(pid), str(scope), is_final), code="probe.no-right"
        )
    try:
        # The kernel asks the same question when memory is opened as when a process is traced.
        os.close(os.open(root / "proc" / str(pid) / "mem", os.O_RDONLY | os.O_CLOEXEC))
    except PermissionError:
        raise Unavailable.of(_reason(pid, what, root), code="probe.no-right") from None
    except OSError:
        raise Unavailable.of(ERRORS.ended_meanwhile(str(pid)), code="probe.no-process") from None


def _reason(pid: int, what: str, root: Path) -> ErrorWords:
    """Return why a process may not be traced without a general rule of the kernel, and what would help."""
    try:
        owner = os.stat(root / "proc" / str(pid)).st_uid
    except OSError:
        owner = os.geteuid()
    if os.geteuid() == 0:
        return ERRORS.root_without_right(what, str(pid))
    if owner != os.geteuid():
        return ERRORS.other_user(what, str(pid), str(owner), str(os.geteuid()))
    return ERRORS.changed_user(what, str(pid))


def _scope(root: Path) -> int:
    text = (read(root / "proc/sys/kernel/yama/ptrace_scope") or "").strip()
    return int(text) if text.isdecimal() else _NO_YAMA


def _has_capability(root: Path) -> bool:
    """Return whether this process may trace any process that its namespaces let it see."""
    capabilities = fields(root / "proc/self/status").get("CapEff", "0")
    return bool(int(capabilities, 16) >> _CAP_SYS_PTRACE & 1)
