"""Files of one JSON object a line, of which a kill may have torn the last."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadrig.recording.manifest import broken


def objects(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, without a last line that was not written to its end.

    A missing file has none. Raises PlanError `recording.broken` at a whole line that is no object.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    whole, _, _torn = content.rpartition(b"\n")
    for number, line in enumerate(filter(None, whole.split(b"\n")), 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise broken(path, f"line {number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise broken(path, f"line {number} is not a JSON object")
        yield row
