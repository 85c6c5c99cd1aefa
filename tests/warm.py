"""Starts of `python -m loadrig.cli` from a parent that has already imported what it imports.

Each start is the program in a process of its own, a child of this one, and costs half the CPU time: the other
half is the imports. `Popen` and `run` are used as those of subprocess. What is about the start itself (the
interpreter's flags, what is imported, a command line or an environment that others read in /proc) uses
subprocess's own; so does here every start that the parent could not make the same.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-m", "loadrig.cli"]
PARENT = Path(__file__).with_name("warm_parent.py")

_LENGTH = struct.Struct("!I")
_LIBC = ctypes.CDLL(None)
_PR_GET_CHILD_SUBREAPER = 37
_READ_ONCE = (
    "PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "GLIBC_", "OMP_", "OPENBLAS_", "MKL_", "TZ", "LOADRIG_LANG",
)  # fmt: skip
"""Beginnings of variables that are read once: by the interpreter, a library or a room when it is imported."""

_CHOOSES_THE_LANGUAGE = "--lang"
"""Beginning of the flag that is obeyed before rooms are imported: these take their sentences then."""


class WarmParent:
    """The parent: whoever starts it ends it.

    first: name of a function of a library that is loaded into it, which each program calls before all else;
    "" for none.
    """

    def __init__(self, first: str = "") -> None:
        self.first = first
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._state: object = None

    def begin(self, more: Mapping[str, str] | None = None) -> None:
        """Start it, unless it is there. It imports while the caller goes on.

        more: variables of its environment, beside those of this process.
        """
        with self._lock:
            if self._process is not None:
                return
            environment = {**os.environ, **(more or {})}
            self._state = _inherited(environment)
            self._line, theirs = socket.socketpair()
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, str(PARENT), str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    env=environment,
                )

    def end(self) -> None:
        """End it, if it is there; what it has started goes on."""
        with self._lock:
            if self._process is None or self._line is None:
                return
            self._line.close()
            self._process.wait()
            self._process = self._line = None

    @property
    def pid(self) -> int:
        """Process id of the parent. To be asked only between its begin and its end."""
        assert self._process is not None
        return self._process.pid

    def makes_the_same(self, environment: dict[str, str]) -> bool:
        """Return whether it is there, and a program of its would inherit what one of this process does."""
        return self._process is not None and _adopts_orphans() and self._state == _inherited(environment)

    def start(self, request: dict[str, Any], descriptors: list[int]) -> int:
        """Start a program, and return its pid: it is a child of this process. descriptors: 0, 1 and 2."""
        with self._lock:
            assert self._line is not None
            text = json.dumps(request).encode()
            try:
                socket.send_fds(self._line, [_LENGTH.pack(len(text))], descriptors)
                self._line.sendall(text)
                answer = self._line.recv(_LENGTH.size, socket.MSG_WAITALL)
            except ConnectionError:
                answer = b""
            if len(answer) < _LENGTH.size:
                raise RuntimeError(f"{PARENT} has ended: its last words are on standard error")
            return int(_LENGTH.unpack(answer)[0])


PARENT_OF_PROGRAMS = WarmParent()
"""The parent of all programs that name no other: `tests/conftest.py` begins and ends it."""


def _adopts_orphans() -> bool:
    """Return whether orphans become children of this process: so it can wait for the parent's children."""
    is_set = ctypes.c_int()
    _LIBC.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(is_set), 0, 0, 0)
    return bool(is_set.value)


def _inherited(environment: dict[str, str]) -> object:
    """Return what a child has from its parent, and cannot be given later or is read when Python starts."""
    variables = {name: value for name, value in environment.items() if name.startswith(_READ_ONCE)}
    return (
        variables,
        os.sched_getaffinity(0),
        os.getpriority(os.PRIO_PROCESS, 0),
        [resource.getrlimit(limit) for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_AS)],
        [os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "pid", "mnt", "user")],
        Path("/proc/self/cgroup").read_text(encoding="ascii"),
        (os.getpgid(0), os.getuid(), os.geteuid()),
    )


class Popen(subprocess.Popen[Any]):
    """A process as subprocess starts it; the program, where nothing is asked that the parent cannot give.

    All but the start is subprocess's own: pipes, deadlines, waiting, signals.
    default_signals: those that are not ignored in the process, whoever ignores them here; a shell's
    background does, and a child inherits that.
    """

    def __init__(
        self,
        args: list[str],
        *,
        default_signals: Sequence[int] = (),
        parent: WarmParent = PARENT_OF_PROGRAMS,
        **more: Any,
    ) -> None:
        self._parent = parent
        self._default_signals = list(default_signals)
        super().__init__(args, **more)

    def _execute_child(self, *arguments: Any) -> None:
        (
            args, _executable, preexec_fn, close_fds, pass_fds, cwd, env, _info, _flags, shell,
            p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite,
            restore_signals, gid, gids, uid, umask, start_new_session, process_group,
        ) = arguments  # fmt: skip
        words = [os.fspath(word) for word in args] if isinstance(args, list) else []
        environment = dict(os.environ if env is None else env)
        asks_for_more = (
            preexec_fn or pass_fds or shell or not (close_fds and restore_signals)
            or any(word.startswith(_CHOOSES_THE_LANGUAGE) for word in words)
        )  # fmt: skip
        if (
            words[: len(PROGRAM)] != PROGRAM
            or asks_for_more
            or (gid, gids, uid, umask) != (None, None, None, -1)
            or not self._parent.makes_the_same(environment)
        ):
            if self._default_signals:
                names = ",".join(signal.Signals(number).name[3:] for number in self._default_signals)
                arguments = (["env", f"--default-signal={names}", *words], *arguments[1:])
            super()._execute_child(*arguments)  # type: ignore[misc]  # typeshed leaves it out
            return
        request = {
            "words": words[len(PROGRAM) :],
            "env": environment,
            "cwd": os.path.abspath(cwd or os.curdir),
            "first": self._parent.first,
            "default_signals": self._default_signals,
            "session": start_new_session,
            "group": None if process_group == -1 else process_group,
        }
        streams = (p2cread, c2pwrite, errwrite)
        numbers = [own if stream == -1 else stream for own, stream in enumerate(streams)]
        self.pid = self._parent.start(request, numbers)
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]


def run(
    args: list[str],
    *,
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **more: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end, as subprocess.run does. more: as of Popen, and what it reads as `input`."""
    if capture_output:
        more |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    typed = more.pop("input", None)
    if typed is not None:
        more["stdin"] = subprocess.PIPE
    with Popen(args, **more) as process:
        try:
            out, errors = process.communicate(typed, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(args, process.returncode, out, errors)
    if check:
        done.check_returncode()
    return done
