"""Merger of a large fleet over Ray: an actor that hears some generators and puts their frames together.

It is imported on its host, which has our loadrig (`RayCluster` has compared them).
"""

import os
import queue
import threading
import time
from contextlib import suppress
from typing import Any

from loadrig.fleet._ray_actor import BEAT_S, LOOK_S, LastCall
from loadrig.fleet._ray_listener import ActorListener
from loadrig.fleet.condenser import Condenser
from loadrig.fleet.hosts import News

MERGER_LOST = "MergerLost"
"""Word for the loss of a merger; its number and Ray's word for it follow."""

Passed = tuple[int, bytes | None, str]
"""Line that goes on, with the index of whom it is of; without a line how that one ended."""


class MergerActor:
    """Merger of the generators whose actors it is given. number: its own among the mergers of the fleet."""

    def __init__(self, number: int, actors: dict[int, Any]) -> None:
        self._lock = threading.Lock()
        self._condenser = Condenser(number)
        self._passed: queue.SimpleQueue[Passed] = queue.SimpleQueue()
        self._last_lines: list[Passed] = []
        self._line_count = 0
        self._call = LastCall()
        self._listener = ActorListener(actors, self._take, lambda: self._call.idle_s)
        threading.Thread(target=self._listener.listen, daemon=True).start()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        """End this process once nobody calls it any more."""
        while not self._call.is_forgotten:
            time.sleep(LOOK_S)
        os._exit(1)

    def _take(self, index: int, lines: list[bytes], end: str | None) -> None:
        news = [News(index, line) for line in lines]
        if end is not None:
            news.append(News(index, None, end))
        with self._lock:
            for each in self._condenser.take(news):
                self._passed.put((each.index, each.line, each.why))

    def order(self, order: str) -> str:
        """Do what the fleet says, see `Condenser.order`; both are JSON."""
        with self._lock:
            return self._condenser.order(order).decode()

    def lines(self, line_count: int, made_s: float, idle_s: float) -> tuple[list[Passed], bool]:
        """Wait for what is to go on, at most a beat; return all that is there, and that more may come.

        line_count, made_s, idle_s: see `GeneratorActor.lines`.
        """
        self._call.note(made_s, idle_s)
        if not self._last_lines or line_count != self._line_count:
            self._last_lines, self._line_count = [], line_count
            with suppress(queue.Empty):
                self._last_lines.append(self._passed.get(timeout=BEAT_S))
                while True:
                    self._last_lines.append(self._passed.get(block=False))
        return self._last_lines, False

    def leave(self, index: int) -> None:
        """Ask a lost generator's actor no more."""
        self._listener.leave(index)

    def unasked_s(self, index: int) -> float:
        """Return how long ago a generator's actor was last asked, in seconds."""
        return self._listener.unasked_s(index)

    def replace(self, index: int, actor: list[Any]) -> None:
        """Hear a fresh actor. actor: in a list, as Ray would wait for what it takes for a result."""
        self._listener.replace(index, actor[0])
