"""Files below a folder, reached without following a link in any part of a path.

A file that is checked may have been put there by somebody who wants another file to be read. The folder that
the user named is the user's choice; from there on each name is opened relative to the folder that holds it.
Source: openat(2), O_NOFOLLOW; CWE-59.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingBelowErrors

ERRORS = texts_of(RecordingBelowErrors)

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK opening a FIFO waits for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

DEEPEST = 8
"""Largest number of folders below each other that are looked into. A recording has two; a longer way down is
not walked."""


@contextlib.contextmanager
def opened(folder: Path | str, above: int | None = None) -> Iterator[int]:
    """Open a folder and yield its descriptor.

    above: the open folder that holds it, in which it is no link. Raises OSError.
    """
    flags = _FOLDER if above is not None else _FOLDER & ~os.O_NOFOLLOW
    handle = os.open(folder, flags, dir_fd=above)
    try:
        yield handle
    finally:
        os.close(handle)


def is_inside(name: str) -> bool:
    """Return whether a name is a plain path below its folder.

    Such a path is relative, without `..`, empty parts or a zero byte.
    """
    return bool(name) and "\0" not in name and all(part not in ("", ".", "..") for part in name.split("/"))


def open_file(folder: int, name: str) -> int:
    """Open a regular file below an open folder and return its descriptor.

    Raises ValueError where the name leads out of the folder; OSError: ELOOP where a part of the name is a
    link, EINVAL where it is no regular file, and what the system says.
    """
    if not is_inside(name):
        raise ValueError(ERRORS.outside(name))
    *parents, last = name.split("/")
    with contextlib.ExitStack() as stack:
        for parent in parents:
            folder = stack.enter_context(opened(parent, folder))
        handle = os.open(last, _FILE, dir_fd=folder)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, ERRORS.no_regular_file, name)


def read(folder: int, name: str, most_bytes: int) -> bytes:
    """Return all of a regular file below an open folder. Raises as open_file, and ValueError if longer."""
    with os.fdopen(open_file(folder, name), "rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(ERRORS.too_long(most_bytes))
    return content


def names(folder: int, depth: int = DEEPEST) -> Iterator[str]:
    """Yield the path of everything below an open folder that is no folder itself; links are not entered.

    A folder deeper than DEEPEST is yielded as if it were a file. Raises OSError.
    """
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False) and depth > 0:
            with opened(entry.name, folder) as inner:
                yield from (f"{entry.name}/{name}" for name in names(inner, depth - 1))
        else:
            yield entry.name
