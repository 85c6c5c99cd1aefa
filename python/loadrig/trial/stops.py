"""Stops of one of our processes (SIGSTOP, Ctrl-Z) and when it went on, to the millisecond.

A generator that stands still for a moment knows nothing of it: answers that came meanwhile look late,
and a closed load is simply not made. The kernel tells the parent of every stop, so the parent testifies.
A frozen control group or a paused virtual machine is not a stop by a signal and is not seen here.
"""

import os
import threading
import time
from typing import Self

_EVENTS = os.WSTOPPED | os.WCONTINUED
_ENDED = (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED)


class Stops:
    """Follower of a child process, on a thread that sleeps in the kernel until there is something to tell.

    The thread ends with the child; the child is left to be waited for by whoever started it.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._spans: list[tuple[int, int]] = []
        self._since: int | None = None
        self._thread = threading.Thread(target=self._follow, name="loadrig-stops", daemon=True)

    @classmethod
    def of(cls, pid: int) -> Self:
        """Begin to follow a child of this process."""
        stops = cls(pid)
        stops._thread.start()
        return stops

    def between(self, from_ns: int, to_ns: int) -> tuple[int, int]:
        """Return how often, and for how many nanoseconds in all, the child stood still within a window."""
        open_span = [] if self._since is None else [(self._since, time.monotonic_ns())]
        inside = [
            (max(begin, from_ns), min(end, to_ns))
            for begin, end in (*self._spans, *open_span)
            if begin <= to_ns and end >= from_ns
        ]
        return len(inside), sum(max(0, end - begin) for begin, end in inside)

    def join(self) -> None:
        """Wait for the thread, after the child has ended."""
        self._thread.join(timeout=5.0)

    def _follow(self) -> None:
        while True:
            try:
                # Look first, then take it away: an exit must stay there for the process that waits for it.
                change = os.waitid(os.P_PID, self._pid, _EVENTS | os.WEXITED | os.WNOWAIT)
                now_ns = time.monotonic_ns()
                if change is None or change.si_code in _ENDED:
                    return
                stop = os.waitid(os.P_PID, self._pid, _EVENTS | os.WNOHANG)
            except ChildProcessError:  # ended, and waited for already
                return
            if stop is not None:
                self._note(stop.si_code == os.CLD_CONTINUED, now_ns)

    def _note(self, is_continued: bool, now_ns: int) -> None:
        if not is_continued:
            self._since = now_ns
            return
        # The process went on before its stop was looked at: the stop was short, and how short is unknown.
        self._spans.append((now_ns if self._since is None else self._since, now_ns))
        self._since = None
