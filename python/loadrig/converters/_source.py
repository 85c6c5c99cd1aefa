"""The file of another tool's test, opened: unpacked, decoded, bounded; and what is said of a bad place."""

import codecs
import gzip
import io
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from loadrig.base import user_files
from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.converters import ConvertersSourceErrors

ERRORS = texts_of(ConvertersSourceErrors)

MOST_TEST_BYTES = 64 * 1024 * 1024
"""Bytes of a test at most, unpacked, where it is held as a whole. The largest tests that people keep,
recordings of browsers with the bodies of all answers, have some ten million."""

MOST_LINE_BYTES = 1024 * 1024
"""Bytes of a line at most, where a file of any length is read line by line."""

HEAD_BYTES = 64 * 1024
"""Bytes at the begin of a file by which its format is recognised."""

_GZIP = b"\x1f\x8b"
_SHOWN = 200
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class TestSource:
    """File of a test, read as often as a member likes. companions: files that were named after it.

    hosts: those whose requests the plan of a recording has beside its own server's, in small letters.
    properties: values that JMeter takes from its command line, by their names.
    line: number of the line that `lines` gave last.
    """

    __test__ = False  # the name begins as that of a pytest class does

    def __init__(
        self, path: Path, companions: "tuple[TestSource, ...]" = (), hosts: Iterable[str] = (),
        properties: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.path = path
        self.companions = companions
        self.hosts = frozenset(host.lower() for host in hosts)
        self.properties = dict(properties or {})
        self.line = 0

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return self.path.name

    def head(self) -> bytes:
        """Return the first bytes, unpacked. Raise PlanError `import.cannot-read`."""
        with self._opened() as file:
            return self._read(file, HEAD_BYTES)

    def blocks(self, size: int = 256 * 1024) -> Iterator[bytes]:
        """Yield the bytes, unpacked, for a parser that decodes by itself.

        Raise PlanError: `import.cannot-read`, or `import.too-large` beyond MOST_TEST_BYTES.
        """
        read = 0
        with self._opened() as file:
            while block := self._read(file, size):
                read += len(block)
                if read > MOST_TEST_BYTES:
                    raise self._too_large()
                yield block

    def content(self) -> bytes:
        """Return all bytes, unpacked. Raise as `blocks` does."""
        return b"".join(self.blocks())

    def text(self, declared: str = "") -> str:
        """Return the whole text. declared: the encoding that the format itself names; else UTF-8 or UTF-16.

        Raise as `blocks` does, and `import.bad-test` where it cannot be decoded.
        """
        content = self.content()
        encoding = declared or encoding_of(content)
        try:
            return content.decode(encoding)
        except (UnicodeDecodeError, LookupError) as error:
            start = error.start if isinstance(error, UnicodeDecodeError) else 0
            line = content.count(b"\n", 0, start) + 1
            raise self.bad(
                ERRORS.not_decoded(encoding, str(error)), ERRORS.save_as_utf8, line=line
            ) from error

    def lines(self) -> Generator[str, None, None]:
        """Yield every line without its end, of a file of any length, in constant memory; `line` counts them.

        What is no UTF-8 is read as Latin-1, line by line: logs hold what clients sent.
        Raise PlanError: `import.cannot-read`, or `import.bad-test` at a line that is too long.
        """
        self.line = 0
        with self._opened() as file:
            while True:
                try:
                    line = file.readline(MOST_LINE_BYTES)
                except (OSError, EOFError, zlib.error) as error:
                    raise self._unreadable(error) from error
                if not line:
                    return
                self.line += 1
                if len(line) == MOST_LINE_BYTES:
                    raise self.bad(ERRORS.long_line(MOST_LINE_BYTES), ERRORS.is_it_a_test)
                try:
                    text = line.decode("utf-8-sig" if self.line == 1 else "utf-8")
                except UnicodeDecodeError:
                    text = line.decode("latin-1")
                yield text.rstrip("\r\n")

    def beside(self, name: str) -> Path | None:
        """Return the path of a file that the test names, in its folder or below; None for any other.

        A test of somebody else may name any file of this machine: those outside its folder are not read.
        """
        folder = self.path.resolve().parent
        try:
            path = (folder / name).resolve()
            return path if path.is_relative_to(folder) and path.is_file() else None
        except (OSError, ValueError):
            return None

    def bad(
        self, what: str, mend: str = "", *, line: int = 0, column: int = 1, text: str = "", place: str = ""
    ) -> PlanError:
        """Return the error `import.bad-test`. line: by default the latest; place: in a file without lines.

        column: from 1, as many tests are one line alone.
        """
        number = line or self.line or 1
        shown = "".join(letter if letter.isprintable() else " " for letter in text[:_SHOWN])
        return PlanError.of(
            # The name of the file stands before the sentence.
            ERRORS.bad_test(
                ERRORS.the_file if place == self.name else place or self._at(number, column), what, mend
            ),
            code="import.bad-test",
            where=Span(str(self.path), 0 if place else number, column, 1, shown.rstrip()),
        )

    def _at(self, line: int, column: int) -> str:
        return ERRORS.at_line(line) if column <= 1 else ERRORS.at_column(line, column)

    @contextmanager
    def _opened(self) -> Iterator[io.BufferedIOBase]:
        try:
            packed = user_files.open_bytes(self.path)
        except OSError as error:
            raise self._unreadable(error) from error
        with packed:
            if packed.peek(2)[:2] != _GZIP:
                yield packed
                return
            with gzip.GzipFile(fileobj=packed) as file:
                yield file

    def _read(self, file: io.BufferedIOBase, size: int) -> bytes:
        try:
            return file.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: BaseException) -> PlanError:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        is_damaged = isinstance(error, (EOFError, zlib.error, gzip.BadGzipFile))
        return PlanError.of(
            ERRORS.unreadable_test(str(self.path), reason, is_damaged=is_damaged), code="import.cannot-read"
        )

    def _too_large(self) -> PlanError:
        return PlanError.of(
            ERRORS.large_test(self.name, MOST_TEST_BYTES // 1_000_000),
            code="import.too-large",
            where=Span(str(self.path)),
        )


def encoding_of(content: bytes) -> str:
    """Return the encoding of a text by its first bytes: that of its mark, UTF-16 without one, else UTF-8."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    if content[1:2] == b"\0" and content[:1] not in (b"", b"\0"):
        return "utf-16-le"
    if content[:1] == b"\0" and content[1:2] not in (b"", b"\0"):
        return "utf-16-be"
    return "utf-8"
