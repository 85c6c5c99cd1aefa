"""Folders and files that are this user's alone: opened without following links, and looked at before use.

The rig often runs as root, and some of its files lie where other users may write: in a home that root was
told to be its own, or below /tmp. A name proves nothing there. A folder counts as ours only once it is open
and the kernel says that it belongs to this user and that nobody else may write to it; everything in it is
then opened relative to that descriptor.
Source: open(2), O_NOFOLLOW; openat(2); CWE-59, CWE-377.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from loadrig.base.private import FILE_MODE, FOLDER_MODE, NEW_FILE

_WRITABLE_BY_OTHERS = 0o022
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class NotPrivateError(OSError):
    """A folder or file that belongs to somebody else, may be written by others, or is a link.

    strerror says which, as the end of a sentence that begins with the path.
    """

    def __init__(self, path: "Path | str", why: str) -> None:
        super().__init__(1, why, str(path))


@contextlib.contextmanager
def opened(path: Path, *, make: bool = False) -> Iterator[int]:
    """Open a folder that is this user's alone; yield its descriptor.

    make: create it, and the folders above it, where they are missing; a folder of ours that others may write
    to is closed to them. Raises NotPrivateError where it is not ours alone, another OSError where it is not
    there or cannot be made.
    """
    handle = _opened_or_made(path) if make else _opened(path)
    try:
        status = os.fstat(handle)
        if status.st_uid != os.geteuid():
            raise NotPrivateError(path, f"belongs to user {status.st_uid}, not to user {os.geteuid()}")
        if make and stat.S_IMODE(status.st_mode) != FOLDER_MODE:
            os.fchmod(handle, FOLDER_MODE)
        elif status.st_mode & _WRITABLE_BY_OTHERS:
            raise NotPrivateError(path, f"may be written by other users: chmod 700 {path}")
        yield handle
    finally:
        os.close(handle)


def _opened(path: Path, folder: int | None = None) -> int:
    try:
        return os.open(path, _OPEN_FOLDER, dir_fd=folder)
    except OSError:
        if _is_link(path, folder):
            raise NotPrivateError(path, "is a link") from None
        raise


def _is_link(path: Path | str, folder: int | None) -> bool:
    try:
        return stat.S_ISLNK(os.stat(path, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _opened_or_made(path: Path) -> int:
    """Open a folder; make it, and the folders above it, where they are missing."""
    with contextlib.suppress(FileNotFoundError):
        return _opened(path)
    missing = [path]
    while not os.path.lexists(missing[-1].parent):
        missing.append(missing[-1].parent)
    # What is there already may be reached through links: a home often is. It has to be a folder in which
    # nobody but this user and root can put a link in the place of what is made.
    handle = os.open(missing[-1].parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        above = os.fstat(handle)
        if above.st_uid not in (0, os.geteuid()):
            raise NotPrivateError(
                missing[-1].parent, f"belongs to user {above.st_uid}, not to user {os.geteuid()}"
            )
        for folder in reversed(missing):
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder.name, FOLDER_MODE, dir_fd=handle)
            below = _opened(Path(folder.name), handle)
            os.close(handle)
            handle = below
    except BaseException:
        os.close(handle)
        raise
    return handle


def names(folder: int) -> list[str]:
    """Return the names in an open folder, sorted."""
    return sorted(os.listdir(folder))


def read(folder: int, name: str, most_bytes: int) -> bytes:
    """Read a file of an open folder that is this user's alone.

    Raises NotPrivateError where it is a link, no regular file, another user's, may be written by others, or
    has a second name; ValueError where it is longer than most_bytes; another OSError where it cannot be read.
    """
    try:
        handle = os.open(name, _OPEN_FILE, dir_fd=folder)
    except OSError:
        if _is_link(name, folder):
            raise NotPrivateError(name, "is a link") from None
        raise
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotPrivateError(name, "is no regular file")
        if status.st_uid != os.geteuid():
            raise NotPrivateError(name, f"belongs to user {status.st_uid}, not to user {os.geteuid()}")
        if status.st_mode & _WRITABLE_BY_OTHERS:
            raise NotPrivateError(name, "may be written by other users")
        if status.st_nlink != 1:
            raise NotPrivateError(name, "has a second name")
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"{name} is longer than {most_bytes:,} bytes")
    return content


def write(folder: int, name: str, content: bytes) -> None:
    """Write a file of an open folder, whole or not at all, readable by this user alone. Raises OSError."""
    draft = f".{name}.{os.getpid()}.draft"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=folder)
    handle = os.open(draft, NEW_FILE, FILE_MODE, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise


def append(folder: int, name: str, content: bytes) -> None:
    """Append to a file of an open folder, which is made where it is missing. Raises OSError."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, FILE_MODE, dir_fd=folder), "ab") as file:
        file.write(content)


def remove(folder: int, name: str) -> None:
    """Remove a file of an open folder, or the link that bears its name. May be called twice."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def remove_tree(path: Path) -> None:
    """Remove a folder of ours, wherever it lies, with all that is in it; follows no link.

    Raises NotPrivateError where it is a link or another user's, FileNotFoundError where it is gone.
    """
    above = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        status = os.stat(path.name, dir_fd=above, follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise NotPrivateError(path, "is no folder of this user")
        import shutil  # here, as every command imports this module and only few remove anything

        shutil.rmtree(path.name, dir_fd=above)
    finally:
        os.close(above)
