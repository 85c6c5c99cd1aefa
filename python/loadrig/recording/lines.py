"""Files of one JSON object a line, of which a kill may have torn the last."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from loadrig.recording.manifest import broken

if TYPE_CHECKING:
    import gzip


def objects(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, without a last line that was not written to its end.

    A missing file has none; a packed one (.gz) is unpacked. Raises PlanError `recording.broken` at a whole
    line that is no object.
    """
    if not path.exists():
        return
    number = 0
    with _opened(path) as file:
        # Line by line: all of hours at once would be hundreds of megabytes.
        for line in file:
            if not line.endswith(b"\n"):
                return
            if line == b"\n":
                continue
            number += 1
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise broken(path, f"line {number} is not JSON: {error}") from error
            if not isinstance(row, dict):
                raise broken(path, f"line {number} is not a JSON object")
            yield row


def _opened(path: Path) -> "IO[bytes] | gzip.GzipFile":
    if path.suffix != ".gz":
        return path.open("rb")
    import gzip  # only long runs are packed

    return gzip.open(path)
