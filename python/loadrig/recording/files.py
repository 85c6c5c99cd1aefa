"""Writing without halves: whole files by rename, logs by whole appends.

A disk that is full is the user's to mend, not a fault of the rig: every failure to write becomes a
VoidError that says where and why.
"""

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from loadrig.base import known_secrets, private
from loadrig.base.errors import VoidError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingFilesErrors

ERRORS = texts_of(RecordingFilesErrors)

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)

_NOT_FOR_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EROFS)
"""Errors of a file system that cannot bring a folder to the disk by itself. Source: fsync(2)."""


def failure(path: Path, error: OSError) -> VoidError:
    """Return the error for a person where a file of a recording cannot be written."""
    if error.errno in _NO_SPACE:
        wording = ERRORS.no_space(str(path), str(path.parent), is_quota=error.errno == errno.EDQUOT)
        return VoidError.of(wording, code="recording.disk-full")
    wording = ERRORS.not_written(str(path), error.strerror or str(error))
    return VoidError.of(wording, code="recording.cannot-write")


@contextlib.contextmanager
def making(path: Path) -> Iterator[None]:
    """Turn any OSError inside into the VoidError that names this path."""
    try:
        yield
    except OSError as error:
        raise failure(path, error) from error


def write_whole(path: Path, text: str) -> None:
    """Write a file, private to its owner, that is whole or as it was before, also after a power cut.

    Raises VoidError if it cannot be written.
    """
    with making(path):
        replace_file(path, text, for_owner=True)


def write_named(path: Path, text: str) -> None:
    """Write a file that a person named, whole or not at all, with the permissions of the umask.

    A path that is no plain file (a pipe, /dev/stdout) is written to directly. Raises OSError.
    """
    # Look before resolving: the link of /dev/stdout to a pipe leads to no path.
    text = known_secrets.hidden(text)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
    else:
        replace_file(path.resolve(), text, for_owner=False)


@contextlib.contextmanager
def named_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that a person named, to be written piece by piece, whole or not at all.

    Until the block has ended without an error the pieces are in a draft beside it. A path that is no plain
    file (a pipe, /dev/stdout) is written to directly. Raises OSError.
    """
    # Look before resolving: the link of /dev/stdout to a pipe leads to no path.
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    with replacing(path.resolve(), for_owner=False) as file:
        yield file


@contextlib.contextmanager
def replacing(path: Path, *, for_owner: bool) -> Iterator[BinaryIO]:
    """Open a draft of a file, which takes the file's place in one step and lastingly. Raises OSError.

    Where the block ends with an error the old file stays. The draft is made anew and through no link: where a
    person names a file in a folder that others may write to, such as /tmp, somebody may have laid a link
    under the draft's name.
    """
    draft = path.with_name(path.name + ".draft")
    try:
        draft.unlink(missing_ok=True)
        handle = os.open(draft, private.NEW_FILE, private.FILE_MODE if for_owner else 0o666)
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def replace_file(path: Path, text: str, *, for_owner: bool) -> None:
    """Put a whole text in the place of an old file, see `replacing`. Raises OSError."""
    with replacing(path, for_owner=for_owner) as file:
        file.write(text.encode())


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a JSON document by write_whole, without the secrets that are known.

    Infinities and NaN are refused: JSON has none.
    """
    document = known_secrets.hidden_in(dict(document))
    write_whole(path, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def sync_folder(folder: Path) -> None:
    """Make renames in a folder last through a power cut, where the file system can.

    Raises OSError where it could and did not: what was renamed may be gone after the cut.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return  # a folder that may be written to and not listed
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS:
            raise
    finally:
        os.close(handle)


class Appender:
    """A file that only grows, by whole pieces: a piece that cannot be written whole is taken back.

    Every piece is with the kernel when `append` returns, so a killed rig loses nothing of it.
    Made and closed by the writer of a recording.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with making(path):
            # O_EXCL: a recording never writes into another one.
            self._handle = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, private.FILE_MODE
            )
        self._size = 0
        self._is_open = True

    def append(self, piece: bytes) -> None:
        """Write a piece to the end. Raises VoidError, and then the file is as it was before."""
        rest = memoryview(piece)
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
                os.lseek(self._handle, self._size, os.SEEK_SET)
            raise failure(self._path, error) from error
        self._size += len(piece)

    def close(self) -> None:
        """Bring the file to the disk and close it. May be called twice."""
        if not self._is_open:
            return
        self._is_open = False
        try:
            with making(self._path):
                os.fsync(self._handle)
        finally:
            os.close(self._handle)
