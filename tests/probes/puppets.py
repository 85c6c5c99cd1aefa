"""A process that does what a test says, line by line: a server of which every connection's stage is known."""

import subprocess
import sys
from types import TracebackType
from typing import Self

_FOLLOW = """
import os, socket, sys, threading, time
names = globals()
for line in sys.stdin:
    exec(compile(eval(line), "<puppet>", "exec"), names)
    print(repr(names.pop("answer", None)), flush=True)
"""


class Puppet:
    """Runs Python that it is given, and waits in between. Ends with the block, or when it is let go.

    command: words before the interpreter, as in `unshare --net`. first: Python that is run before anything.
    """

    def __init__(self, *command: str, first: str = "") -> None:
        argv = [*command, sys.executable, "-c", f"{first}\n{_FOLLOW}"]
        self._child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @property
    def pid(self) -> int:
        """Its process."""
        return self._child.pid

    def do(self, source: str) -> str:
        """Run statements. Returns the repr of what they assigned to `answer`."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(f"{source!r}\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        assert answer, f"the puppet died of {source}"
        return answer.strip()

    def end(self) -> None:
        """Let it end, and wait for that. May be called twice."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        try:
            self._child.wait(timeout=60)
        finally:
            if self._child.poll() is None:
                self._child.kill()
                self._child.wait()
            self._child.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
