"""Checks of the facts of a lease, made before anything is done because of them.

A lease is a file, and a file may be torn, old, or written by somebody with reasons of their own. So a path
in it is never trusted: control groups must lie in a tree that the kernel mounts as such and bear the name of
the rig that took the lease, files that are written back must be those of a quota or of a network namespace's
sysctls, and nothing is reached through a link.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from loadrig.base import cgroups

TOKEN = r"[0-9a-f]{32}"
"""Pattern of the random end of a marker: 128 bits, as nobody may guess the marker of another user's rig."""

PLACE = r"[0-9a-f]{16}"
"""Pattern of the part of a control group's name that stands for its rig's boot and namespaces; see
origins.Origin.place."""

Purpose = Literal["lab", "nodes", "profile", "ray"]
"""Use of a folder for passing data, as its name says: data of a lab's services, messages of nodes, a
profiler's own files, files of a Ray of our own."""

SYSCTLS = Path("/proc/sys/net")
"""Sysctls that belong to a network namespace; the rig writes no others."""

_QUOTAS = frozenset({"cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us"})
_QUOTA_TEXT = re.compile(r"(max|-1|\d{1,12})( \d{1,12})?\n?", re.ASCII)
_SYSCTL_TEXT = re.compile(r"[\x09\x0a\x20-\x7e]{0,4096}", re.ASCII)


def problem(kind: str, facts: Mapping[str, Any], rig: str) -> str:
    """Return why a lease must not be acted on, as a sentence; "" if all of it is in order.

    rig: the beginning of the names of what its rig has made; see origins.Origin.
    """
    check = _CHECKS.get(kind)
    if check is None:
        return f"this version does not know how to undo {kind!r}"
    try:
        return check(facts, rig)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        return f"its facts are not those of a {kind}: {type(error).__name__} {error}"[:200]


def _process(facts: Mapping[str, Any], rig: str) -> str:
    if not re.fullmatch(rf"{re.escape(rig)}-\d+-{TOKEN}", _text(facts["marker"])):
        return "its marker is not one of its rig"
    for name in ("pid", "start"):
        if facts[name] is not None:
            _count(facts[name])
    return ""


def _cgroup(facts: Mapping[str, Any], rig: str) -> str:
    for text in _list(facts["folders"]):
        if not re.fullmatch(rf"{re.escape(rig)}-\d+(-{PLACE})?(-quota)?", Path(_text(text)).name):
            return f"{text} does not bear the name of its rig"
        if not in_cgroups(Path(text)):
            return f"{text} lies in no tree of control groups"
    return ""


def _change(facts: Mapping[str, Any], rig: str) -> str:
    _processes(facts.get("stopped", []))
    for file, pids in _list(facts.get("moved", [])):
        _processes(pids)
        if Path(_text(file)).name != "cgroup.procs" or not in_cgroups(Path(file)):
            return f"{file} is no cgroup.procs"
    for name in ("written", "wrote"):
        for file, text in _list(facts.get(name, [])):
            if not _is_writable(Path(_text(file)), _text(text), facts.get("network")):
                return f"{file} is no file of a quota and no sysctl of a network namespace"
    if facts.get("network") is not None:
        _count(facts["network"])
    return _cgroup({"folders": facts.get("folders", [])}, rig)


def _folder(facts: Mapping[str, Any], rig: str) -> str:
    path = Path(_text(facts["folder"]))
    purposes = "|".join(get_args(Purpose))
    if not re.fullmatch(rf"{re.escape(rig)}-({purposes})-\d+", path.name) or not path.is_absolute():
        return f"{path} does not bear the name of its rig"
    return ""


def _inspector(facts: Mapping[str, Any], rig: str) -> str:
    del rig
    for name in ("pid", "start", "port"):
        _count(facts[name])
    return "" if facts["port"] < 1 << 16 else "its port is none"


_CHECKS: dict[str, Callable[[Mapping[str, Any], str], str]] = {
    "process": _process, "cgroup": _cgroup, "change": _change, "folder": _folder, "inspector": _inspector,
}  # fmt: skip


def in_cgroups(path: Path) -> bool:
    """Return whether a path lies below a mounted tree of control groups, reached through no link.

    The path itself may be gone.
    """
    return any(_below(path, mount.folder) for mount in cgroups.mounts())


def _below(path: Path, top: Path) -> bool:
    # The kernel makes no links in these trees and lets nobody make any: a path that is its own real path now
    # stays so.
    if ".." in path.parts or not path.is_relative_to(top) or path == top:
        return False
    return os.path.realpath(path) == str(path)


def _is_writable(path: Path, text: str, network: object) -> bool:
    if path.name in _QUOTAS:
        return bool(_QUOTA_TEXT.fullmatch(text)) and in_cgroups(path)
    return network is not None and bool(_SYSCTL_TEXT.fullmatch(text)) and _below(path, SYSCTLS)


def _processes(facts: Any) -> None:
    for pid, start in _list(facts):
        _count(pid)
        _count(start)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise TypeError(f"{type(value).__name__} for a list")
    return list(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise TypeError(f"{type(value).__name__} for a text")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 1 << 63:
        raise ValueError(f"{str(value)[:40]} for a number")
    return value
