"""Process that starts the runs which the pages ask for, and ends them when the pages' server ends.

The server gives up its priority, so what it started itself would load and measure at the lowest one. This
process is begun before that. It reads a StartWish a line, and writes an EndNote when a command has ended.
"""

import contextlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, Annotated

import msgspec

from loadrig.base.documents import Document, Says
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.ui import UiStarterErrors

ERRORS = texts_of(UiStarterErrors)

ENDS_WITHIN_S = 45.0
"""Time that runs have to end, to keep what they measured and to judge it, in seconds."""

MOST_ERROR_BYTES = 16384
"""Bytes of what a command wrote of errors that are handed on: the last ones."""

NOT_BEGUN = 127
"""Status of a command that could not be begun, as a shell has it."""

_telling = threading.Lock()
"""Held while a note is written: several commands may end at once."""


class StartWish(Document, frozen=True):
    """Command that is to be started."""

    id: Annotated[int, Says("number of the wish")]
    words: Annotated[tuple[str, ...], Says("program and arguments")]
    folder: Annotated[str, Says("folder in which it is run")]


class EndNote(Document, frozen=True):
    """End of a command."""

    id: Annotated[int, Says("number of the wish")]
    status: Annotated[int, Says("exit status; negative for a signal")]
    errors: Annotated[str, Says("what it wrote of errors")]


def main() -> None:
    """Start what is asked for until the input ends; then end all that still runs, as Ctrl-C would."""
    running: list[subprocess.Popen[bytes]] = []
    for line in sys.stdin.buffer:
        wish = msgspec.json.decode(line, type=StartWish)
        errors = tempfile.TemporaryFile()  # noqa: SIM115 # read and closed when the command has ended
        try:
            command = subprocess.Popen(
                wish.words, cwd=wish.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=errors, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            errors.close()
            _tell(EndNote(wish.id, NOT_BEGUN, ERRORS.not_begun(str(error))))
            continue
        running.append(command)
        threading.Thread(target=_tell_end, args=(wish.id, command, errors), daemon=True).start()
    _end(running)


def _tell_end(wish_id: int, command: "subprocess.Popen[bytes]", errors: IO[bytes]) -> None:
    status = command.wait()
    with errors:
        size = errors.seek(0, 2)
        errors.seek(max(0, size - MOST_ERROR_BYTES))
        text = errors.read().decode("utf-8", "replace")
    _tell(EndNote(wish_id, status, text))


def _tell(note: EndNote) -> None:
    with contextlib.suppress(OSError, ValueError), _telling:  # nobody may listen any more
        sys.stdout.buffer.write(msgspec.json.encode(note) + b"\n")
        sys.stdout.buffer.flush()


def _end(running: "list[subprocess.Popen[bytes]]") -> None:
    until_s = time.monotonic() + ENDS_WITHIN_S
    for command in running:
        if command.poll() is None:
            command.send_signal(signal.SIGINT)
    for command in running:
        with contextlib.suppress(subprocess.TimeoutExpired):
            command.wait(max(0.0, until_s - time.monotonic()))
    for command in running:
        if command.poll() is None:
            command.terminate()


if __name__ == "__main__":
    main()
