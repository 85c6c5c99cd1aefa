"""Older formats of recordings brought to the present one, step by step, on reading.

The files on disk are never changed: they are sealed. A change of the format adds one to FORMAT and
a step here from the format before it. A counter that is only added to a frame is no such change: it
reads as 0 where it is missing (see frame.py), and an earlier version does not look for it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from loadrig.base.errors import PlanError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingMigrationsErrors

ERRORS = texts_of(RecordingMigrationsErrors)

FORMAT = 4
"""Format that this version writes. See docs/reference/recording.md."""

Step = Callable[[dict[str, Any]], dict[str, Any]]

STEPS: Mapping[int, Step] = {1: dict, 2: dict, 3: dict}
"""Steps from a format to the next one. Format 1 had no components: `series_store` gives them to the series,
and its manifest is the same. Format 2 had no thinned recordings (see thinning.py); a reader of those reads it
as it is. Format 3 had no recordings of other tools' results, which lack what those did not report (`imported`
in the manifest): an older reader would take missing figures for zero."""


def migrated(
    manifest: dict[str, Any], path: Path, steps: Mapping[int, Step] = STEPS, to: int = FORMAT
) -> dict[str, Any]:
    """Return a manifest in the present format. path: where it was read, for the message.

    Raises PlanError `recording.newer-format` if a later version wrote it.
    """
    version = int(manifest["recording"])
    if version > to or (version < to and any(number not in steps for number in range(version, to))):
        wording = ERRORS.newer_format(str(path), version, to, str(manifest.get("loadrig", "")))
        raise PlanError.of(wording, code="recording.newer-format")
    for number in range(version, to):
        manifest = {**steps[number](manifest), "recording": number + 1}
    return manifest
