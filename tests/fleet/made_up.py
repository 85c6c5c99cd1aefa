"""A transport without processes: generators that say what a test gives them, on clocks that a test sets."""

import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Self

from loadrig.fleet.hosts import ClockReading, News, Seat, UnreachableGenerator
from loadrig.fleet.reach import ServerWay

Json = dict[str, Any]


class MadeUpHosts:
    """Hosts whose clocks are ahead of ours.

    ahead_ns: of each; slow_ns: how long each way takes; pid: of each. mute: those that take lines and whose
    clocks nobody gets an answer from.
    """

    def __init__(self, ahead_ns: Sequence[int], slow_ns: int = 0, pid: int | None = None) -> None:
        self.ahead_ns, self.slow_ns, self.pid = list(ahead_ns), slow_ns, pid
        self.sent: list[list[Json]] = [[] for _ in ahead_ns]
        self.stopped: set[int] = set()
        self.gone: set[int] = set()
        self.mute: set[int] = set()
        self.walled: dict[int, str] = {}
        self.sources: list[str] = []
        self.spares = 0
        self.is_slow_to_replace = False
        self.asked_again: list[int] = []
        self.closed = False
        self._lines: deque[News] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def start(self, count: int) -> Sequence[Seat]:
        assert count == len(self.ahead_ns)
        return [Seat(index, f"g{index + 1}", f"127.0.0.{index + 1}", self.pid) for index in range(count)]

    def send(self, index: int, line: bytes) -> None:
        if index in self.gone:
            raise UnreachableGenerator("it is gone")
        assert line.endswith(b"\n")
        message = json.loads(line)
        self.sent[index].append(message)
        if "version" in message:
            self.says(index, {"ready": {"pid": 1, "threads": 1, "start_ns": 0, "warnings": ["slow"]}})

    def says(self, index: int, message: Json) -> None:
        """Let a generator write a line."""
        self._lines.append(News(index, json.dumps(message).encode()))

    def loses(self, index: int, why: str = "") -> None:
        """Let a generator be lost."""
        self.gone.add(index)
        self._lines.append(News(index, None, why))

    def reach(self, addresses: Sequence[str]) -> Mapping[int, ServerWay]:
        indexes = range(len(self.ahead_ns))
        return {
            index: ServerWay(
                self.sources, (addresses[0], self.walled[index]) if index in self.walled else None
            )
            for index in indexes
        }

    def hear(self, within_s: float) -> Sequence[News]:
        if not self._lines:
            time.sleep(min(within_s, 0.01))
            return []
        return [self._lines.popleft()]

    def clock(self, index: int) -> ClockReading:
        if index in self.gone | self.mute:
            raise UnreachableGenerator("it is gone")
        now_ns = time.monotonic_ns()
        there_ns = now_ns + self.slow_ns + self.ahead_ns[index]
        return ClockReading(now_ns, there_ns, now_ns + 2 * self.slow_ns)

    def last_words(self, index: int) -> tuple[str, ...]:
        return (f"last words of {index}",)

    def replace(self, index: int) -> Seat | None:
        self.asked_again.append(index)
        if self.is_slow_to_replace:
            return None
        if not self.spares:
            raise UnreachableGenerator("there is no spare")
        self.spares -= 1
        self.gone.discard(index)
        return Seat(index, f"g{index + 1}", f"127.0.0.{index + 1}", self.pid)

    def replaces(self, index: int, host: str, ahead_ns: int) -> None:
        """Let a fresh generator be there on another host, whose clock is ahead of ours."""
        self.gone.discard(index)
        self.ahead_ns[index] = ahead_ns
        self._lines.append(News(index, None, seat=Seat(index, f"g{index + 1}", host)))

    def stop(self, index: int) -> None:
        self.stopped.add(index)
