"""Program that stops processes for moments, so that they use no more CPU than they are given.

It is run by path with an interpreter that knows no site packages, and imports nothing of loadrig. On standard
input one JSON object a line: {"pids": [[pid, start], …], "cores": allowed, "most": cores that they can use at
once}, or {} to let them go on. It answers each with a line, and writes one when it is ready.

The processes have a store of CPU time, which fills at the rate that is allowed and is emptied by what they
use. When the store is empty they are stopped until it has filled again. So a stop that comes late is followed
by a longer one.
"""

import contextlib
import json
import os
import select
import signal
import sys
import time

PERIOD_S = 0.010
"""Length of a period of running and being stopped, in seconds, for processes that use all the CPU time
they can."""

STORED_STEPS = 3
"""Largest number of steps of CPU time in store. A step is used up and earned again in each period; the others
make up for looks that come late."""

SHORTEST_S = 0.0002
"""Shortest time between two looks, in seconds: more frequent looks would cost more than they tell."""


class HeldProcesses:
    """Processes that are held to a number of cores together."""

    def __init__(self, pids: "list[list[int]]", cores: float, most: float) -> None:
        self.handles = _opened(pids)
        self.cores, self.most = cores, max(most, cores * 1.01)
        # With this much in store the processes run and then stand still for PERIOD_S together.
        self.step_s = PERIOD_S * cores * (self.most - cores) / self.most
        self.store_s = self.step_s
        self.is_stopped = False
        self.looked_at = time.monotonic()
        self.used_s = {pid: _used_s(pid) for pid in self.handles}

    def look(self) -> float:
        """Stop the processes or let them go on, as is due; return the seconds until the next look."""
        now = time.monotonic()
        # The store has an upper bound: CPU time that was not used before may not be used up at once.
        self.store_s += (now - self.looked_at) * self.cores
        self.store_s = min(self.store_s - self._newly_used_s(), STORED_STEPS * self.step_s)
        self.looked_at = now
        if self.is_stopped and self.store_s >= self.step_s:
            self.send(signal.SIGCONT)
        elif not self.is_stopped and self.store_s <= 0:
            self.send(signal.SIGSTOP)
        if self.is_stopped:
            return max(SHORTEST_S, (self.step_s - self.store_s) / self.cores)
        return max(SHORTEST_S, self.store_s / (self.most - self.cores))

    def send(self, number: signal.Signals) -> None:
        """Send all processes a signal."""
        for handle in self.handles.values():
            try:
                signal.pidfd_send_signal(handle, number)
            except ProcessLookupError:
                continue
        self.is_stopped = number == signal.SIGSTOP

    def close(self) -> None:
        """Let the processes go on, for good."""
        self.send(signal.SIGCONT)
        for handle in self.handles.values():
            os.close(handle)

    def _newly_used_s(self) -> float:
        used_s = {pid: _used_s(pid) for pid in self.handles}
        new_s = sum(max(0.0, used_s[pid] - self.used_s[pid]) for pid in used_s)
        self.used_s = used_s
        return new_s


def _opened(pids: "list[list[int]]") -> "dict[int, int]":
    """Return a descriptor for each process that is still the one meant.

    A signal that is sent by such a descriptor reaches no other process.
    """
    handles = {}
    for pid, start in pids:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        if _start_of(pid) == start:
            handles[pid] = handle
        else:
            os.close(handle)
    return handles


def _start_of(pid: int) -> "int | None":
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, IndexError):
        return None


def _used_s(pid: int) -> float:
    """Return the CPU seconds of all threads of a process.

    The clock's number is as clock_getcpuclockid(3) makes it.
    """
    try:
        return time.clock_gettime((~pid) << 3 | 2)
    except OSError:  # the process has ended
        return 0.0


class _InputLines:
    """Standard input, read line by line without waiting for more."""

    def __init__(self) -> None:
        self._pending = b""

    def next(self, wait_s: "float | None") -> "bytes | None":
        """Return a line; None if none has come after a while; b"" at the end."""
        if b"\n" not in self._pending:
            if not select.select([0], [], [], wait_s)[0]:
                return None
            more = os.read(0, 65536)
            if not more:
                return b""
            self._pending += more
        line, newline, rest = self._pending.partition(b"\n")
        if not newline:
            return None
        self._pending = rest
        return line


def main() -> None:
    """Carry out the orders on standard input until its end."""
    # SIGTERM raises, so that the last line of this function is reached.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(OSError):  # without the right it is late at times, and makes up for it
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    lines, held = _InputLines(), None
    os.write(1, b'{"ready": true}\n')
    try:
        while (line := lines.next(held.look() if held else None)) != b"":
            if line is None:
                continue
            if held:
                held.close()
                held = None
            order = json.loads(line)
            if order:
                held = HeldProcesses(**order)
            os.write(1, b'{"done": true}\n')
    finally:
        if held:
            held.close()


if __name__ == "__main__":
    main()
