"""Older formats of recordings brought to the present one, step by step, on reading.

The files on disk are never changed: they are sealed. A change of the format adds one to FORMAT and
a step here from the format before it. A counter that is only added to a frame is no such change: it
reads as 0 where it is missing (see frame.py), and an earlier version does not look for it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from loadrig.base.errors import PlanError, Problem

FORMAT = 4
"""The format that this version writes. See docs/reference/recording.md."""

Step = Callable[[dict[str, Any]], dict[str, Any]]

STEPS: Mapping[int, Step] = {1: dict, 2: dict, 3: dict}
"""From a format to the next one. Format 1 had no components: the series are given them by
`series_store`, and its manifest is the same. Format 2 had no thinned recordings (see thinning.py); a reader
of those reads it as it is. Format 3 had no recordings of other tools' results, which lack what those did not
tell (`imported` in the manifest): an older reader would take what is missing for zero."""


def migrated(
    manifest: dict[str, Any], path: Path, steps: Mapping[int, Step] = STEPS, to: int = FORMAT
) -> dict[str, Any]:
    """A manifest in the present format. path: where it was read, for the message.

    Raises PlanError `recording.newer-format` if a later version wrote it.
    """
    found = int(manifest["recording"])
    if found > to or (found < to and any(number not in steps for number in range(found, to))):
        raise PlanError(
            Problem(
                what=f"{path} is of recording format {found}; this loadrig reads up to {to}",
                why=f"it was written by loadrig {manifest.get('loadrig', '(it does not say which)')}",
                mend="read it with that version or a later one: pip install --upgrade loadrig",
                code="recording.newer-format",
            )
        )
    for number in range(found, to):
        manifest = {**steps[number](manifest), "recording": number + 1}
    return manifest
