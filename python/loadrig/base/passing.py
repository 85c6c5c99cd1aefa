"""Folders for passing data: removed when they are done with, and found again after the rig was killed."""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from loadrig.base import leases, own_files
from loadrig.base.lease_facts import Purpose
from loadrig.base.leased import FolderFacts

REMOVED_WITHIN_S, REMOVED_AGAIN_S = 2.0, 0.05
"""Time in which a folder is tried to be removed, and between two tries, in seconds: a program that ends may
write a last file into a folder that was just found empty."""


@contextlib.contextmanager
def folder(purpose: Purpose, parent: Path | None = None, *, mode: int = 0o700) -> Iterator[Path]:
    """Yield a new folder for this process alone; it is removed afterwards.

    It is made anew, never reused: where all may write, a name proves nothing. A lease names it, so that it
    can be removed after a SIGKILL. parent: where it lies, the system's folder for passing files if not given.
    Raises OSError where it cannot be made.
    """
    start, number = leases.new_name().rpartition("-")[::2]
    path = (parent or Path(tempfile.gettempdir())).absolute() / f"{start}-{purpose}-{number}"
    lease = leases.take(FolderFacts(folder=str(path)))
    try:
        path.mkdir(mode=mode)
        yield path
    finally:
        if try_to_remove(path):
            lease.end()


def try_to_remove(path: Path) -> bool:
    """Remove a folder of ours; return whether it is gone.

    Where a program still writes there it is not, and its lease stays, for `loadrig doctor --clean`.
    """
    deadline = time.monotonic() + REMOVED_WITHIN_S
    while True:
        try:
            own_files.remove_tree(path)
        except FileNotFoundError:
            return True
        except OSError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(REMOVED_AGAIN_S)
        else:
            return True
