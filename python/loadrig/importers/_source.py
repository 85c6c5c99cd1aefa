"""A file of another tool, opened: unpacked, line by line, with its number; and what is said of a bad line."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from loadrig.base import user_files
from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSourceErrors
from loadrig.recording.manifest_document import ImportedFile

ERRORS = texts_of(ImportersSourceErrors)

LONGEST = 64 * 1024 * 1024
"""Bytes of a line at most. The longest line that a tool writes holds an answer's body."""

HEAD = 64 * 1024
"""Bytes at the begin of a file by which its format is recognised."""

_GZIP = b"\x1f\x8b"
_SHOWN = 200


class ResultsFile:
    """File of results, read from its beginning to its end. Made by `_read`, handed to a member.

    was_torn: the last line was not written to its end, and is left out. Known when all lines were read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self.was_torn = False
        self._digest = hashlib.sha256()
        self._bytes = 0

    @classmethod
    def head_of(cls, path: Path) -> bytes:
        """Return the first bytes of a file, unpacked. Raise PlanError `import.cannot-read`."""
        source = cls(path)
        with source._opened() as file:
            return source._read(file, HEAD)

    def changed_ns(self) -> int:
        """Return when the file was last written, in ns since 1970. Raise PlanError `import.cannot-read`."""
        try:
            return self.path.stat().st_mtime_ns
        except OSError as error:
            raise self._unreadable(error) from error

    def facts(self) -> ImportedFile:
        """Return the name, size and digest of the file as it lies on the disk."""
        return ImportedFile(self.path.name, self._bytes, self._digest.hexdigest())

    def lines(self) -> Generator[bytes, None, None]:
        """Yield every line with its newline; the last one may have none. `line` is the number of the latest.

        Raises PlanError: `import.cannot-read`, or `import.bad-line` at one longer than any tool writes.
        """
        with self._opened() as file:
            while True:
                try:
                    line = file.readline(LONGEST)
                except (OSError, EOFError, zlib.error) as error:
                    if not self._is_cut(error):
                        raise self._unreadable(error) from error
                    self.was_torn = True
                    return
                if not line:
                    return
                self.line += 1
                if len(line) == LONGEST:
                    raise self.bad(ERRORS.longer_than_most, ERRORS.is_it_results)
                yield line

    def blocks(self, size: int = 256 * 1024) -> Iterator[bytes]:
        """Yield the file in blocks of bytes, for a parser that finds lines itself. Raise as `lines` does."""
        with self._opened() as file:
            while True:
                try:
                    block = self._read(file, size)
                except PlanError as error:
                    if not self._is_cut(error.__cause__):
                        raise
                    self.was_torn = True
                    return
                if not block:
                    return
                yield block

    def text_lines(self) -> Generator[str, None, None]:
        """Yield the lines as text, for a reader of CSV. Raise as `lines` does, and where one is not UTF-8."""
        for line in self.lines():
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise self.bad(ERRORS.not_utf8(error.reason), ERRORS.save_as_utf8) from error

    def bad(self, what: str, mend: str = "", *, line: int = 0, text: str = "") -> PlanError:
        """Return the error `import.bad-line` for a line. line: its number, by default the latest."""
        number = line or self.line or 1
        shown = "".join(letter if letter.isprintable() else " " for letter in text[:_SHOWN])
        return PlanError.of(
            ERRORS.bad_line(number, what, mend, self.path.name),
            code="import.bad-line",
            where=Span(str(self.path), number, 1, 1, shown.rstrip()),
        )

    def bad_byte(self, what: str, offset: int) -> PlanError:
        """Return the error `import.bad-line` for a place in a binary file, which has no lines."""
        return PlanError.of(
            ERRORS.bad_byte(offset, what, self.path.name), code="import.bad-line", where=Span(str(self.path))
        )

    @contextmanager
    def _opened(self) -> Iterator[io.BufferedIOBase]:
        # A member may read the first line and then start again from the beginning.
        self.line, self._bytes, self._digest = 0, 0, hashlib.sha256()
        try:
            packed = io.BufferedReader(_Hashed(self.path, self))
        except OSError as error:
            raise self._unreadable(error) from error
        with packed:
            if self._begins(packed) != _GZIP:
                yield packed
                return
            with gzip.GzipFile(fileobj=packed) as file:
                yield file

    def _begins(self, file: "io.BufferedReader[_Hashed]") -> bytes:
        try:
            return file.peek(2)[:2]
        except OSError as error:
            raise self._unreadable(error) from error

    def _read(self, file: io.BufferedIOBase, size: int) -> bytes:
        try:
            return file.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise self._unreadable(error) from error

    @staticmethod
    def _is_cut(error: BaseException | None) -> bool:
        """Return whether a packed file was cut: it then holds whole lines and one torn line."""
        return isinstance(error, EOFError)

    def _unreadable(self, error: BaseException) -> PlanError:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        is_damaged = isinstance(error, (EOFError, zlib.error, gzip.BadGzipFile))
        return PlanError.of(
            ERRORS.unreadable(str(self.path), reason, is_damaged=is_damaged), code="import.cannot-read"
        )

    def _digest_piece(self, piece: memoryview) -> None:
        self._digest.update(piece)
        self._bytes += len(piece)


class _Hashed(io.RawIOBase):
    """File as it lies on the disk, digested as it is read."""

    def __init__(self, path: Path, source: ResultsFile) -> None:
        self._file = user_files.open_bytes(path)
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, into: bytearray | memoryview) -> int:  # type: ignore[override]
        n = self._file.readinto(into)
        self._source._digest_piece(memoryview(into)[:n])
        return n

    def close(self) -> None:
        self._file.close()
        super().close()
