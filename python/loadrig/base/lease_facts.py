"""Checks of the facts of a lease, made before anything is done because of them.

A lease is a file, and a file may be torn, old, or written by somebody with reasons of their own. So a path
in it is never trusted: control groups must lie in a tree that the kernel mounts as such and bear the name of
the rig that took the lease, files that are written back must be those of a quota or of a network namespace's
sysctls, and nothing is reached through a link.
"""

import os
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, get_args

from loadrig.base import cgroups
from loadrig.base.leased import (
    ChangeFacts,
    Facts,
    FolderFacts,
    GroupFacts,
    InspectorFacts,
    ProcessFacts,
    UnreadFacts,
    kind_of,
)

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


def problem(facts: Facts, rig: str) -> str:
    """Return why a lease must not be acted on, as a sentence; "" if all of it is in order.

    rig: the beginning of the names of what its rig has made; see origins.Origin.
    """
    try:
        match facts:
            case ProcessFacts():
                return _process(facts, rig)
            case GroupFacts():
                return _cgroup(facts.folders, rig)
            case ChangeFacts():
                return _change(facts, rig)
            case FolderFacts():
                return _folder(facts, rig)
            case InspectorFacts():
                return _inspector(facts)
            case UnreadFacts():
                return facts.why
    except ValueError as error:
        return f"its facts are not those of a {kind_of(facts)}: {error}"[:200]


def _process(facts: ProcessFacts, rig: str) -> str:
    if not re.fullmatch(rf"{re.escape(rig)}-\d+-{TOKEN}", facts.marker):
        return "its marker is not one of its rig"
    _counts(number for number in (facts.pid, facts.start) if number is not None)
    return ""


def _cgroup(folders: Sequence[str], rig: str) -> str:
    for text in folders:
        if not re.fullmatch(rf"{re.escape(rig)}-\d+(-{PLACE})?(-quota)?", Path(_text(text)).name):
            return f"{text} does not bear the name of its rig"
        if not in_cgroups(Path(text)):
            return f"{text} lies in no tree of control groups"
    return ""


def _change(facts: ChangeFacts, rig: str) -> str:
    _counts(chain.from_iterable(facts.stopped))
    for file, pids in facts.moved:
        _counts(chain.from_iterable(pids))
        if Path(_text(file)).name != "cgroup.procs" or not in_cgroups(Path(file)):
            return f"{file} is no cgroup.procs"
    for file, text in facts.written + facts.wrote:
        if not _is_writable(Path(_text(file)), _text(text), facts.network):
            return f"{file} is no file of a quota and no sysctl of a network namespace"
    if facts.network is not None:
        _counts([facts.network])
    return _cgroup(facts.folders, rig)


def _folder(facts: FolderFacts, rig: str) -> str:
    path = Path(_text(facts.folder))
    purposes = "|".join(get_args(Purpose))
    if not re.fullmatch(rf"{re.escape(rig)}-({purposes})-\d+", path.name) or not path.is_absolute():
        return f"{path} does not bear the name of its rig"
    return ""


def _inspector(facts: InspectorFacts) -> str:
    _counts((facts.pid, facts.start, facts.port))
    return "" if facts.port < 1 << 16 else "its port is none"


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


def _is_writable(path: Path, text: str, network: int | None) -> bool:
    if path.name in _QUOTAS:
        return bool(_QUOTA_TEXT.fullmatch(text)) and in_cgroups(path)
    return network is not None and bool(_SYSCTL_TEXT.fullmatch(text)) and _below(path, SYSCTLS)


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError("a text has a null byte")
    return value


def _counts(values: Iterable[int]) -> None:
    for value in values:
        if not 0 < value < 1 << 63:
            raise ValueError(f"{str(value)[:40]} for a number")
