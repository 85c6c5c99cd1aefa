"""Files of one JSON object a line, of which a kill may have torn the last."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loadrig.base import user_files
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingLinesErrors
from loadrig.recording.manifest import broken

ERRORS = texts_of(RecordingLinesErrors)

LONGEST_BYTES = 64 << 20
"""Largest size of a line, in bytes. A frame of a thousand routes has less than a hundredth of it; a packed
file that came from somebody else may hold a line that fills all memory."""


MOST_BYTES = 4_000_000_000
"""Largest size of a file, unpacked, in bytes. Frames of a week, one of 2 kB a second, are a third of it; a
packed file may unpack to a thousand times its size."""


def whole(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, without a last line that was not written to its end.

    A missing file has none; a packed one (.gz) is unpacked. Raises PlanError `recording.broken` where the
    path is no file that can be read to its end.
    """
    if not path.exists():
        return
    with _opened(path) as file:
        # Read line by line: hours read at once would be hundreds of megabytes.
        yield from _lines(file, path)


def objects(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file. Raises as `whole`, and at a line that is no object."""
    for number, line in enumerate(whole(path), 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise broken(path, ERRORS.line_not_json(number, str(error))) from error
        if not isinstance(row, dict):
            raise broken(path, ERRORS.line_not_an_object(number))
        yield row


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedIOBase]:
    try:
        file = user_files.open_bytes(path)
    except OSError as error:
        raise broken(path, error.strerror or str(error)) from error
    with file:
        if path.suffix != ".gz":
            yield file
            return
        import gzip  # only long runs are packed

        with gzip.GzipFile(fileobj=file) as unpacked:
            yield unpacked


def _lines(file: io.BufferedIOBase, path: Path) -> Iterator[bytes]:
    """Yield the whole lines that are not empty."""
    import zlib  # with gzip: no command waits for it before its first request

    number = size = 0
    while True:
        try:
            line = file.readline(LONGEST_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            raise broken(path, ERRORS.not_unpacked(str(error))) from error
        if len(line) == LONGEST_BYTES:
            raise broken(path, ERRORS.line_too_long(number + 1, LONGEST_BYTES >> 20))
        size += len(line)
        if size > MOST_BYTES:
            raise broken(path, ERRORS.file_too_long(MOST_BYTES))
        if not line.endswith(b"\n"):
            return
        if line != b"\n":
            number += 1
            yield line
