"""Fleet on this machine: each generator a process of it, with pipes for lines."""

import os
import platform
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from loadrig.base import private, talks
from loadrig.base.base_texts import texts
from loadrig.base.refused import starting
from loadrig.base.talks import ENDS_WITHIN_S
from loadrig.engine.process import PROGRAM
from loadrig.fleet.hosts import ClockReading, News, Seat, UnreachableGenerator
from loadrig.fleet.reach import ServerWay, way_to

CHUNK_BYTES = 1 << 16
"""Most bytes that one look reads from a generator: as many as a pipe of Linux holds."""


class LocalHosts:
    """Processes of this machine. log: file in which all of them write messages to a person."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._processes: list[subprocess.Popen[bytes]] = []
        self._pending: list[bytes] = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # All of them hear first that it is over, so that the wait is that of the slowest, not the sum.
        for process in self._processes:
            _close(process.stdin)
        for index in range(len(self._processes)):
            self._wait_for(index, ENDS_WITHIN_S)
        self._selector.close()

    def fileno(self) -> int:
        """Return the descriptor by which it is known that something was said."""
        # Those of Linux and macOS have it; the one that has none is of systems without processes of ours.
        return int(self._selector.fileno())

    def start(self, count: int) -> Sequence[Seat]:
        """Start the processes."""
        seats = []
        with starting("generator"):
            for index in range(count):
                self._processes.append(self._started())
                self._pending.append(b"")
                seats.append(self._seated(index))
        return seats

    def replace(self, index: int) -> Seat:
        """Start another process."""
        try:
            process = self._started()
        except OSError as error:
            raise UnreachableGenerator(str(error)) from error
        _close(self._processes[index].stdin)
        self._processes[index], self._pending[index] = process, b""
        return self._seated(index)

    def _started(self) -> subprocess.Popen[bytes]:
        with open(self._log, "ab", opener=private.opener) as log:
            return subprocess.Popen(
                PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )

    def _seated(self, index: int) -> Seat:
        """Listen to a process; return its seat."""
        process = self._processes[index]
        assert process.stdout is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, index)
        return Seat(index, str(index + 1), platform.node() or "localhost", process.pid)

    def reach(self, addresses: Sequence[str]) -> Mapping[int, ServerWay]:
        """Connect once, for all of them."""
        return dict.fromkeys(range(len(self._processes)), way_to(addresses))

    def send(self, index: int, line: bytes) -> None:
        """Write a line to the process's input."""
        into = self._processes[index].stdin
        assert into is not None
        try:
            into.write(line)
            into.flush()
        except (OSError, ValueError) as error:  # ValueError: it was closed
            raise UnreachableGenerator(texts().no_longer_listens) from error

    def hear(self, within_s: float) -> Sequence[News]:
        """Read from all that have written."""
        news: list[News] = []
        deadline = time.monotonic() + within_s
        while not news and self._selector.get_map():
            ready = self._selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                break
            for key, _ in ready:
                news += self._read(key.data, key.fd)
        return news

    def _read(self, index: int, descriptor: int) -> list[News]:
        chunk = os.read(descriptor, CHUNK_BYTES)
        if not chunk:
            self._forget(index)
            return [News(index, None)]
        *lines, self._pending[index] = (self._pending[index] + chunk).split(b"\n")
        return [News(index, line) for line in lines]

    def clock(self, index: int) -> ClockReading:
        """Read the clock of this machine, which is that of all its processes."""
        del index
        now_ns = time.monotonic_ns()
        return ClockReading(now_ns, now_ns, now_ns)

    def last_words(self, index: int) -> tuple[str, ...]:
        """Return the last lines of the log, which all of them share."""
        del index
        return talks.last_lines(self._log)

    def stop(self, index: int) -> None:
        """Kill a process: who is stopped one by one has not answered."""
        self._processes[index].kill()
        self._wait_for(index, ENDS_WITHIN_S)

    def _wait_for(self, index: int, within_s: float) -> None:
        process = self._processes[index]
        self._forget(index)  # before its output is closed: what is closed cannot be taken off the selector
        talks.end(process, within_s)

    def _forget(self, index: int) -> None:
        """Listen no more to a process."""
        out = self._processes[index].stdout
        assert out is not None
        if not out.closed:
            with suppress(KeyError):
                self._selector.unregister(out)


def _close(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        with suppress(BrokenPipeError):
            pipe.close()
