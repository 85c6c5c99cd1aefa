"""Files and folders that only their owner may read: what a run leaves may hold what a server said.

A folder or file that a person names for output (`--out page.html`, `--junit FILE`) is none of these:
it gets the permissions that the person's umask says.
"""

import os
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600

SEALED_MODE = 0o400
"""Permissions of a file that nothing writes to any more."""

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags that make a file anew, and through no link that somebody has laid under its name."""


def opener(path: str, flags: int) -> int:
    """Open a file for the owner alone: the `opener` of `open`. An existing file becomes private too."""
    handle = os.open(path, flags | os.O_CLOEXEC, FILE_MODE)
    os.fchmod(handle, FILE_MODE)
    return handle


def make_folder(path: Path) -> None:
    """Make a folder for the owner alone, and its missing parents as usual; one that is there stays as it is.

    Raises OSError if it cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=FOLDER_MODE, exist_ok=True)
