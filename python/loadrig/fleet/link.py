"""Line to a process that has generators for us: orders by its input, what they say and answers by its output.

`fleet._ray_carrier` and `fleet._local_group` are at the other end; the first of them says what lines mean.
"""

import json
import os
import subprocess
import time
from collections import deque
from collections.abc import Callable
from selectors import EVENT_READ, DefaultSelector

from loadrig.base.base_texts import texts
from loadrig.fleet.hosts import MERGER, News, Seat, UnreachableGenerator, lost_merger

CHUNK_BYTES = 1 << 16
"""Most bytes that one look reads: as many as a pipe of Linux holds."""

EVENTS = (b"E ", b"N ", b"A ")


class FleetLink:
    """Line to one process. members: its generators. merger: number of the one that it is, if it is any.

    gone: returns what is said of them where the process dies; how: what is said of a generator's loss, by the
    word that the process has for it.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        members: range,
        gone: Callable[[], str],
        how: Callable[[str], str],
        merger: int | None = None,
    ) -> None:
        self._process, self._members, self._gone, self._how = process, members, gone, how
        self._merger = merger
        self._pending = b""
        self._news: deque[News] = deque()
        self._answers: deque[list[bytes]] = deque()
        self._awaited: set[int] = set()
        self._selector = DefaultSelector()
        assert process.stdout is not None
        self._selector.register(process.stdout, EVENT_READ)

    def close(self) -> None:
        """Listen no more."""
        self._selector.close()

    @property
    def is_open(self) -> bool:
        """Whether the process may say more."""
        return bool(self._selector.get_map())

    def fileno(self) -> int:
        """Return the descriptor by which it is known that something was said."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def write(self, line: bytes) -> None:
        """Give an order. Raises UnreachableGenerator where nobody takes it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # ValueError: it was closed
            raise UnreachableGenerator(texts().no_longer_listens) from error

    def answer(self, within_s: float) -> list[bytes] | None:
        """Return the next answer, in words; None where there is none in time."""
        deadline = time.monotonic() + within_s
        while not self._answers and self.read(max(0.0, deadline - time.monotonic())):
            pass
        return self._answers.popleft() if self._answers else None

    def news(self) -> list[News]:
        """Return what was read of the generators since the last call."""
        news = list(self._news)
        self._news.clear()
        return news

    def has_news(self) -> bool:
        """Return whether `news` would return anything."""
        return bool(self._news)

    def awaits(self, index: int) -> None:
        """Take what is heard of the end of a lost generator for past: a fresh one was ordered."""
        self._awaited.add(index)
        self._news = deque(each for each in self._news if each.index != index or each.line is not None)

    def read(self, within_s: float) -> bool:
        """Take what the process wrote; return False where nothing came in time, or will come."""
        if not self.is_open or not self._selector.select(within_s):
            return False
        chunk = os.read(self.fileno(), CHUNK_BYTES)
        if not chunk:
            assert self._process.stdout is not None
            self._selector.unregister(self._process.stdout)
            if self._merger is not None:
                self._news.append(News(MERGER, lost_merger(self._merger)))
            gone = self._gone()
            self._news += (News(index, None, gone) for index in self._members)
            return False
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        for line in lines:
            if line[:2] == b"L ":
                _, index, text = line.split(b" ", 2)
                self._news.append(News(int(index), text))
            elif line[:2] in EVENTS:
                self._take(*line.split(b" ", 2))
            else:
                self._answers.append(line.split(b" "))
        return True

    def _take(self, word: bytes, digits: bytes, text: bytes) -> None:
        """Take the end of a generator, or the seat of a fresh one."""
        index = int(digits)
        if word == b"E" and index in self._awaited:
            return
        self._awaited.discard(index)
        if word == b"A":
            self._news.append(News(index, None, seat=Seat(**json.loads(text))))
        else:
            self._news.append(News(index, None, self._how(text.decode()) if text else ""))
