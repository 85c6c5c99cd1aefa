"""Parts that the starters of databases and proxies share: run a program, wait until it is up, end it."""

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from loadrig.base import processes
from tests.pauses import pause

UP_WITHIN_S = 60.0
DOWN_WITHIN_S = 20.0


@dataclass(frozen=True)
class Daemon:
    """A server that answers. unix: path of its Unix socket, where it has one. log: what it prints.

    user, password: of an account that may do everything, where the server has accounts.
    """

    process: "subprocess.Popen[bytes]" = field(repr=False)
    port: int
    folder: Path
    log: Path
    unix: Path | None = None
    user: str = ""
    password: str = ""

    @property
    def pid(self) -> int:
        """Its root process."""
        return self.process.pid


def program(name: str, mend: str, *more: str) -> str:
    """Path of a program, also where only root's PATH has it; skips the test where there is none.

    mend: the command that installs it. more: folders to look into besides.
    """
    places = [os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", *more]
    path = shutil.which(name, path=os.pathsep.join(places))
    if path is None:
        pytest.skip(f"{name} is not installed: {mend}")
    return path


FIRST_PORT, PORTS_A_WORKER, MOST_WORKERS = 20_000, 1_200, 10
"""Ports that are given out: below those that the system gives to connections by itself (from 32,768 on), so
that none of them is taken before the server is up, and of each worker of the tests its own."""


def _own_ports() -> Iterator[int]:
    worker = int(
        os.environ.get("LOADRIG_FIRST_WORKER", "0")
    )  # of this lane, where several run (scripts/lanes.py)
    worker += int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first, begin = FIRST_PORT + worker % MOST_WORKERS * PORTS_A_WORKER, os.getpid() % PORTS_A_WORKER
    for n in itertools.count(begin):
        yield first + n % PORTS_A_WORKER


_ports = _own_ports()


def free_port() -> int:
    """Return a port of 127.0.0.1 where nothing listens, at this moment."""
    for port in itertools.islice(_ports, PORTS_A_WORKER):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def listens(port: int) -> bool:
    """Return whether somebody accepts connections on a port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def listens_at(path: Path) -> bool:
    """Return whether somebody accepts connections on a Unix socket, which is there before anybody does."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(str(path)) == 0


@contextlib.contextmanager
def running(
    argv: Sequence[str],
    log: Path,
    is_up: Callable[[], object],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stop_by: signal.Signals = signal.SIGTERM,
) -> "Iterator[subprocess.Popen[bytes]]":
    """Run a program in a session of its own until the block ends; all it started ends with it.

    environment: added to ours. Fails the test, with the end of the log, if it is not up in time.
    """
    with log.open("ab") as file:
        process = subprocess.Popen(
            argv,
            cwd=folder or log.parent,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait(process, is_up, log, str(argv[0]))
        yield process
    finally:
        _end(process, stop_by)


def _wait(process: "subprocess.Popen[bytes]", is_up: Callable[[], object], log: Path, name: str) -> None:
    began = time.monotonic()
    while not is_up():
        if process.poll() is not None or time.monotonic() > began + UP_WITHIN_S:
            end = log.read_text(errors="replace")[-2000:]
            pytest.fail(f"{name} did not come up (exit status {process.poll()}):\n{end}")
        pause(began, 0.02)


def _end(process: "subprocess.Popen[bytes]", stop_by: signal.Signals) -> None:
    """Ask the root, wait, then kill what is left of its session."""
    if process.poll() is None:
        process.send_signal(stop_by)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(DOWN_WITHIN_S)
    began = time.monotonic()
    while members := processes.in_session(process.pid, processes.table()):
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert time.monotonic() < began + DOWN_WITHIN_S, f"these processes do not end: {members}"
        pause(began)
    process.wait(DOWN_WITHIN_S)
