"""The manifest: what was run, where, when and with what. Rewritten whole whenever a fact is added."""

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadrig import __version__
from loadrig.base import user_files
from loadrig.base.errors import PlanError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingDocumentsErrors, RecordingManifestErrors
from loadrig.recording.files import write_json
from loadrig.recording.layout import TrialFolder
from loadrig.recording.migrations import FORMAT, migrated

if TYPE_CHECKING:  # the load does not wait for the library that checks types
    from loadrig.recording.manifest_document import ManifestDocument

ERRORS = texts_of(RecordingManifestErrors)
DOCUMENTS = texts_of(RecordingDocumentsErrors)


def begun(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a new manifest. Only here are wall time and the monotonic clock tied together.

    facts: what the trial knows at its start, by the names of the fields of a ManifestDocument.
    """
    monotonic_ns, wall_ns = time.monotonic_ns(), time.time_ns()
    created = datetime.fromtimestamp(wall_ns / 1e9, UTC).astimezone()
    return {
        "recording": FORMAT,
        "loadrig": __version__,
        "created": created.isoformat(timespec="seconds"),
        "wall_ns": wall_ns,
        "monotonic_ns": monotonic_ns,
        **facts,
    }


def write(folder: TrialFolder, manifest: Mapping[str, Any]) -> None:
    """Replace the manifest in one step. Raises VoidError if it cannot be written."""
    write_json(folder.manifest, manifest)


def read(folder: TrialFolder) -> "ManifestDocument":
    """Return the manifest of a recording, brought to the present format.

    Raises PlanError: `recording.not-a-recording` where there is none, `recording.broken` if it is
    not what this program writes, `recording.newer-format` if a later loadrig wrote it.
    """
    try:
        document = json.loads(user_files.read_text(folder.manifest, user_files.MOST_DOCUMENT_BYTES))
    except OSError as error:
        raise _not_a_recording(folder.path, error) from error
    except (ValueError, RecursionError) as error:
        raise broken(folder.manifest, DOCUMENTS.not_json(str(error))) from error
    if not isinstance(document, dict) or not isinstance(document.get("recording"), int):
        raise broken(folder.manifest, ERRORS.no_format)
    from loadrig.base.documents import typed
    from loadrig.recording.manifest_document import ManifestDocument

    return typed(ManifestDocument, migrated(document, folder.manifest), str(folder.manifest))


def broken(path: Path, reason: str) -> PlanError:
    """Return the error for a file of a recording that cannot be understood."""
    return PlanError.of(ERRORS.broken(str(path), reason), code="recording.broken")


def _not_a_recording(path: Path, error: OSError) -> PlanError:
    wording = ERRORS.not_a_recording(str(path), str(error.filename), str(error.strerror))
    return PlanError.of(wording, code="recording.not-a-recording")
