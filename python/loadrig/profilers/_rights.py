"""Rights that are missing to look into a process, and the commands that give them."""

import os
import pwd
from pathlib import Path

from loadrig.base.unavailable import Unavailable

CAP_SYS_PTRACE = 19
"""Number of the capability. Source: capabilities(7), linux/capability.h."""


def no_trace(name: str, pid: int, proc: Path = Path("/proc")) -> Unavailable:
    """Return the error for a process that may not be traced: by its owner, the kernel or a container."""
    reason = f"{name} needs the right to trace (ptrace) process {pid}"
    user = _owner(pid, proc)
    if os.geteuid() != 0 and user is not None and user != os.geteuid():
        return Unavailable(f"{reason}, which is user {_name(user)}'s", as_user(user), "probe.no-right")
    if os.geteuid() == 0 and not _has(CAP_SYS_PTRACE, proc):
        mend = "start the container with --cap-add SYS_PTRACE"
        return Unavailable(f"{reason}; root has lost it here", mend, "probe.no-right")
    scope = _text(proc / "sys/kernel/yama/ptrace_scope")
    if scope not in ("", "0"):
        return Unavailable(reason, "sudo sysctl kernel.yama.ptrace_scope=0", "probe.no-right")
    return Unavailable(reason, "run loadrig as root", "probe.no-right")


def no_events(pid: int, proc: Path = Path("/proc")) -> Unavailable:
    """Return the error for a process whose events the kernel does not let the rig count."""
    reason = f"perf needs the right to sample process {pid}"
    user = _owner(pid, proc)
    if os.geteuid() != 0 and user is not None and user != os.geteuid():
        return Unavailable(f"{reason}, which is user {_name(user)}'s", as_user(user), "probe.no-right")
    level = _text(proc / "sys/kernel/perf_event_paranoid")
    if os.geteuid() != 0 and level.isdecimal() and int(level) > 1:
        return Unavailable(
            f"{reason} (kernel.perf_event_paranoid is {level})",
            "sudo sysctl kernel.perf_event_paranoid=1",
            "probe.no-right",
        )
    mend = "start the container with --cap-add PERFMON, or run outside of it"
    return Unavailable(reason, mend, "probe.no-right")


def other_user(name: str, pid: int, proc: Path = Path("/proc")) -> Unavailable:
    """Return the error for a runtime that lets only its own user in."""
    user = _owner(pid, proc)
    if user is None:
        return Unavailable(f"process {pid} is gone", "look at its log", "probe.no-process")
    return Unavailable(
        f"{name} must be of the user of process {pid}, {_name(user)}", as_user(user), "probe.no-right"
    )


def as_user(user: int) -> str:
    """Return how to run the rig as another user."""
    return f"run it as sudo -u {_name(user)} loadrig …, or as root"


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
    for line in _text(proc / "self/status").splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> capability & 1)
    return True


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
