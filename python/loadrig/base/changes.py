"""Changes that an experiment has made on this machine, written down so that anybody can undo them."""

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from loadrig.base import cgroups, networks, processes
from loadrig.base.base_texts import texts
from loadrig.base.leased import ChangeFacts

REMOVE_WAIT_S = 2.0
"""Longest wait until a group can be removed, in seconds: it is busy for a moment after its last process has
left."""

STOPPED = "T"
"""State of a process that a signal has stopped. Source: proc_pid_stat(5)."""

SYSCTLS = Path("/proc/sys")

GO_ON_WAIT_S = 1.0
"""Longest wait until a process goes on, in seconds: one that sits in the kernel may be seen to go on a moment
after it was told to."""


def undone(facts: ChangeFacts) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Undo a change. Return what was done and what could not be done, as sentences. May be called twice."""
    done: list[str] = []
    not_done: list[str] = []
    for pid, start in facts.stopped:
        if processes.is_alive(pid, start):
            if _goes_on(pid):
                done.append(texts().goes_on(str(pid)))
            else:
                not_done.append(texts().is_stopped_still(str(pid)))
    folders = [Path(text) for text in facts.folders]
    for file, pids in facts.moved:
        wanted: set[tuple[int, int | None]] = set(pids)
        # Processes that were started since the move are in the groups that the rig made.
        wanted |= {(pid, processes.start_of(pid)) for folder in folders for pid in cgroups.members(folder)}
        not_done += _moved(
            Path(file), [pid for pid, start in wanted if start and processes.is_alive(pid, start)]
        )
    again, not_again = _written(facts)
    done += again
    not_done += not_again
    for folder in folders:
        if not folder.exists():
            continue
        if _removed(folder):
            done.append(texts().removed_group(str(folder)))
        else:
            not_done.append(f"cgroup {folder}")
    return tuple(done), tuple(not_done)


def _written(facts: ChangeFacts) -> tuple[list[str], list[str]]:
    """Write files back, in their network namespace where they are sysctls of one.

    Return what was done and what could not be done.
    """
    number = facts.network
    if not facts.written or number is None or number == networks.own():
        return _written_here(facts)
    place = networks.place_of(number)
    if place is None:
        return [texts().went_with_network], []
    try:
        return networks.within(place, lambda: _written_here(facts))
    except OSError as error:
        return [], [texts().network_not_entered(str(error.strerror))]


def _written_here(facts: ChangeFacts) -> tuple[list[str], list[str]]:
    wrote = {file: text.split() for file, text in facts.wrote}
    done: dict[Path, str] = {}
    not_done: list[str] = []
    for file, text in reversed(facts.written):
        path = Path(file)
        if not path.exists():
            continue
        if path.is_relative_to(SYSCTLS) and networks.is_of_machine():
            not_done.append(f"{path} is the whole machine's, which no rig writes: it is left as it is")
            continue
        try:
            if file in wrote and (content := path.read_text(encoding="ascii")).split() != wrote[file]:
                done[path] = f"{path} is {content.strip()}, which no rig has set: left as it is"
                continue
            path.write_text(text, encoding="ascii")
            done[path] = f"{path} is {text.strip()} again"
        except OSError as error:
            not_done.append(f"{path} is not {text.strip()} again: {error.strerror}")
    return list(done.values()), not_done


def _goes_on(pid: int) -> bool:
    """Tell a process to go on; return whether it does, or is gone."""
    end = time.monotonic() + GO_ON_WAIT_S
    while True:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGCONT)
        stat = processes.stat(pid)
        if stat is None or stat.state != STOPPED:
            return True
        if time.monotonic() > end:
            return False
        time.sleep(0.01)


def _moved(file: Path, pids: Sequence[int]) -> list[str]:
    not_moved = []
    for pid in pids:
        try:
            file.write_text(str(pid), encoding="ascii")
        except ProcessLookupError:
            continue
        except OSError as error:
            not_moved.append(texts().not_moved_back(str(pid), str(file.parent), str(error.strerror)))
    return not_moved


def _removed(folder: Path) -> bool:
    end = time.monotonic() + REMOVE_WAIT_S
    while not cgroups.remove(folder):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
