"""New content of files that another process appends to: whole lines, and whole batches of samples."""

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from loadrig._native import SeriesParts
from loadrig.base import user_files
from loadrig.base.series import Sample

MOST_A_LOOK = 4 << 20
"""Bytes that are read at one look, at most: who opens a page of a run of hours sees it fill up, and is never
kept waiting by it."""

LONGEST_LINE = 1 << 20
"""Length of a line in bytes, above which it is passed over: a frame of a thousand routes has a third."""

MOST_ROWS = 200_000
"""Samples that are read at one look, at most: some ten minutes of a hundred processes."""

Row = tuple[str, Sample]
"""A component, and a sample of it."""


class LineTail:
    """Reader of the lines that a file gains. The file need not be there yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._rest = b""
        self._is_long = False

    def more(self) -> list[bytes]:
        """Return the whole lines that were written since the last call, in order, without their ends.

        Empty where the file is not there, or not to be read.
        """
        try:
            if self._file is None:
                self._file = user_files.open_bytes(self._path)
            piece = self._file.read(MOST_A_LOOK)
        except OSError:
            return []
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if self._is_long and lines:
            del lines[0]
            self._is_long = False
        if len(self._rest) > LONGEST_LINE:
            self._rest, self._is_long = b"", True
        return [line for line in lines if line]

    def close(self) -> None:
        """Close the file. May be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None


class SampleTail:
    """Reader of the samples that a trial's stream gains; see recording.series_store."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parts: SeriesParts | None = None

    def more(self) -> Iterator[Row]:
        """Yield the samples that were written since the last call, in order.

        Nothing where the stream is not there, or what follows in it is damaged.
        """
        try:
            if self._parts is None:
                self._parts = SeriesParts.of_stream(self._path, MOST_ROWS)
            part = next(self._parts, None)
        except (OSError, ValueError):
            return
        if part is None:
            return
        t_ns, values = array("q", part.t_ns), array("d", part.value)
        words, places = part.words, [array("I", column) for column in part.places]
        for row in range(len(t_ns)):
            component, probe, metric, subject = (
                words[column][places[column][row]] for column in range(len(words))
            )
            yield component, Sample(t_ns[row], probe, metric, subject, values[row])
