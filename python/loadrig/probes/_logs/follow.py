"""A log that grows, followed at a bounded cost: what is too much is counted and not looked at.

Unlike `_tail`, of which every line is wanted, this is for logs of which nobody knows what they are: a server
may write a hundred thousand lines a second, or no line feed at all.
"""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.base.user_files import wrong_kind

MOST_BYTES = 512 << 10
"""Looked at, at once. Some 5,000 lines: more than ten times of what is made templates of."""

MOST_COUNTED_BYTES = 64 << 20
"""Whose line feeds are counted, at once: some 20 ms. Of a log that grows faster the rest is left out."""

LONGEST_BYTES = 64 << 10
"""Of a line that has not ended; then its beginning is taken for it, and the rest is dropped."""

_CHUNK = 1 << 20


@dataclass(slots=True)
class Gained:
    """What came since the last look. unread_lines: counted, and not among the lines."""

    lines: list[bytes] = field(default_factory=list)
    unread_lines: int = 0
    skipped_bytes: int = 0
    is_begun_anew: bool = False

    def add(self, other: "Gained") -> None:
        """Take in what another look brought."""
        self.lines += other.lines
        self.unread_lines += other.unread_lines
        self.skipped_bytes += other.skipped_bytes
        self.is_begun_anew |= other.is_begun_anew


class Follower:
    """A log from its end on. A link in its place is not followed, and what is no regular file not read.

    inode: device and number of the file that is expected there, None for any. owner: the user whose files
    are read, where root reads for somebody else: he could put another's file in the log's place.
    has_heirs: whether a file that takes its place is read on; from_start: also what is there already.
    Raises OSError, whose strerror says in words what is wrong.

    A log that is moved away is read to its end under its old name, then its successor from the start; one
    that is cut short is read from the start. One that is cut short and longer than before at the next look
    is taken for one that has grown.
    """

    def __init__(
        self,
        path: Path,
        *,
        inode: tuple[int, int] | None = None,
        owner: int | None = None,
        has_heirs: bool = True,
        from_start: bool = False,
    ) -> None:
        self.path = path
        self._has_heirs = has_heirs
        self._owner = owner
        self._at = 0
        self._is_in_long = False  # within a line that was counted already
        self._file = self._open()
        status = os.fstat(self._file)
        if inode is not None and (status.st_dev, status.st_ino) != inode:
            self.close()
            raise OSError(0, "another file stands in its place", str(path))
        self._at = 0 if from_start else status.st_size

    def _open(self) -> int:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW
        file = os.open(self.path, flags)
        status = os.fstat(file)
        reason = wrong_kind(status)
        if self._owner is not None and os.geteuid() == 0 and status.st_uid != self._owner:
            reason = f"it belongs to user {status.st_uid}, and what was there before to user {self._owner}"
        if reason is not None:
            os.close(file)
            raise OSError(0, reason, str(self.path))
        return file

    @property
    def inode(self) -> tuple[int, int]:
        """Device and number of the file that is read."""
        status = os.fstat(self._file)
        return status.st_dev, status.st_ino

    def gained(self) -> Gained:
        """Return what came since the last look. Raises OSError where it may no longer be read."""
        found = self._gained()
        if self._has_heirs and self._was_replaced():
            found.add(self._gained())
            successor = self._open()
            os.close(self._file)
            self._file, self._at, self._is_in_long = successor, 0, False
            found.add(self._gained())
            found.is_begun_anew = True
        return found

    def _was_replaced(self) -> bool:
        try:
            now = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return False  # moved away, and its successor is not there yet
        return (now.st_dev, now.st_ino) != self.inode and stat.S_ISREG(now.st_mode)

    def _gained(self) -> Gained:
        found = Gained()
        size = os.fstat(self._file).st_size
        if size < self._at:
            self._at, self._is_in_long, found.is_begun_anew = 0, False, True
        text = os.pread(self._file, MOST_BYTES, self._at)
        if self._is_in_long:
            text = self._behind_long(text)
        end = text.rfind(b"\n") + 1
        if end:
            found.lines = text[: end - 1].split(b"\n")
            self._at += end
        if len(text) - end > LONGEST_BYTES:
            found.lines.append(text[end : end + LONGEST_BYTES])
            self._at += len(text) - end
            self._is_in_long = True
        if size - self._at > LONGEST_BYTES:
            self._count(found, size)
        return found

    def _behind_long(self, text: bytes) -> bytes:
        """Return what is behind the end of a line whose beginning was taken already."""
        end = text.find(b"\n") + 1
        self._at += end or len(text)
        self._is_in_long = not end
        return text[end:] if end else b""

    def _count(self, found: Gained, size: int) -> None:
        """Go on to the line that has not ended yet, counting those before it."""
        at = line_at = self._at
        while at < size and at - self._at < MOST_COUNTED_BYTES:
            chunk = os.pread(self._file, min(_CHUNK, size - at), at)
            if not chunk:
                break
            ends = chunk.count(b"\n")
            if ends:
                line_at = at + chunk.rfind(b"\n") + 1
                found.unread_lines += ends - self._is_in_long
                self._is_in_long = False
            at += len(chunk)
        if at < size:
            found.skipped_bytes += size - at
            at = size
        if not self._is_in_long and at - line_at <= LONGEST_BYTES and not found.skipped_bytes:
            at = line_at
        elif not self._is_in_long:
            found.unread_lines += 1  # the rest of this line is dropped, so it is counted now
            self._is_in_long = True
        self._at = at

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
