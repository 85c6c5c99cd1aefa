"""Assertion that a piece of work leaves nothing behind: process, thread, port, cgroup, lease."""

import contextlib
import ctypes
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from loadrig.base import cgroups, lease_facts, leases, processes, sockets

GRACE_S = 20.0
"""Time that ending things may take to end, in seconds; the look is repeated until nothing is left."""

BESIDE_OTHERS = "LOADRIG_TESTS_BESIDE_OTHERS"
"""Variable of the environment that says: whoever has started this process looks for what is left by all."""

_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
_OWN_NAME = re.compile(rf"loadrig-(\d+)-(\d+)-\d+(-{lease_facts.PLACE})?(-quota)?$")


@contextlib.contextmanager
def nothing_left_behind(
    ports: Sequence[int] | None = None, grace_s: float = GRACE_S, threads: bool = True
) -> Iterator[None]:
    """Raise AssertionError, naming each, if the block leaves something that was not there before it.

    Looked at are: processes that this one's children left, also those whose parents are dead; its
    threads; listening sockets of them all; control groups and leases of rigs that are dead or
    descend from this process. A worker of pytest-xdist, and a process with BESIDE_OTHERS in its environment,
    does not look for control groups of dead rigs: they may be another's, and the process that started
    them looks when all of them have ended.
    ports: instead of those sockets, the ports at which nothing may listen afterwards, whoever it is.
    threads: whether threads of this process count.
    After an exception in the block nothing is looked for: the exception is what matters.
    """
    with _orphans_come_to_us():
        looks = _looks(ports, threads)
        before = [set(look()) for look in looks]

        def leftovers_now() -> list[str]:
            return sorted(
                name for look, earlier in zip(looks, before, strict=True) for name in set(look()) - earlier
            )

        yield
        deadline = time.monotonic() + grace_s
        while (leftover := leftovers_now()) and time.monotonic() < deadline:
            time.sleep(0.02)
        _reap(before[0])
        assert not leftover, "left behind: " + "; ".join(leftover)


def _looks(ports: Sequence[int] | None, threads: bool) -> list[Callable[[], list[str]]]:
    sight: Callable[[], list[str]] = _listening if ports is None else (lambda: _listening_at(ports))
    return [_children, sight, _groups, _leases, *([_threads] if threads else [])]


def _descendants() -> dict[int, processes.Stat]:
    everyone = processes.table()
    return {pid: everyone[pid] for pid in processes.tree(os.getpid(), everyone)[1:]}


def _children() -> list[str]:
    """Return living descendants, each by its pid, its start and its command."""
    return [
        f"process {pid} (started at {process.start}): {processes.command_line(pid)}"
        for pid, process in _descendants().items()
        if process.state not in "ZX"
    ]


def _threads() -> list[str]:
    return [f"thread {thread.name} ({thread.ident})" for thread in threading.enumerate()]


def _listening() -> list[str]:
    own = [os.getpid(), *_descendants()]
    listeners = {listener.inode: listener for listener in sockets.listeners()}
    held = sockets.holders(listeners, own)
    return [
        f"{listeners[inode].address} port {listeners[inode].port} (socket {inode}), held by process {pid}"
        for pid, inodes in held.items()
        for inode in inodes
    ]


def _listening_at(ports: Sequence[int]) -> list[str]:
    return [
        f"{listener.address} port {listener.port}"
        for listener in sockets.listeners()
        if listener.port in ports
    ]


def _is_ours(pid: int, start: int) -> bool:
    """Return whether a rig is dead or descends from us; other rigs may be at work on this machine."""
    return not processes.is_alive(pid, start) or pid == os.getpid() or pid in _descendants()


def _is_one_of_many() -> bool:
    """Return whether other workers of pytest-xdist, or other lanes, run tests at the same time."""
    return "PYTEST_XDIST_WORKER" in os.environ or BESIDE_OTHERS in os.environ


def _groups() -> list[str]:
    groups = []
    for mount in cgroups.mounts():
        for folder in _folders_below(mount.folder):
            match = _OWN_NAME.search(folder.name)
            if match is None:
                continue
            pid, start = int(match[1]), int(match[2])
            if not (_is_one_of_many() and not processes.is_alive(pid, start)) and _is_ours(pid, start):
                groups.append(f"cgroup {folder}")
    return groups


def _folders_below(top: Path) -> Iterator[Path]:
    for path, _, _ in os.walk(top):
        yield Path(path)


def _leases() -> list[str]:
    return [
        f"lease {lease.path}: {lease}"
        for lease in leases.listed()
        if lease.standing == "dead" or _is_ours(lease.rig_pid, lease.rig_start)
    ]


@contextlib.contextmanager
def _orphans_come_to_us() -> Iterator[None]:
    """Let orphans of our descendants become our children, not init's, so that none is lost from sight."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = ctypes.c_int()
    libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


def _reap(earlier: set[str]) -> None:
    """Take leave of adopted children that have ended: nobody else will wait for them.

    known: processes that lived before; they are left to their starters.
    """
    pids = {int(name.split()[1]) for name in earlier}
    for pid, child in _descendants().items():
        if child.state == "Z" and child.parent == os.getpid() and pid not in pids:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
