"""Network namespaces: in which one we are, where another one is to be found, and work done in it.

A namespace is known by its number, the inode of /proc/PID/ns/net. What /proc/sys/net shows and takes belongs
to the namespace of the thread that opens it, whatever the path: so a sysctl of another one is reached only
from within. A number may be given to another namespace once its own is gone.
Source: network_namespaces(7), namespaces(7), setns(2), ip-netns(8).
"""

import ctypes
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from loadrig.base import processes

Answer = TypeVar("Answer")

CLONE_NEWNET = 0x40000000

SYSCTLS = Path("/proc/sys/net")
ONLY_OF_MACHINE = "core/netdev_max_backlog"
"""Sysctl that only the first namespace has: net_core_table of net/core/sysctl_net_core.c in the kernel.

Process 1 does not tell: in a container it is in the container's namespace, and not everybody may look."""

NAMED = Path("/run/netns")
"""Folder in which `ip netns add` keeps the namespaces that stay without a process."""


def own() -> int | None:
    """Return the number of the namespace that this thread is in; None where the kernel does not tell."""
    try:
        return os.stat("/proc/thread-self/ns/net").st_ino
    except OSError:
        return None


def of_process(process: Path) -> int | None:
    """Return the number of the namespace of a process; None where that may not be seen.

    process: its folder in /proc.
    """
    try:
        return os.stat(process / "ns/net").st_ino
    except OSError:
        return None


def is_of_machine() -> bool:
    """Return whether this thread is in the machine's first namespace; True where that cannot be told."""
    return not SYSCTLS.is_dir() or (SYSCTLS / ONLY_OF_MACHINE).exists()


def place_of(number: int) -> Path | None:
    """Return a file that stands for a namespace, that of a process in it or its named one.

    None if it is gone.

    Processes that may not be looked at are passed over: they are another user's, or out of our rights.
    """
    named = sorted(NAMED.iterdir()) if NAMED.is_dir() else []
    for place in (*(Path(f"/proc/{pid}/ns/net") for pid in processes.pids()), *named):
        try:
            if place.stat().st_ino == number:
                return place
        except OSError:
            continue
    return None


def within(place: Path, work: Callable[[], Answer]) -> Answer:
    """Run a function in the namespace that a file stands for, while this thread stays where it is.

    Raises OSError where it may not be entered, and what the work raises.
    """
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def enter_and_work() -> None:
        try:
            with place.open("rb") as file:
                if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
                    number = ctypes.get_errno()
                    raise OSError(number, os.strerror(number), str(place))
            answers.append(work())
        except BaseException as error:
            errors.append(error)

    # A namespace is entered by a thread: a thread made for this need not go back.
    thread = threading.Thread(target=enter_and_work, name="in another network")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]
