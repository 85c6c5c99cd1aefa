"""Sender of lines to actors of generators: each comes there once and in its order, also where calls are lost.

Ray gives a call up where its connection is reset, and says so to whoever looks at the answer. A line that
was lost so is an order of which its generator knows nothing, while all others follow it.
"""

import queue
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from loadrig.fleet._ray_actor import FORGOTTEN_AFTER_S
from loadrig.fleet._ray_listener import RETRIES_EVERY_S, WAIT_S


@dataclass(frozen=True, slots=True)
class SentLine:
    """Line on its way to an actor. number: how many were sent there before it; since_s: when it first was."""

    index: int
    actor: Any
    number: int
    line: bytes
    since_s: float

    def call(self) -> Any:
        """Give it to the actor, which takes it no more than once; return the reference of the answer."""
        return self.actor.send.remote(self.number, self.line)


class LineSender:
    """Sender to actors by their index. lose: called with an index and a word where a line cannot get there.

    actors: shared with whoever replaces them. `send` and `sent` are of one thread, `deliver` runs on another.
    """

    def __init__(self, actors: Sequence[Any], lose: Callable[[int, str], None]) -> None:
        self._actors, self._lose = actors, lose
        self._counts = [0] * len(actors)
        self._unanswered: queue.SimpleQueue[tuple[Any, SentLine]] = queue.SimpleQueue()
        self._is_stopped = False

    def stop(self) -> None:
        """Let `deliver` return soon."""
        self._is_stopped = True

    def send(self, index: int, line: bytes) -> None:
        """Give an actor a line, after those before it."""
        sent = SentLine(index, self._actors[index], self._counts[index], line, time.monotonic())
        self._counts[index] += 1
        self._unanswered.put((sent.call(), sent))

    def count(self, index: int) -> int:
        """Return how many lines an actor was sent."""
        return self._counts[index]

    def begin_anew(self, index: int) -> None:
        """Take an actor for one that was sent nothing: it is another one by now."""
        self._counts[index] = 0

    def deliver(self) -> None:
        """Look what became of the lines, and give those again that did not come, until it is stopped."""
        import ray

        pending: dict[Any, SentLine] = {}
        while not self._is_stopped:
            with suppress(queue.Empty):
                while True:
                    reference, sent = self._unanswered.get(block=not pending, timeout=WAIT_S)
                    pending[reference] = sent
            if not pending:
                continue
            ready, _ = ray.wait(list(pending), num_returns=1, timeout=WAIT_S)
            if ready:
                ready, _ = ray.wait(list(pending), num_returns=len(pending), timeout=0)
            lost = []
            for reference in ready:
                sent = pending.pop(reference)
                if not self._is_over(sent, reference):
                    lost.append(sent)
            if lost:
                # Once for all of them: a network may reset the connections to many hosts.
                time.sleep(RETRIES_EVERY_S)
            for sent in lost:
                pending[sent.call()] = sent

    def _is_over(self, sent: SentLine, reference: Any) -> bool:
        """Return whether a line has come, or nobody is there any more to whom it could."""
        import ray

        word = ""
        try:
            if ray.get(reference):
                return True
        except ray.exceptions.ActorUnavailableError as error:
            word = type(error).__name__
        except ray.exceptions.RayError:
            return True  # it has died, and whoever listens to it hears of that
        if self._actors[sent.index] is not sent.actor:
            return True
        if time.monotonic() - sent.since_s < FORGOTTEN_AFTER_S:
            return False
        self._lose(sent.index, word)
        return True
