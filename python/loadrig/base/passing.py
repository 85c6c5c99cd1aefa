"""Folders for passing data: removed when they are done with, and found again after the rig was killed."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from loadrig.base import leases, own_files
from loadrig.base.lease_facts import Purpose
from loadrig.base.leased import FolderFacts


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
        try:
            own_files.remove_tree(path)
        except FileNotFoundError:
            lease.end()
        except OSError:
            pass  # a program still writes there: the lease stays, for `loadrig doctor --clean`
        else:
            lease.end()
