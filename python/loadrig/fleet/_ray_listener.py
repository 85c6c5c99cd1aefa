"""Listener to actors of generators: each is asked for its lines, and asked again as soon as it has answered.

It never waits for whoever takes the lines: by being asked an actor knows that somebody lives. Where one is
silent since its connection is stalled, that is made anew (`_ray_stalls`). One that stays silent is lost by
our own clock, whatever Ray knows of its host.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal, TypeAlias

from loadrig.fleet._ray_actor import FORGOTTEN_AFTER_S
from loadrig.fleet._ray_stalls import STALLED_AFTER_S, Address, StallWatch

RETRIES_EVERY_S = 0.1
"""Time until an actor is asked again whose answer was lost on its way, in seconds."""

WAIT_S = 0.5
"""Longest wait for a line before it is looked who else is to be heard, in seconds."""

SILENT = "Silent"
"""Word for the loss of an actor that was asked and has answered nothing, in place of the name of an error of
Ray."""

Carried: TypeAlias = Literal["more", "lost", "over"]
"""Outcome of an answer: the actor will say more, its answer was lost on its way, or it says nothing more."""

Take = Callable[[int, list[Any], str | None], None]
"""Taker of what an actor said: its index, its lines, and what is said of its end; None where it goes on."""


class ActorListener:
    """Listener to actors by their index. take: called from the thread that runs `listen`.

    idle_s: for how long nobody has called the process of the listener itself, in seconds, see `LastCall`.
    """

    def __init__(
        self, actors: Mapping[int, Any], take: Take, idle_s: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._actors, self._take, self._idle_s = dict(actors), take, idle_s
        self._unheard: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._heard_s = dict.fromkeys(actors, time.monotonic())
        self._asked_s = dict(self._heard_s)
        # Whoever leaves an actor knows when it was asked last.
        self._asking = threading.Lock()
        self._counts = dict.fromkeys(actors, 0)
        self._leaving: set[int] = set()
        self._is_over = False
        self._asked: dict[Any, tuple[int, Any]] = {}
        self._looked_s = time.monotonic()
        self._addresses: dict[int, Address] = {}
        for index in actors:
            self._unheard.put(index)

    def stop(self) -> None:
        """Let `listen` return soon."""
        self._is_over = True

    def leave(self, index: int) -> None:
        """Ask an actor no more, so that it ends, and take nothing of it any more."""
        with self._asking:
            self._leaving.add(index)

    def replace(self, index: int, actor: Any) -> None:
        """Listen to another actor in the place of one that was left."""
        self._actors[index] = actor
        self._addresses.pop(index, None)
        self._heard_s[index] = self._asked_s[index] = time.monotonic()
        self._counts[index] = 0
        self._leaving.discard(index)
        self._unheard.put(index)

    def silent_s(self, index: int) -> float:
        """Return for how long an actor has answered nothing, in seconds."""
        return time.monotonic() - self._heard_s[index]

    def unasked_s(self, index: int) -> float:
        """Return how long ago an actor was last asked, in seconds."""
        return time.monotonic() - self._asked_s[index]

    def listen(self) -> None:
        """Hear all actors until it is over."""
        watch = StallWatch(self._silent_addresses)
        try:
            while not self._is_over:
                self._listen_once()
        finally:
            watch.stop()

    def _listen_once(self) -> None:
        """Ask those that are not asked yet, and hear whoever has answered."""
        import ray

        asked = self._asked
        for index in self._newcomers(is_waiting=not asked):
            self._ask(index, self._actors[index])
        if not asked:
            return
        ready, _ = ray.wait(list(asked), num_returns=1, timeout=WAIT_S)
        if ready:
            ready, _ = ray.wait(list(asked), num_returns=len(asked), timeout=0)
        again: list[tuple[int, Any]] = []
        for reference in ready:
            index, actor = asked.pop(reference)
            if not self._is_heard(index, actor):
                continue
            match self._carry(index, reference):
                case "more":
                    self._ask(index, actor)
                case "lost":
                    again.append((index, actor))
        if again:
            # Once for all of them: a network may reset the connections to many hosts.
            time.sleep(RETRIES_EVERY_S)
        for index, actor in again:
            self._ask(index, actor)
        self._lose_the_silent()

    def _ask(self, index: int, actor: Any) -> None:
        """Ask an actor for its lines, unless it was left."""
        with self._asking:
            if self._is_heard(index, actor):
                made_s = self._asked_s[index] = time.monotonic()
                self._asked[actor.lines.remote(self._counts[index], made_s, self._idle_s())] = index, actor

    def _lose_the_silent(self) -> None:
        """Say of those that were asked and are silent that they are lost, and ask them no more.

        They are about to end their generators, or have: nobody has called them for as long.
        """
        if time.monotonic() - self._looked_s < WAIT_S:
            return
        self._looked_s = time.monotonic()
        for reference, (index, actor) in list(self._asked.items()):
            if not self._is_heard(index, actor):
                del self._asked[reference]  # it is somebody's who was replaced
            elif self.silent_s(index) > FORGOTTEN_AFTER_S:
                del self._asked[reference]
                self._take(index, [], SILENT)

    def _silent_addresses(self) -> Iterable[Address]:
        """Yield where actors are that were asked and are silent for longer than their beat."""
        for index, actor in list(self._asked.values()):
            is_late = self.silent_s(index) > STALLED_AFTER_S
            if is_late and self._is_heard(index, actor) and (address := self._address_of(index, actor)):
                yield address

    def _address_of(self, index: int, actor: Any) -> Address | None:
        """Return where an actor takes calls, as Ray's head knows it; None where it does not say."""
        from ray._private import state

        if index not in self._addresses:
            try:
                address = state.actors(actor._actor_id.hex())["Address"]
            except Exception:  # Ray raises whatever its layers do, as where its head is away
                return None
            self._addresses[index] = address["IPAddress"], int(address["Port"])
        return self._addresses[index]

    def _newcomers(self, is_waiting: bool) -> Iterable[int]:
        with suppress(queue.Empty):
            while True:
                yield self._unheard.get(block=is_waiting, timeout=WAIT_S)
                is_waiting = False

    def _is_heard(self, index: int, actor: Any) -> bool:
        return index not in self._leaving and self._actors[index] is actor

    def _carry(self, index: int, reference: Any) -> Carried:
        """Take what an actor answered."""
        import ray

        try:
            lines, is_last = ray.get(reference)
        except ray.exceptions.ActorUnavailableError:
            # A connection was reset: the actor gives again what did not come, or is lost by its silence.
            return "lost"
        except ray.exceptions.RayError as error:
            self._take(index, [], type(error).__name__)
            return "over"
        self._heard_s[index] = time.monotonic()
        self._counts[index] += len(lines)
        self._take(index, lines, "" if is_last else None)
        return "over" if is_last else "more"
