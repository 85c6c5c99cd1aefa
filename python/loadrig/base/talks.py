"""A process of ours that is talked to: one JSON message a line both ways, over its input and output.

It ends by itself when our end of its input closes, so a killed rig leaves none behind.
"""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from loadrig.base import private
from loadrig.base.base_texts import texts

MEANWHILE_S = 0.5
"""Time between two calls of `meanwhile` while no message comes, in seconds."""

ENDS_WITHIN_S = 5.0

LAST_LINES = 12
"""Lines of a process's log that are shown where it has failed: a traceback's end fits."""

Message = dict[str, Any]


class BrokenTalk(Exception):
    """The process no longer listens, or says nothing. Its text says how, as a clause."""


class ProcessTalk:
    """A process that is talked to, from its start to `close`.

    argv: what it runs. log: file for its messages to a person, None for our own standard error. env: its
    variables, None for ours. held: descriptors of ours that stay open as long as it lives. A Ctrl-C that ends
    the rig does not reach it. Raises OSError where it cannot be started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        log: Path | None,
        env: Mapping[str, str] | None = None,
        held: Sequence[int] = (),
    ) -> None:
        self._log = log
        with open(log, "ab", opener=private.opener) if log is not None else nullcontext() as file:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, env=env,
                start_new_session=True, pass_fds=tuple(held),
            )  # fmt: skip
        assert self._process.stdout is not None
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        self._pending = b""

    @property
    def pid(self) -> int:
        """Pid of the process."""
        return self._process.pid

    def send(self, message: Message) -> None:
        """Send a message. Raises BrokenTalk if the process no longer listens."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # ValueError: it was closed
            raise BrokenTalk(texts().no_longer_listens) from error

    def read(self, patience_s: float, meanwhile: Callable[[], None] | None = None) -> Message | None:
        """Return the next message; None when the process has closed its end.

        meanwhile: called a few times a second as long as no message comes. Raises BrokenTalk if none comes in
        time.
        """
        assert self._process.stdout is not None
        deadline = time.monotonic() + patience_s
        while b"\n" not in self._pending:
            left_s = max(0.0, deadline - time.monotonic())
            if not self._selector.select(min(left_s, MEANWHILE_S) if meanwhile else left_s):
                if time.monotonic() >= deadline:
                    raise BrokenTalk(texts().silent_for(f"{patience_s:.0f} s"))
                if meanwhile:
                    meanwhile()
                continue
            chunk = os.read(self._process.stdout.fileno(), 1 << 16)
            if not chunk:
                return None
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        message: Message = json.loads(line)
        return message

    def last_words(self) -> tuple[str, ...]:
        """Return the last lines of the process's log; empty where it has no log of its own."""
        return last_lines(self._log) if self._log is not None else ()

    def close(self) -> None:
        """End the process if it has not ended, and wait for it. May be called twice."""
        self._selector.close()
        end(self._process)


def last_lines(log: Path) -> tuple[str, ...]:
    """Return the last lines of a process's log; empty where it cannot be read."""
    try:
        return tuple(log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:])
    except OSError:
        return ()


def end(process: "subprocess.Popen[bytes]", within_s: float = ENDS_WITHIN_S) -> None:
    """Close the pipes of a process, which ends by that, and wait for it; kill it where it does not end."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            # A broken pipe: the process has ended already, and its last words were read.
            with suppress(BrokenPipeError):
                pipe.close()
    try:
        process.wait(timeout=within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
