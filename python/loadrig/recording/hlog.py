"""The latency log: histograms of every interval in the HdrHistogram interval log format.

A line is `Tag=<route>|<outcome>|<kind>,<start s>,<length s>,<max ms>,<histogram>`, times relative
to the BaseTime of the header. Histograms count nanoseconds. Tags are percent-encoded, so that a
comma, a bar or a space in a route's name breaks nobody's reader.
Source: HistogramLogWriter of github.com/HdrHistogram/HdrHistogram, format version 1.3.
"""

import bisect
import mmap
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote

from loadrig._native import Histogram
from loadrig.recording.manifest import broken

NS = 1_000_000_000

MOST_TOUCHED = 4_000_000
"""Bytes of a log that are read before their pages are let go."""

ENGINE = "-"
"""In place of a route: a histogram of the generator as a whole."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Whose times a histogram counts. For the generator's own, route is "-" and outcome is empty."""

    route: str
    outcome: str
    kind: str

    def __str__(self) -> str:
        parts = (self.route, self.outcome, self.kind) if self.outcome else (self.route, self.kind)
        return "|".join(quote(part, safe="/:-_.~{}()") for part in parts)


@cache
def parse_tag(text: str) -> Tag:
    """The tag of a text as `str(Tag)` gives it. Raises ValueError."""
    parts = [unquote(part) for part in text.split("|")]
    if len(parts) == 2:
        return Tag(parts[0], "", parts[1])
    if len(parts) != 3:
        raise ValueError(f"{text!r} is not a tag")
    return Tag(*parts)


def header(wall_ns: int) -> bytes:
    """The first lines of a log. wall_ns: wall time of the instant that its times count from."""
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
    """One line, with its newline. start_ns: since the header's instant; text: the encoded histogram.

    Times keep their nanoseconds, more digits than others write: a line is matched to its frame by
    them. Raises ValueError if the text is no histogram.
    """
    max_ms = Histogram.decode(text).max_ns / 1e6
    return f"Tag={tag},{_decimal(start_ns, 9)},{_decimal(len_ns, 9)},{max_ms:.3f},{text}\n"


def _decimal(ns: int, digits: int) -> str:
    """Nanoseconds as seconds with so many digits after the point, cut, not rounded."""
    whole, rest = divmod(ns, NS)
    return f"{whole}.{rest:09d}"[: len(str(whole)) + 1 + digits]


@dataclass(slots=True)
class _Lines:
    """Where one tag's histograms are in the file, in order. ends: ns since the header's instant."""

    ends: "array[int]" = field(default_factory=lambda: array("q"))
    offsets: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("q"))


class LatencyLog:
    """A log opened for reading: an index in memory, the histograms in the file until asked for."""

    def __init__(self, content: bytes | mmap.mmap, lines: dict[Tag, _Lines]) -> None:
        self._content = content
        self._lines = lines
        self._touched = 0

    @classmethod
    def open(cls, path: Path, before_ns: int) -> "LatencyLog":
        """Index the lines of intervals that start before an instant (ns since the header's).

        A last line without a newline is torn and left out. A missing file has no lines.
        Raises PlanError `recording.broken` where a whole line is not one of ours.
        """
        try:
            with path.open("rb") as file:
                # Mapped, not read: the log of hours is hundreds of megabytes, asked for in part.
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (FileNotFoundError, ValueError):  # ValueError: an empty file cannot be mapped
            return cls(b"", {})
        lines: dict[Tag, _Lines] = {}
        try:
            for tag, start, length, offset, size in _scan(content):
                if start < before_ns:
                    of_tag = lines.setdefault(tag, _Lines())
                    of_tag.ends.append(start + length)
                    of_tag.offsets.append(offset)
                    of_tag.lengths.append(size)
        except ValueError as error:
            raise broken(path, str(error)) from error
        found = cls(content, lines)
        found._let_go()
        return found

    @property
    def tags(self) -> list[Tag]:
        """All tags, in the order of their first line."""
        return list(self._lines)

    def merged(self, tags: Iterable[Tag], from_ns: int, to_ns: int) -> Histogram:
        """The sum of the tags' histograms of intervals that end after from_ns and not after to_ns."""
        total = Histogram()
        for tag in tags:
            lines = self._lines.get(tag)
            if lines is None:
                continue
            first, last = bisect.bisect_right(lines.ends, from_ns), bisect.bisect_right(lines.ends, to_ns)
            for index in range(first, last):
                offset = lines.offsets[index]
                text = self._content[offset : offset + lines.lengths[index]]
                total.add(Histogram.decode(text.decode("ascii")))
                self._touched += len(text)
        if self._touched > MOST_TOUCHED:
            self._let_go()
        return total

    def _let_go(self) -> None:
        """What was read of the file stays in the kernel's cache, but is no longer memory of this process."""
        if isinstance(self._content, mmap.mmap):
            self._content.madvise(mmap.MADV_DONTNEED)
        self._touched = 0


def _scan(content: mmap.mmap) -> Iterator[tuple[Tag, int, int, int, int]]:
    """Tag, start, length (ns), and place and size of the histogram, of every whole line."""
    position, number = 0, 0
    while (end := content.find(b"\n", position)) >= 0:
        number += 1
        if content[position : position + 4] == b"Tag=":
            parts = content[position + 4 : end].split(b",")
            if len(parts) != 5:
                raise ValueError(f"line {number} has {len(parts)} parts instead of 5")
            tag, start, length, _max, histogram = parts
            size = len(histogram)
            yield parse_tag(tag.decode()), _ns(start), _ns(length), end - size, size
        elif content[position : position + 1] not in (b"#", b'"', b"\n"):
            raise ValueError(f"line {number} is neither a comment nor a tagged histogram")
        position = end + 1


def parsed(line: bytes, number: int) -> tuple[Tag, int, int, str]:
    """Tag, start, length (ns) and histogram of one whole line. Raises ValueError if it is none of ours."""
    parts = line[4:].rstrip(b"\n").split(b",") if line.startswith(b"Tag=") else []
    if len(parts) != 5:
        raise ValueError(f"line {number} is no tagged histogram")
    tag, start, length, _max, histogram = parts
    return parse_tag(tag.decode()), _ns(start), _ns(length), histogram.decode("ascii")


def _ns(seconds: bytes) -> int:
    """Nanoseconds of a decimal with up to nine digits after its point. Raises ValueError."""
    whole, _, digits = seconds.partition(b".")
    return int(whole) * NS + int(digits.ljust(9, b"0")[:9])
