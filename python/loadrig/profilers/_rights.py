"""Rights that are missing to look into a process, and the commands that give them."""

import os
import pwd
from pathlib import Path

from loadrig.base import kernel_files
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers import ProfilersRightsErrors, ProfilersShotErrors

ERRORS = texts_of(ProfilersRightsErrors)
SHOT_ERRORS = texts_of(ProfilersShotErrors)

CAP_SYS_PTRACE = 19
"""Number of the capability. Source: capabilities(7), linux/capability.h."""


def no_trace(name: str, pid: int, proc: Path = Path("/proc")) -> Unavailable:
    """Return the error for a process that may not be traced: by its owner, the kernel or a container."""
    user = _owner(pid, proc)
    if os.geteuid() != 0 and user is not None and user != os.geteuid():
        return Unavailable.of(ERRORS.trace_other_user(name, str(pid), _name(user)), code="probe.no-right")
    if os.geteuid() == 0 and not _has(CAP_SYS_PTRACE, proc):
        return Unavailable.of(ERRORS.trace_lost_by_root(name, str(pid)), code="probe.no-right")
    scope = _text(proc / "sys/kernel/yama/ptrace_scope")
    by_kernel = scope not in ("", "0")
    return Unavailable.of(ERRORS.trace_refused(name, str(pid), by_kernel), code="probe.no-right")


def no_events(pid: int, proc: Path = Path("/proc")) -> Unavailable:
    """Return the error for a process whose events the kernel does not let the rig count."""
    user = _owner(pid, proc)
    if os.geteuid() != 0 and user is not None and user != os.geteuid():
        return Unavailable.of(ERRORS.events_other_user(str(pid), _name(user)), code="probe.no-right")
    level = _text(proc / "sys/kernel/perf_event_paranoid")
    if os.geteuid() != 0 and level.isdecimal() and int(level) > 1:
        return Unavailable.of(ERRORS.events_paranoid(str(pid), level), code="probe.no-right")
    return Unavailable.of(ERRORS.events_refused(str(pid)), code="probe.no-right")


def other_user(name: str, pid: int, proc: Path = Path("/proc")) -> Unavailable:
    """Return the error for a runtime that lets only its own user in."""
    user = _owner(pid, proc)
    if user is None:
        return Unavailable.of(SHOT_ERRORS.process_gone(str(pid)), code="probe.no-process")
    return Unavailable.of(ERRORS.other_user(name, str(pid), _name(user)), code="probe.no-right")


def _owner(pid: int, proc: Path) -> int | None:
    try:
        return (proc / str(pid)).stat().st_uid
    except OSError:
        return None


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"#{user}"


def _has(capability: int, proc: Path) -> bool:
    """Return whether this process has a capability, by its status; True where its status does not say."""
    capabilities = kernel_files.fields(proc / "self/status").get("CapEff", "-1")
    return bool(int(capabilities, 16) >> capability & 1)


def _text(path: Path) -> str:
    return (kernel_files.read(path) or "").strip()
