"""Runs that are started from a page: the command of each, and what it says where it cannot begin."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from loadrig.base.safe_python import safe_python
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.ui import UiStartingErrors
from loadrig.recording.layout import RunFolder
from loadrig.ui.starter import ENDS_WITHIN_S, EndNote, StartWish

ERRORS = texts_of(UiStartingErrors)

BEGINS_WITHIN_S = 60.0
"""Longest time until a command has made the folder of its run, or has said why not, in seconds."""

LOOK_EVERY_S = 0.05
"""Time between two looks at whether a run has begun, in seconds."""

CLOSES_WITHIN_S = ENDS_WITHIN_S + 15.0
"""Longest time that the server waits for its runs to end, in seconds: somewhat more than those have."""


class NotStartedError(Exception):
    """A run that did not begin; its text is what the command said."""


class Starter:
    """Starts runs in a folder, by a process that keeps the priority which it was begun with.

    folder: where commands are run, and where plans are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._process = subprocess.Popen(
            safe_python("-m", "loadrig.ui.starter"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        self._lock = threading.Lock()
        self._count = 0
        self._ended: dict[int, EndNote] = {}
        self._hearing = threading.Thread(target=self._hear, name="starter", daemon=True)
        self._hearing.start()

    def start(self, words: Sequence[str], run: RunFolder) -> None:
        """Start a command of the rig, and wait until its run has begun. Raises NotStartedError.

        words: those after `loadrig`. run: the folder that the command makes.
        """
        number = self._ask(words)
        until_s = time.monotonic() + BEGINS_WITHIN_S
        while not run.ledger.is_file():
            note = self._ended.get(number)
            if note is not None and not run.ledger.is_file():
                raise NotStartedError(note.errors.strip() or ERRORS.ended(str(note.status)))
            if time.monotonic() > until_s:
                raise NotStartedError(ERRORS.not_begun(f"{BEGINS_WITHIN_S:.0f}"))
            time.sleep(LOOK_EVERY_S)

    def close(self) -> None:
        """End all runs that still go on, keep what they measured, and end the process."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(CLOSES_WITHIN_S)
        self._process.kill()
        self._process.wait()
        self._hearing.join()

    def _ask(self, words: Sequence[str]) -> int:
        assert self._process.stdin is not None
        with self._lock:
            self._count += 1
            command = tuple(safe_python("-m", "loadrig.cli", *words))
            wish = StartWish(self._count, command, str(self.folder))
            try:
                self._process.stdin.write(msgspec.json.encode(wish) + b"\n")
                self._process.stdin.flush()
            except OSError as error:
                raise NotStartedError(ERRORS.no_starter) from error
            return self._count

    def _hear(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as notes:
            for line in notes:
                note = msgspec.json.decode(line, type=EndNote)
                self._ended[note.id] = note
