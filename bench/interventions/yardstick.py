"""Yardstick of a core's speed: a small program on it that does the same piece of work again and again.

A virtual core is at times a third slower than a moment before, by what the host does beside it. The work is
of the kind that the small server does, and takes a twentieth of the core.
"""

import os
import select
import subprocess
import sys
import time
from types import TracebackType
from typing import Self

PAUSE_S = 0.02
ROUNDS = 10_000


class BenchYardstick:
    """The program on a core, as long as the context lasts."""

    def __init__(self, core: int) -> None:
        self._argv = [sys.executable, "-I", "-S", __file__, str(core)]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=10)

    def read(self) -> tuple[int, float]:
        """Pieces of work that it has done, and the CPU time that they took, in seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("?\n")
        pieces, used_s = self._process.stdout.readline().split()
        return int(pieces), float(used_s)


def main() -> None:
    """Work, and say how much was done whenever a line comes, until the input ends."""
    os.sched_setaffinity(0, {int(sys.argv[1])})
    pieces, used_s = 0, 0.0
    while True:
        if select.select([0], [], [], PAUSE_S)[0]:
            if not os.read(0, 64):
                return
            print(pieces, used_s, flush=True)
            continue
        began_s = time.thread_time()
        total = 0
        for number in range(ROUNDS):
            total += number * number % 7
        pieces, used_s = pieces + 1, used_s + time.thread_time() - began_s


if __name__ == "__main__":
    main()
