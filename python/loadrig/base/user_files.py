"""Files that a person names for reading: regular files of a bounded size.

A device such as /dev/zero has no end, a FIFO without a writer never answers, and a file of ten gigabytes
does not fit into memory. All three are refused before a byte is read, with the reason as `strerror`.
"""

import errno
import io
import os
import stat
from pathlib import Path

from loadrig.base.base_texts import texts

MOST_TEXT_BYTES = 4_000_000
"""Largest size of a text that is written by hand, in bytes: a plan, a lab, a template, a .proto file, a
certificate."""

MOST_BODY_BYTES = 64_000_000
"""Largest size of a body that is sent with every request, in bytes; it is held in memory, and copied for each
connection."""

MOST_LIST_BYTES = 128_000_000
"""Largest size of a feed or a list of times, in bytes: some ten million lines, which take about ten times as
much memory."""

MOST_DOCUMENT_BYTES = 64_000_000
"""Largest size of a JSON document in a run's folder, in bytes: the document of a study of a thousand trials
has a few million."""

_KINDS = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "fifo"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "disk"),
    (stat.S_ISSOCK, "socket"),
)


def open_bytes(path: Path, most_bytes: int | None = None) -> io.BufferedReader:
    """Open a regular file for reading. most_bytes: refuse a longer one, None for any length.

    Raises OSError, whose strerror says what is wrong in words.
    """
    # Without O_NONBLOCK opening a FIFO waits for a writer.
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        status = os.fstat(handle)
        if (reason := wrong_kind(status)) is not None:
            raise OSError(errno.EINVAL, reason, str(path))
        if most_bytes is not None and status.st_size > most_bytes:
            raise OSError(
                errno.EFBIG,
                texts().file_too_large(_size(status.st_size), _size(most_bytes)),
                str(path),
            )
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def wrong_kind(status: os.stat_result) -> str | None:
    """Return what a file is that cannot be read from beginning to end; None for a regular file."""
    if stat.S_ISREG(status.st_mode):
        return None
    kind = next((kind for is_kind, kind in _KINDS if is_kind(status.st_mode)), "")
    return texts().kinds_of_files.get(kind, texts().no_file)


def open_text(
    path: Path, most_bytes: int | None = None, encoding: str = "utf-8", newline: str | None = None
) -> io.TextIOWrapper:
    """Open a regular file of text for reading. Raises OSError as open_bytes, UnicodeDecodeError when read."""
    return io.TextIOWrapper(open_bytes(path, most_bytes), encoding=encoding, newline=newline)


def read_bytes(path: Path, most_bytes: int) -> bytes:
    """Return all of a regular file. Raises OSError as open_bytes, also where it grew meanwhile."""
    with open_bytes(path, most_bytes) as file:
        # A file of /proc reports a size of 0, and still has content.
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, texts().more_than_read(_size(most_bytes)), str(path))
    return content


def read_text(path: Path, most_bytes: int = MOST_TEXT_BYTES, encoding: str = "utf-8") -> str:
    """Return all of a regular file of text. Raises OSError as open_bytes, UnicodeDecodeError."""
    return read_bytes(path, most_bytes).decode(encoding)


def _size(size: int) -> str:
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"
