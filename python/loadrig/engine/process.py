"""The generator's process: started, made ready, begun, listened to, stopped.

One JSON message a line both ways. The process stops by itself when our end of its standard input
closes, so a killed rig leaves no generator behind.

The interpreter of that process is started bare (-I -S: no site packages, no user's settings): it runs
one file, which imports one module, and is there in half the time.
"""

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from loadrig.base.errors import PlanError, Problem, VoidError

READY_WITHIN_S = 20.0
"""Reading a feed of a million lines takes about a second; twenty mean that something hangs."""

SILENT_FOR_S = 10.0
"""Frames that are this late, beyond their own interval, mean that the generator hangs."""

MEANWHILE_S = 0.25
"""How often somebody else may look around while no frame comes."""

PROGRAM = (sys.executable, "-I", "-S", str(Path(__file__).with_name("__main__.py")))
"""What the process runs; with `--null-server` the server that does nothing."""

Message = dict[str, Any]


class Generator:
    """One run of the generator. Made by a trial; used as a context manager, once.

    The process is started before its config is known, so that it comes up while the server does.
    log: where the process writes what it has to say to a person.
    """

    def __init__(self, log: Path) -> None:
        self._log = log
        self._patience_s = READY_WITHIN_S
        self._process: subprocess.Popen[bytes] | None = None
        self._selector = selectors.DefaultSelector()
        self._pending = b""
        self.end: Message | None = None

    def __enter__(self) -> Self:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                PROGRAM,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process if it has not ended, and wait for it. May be called twice."""
        process = self._process
        self._selector.close()
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                # A broken pipe: it has ended already, and its last words were read.
                with suppress(BrokenPipeError):
                    pipe.close()
        try:
            process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @property
    def pid(self) -> int:
        """Process id of the generator."""
        assert self._process is not None
        return self._process.pid

    def prepare(self, config: Message) -> Message:
        """Send the config and wait until the generator is ready; returns what it says of itself.

        config: from compile_config.
        Raises PlanError where the generator refuses the config, VoidError where it cannot work.
        """
        self._patience_s = float(config["frame_s"]) + SILENT_FOR_S
        self._send(config)
        message = self._read(READY_WITHIN_S)
        if message is None:
            raise self._broken("it ended before it was ready")
        if "refused" in message:
            refused = message["refused"]
            raise PlanError(
                Problem(
                    what=refused["what"],
                    why=f"found by the generator at {refused['where']}" if refused.get("where") else "",
                    mend=refused["mend"],
                    code=refused["code"],
                )
            )
        ready = message.get("ready")
        if not isinstance(ready, dict):
            raise self._broken(f"it answered {str(message)[:200]!r} instead of being ready")
        return ready

    def begin(self, at_ns: int) -> None:
        """Let arrivals start at this instant of the monotonic clock."""
        self._send({"start_at_ns": at_ns})

    def stop(self, why: str) -> None:
        """Ask for the end: no new requests, those in flight are waited for. Frames go on until then."""
        # It may have ended by itself in the same instant; its end is in the pipe then.
        with suppress(VoidError):
            self._send({"stop": why})

    def next_frame(self, meanwhile: Callable[[], None] | None = None) -> Message | None:
        """The next frame; None when the generator has ended, and then `end` is set.

        meanwhile: called a few times a second as long as none comes.
        Raises VoidError when the generator dies or falls silent; frames until then were given.
        """
        while True:
            message = self._read(self._patience_s, meanwhile)
            if message is None:
                raise self._broken("it died in the middle of the run")
            if "end" in message:
                self.end = message["end"]
                return None
            if "frame" in message:
                frame: Message = message["frame"]
                return frame

    def _send(self, message: Message) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._broken("it no longer listens") from error

    def _read(self, patience_s: float, meanwhile: Callable[[], None] | None = None) -> Message | None:
        """The next message; None when the generator has closed its end."""
        assert self._process is not None
        assert self._process.stdout is not None
        deadline = time.monotonic() + patience_s
        while b"\n" not in self._pending:
            left_s = max(0.0, deadline - time.monotonic())
            if not self._selector.select(min(left_s, MEANWHILE_S) if meanwhile else left_s):
                if time.monotonic() >= deadline:
                    raise self._broken(f"it said nothing for {patience_s:.0f} s")
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

    def _broken(self, how: str) -> VoidError:
        try:
            said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        except OSError:
            said = []
        return VoidError(
            Problem(
                what=f"the generator failed: {how}",
                why="what was measured until then is kept",
                detail=tuple(said),
                mend="run it again; if it happens twice, send the run folder with engine.log",
                code="engine.broken",
            )
        )
