"""Writer of RUN/now.json, which recording.now reads.

It writes without the library of documents: the first request need not wait for that.
"""

import contextlib
import json
import os
import time
from typing import Any

from loadrig.base import own_files, processes
from loadrig.recording.layout import RunFolder

MOST_NOTES = 50
"""Notes to a person that are held: the newest, as the whole list is written at each change."""


class NowNote:
    """Writer of the note. Made where a run begins to be watched, removed with `close`."""

    def __init__(self, run: RunFolder, title: str, plan: str = "") -> None:
        self._run = run
        pid = os.getpid()
        self._now: dict[str, Any] = {
            "schema": "loadrig.now/1", "rig_pid": pid, "rig_start": processes.start_of(pid) or 0,
            "title": title, "plan": plan, "notes": [],
        }  # fmt: skip
        self._write()

    def change(self, **fields: object) -> None:
        """Write the note with these fields changed."""
        self._now.update(fields)
        self._write()

    def phase(self, name: str, expected_s: float) -> None:
        """Write that a phase begins now."""
        self.change(phase=name, since_ns=time.time_ns(), expected_s=expected_s)

    def note(self, text: str) -> None:
        """Add a note to a person."""
        self.change(notes=[*self._now["notes"], text][-MOST_NOTES:])

    def close(self) -> None:
        """Remove the note: the run is over."""
        with contextlib.suppress(OSError), own_files.opened(self._run.path) as folder:
            own_files.remove(folder, self._run.now.name)

    def _write(self) -> None:
        self._now["written_ns"] = time.time_ns()
        content = json.dumps(self._now, ensure_ascii=False).encode(errors="replace")
        with contextlib.suppress(OSError), own_files.opened(self._run.path) as folder:
            own_files.write(folder, self._run.now.name, content)
