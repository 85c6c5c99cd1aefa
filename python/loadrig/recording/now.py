"""Note in a run's folder of what runs now, for whoever watches it from another process.

RUN/now.json is written at each change of phase or trial, whole or not at all, and removed at the end.
A rig that was killed leaves it: `is_alive` says whether its writer still lives.
A full disk or a folder that is gone never stops the run: the note is then old or missing.
"""

from typing import Annotated, Literal

import msgspec

from loadrig.base import own_files, processes
from loadrig.base.documents import Document, Says
from loadrig.recording.layout import RunFolder

MOST_BYTES = 1 << 20
"""Largest size of the note, in bytes; notes to a person are the only part that grows."""


class NowDocument(Document, frozen=True, kw_only=True):
    """State of a run at the last change of phase or trial."""

    schema: Annotated[Literal["loadrig.now/1"], Says("version of the format")] = "loadrig.now/1"
    rig_pid: Annotated[int, Says("process id of the command that writes to the run")]
    rig_start: Annotated[int, Says("start of that process, in ticks since boot")]
    title: Annotated[str, Says("what the command does, in words")]
    plan: Annotated[str, Says("name of the plan")] = ""
    phase: Annotated[
        str,
        Says(
            '`starting`, `warm_up`, `measuring`, `draining`, `stopping`, or `""`; of a target that runs'
            " already the first and the last are `reaching` and `leaving`"
        ),
    ] = ""
    since_ns: Annotated[int, Says("since when the phase lasts, in ns since 1970")] = 0
    expected_s: Annotated[float, Says("how long the phase is expected to last, in seconds")] = 0.0
    trial: Annotated[int | None, Says("number of the trial that runs; null between trials")] = None
    is_of_proof: Annotated[bool, Says("whether that trial is one of the run's proof")] = False
    setting: Annotated[str, Says("its setting, `workers=4 threads=2`")] = ""
    done: Annotated[int, Says("trials that are over")] = 0
    total: Annotated[int, Says("trials that are planned")] = 0
    left_s: Annotated[float, Says("seconds that remain, as expected at the last change")] = 0.0
    written_ns: Annotated[int, Says("when this was written, in ns since 1970")] = 0
    notes: Annotated[tuple[str, ...], Says("notes to a person, the newest last")] = ()

    @property
    def is_alive(self) -> bool:
        """Whether the command that wrote this still runs."""
        return processes.is_alive(self.rig_pid, self.rig_start)


def read(run: RunFolder) -> NowDocument | None:
    """Return what runs now in a folder; None where nothing does, or the note cannot be read."""
    try:
        with own_files.opened(run.path) as folder:
            content = own_files.read(folder, run.now.name, MOST_BYTES)
        return msgspec.json.decode(content, type=NowDocument)
    except (OSError, ValueError):
        return None
