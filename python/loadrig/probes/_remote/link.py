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
from loadrig.base.unavailable import Unavailable
from loadrig.probes._remote import wire as _wire

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
        return Unavailable(
            f"{program} may not be run on this machine",
            f"chmod +x {program}, or correct `via` in the plan",
            code="probe.no-right",
        )
    return Unavailable(
        f"there is no program {program} on this machine to reach the host with",
        f"install {program}, or correct `via` in the plan",
        code="probe.no-tool",
    )


def why_ended(
    code: int | None, last_words: Sequence[str], via: str, python: str, *, has_answered: bool = False
) -> Unavailable:
    """Return why the command ended, from its exit code and its last words.

    has_answered: whether the observer there has said hello: then the way to it is right, and was cut.
    The reason is found by the words of shells, ssh, kubectl and Python; any other end is reported as it is.
    """
    ended = "it closed its output" if code is None else f"it ended with exit code {code}"
    if has_answered:
        mend = f"see that this works: {via} true"
        return Unavailable(f"the connection broke: {ended}", mend, code="probe.no-answer")
    text = "\n".join(last_words).lower()
    by_hand = f"try it by hand: {via} {python} -m loadrig.probes --version"
    if "no module named loadrig.probes.__main__" in text:
        return version("is older than observers on other hosts", via, python)
    if "no module named" in text and "loadrig" in text:
        return Unavailable(
            f"loadrig is not installed for {python} there",
            f"{_install(via, python)}, or name by `python` the interpreter that has it",
            code="probe.no-tool",
        )
    if "host key verification failed" in text:
        return Unavailable(
            "the key of the host is not known here, or has changed",
            f"look at it and accept it once by hand: {via} true",
            code="probe.refused",
        )
    if any(words in text for words in _REFUSED):
        return Unavailable(
            "the host refused us: nobody can type a password during a run",
            f"let a key or an agent do it, until this asks for nothing: {via} true",
            code="probe.refused",
        )
    if code in (126, 127) or any(words in text for words in _NO_PROGRAM):
        if "permission denied" in text:
            return Unavailable(f"{python} may not be run there", by_hand, code="probe.no-right")
        return Unavailable(
            f"there is no {python} there",
            "name the interpreter that has loadrig by `python`, such as python: /opt/loadrig/bin/python",
            code="probe.no-tool",
        )
    if code == 255 or any(words in text for words in _AWAY):
        return Unavailable(
            "the host cannot be reached", f"see that this works: {via} true", code="probe.no-answer"
        )
    return Unavailable(f"the command does not lead to an observer: {ended}", by_hand, code="probe.no-answer")


def version(how: str, via: str, python: str) -> Unavailable:
    """Return the error for a side whose version cannot be spoken with. how: what is wrong with it."""
    return Unavailable(
        f"the loadrig there {how}",
        f"install the same on both sides: {_install(via, python)}",
        code="probe.version",
    )


def _install(via: str, python: str) -> str:
    return f"{via} {python} -m pip install loadrig=={loadrig.__version__}"
