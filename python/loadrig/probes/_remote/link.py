"""The pipe to an observer elsewhere: its command started, its lines heard, and why it ended, in words."""

import os
import selectors
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import loadrig
from loadrig.base.safe_python import SAFE_PATH
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_remote import ProbesRemoteLinkErrors
from loadrig.probes._remote import wire as _wire

ERRORS = texts_of(ProbesRemoteLinkErrors)

MOST_LAST_WORDS = 12
"""Lines of the command's standard error that are kept, at most: the newest."""

END_S = 2.0
"""Seconds that a command may take to end once its standard input is closed."""

_QUIET: Mapping[str, str] = {"SSH_ASKPASS_REQUIRE": "never"}
"""Variables by which no window asks for a password during a run; without a terminal nothing else asks."""


class Ended(Exception):
    """Error where the command has ended, or closed its output.

    code: its exit code, None if it had to be killed.
    """

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class Link:
    """A run of the command. Used by one thread; `wake` by any.

    Made and closed by the RemoteObserver. The command is in a session of its own: a Ctrl-C is not for
    it, and it has no terminal to ask on. Raises OSError where it cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.last_words: deque[str] = deque(maxlen=MOST_LAST_WORDS)
        self.heard_bytes = 0
        self._pending = {"out": b"", "err": b""}
        self._lines: deque[tuple[int, bytes]] = deque()
        self._is_over = False
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, **_QUIET},
        )
        self._waker = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._waking = threading.Lock()
        self._is_closed = False
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout or -1, selectors.EVENT_READ, "out")
        self._selector.register(self._process.stderr or -1, selectors.EVENT_READ, "err")
        self._selector.register(self._waker, selectors.EVENT_READ, "wake")

    @property
    def pid(self) -> int:
        """Process id of the command."""
        return self._process.pid

    def wake(self) -> None:
        """Let a `next` that waits return at once."""
        with self._waking:
            # After the end the descriptor's number may belong to another file.
            if not self._is_closed:
                os.eventfd_write(self._waker, 1)

    def send(self, kind: str, content: Any) -> None:
        """Send a message. Raises Ended where nobody listens."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(_wire.line(kind, content))
            self._process.stdin.flush()
        except OSError:
            raise Ended(self._ended()) from None

    def next(self, until: float) -> tuple[int, bytes] | None:
        """Return the next line and when it was heard; None at the time `until`, or when woken.

        until: by time.monotonic(). Raises Ended when there will be no more.
        """
        while not self._lines:
            if self._is_over:
                raise Ended(self._ended())
            ready = self._selector.select(max(0.0, until - time.monotonic()))
            heard_ns = time.monotonic_ns()
            if not ready:
                return None
            for key, _ in ready:
                if key.data == "wake":
                    os.eventfd_read(self._waker)
                    return None
                self._hear(key, heard_ns)
        return self._lines.popleft()

    def _hear(self, key: selectors.SelectorKey, heard_ns: int) -> None:
        chunk = os.read(key.fd, 1 << 16)
        name = key.data
        if not chunk:
            self._selector.unregister(key.fileobj)
            self._is_over |= name == "out"
            return
        *lines, rest = (self._pending[name] + chunk).split(b"\n")
        self._pending[name] = rest if len(rest) <= _wire.LONGEST_BYTES else b""
        if name == "out":
            self.heard_bytes += len(chunk)
            self._lines += [(heard_ns, line) for line in lines]
        else:
            self.keep(lines)

    def keep(self, lines: Sequence[bytes]) -> None:
        """Keep lines as last words: those of the standard error, and all lines before the hello."""
        texts = (line.decode(errors="replace").strip() for line in lines)
        self.last_words += [text for text in texts if text]

    def _ended(self) -> int | None:
        """Wait for the command's end, keep its last words and return its exit code; None if it goes on."""
        try:
            code = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            code = None
        if self._process.stderr is not None and not self._process.stderr.closed:
            os.set_blocking(self._process.stderr.fileno(), False)
            with suppress(OSError):  # there are no last words
                while chunk := os.read(self._process.stderr.fileno(), 1 << 16):
                    self._pending["err"] += chunk
        self.keep(self._pending["err"].split(b"\n"))
        self._pending["err"] = b""
        return code

    def close(self) -> None:
        """End the command if it has not ended, and wait for it."""
        process = self._process
        self._selector.close()
        if process.stdin is not None:
            with suppress(OSError):  # it has ended already
                process.stdin.close()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        with self._waking:
            self._is_closed = True
            os.close(self._waker)


# --- why ----------------------------------------------------------------------------------------------


_AWAY = (
    "could not resolve",
    "connection refused",
    "connection timed out",
    "operation timed out",
    "no route to host",
    "network is unreachable",
    "connection reset",
    "connection closed",
    "unable to connect",
    "unable to upgrade connection",
    "error from server",
)
"""Words with which ssh and kubectl say that the other side cannot be reached."""

_REFUSED = ("permission denied (", "permission denied, please", "a password is required")
"""Words with which ssh and sudo ask for a password, or another key."""

_NO_PROGRAM = ("executable file not found", "command not found")
"""Words with which shells and container runtimes say that there is no such program."""


def why_not_started(command: Sequence[str], error: OSError) -> Unavailable:
    """Return the error for a command that cannot be run on this machine."""
    program = command[0]
    if isinstance(error, PermissionError):
        return Unavailable.of(ERRORS.program_not_permitted(program), code="probe.no-right")
    return Unavailable.of(ERRORS.no_program(program), code="probe.no-tool")


def why_ended(
    code: int | None, last_words: Sequence[str], via: str, python: str, *, has_answered: bool = False
) -> Unavailable:
    """Return why the command ended, from its exit code and its last words.

    has_answered: whether the observer there has said hello: then the way to it is right, and was cut.
    The reason is found by the words of shells, ssh, kubectl and Python; any other end is reported as it is.
    """
    how = ERRORS.output_closed if code is None else ERRORS.ended_with(str(code))
    if has_answered:
        return Unavailable.of(ERRORS.connection_broke(how, via), code="probe.no-answer")
    text = "\n".join(last_words).lower()
    by_hand = f"{via} {python} {SAFE_PATH} -m loadrig.probes --version"
    if "no module named loadrig.probes.__main__" in text:
        return Unavailable.of(ERRORS.too_old(install(via, python)), code="probe.version")
    if ("no module named" in text and "loadrig" in text) or f"unknown option: {SAFE_PATH.lower()}" in text:
        return Unavailable.of(ERRORS.not_installed(python, install(via, python)), code="probe.no-tool")
    if "host key verification failed" in text:
        return Unavailable.of(ERRORS.key_unknown(via), code="probe.refused")
    if any(words in text for words in _REFUSED):
        return Unavailable.of(ERRORS.host_refused(via), code="probe.refused")
    if code in (126, 127) or any(words in text for words in _NO_PROGRAM):
        if "permission denied" in text:
            return Unavailable.of(ERRORS.python_not_permitted(python, by_hand), code="probe.no-right")
        return Unavailable.of(ERRORS.no_python(python), code="probe.no-tool")
    if code == 255 or any(words in text for words in _AWAY):
        return Unavailable.of(ERRORS.host_unreachable(via), code="probe.no-answer")
    return Unavailable.of(ERRORS.no_observer(how, by_hand), code="probe.no-answer")


def other_protocol(theirs: str, protocol: object, via: str, python: str) -> Unavailable:
    """Return the error for a side whose version cannot be spoken with. theirs: the version there."""
    wording = ERRORS.other_protocol(
        theirs, str(protocol), loadrig.__version__, str(_wire.PROTOCOL), install(via, python)
    )
    return Unavailable.of(wording, code="probe.version")


def install(via: str, python: str) -> str:
    """Return the command that installs this version there."""
    return f"{via} {python} -m pip install loadrig=={loadrig.__version__}"
