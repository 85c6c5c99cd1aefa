"""Labels of a run, which a person gives it, and whether it is pinned: RUN/labels.json."""

import fcntl
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from loadrig.base import own_files
from loadrig.base.documents import ABSENT, Absent, Document, Says
from loadrig.recording.layout import RunFolder

MOST_BYTES = 16384
"""Largest size of the file, in bytes."""

MOST_LABELS = 20
"""Largest number of labels of a run."""

LONGEST = 60
"""Largest number of characters of a label: it stands in a row of a list."""

Label = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]


Labels = Annotated[tuple[Label, ...], msgspec.Meta(max_length=MOST_LABELS)]


class LabelsDocument(Document, frozen=True, kw_only=True):
    """Labels of a run, as they lie in its folder."""

    schema: Annotated[Literal["loadrig.labels/1"], Says("version of the format")] = "loadrig.labels/1"
    labels: Annotated[Labels, Says("labels")] = ()
    is_pinned: Annotated[bool, Says("whether the run comes first in lists")] = False


class LabelsChange(Document, frozen=True, kw_only=True):
    """Change of the labels of a run: what is absent stays as it is."""

    labels: Annotated[Labels | Absent, Says("labels in place of all others")] = ABSENT
    is_pinned: Annotated[bool | Absent, Says("whether the run comes first in lists")] = ABSENT


def path_of(run: RunFolder) -> Path:
    """Return the path of the file."""
    return run.path / "labels.json"


def read(run: RunFolder) -> LabelsDocument:
    """Return a run's labels; none where there is no file, or it cannot be read."""
    try:
        with own_files.opened(run.path) as folder:
            return _read(folder, run)
    except OSError:
        return LabelsDocument()


def change(run: RunFolder, wanted: LabelsChange) -> LabelsDocument:
    """Change a run's labels, and return them as they are then; nobody's change is lost. Raises OSError."""
    with own_files.opened(run.path) as folder:
        # Until the folder is closed: another thread or process that changes them waits.
        fcntl.flock(folder, fcntl.LOCK_EX)
        before = _read(folder, run)
        after = LabelsDocument(
            labels=before.labels if wanted.labels is ABSENT else wanted.labels,
            is_pinned=before.is_pinned if wanted.is_pinned is ABSENT else wanted.is_pinned,
        )
        own_files.write(folder, path_of(run).name, msgspec.json.encode(after))
        return after


def _read(folder: int, run: RunFolder) -> LabelsDocument:
    try:
        content = own_files.read(folder, path_of(run).name, MOST_BYTES)
        return msgspec.json.decode(content, type=LabelsDocument)
    except (OSError, ValueError):
        return LabelsDocument()
