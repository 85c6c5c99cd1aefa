"""A log that grows, is cut short, or is moved away and begun anew, read line by line."""

import os
from pathlib import Path

from loadrig.base.user_files import wrong_kind
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_watch import ProbesTailErrors

ERRORS = texts_of(ProbesTailErrors)

MOST_BYTES = 4 << 20
"""Bytes read at once, at most.

Of a log that grows faster the oldest are left out, and `skipped` counts them.
"""


class Tail:
    """Reader of the whole lines that a log has gained since the last look. from_start: and those before it.

    A log that was moved away (rotated) is read to its end under its old name, then its successor from the
    start; one that was cut short (copytruncate) is read from the start. skipped: bytes left out.
    refused: why nothing is read, as of what is no regular file, else "". owner: the user who chose the path,
    where it was not the rig: as root, the rig then reads only files of this user.
    """

    def __init__(self, path: Path, *, from_start: bool = False, owner: int | None = None) -> None:
        self.path = path
        self._owner = owner
        self.skipped = 0
        self.refused = ""
        self._file: int | None = None
        self._rest = b""
        self._open()
        if self._file is not None and not from_start:
            os.lseek(self._file, 0, os.SEEK_END)

    def _open(self) -> None:
        try:
            self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            self._file = None
            return
        # A device or a pipe has no end behind which the new lines would come; /dev/zero never ends.
        status = os.fstat(self._file)
        reason = wrong_kind(status)
        if self._owner is not None and os.geteuid() == 0 and status.st_uid != self._owner:
            reason = ERRORS.named_by_another(str(status.st_uid), str(self._owner))
        if reason is not None:
            self.refused = reason
            self.close()

    def head(self, most_bytes: int) -> str:
        """Return the beginning of the log as it is now; "" where the log is missing or was refused."""
        if self._file is None:
            return ""
        return os.pread(self._file, most_bytes, 0).decode("utf-8", "replace")

    def lines(self) -> list[str]:
        """Return new whole lines without their ends. Raises PermissionError and other faults of reading."""
        if self._file is None:
            self._open()
        if self._file is None:
            return []
        lines = self._gained(self._file)
        if self._was_replaced(self._file):
            # Lines may have come between the look and the moving away; text behind the last newline of the
            # old file never became a line.
            lines += self._gained(self._file)
            os.close(self._file)
            self._rest = b""
            self._open()
            if self._file is not None:
                lines += self._gained(self._file)
        return lines

    def _gained(self, file: int) -> list[str]:
        position, size = os.lseek(file, 0, os.SEEK_CUR), os.fstat(file).st_size
        if size < position:  # cut short
            position, self._rest = os.lseek(file, 0, os.SEEK_SET), b""
        if size - position > MOST_BYTES:
            self.skipped += size - position - MOST_BYTES
            os.lseek(file, size - MOST_BYTES, os.SEEK_SET)
            self._rest = b""
        text = self._rest
        while chunk := os.read(file, 1 << 20):
            text += chunk
        *whole, self._rest = text.split(b"\n")
        return [line.decode("utf-8", "replace").rstrip("\r") for line in whole]

    def _was_replaced(self, file: int) -> bool:
        try:
            present = os.stat(self.path)
        except FileNotFoundError:
            return False  # moved away, its successor is not there yet
        opened = os.fstat(file)
        return (present.st_dev, present.st_ino) != (opened.st_dev, opened.st_ino)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
