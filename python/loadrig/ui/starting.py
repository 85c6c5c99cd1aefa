"""Runs that are started from a page: the command of each, and what it says where it cannot begin."""

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from loadrig.recording.layout import RunFolder

BEGINS_WITHIN_S = 60.0
"""Longest time until a command has made the folder of its run, or has said why not, in seconds."""

LOOK_EVERY_S = 0.05

ENDS_WITHIN_S = 60.0
"""Longest time that the server waits for its runs to end, in seconds: somewhat more than those have."""


class NotStartedError(Exception):
    """A run that did not begin; its text is what the command said."""


class Starter:
    """Starts runs in a folder, by a process that keeps the priority which it was begun with.

    folder: where commands are run, and where plans are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._scratch = tempfile.TemporaryDirectory(prefix="loadrig-ui-")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "loadrig.ui.starter"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self._lock = threading.Lock()
        self._count = 0
        self._ended: dict[int, int] = {}
        threading.Thread(target=self._hear, name="starter", daemon=True).start()

    def start(self, words: Sequence[str], run: RunFolder) -> None:
        """Start a command of the rig, and wait until its run has begun. Raises NotStartedError.

        words: those after `loadrig`. run: the folder that the command makes.
        """
        number, errors = self._ask(words)
        until_s = time.monotonic() + BEGINS_WITHIN_S
        while not run.ledger.is_file():
            if number in self._ended and not run.ledger.is_file():
                text = errors.read_text(encoding="utf-8", errors="replace").strip()
                raise NotStartedError(text or f"The command ended with {self._ended[number]}.")
            if time.monotonic() > until_s:
                raise NotStartedError(f"The run has not begun within {BEGINS_WITHIN_S:.0f} s.")
            time.sleep(LOOK_EVERY_S)

    def close(self) -> None:
        """End all runs that still go on, keep what they measured, and end the process."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDS_WITHIN_S)
        self._process.kill()
        self._process.wait()
        self._scratch.cleanup()

    def _ask(self, words: Sequence[str]) -> tuple[int, Path]:
        assert self._process.stdin is not None
        with self._lock:
            self._count += 1
            number = self._count
            errors = Path(self._scratch.name) / f"{number}.txt"
            wish = {
                "id": number,
                "words": [sys.executable, "-m", "loadrig.cli", *words],
                "folder": str(self.folder),
                "errors": str(errors),
            }
            try:
                self._process.stdin.write(json.dumps(wish) + "\n")
                self._process.stdin.flush()
            except OSError as error:
                raise NotStartedError(
                    "The process that starts runs has ended: begin loadrig ui anew."
                ) from error
        return number, errors

    def _hear(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            note = json.loads(line)
            self._ended[note["id"]] = note["status"]
