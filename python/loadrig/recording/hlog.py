"""The latency log: histograms of every interval in the HdrHistogram interval log format.

A line is `Tag=<route>|<outcome>|<kind>,<start s>,<length s>,<max ms>,<histogram>`, times relative
to the BaseTime of the header. Histograms count nanoseconds. Tags are percent-encoded, so that a
comma, a bar or a space in a route's name breaks nobody's reader.
Source: HistogramLogWriter of github.com/HdrHistogram/HdrHistogram, format version 1.3.
"""

import bisect
import os
import weakref
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from loadrig._native import Histogram
from loadrig.base import user_files
from loadrig.base.clock import NS
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingHlogErrors, RecordingLinesErrors
from loadrig.recording.manifest import broken

ERRORS = texts_of(RecordingHlogErrors)
LINES = texts_of(RecordingLinesErrors)

MOST_BYTES = 16_000_000_000
"""Largest size of a log, in bytes. A day of 20 routes at four intervals a second, without thinning, has a
fifth of it."""

LONGEST_BYTES = 4 << 20
"""Largest size of a line, in bytes. A histogram has at most 34,000 counts, which take 0.4 MB where nothing
can be packed."""

ENGINE = "-"
"""Word in place of a route, for a histogram of the generator as a whole."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Identity of a histogram: the kind of times that it counts, by route and outcome.

    For the generator's own, route is "-" and outcome is empty.
    """

    route: str
    outcome: str
    kind: str

    def __str__(self) -> str:
        parts = (self.route, self.outcome, self.kind) if self.outcome else (self.route, self.kind)
        return "|".join(quote(part, safe="/:-_.~{}()") for part in parts)


@cache
def parse_tag(text: str) -> Tag:
    """Return the tag of a text made by `str(Tag)`. Raises ValueError."""
    parts = [unquote(part) for part in text.split("|")]
    if len(parts) == 2:
        return Tag(parts[0], "", parts[1])
    if len(parts) != 3:
        raise ValueError(ERRORS.not_a_tag(text))
    return Tag(*parts)


def header(wall_ns: int) -> bytes:
    """Return the first lines of a log. wall_ns: wall time of the instant that its times count from."""
    seconds = _decimal(wall_ns, 3)
    readable = datetime.fromtimestamp(wall_ns / NS, UTC).isoformat(" ", timespec="milliseconds")
    lines = (
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {seconds} (seconds since epoch), {readable}]",
        f"#[BaseTime: {seconds} (seconds since epoch)]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    )
    return "".join(line + "\n" for line in lines).encode()


def line(tag: Tag, start_ns: int, len_ns: int, text: str) -> str:
    """Return one line, with its newline. start_ns: since the header's instant; text: the encoded histogram.

    Times keep their nanoseconds, more digits than others write: a line is matched to its frame by
    them. Raises ValueError if the text is no histogram.
    """
    max_ms = Histogram.decode(text).max_ns / 1e6
    return f"Tag={tag},{_decimal(start_ns, 9)},{_decimal(len_ns, 9)},{max_ms:.3f},{text}\n"


def _decimal(ns: int, digits: int) -> str:
    """Return nanoseconds as seconds with a number of digits after the point, cut, not rounded."""
    whole, rest = divmod(ns, NS)
    return f"{whole}.{rest:09d}"[: len(str(whole)) + 1 + digits]


@dataclass(slots=True)
class _TagLines:
    """Places of one tag's histograms in the file, in order. ends: nanoseconds since the header's instant."""

    ends: "array[int]" = field(default_factory=lambda: array("q"))
    offsets: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("q"))


class LatencyLog:
    """A log opened for reading: the index is in memory, histograms stay in the file until asked for."""

    def __init__(self, file: int | None, lines: dict[Tag, _TagLines]) -> None:
        self._file = file
        self._lines = lines
        if file is not None:
            weakref.finalize(self, os.close, file)

    @classmethod
    def open(cls, path: Path, before_ns: int) -> "LatencyLog":
        """Index the lines of intervals that start before an instant (ns since the header's).

        A last line without a newline is torn and left out. A missing file has no lines.
        Raises PlanError `recording.broken` where a whole line is not one of ours.
        """
        lines: dict[Tag, _TagLines] = {}
        try:
            # The file is not mapped into memory: all pages read, of hundreds of megabytes, would count as
            # memory of this process.
            with user_files.open_bytes(path, MOST_BYTES) as file:
                for tag, start, length, offset, size in _scan(file):
                    if start < before_ns:
                        of_tag = lines.setdefault(tag, _TagLines())
                        of_tag.ends.append(start + length)
                        of_tag.offsets.append(offset)
                        of_tag.lengths.append(size)
                return cls(os.dup(file.fileno()), lines)
        except FileNotFoundError:
            return cls(None, {})
        except OSError as error:
            raise broken(path, error.strerror or str(error)) from error
        except ValueError as error:
            raise broken(path, str(error)) from error

    @property
    def tags(self) -> list[Tag]:
        """All tags, in the order of their first line."""
        return list(self._lines)

    def merged(self, tags: Iterable[Tag], from_ns: int, to_ns: int) -> Histogram:
        """Return the sum of the tags' histograms of intervals that end after from_ns and not after to_ns."""
        total = Histogram()
        for tag in tags:
            lines = self._lines.get(tag)
            if lines is None or self._file is None:
                continue
            first, last = bisect.bisect_right(lines.ends, from_ns), bisect.bisect_right(lines.ends, to_ns)
            for index in range(first, last):
                text = os.pread(self._file, lines.lengths[index], lines.offsets[index])
                total.add(Histogram.decode(text.decode("ascii")))
        return total


def _scan(file: BinaryIO) -> Iterator[tuple[Tag, int, int, int, int]]:
    """Yield tag, start, length (ns), and place and size of the histogram, of every whole line."""
    end = 0
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_BYTES), b""), 1):
        end += len(line)
        if len(line) == LONGEST_BYTES:
            raise ValueError(LINES.line_too_long(number, LONGEST_BYTES >> 20))
        if not line.endswith(b"\n"):
            return
        if line.startswith(b"Tag="):
            parts = line[4:-1].split(b",")
            if len(parts) != 5:
                raise ValueError(ERRORS.wrong_number_of_parts(number, len(parts)))
            tag, start, length, _max, histogram = parts
            size = len(histogram)
            yield parse_tag(tag.decode()), _ns(start), _ns(length), end - 1 - size, size
        elif not line.startswith((b"#", b'"', b"\n")):
            raise ValueError(ERRORS.neither_comment_nor_histogram(number))


def histograms(path: Path) -> Iterator[tuple[Tag, int, int, str]]:
    """Yield tag, start, length (ns) and histogram of every whole line, one in memory at a time.

    A missing file has none, and a torn last line is left out. Raises PlanError `recording.broken`.
    """
    try:
        with user_files.open_bytes(path, MOST_BYTES) as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_BYTES), b""), 1):
                if line.startswith(b"Tag=") and line.endswith(b"\n"):
                    yield parsed(line, number)
    except FileNotFoundError:
        return
    except OSError as error:
        raise broken(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise broken(path, str(error)) from error


def parsed(line: bytes, number: int) -> tuple[Tag, int, int, str]:
    """Return tag, start, length (ns) and histogram of one whole line.

    Raises ValueError for any other line.
    """
    parts = line[4:].rstrip(b"\n").split(b",") if line.startswith(b"Tag=") else []
    if len(parts) != 5:
        raise ValueError(f"line {number} is no tagged histogram")
    tag, start, length, _max, histogram = parts
    return parse_tag(tag.decode()), _ns(start), _ns(length), histogram.decode("ascii")


def _ns(seconds: bytes) -> int:
    """Return the nanoseconds of a decimal with up to nine digits after its point. Raises ValueError."""
    whole, _, digits = seconds.partition(b".")
    return int(whole) * NS + int(digits.ljust(9, b"0")[:9])
