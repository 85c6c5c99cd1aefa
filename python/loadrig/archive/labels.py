"""Labels of a run, which a person gives it, and whether it is pinned: RUN/labels.json."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from loadrig.base import own_files
from loadrig.base.documents import Document, Says
from loadrig.recording.layout import RunFolder

MOST_BYTES = 16384
"""Largest size of the file, in bytes."""

MOST_LABELS = 20
"""Largest number of labels of a run."""

LONGEST = 60
"""Largest number of characters of a label: it stands in a row of a list."""

Label = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]


class LabelsDocument(Document, frozen=True, kw_only=True):
    """Labels of a run, as they lie in its folder."""

    schema: Annotated[Literal["loadrig.labels/1"], Says("version of the format")] = "loadrig.labels/1"
    labels: Annotated[tuple[Label, ...], Says("labels"), msgspec.Meta(max_length=MOST_LABELS)] = ()
    is_pinned: Annotated[bool, Says("whether the run comes first in lists")] = False


def path_of(run: RunFolder) -> Path:
    """Return the path of the file."""
    return run.path / "labels.json"


def read(run: RunFolder) -> LabelsDocument:
    """Return a run's labels; none where there is no file, or it cannot be read."""
    try:
        with own_files.opened(run.path) as folder:
            content = own_files.read(folder, path_of(run).name, MOST_BYTES)
        return msgspec.json.decode(content, type=LabelsDocument)
    except (OSError, ValueError):
        return LabelsDocument()


def write(run: RunFolder, labels: LabelsDocument) -> None:
    """Keep a run's labels. Raises OSError."""
    with own_files.opened(run.path) as folder:
        own_files.write(folder, path_of(run).name, msgspec.json.encode(labels))
