"""A log that grows, followed at a bounded cost: lines beyond that are counted and not looked at.

Unlike `_tail`, of which every line is wanted, this is for logs of which nobody knows what they are: a server
may write a hundred thousand lines a second, or no line feed at all.
"""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.base.user_files import wrong_kind
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_logs import ProbesLogsErrors

ERRORS = texts_of(ProbesLogsErrors)

MOST_BYTES = 512 << 10
"""Bytes looked at, at once: some 5,000 lines, more than ten times those that become templates."""

MOST_COUNTED_BYTES = 64 << 20
"""Bytes whose line feeds are counted, at once: some 20 ms.

Of a log that grows faster the rest is left out.
"""

LONGEST_BYTES = 64 << 10
"""Bytes of a line that has not ended, at most.

Of a longer line the beginning counts, and the rest is dropped.
"""

_CHUNK = 1 << 20


@dataclass(slots=True)
class Gained:
    """Lines that came since the last look. unread_lines: those that are counted only.

    skipped_bytes: left out.
    """

    lines: list[bytes] = field(default_factory=list)
    unread_lines: int = 0
    skipped_bytes: int = 0
    is_begun_anew: bool = False

    def add(self, later: "Gained") -> None:
        """Add the lines of a later look."""
        self.lines += later.lines
        self.unread_lines += later.unread_lines
        self.skipped_bytes += later.skipped_bytes
        self.is_begun_anew |= later.is_begun_anew


class Follower:
    """A log from its end on. A link in its place is not followed, and only a regular file is read.

    inode: device and number of the file that is expected there, None for any. owner: the user whose files
    are read, where root reads for another user, who could put a foreign file in the log's place.
    has_heirs: whether a file that takes its place is read on; from_start: whether present lines are read,
    too. Raises OSError, whose strerror says in words what is wrong.

    A log that is moved away is read to its end under its old name, then its successor from the start; a log
    that is cut short is read from the start. A log that is cut short and at the next look longer than before
    is taken for a log that has grown.
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
        self._position = 0
        self._is_in_long = False  # within a line that was counted already
        self._file = self._open()
        status = os.fstat(self._file)
        if inode is not None and (status.st_dev, status.st_ino) != inode:
            self.close()
            raise OSError(0, ERRORS.replaced, str(path))
        self._position = 0 if from_start else status.st_size

    def _open(self) -> int:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW
        file = os.open(self.path, flags)
        status = os.fstat(file)
        reason = wrong_kind(status)
        if self._owner is not None and os.geteuid() == 0 and status.st_uid != self._owner:
            reason = ERRORS.owner_changed(str(status.st_uid), str(self._owner))
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
        """Return the lines since the last look. Raises OSError where the log may no longer be read."""
        gained = self._gained()
        if self._has_heirs and self._was_replaced():
            gained.add(self._gained())
            successor = self._open()
            os.close(self._file)
            self._file, self._position, self._is_in_long = successor, 0, False
            gained.add(self._gained())
            gained.is_begun_anew = True
        return gained

    def _was_replaced(self) -> bool:
        try:
            now = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return False  # moved away, and its successor is not there yet
        return (now.st_dev, now.st_ino) != self.inode and stat.S_ISREG(now.st_mode)

    def _gained(self) -> Gained:
        gained = Gained()
        size = os.fstat(self._file).st_size
        if size < self._position:
            self._position, self._is_in_long, gained.is_begun_anew = 0, False, True
        text = os.pread(self._file, MOST_BYTES, self._position)
        if self._is_in_long:
            text = self._behind_long(text)
        end = text.rfind(b"\n") + 1
        if end:
            gained.lines = text[: end - 1].split(b"\n")
            self._position += end
        if len(text) - end > LONGEST_BYTES:
            gained.lines.append(text[end : end + LONGEST_BYTES])
            self._position += len(text) - end
            self._is_in_long = True
        if size - self._position > LONGEST_BYTES:
            self._count(gained, size)
        return gained

    def _behind_long(self, text: bytes) -> bytes:
        """Return the part of a text behind the end of a line whose beginning was taken already."""
        end = text.find(b"\n") + 1
        self._position += end or len(text)
        self._is_in_long = not end
        return text[end:] if end else b""

    def _count(self, gained: Gained, size: int) -> None:
        """Skip to the line that has not ended yet, counting the lines before it."""
        position = line_at = self._position
        while position < size and position - self._position < MOST_COUNTED_BYTES:
            chunk = os.pread(self._file, min(_CHUNK, size - position), position)
            if not chunk:
                break
            ends = chunk.count(b"\n")
            if ends:
                line_at = position + chunk.rfind(b"\n") + 1
                gained.unread_lines += ends - self._is_in_long
                self._is_in_long = False
            position += len(chunk)
        if position < size:
            gained.skipped_bytes += size - position
            position = size
        if not self._is_in_long and position - line_at <= LONGEST_BYTES and not gained.skipped_bytes:
            position = line_at
        elif not self._is_in_long:
            gained.unread_lines += 1  # the rest of this line is dropped, so it is counted now
            self._is_in_long = True
        self._position = position

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
