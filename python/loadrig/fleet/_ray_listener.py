"""Listener to actors of generators: each is asked for its lines, and asked again as soon as it has answered.

It never waits for whoever takes the lines: by being asked an actor knows that somebody lives.
"""

import queue
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from loadrig.fleet._ray_actor import FORGOTTEN_AFTER_S

RETRIES_EVERY_S = 0.1
"""Time until an actor is asked again whose answer was lost on its way, in seconds."""

WAIT_S = 0.5
"""Longest wait for a line before it is looked who else is to be heard, in seconds."""

Take = Callable[[int, list[Any], str | None], None]
"""Taker of what an actor said: its index, its lines, and what is said of its end; None where it goes on."""


class ActorListener:
    """Listener to actors by their index. take: called from the thread that runs `listen`."""

    def __init__(self, actors: Mapping[int, Any], take: Take) -> None:
        self._actors, self._take = dict(actors), take
        self._unheard: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._heard_s = dict.fromkeys(actors, time.monotonic())
        self._taken = dict.fromkeys(actors, 0)
        self._leaving: set[int] = set()
        self._is_over = False
        for index in actors:
            self._unheard.put(index)

    def stop(self) -> None:
        """Let `listen` return soon."""
        self._is_over = True

    def leave(self, index: int) -> None:
        """Ask an actor no more, so that it ends, and take nothing of it any more."""
        self._leaving.add(index)

    def replace(self, index: int, actor: Any) -> None:
        """Listen to another actor in the place of one that was left."""
        self._actors[index] = actor
        self._heard_s[index] = time.monotonic()
        self._taken[index] = 0
        self._leaving.discard(index)
        self._unheard.put(index)

    def silent_s(self, index: int) -> float:
        """Return for how long an actor has answered nothing, in seconds."""
        return time.monotonic() - self._heard_s[index]

    def listen(self) -> None:
        """Hear all actors until it is over."""
        import ray

        pending: dict[Any, tuple[int, Any]] = {}
        while not self._is_over:
            for index in self._newcomers(is_waiting=not pending):
                actor = self._actors[index]
                pending[actor.lines.remote(self._taken[index])] = index, actor
            if not pending:
                continue
            ready, _ = ray.wait(list(pending), num_returns=1, timeout=WAIT_S)
            for reference in ready:
                index, actor = pending.pop(reference)
                if self._is_heard(index, actor) and self._carry(index, reference):
                    pending[actor.lines.remote(self._taken[index])] = index, actor

    def _newcomers(self, is_waiting: bool) -> Iterable[int]:
        with suppress(queue.Empty):
            while True:
                yield self._unheard.get(block=is_waiting, timeout=WAIT_S)
                is_waiting = False

    def _is_heard(self, index: int, actor: Any) -> bool:
        return index not in self._leaving and self._actors[index] is actor

    def _carry(self, index: int, reference: Any) -> bool:
        """Take what an actor answered; return whether it will say more."""
        import ray

        try:
            lines, is_last = ray.get(reference)
        except ray.exceptions.RayError as error:
            is_cut = isinstance(error, ray.exceptions.ActorUnavailableError)
            if is_cut and self.silent_s(index) < FORGOTTEN_AFTER_S:
                # A connection was reset: the actor gives again what did not come.
                time.sleep(RETRIES_EVERY_S)
                return True
            self._take(index, [], type(error).__name__)
            return False
        self._heard_s[index] = time.monotonic()
        self._taken[index] += len(lines)
        self._take(index, lines, "" if is_last else None)
        return not is_last
