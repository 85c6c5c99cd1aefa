"""Process that speaks with Ray for a fleet: lines come in by its input and go out by its output.

It is a process of its own since Ray takes one over: its handlers of signals, threads, variables, and a token
that no server under test may inherit. It ends when its input closes, and with it all that it started; where
our parent was killed it also undoes what that one has noted of it.

In:  first the rules as JSON; then `S INDEX LINE`, `R 0 ADDRESSES` (as JSON, to be reached from all hosts),
     and of one letter and an index `C` clock, `W` last words, `X` stop, `A` another one in its place;
     `G MERGER ORDER`, of `fleet.condenser`.
Out: first `{"seats": […], "head": ADDRESS}` or `{"refused": CODE, "arguments": […], "about": …,
     "where": …}`, of `RefusedCluster`; then `L INDEX LINE`,
     `E INDEX WHY` (its end), `A INDEX SEAT` and `N INDEX WHY` (a fresh one in the place of a lost one, or
     none), `R JSON` (index, address and how of those that cannot), `C INDEX ASKED THERE ANSWERED`,
     `W INDEX JSON`, `X INDEX`, `G MERGER JSON`, and `U INDEX` for what has no answer.
"""

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, replace
from typing import IO, Any

import msgspec

from loadrig.base import leases
from loadrig.base.leased import FolderFacts, ProcessFacts
from loadrig.fleet._ray_actor import FORGOTTEN_AFTER_S, STOPPED_AFTER_S
from loadrig.fleet._ray_cluster import ClusterRules, RayCluster, RefusedCluster
from loadrig.fleet._ray_head import HEAD_LOST, HeadWatch, answers
from loadrig.fleet._ray_listener import ActorListener
from loadrig.fleet._ray_merger import MERGER_LOST
from loadrig.fleet._ray_sender import LineSender
from loadrig.fleet.hosts import MERGER, lost_merger
from loadrig.fleet.messages import CarrierAnswer
from loadrig.fleet.reach import CONNECTS_WITHIN_S

ANSWERS_WITHIN_S = 3.0
"""Longest wait for an answer of a host, in seconds. A clock is asked for again, as orders have to come."""

ENDS_WITHIN_S = 5.0
"""Time that a generator has to end by itself, in seconds."""

LEAVES_WITHIN_S = 1.0
"""Time in which Ray's own processes end by themselves once asked to, in seconds; then they are killed."""

LOOKS_AGAIN_S = 0.1
"""Time between two looks whether a lost generator has ended, or one has what it was sent, in seconds."""

MERGES_WITHIN_S = 8.0
"""Longest wait for an answer of a merger, in seconds: it may be at a second of a thousand's frames."""


class Carrier:
    """Carrier of lines between our parent and the actors. out: where to write."""

    def __init__(self, cluster: RayCluster, out: IO[bytes]) -> None:
        self._out = out
        self._cluster, self._actors = cluster, cluster.actors
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._mergers, self._groups = cluster.mergers, cluster.groups
        self.is_headless = False
        self._addresses: list[str] = []
        self._lost_mergers: dict[int, float] = {}
        self._fresh_mergers: set[int] = set()
        self._unmended: dict[int, Exception] = {}
        self._lost: set[int] = set()
        # It is held for long, and whoever listens never waits for it.
        self._mending = threading.Lock()
        self._listener = ActorListener(
            dict(enumerate(self._mergers or self._actors)),
            self._take_passed if self._mergers else self._take,
        )
        self._sender = LineSender(self._actors, lambda index, how: self._take(index, [], how))
        # Whoever listens to the actors never waits for our parent: by being asked they know that we live.
        threading.Thread(target=self._write, daemon=True).start()

    def say(self, line: bytes) -> None:
        """Let a line be written after those before it."""
        self._lines.put(line)

    def _write(self) -> None:
        while True:
            with suppress(BrokenPipeError):
                self._out.write(self._lines.get() + b"\n")
                self._out.flush()

    def listen(self) -> None:
        """Carry what the generators write, until it is over."""
        self._listener.listen()

    def deliver(self) -> None:
        """See to it that what the generators are sent gets there, until it is over."""
        self._sender.deliver()

    def _take(self, index: int, lines: list[bytes], end: str | None) -> None:
        """Carry what a generator wrote. end: how it ended, empty where by itself; None: it goes on."""
        for line in lines:
            self.say(b"L %d %s" % (index, line))
        if end is not None:
            if end:
                self._lost.add(index)
            self.say(b"E %d %s" % (index, end.encode()))

    def _take_passed(self, number: int, passed: list[tuple[int, bytes | None, str]], end: str | None) -> None:
        """Carry what a merger passed on. end: how it was lost, and its generators with it."""
        for index, line, why in passed:
            self._take(index, [] if line is None else [line], why if line is None else None)
        if end is not None:
            self._lose_merger(number, end)

    def _lose_merger(self, number: int, how: str) -> None:
        """Say that a merger is lost, and then that its generators are."""
        self._listener.leave(number)
        self._lost_mergers[number] = time.monotonic() - self._listener.unasked_s(number)
        self._take(MERGER, [lost_merger(number)], None)
        for index in self._groups[number]:
            self._take(index, [], f"{MERGER_LOST} {number} {how}")

    def _mend_merger(self, index: int) -> None:
        """Start a fresh merger where that of a generator is lost. Raises RayError where none is to be had."""
        import ray

        if not self._mergers:
            return
        number = self._number_of(index)
        with self._mending:
            if number not in self._lost_mergers or number in self._fresh_mergers:
                return
            # All of its generators ask for it: one wait is enough.
            if (how := self._unmended.get(number)) is not None:
                raise how
            try:
                merger = self._cluster.replace_merger(number)
            except ray.exceptions.RayError as error:
                self._unmended[number] = error
                raise
            self._fresh_mergers.add(number)
            self._listener.replace(number, merger)

    def _leave(self, index: int) -> None:
        """Let the actor of a lost generator be asked no more; that of a lost merger is asked by nobody."""
        import ray

        if not self._mergers:
            self._listener.leave(index)
            return
        number = self._number_of(index)
        while number not in self._lost_mergers:
            # One that does not answer is lost itself, and the listener says so soon.
            with suppress(ray.exceptions.RayError):
                ray.get(self._mergers[number].leave.remote(index), timeout=ANSWERS_WITHIN_S)
                return
            time.sleep(LOOKS_AGAIN_S)

    def _unasked_s(self, index: int) -> float:
        """Return how long ago an actor was last asked, at least, by whomever."""
        import ray

        if not self._mergers:
            return self._listener.unasked_s(index)
        number = self._number_of(index)
        if (asked_s := self._lost_mergers.get(number)) is not None:
            return time.monotonic() - asked_s
        with suppress(ray.exceptions.RayError):
            unasked = self._mergers[number].unasked_s.remote(index)
            return float(ray.get(unasked, timeout=ANSWERS_WITHIN_S))
        return 0.0

    def _listen_again(self, index: int) -> None:
        import ray

        actor = self._actors[index]
        self._lost.discard(index)
        self._sender.begin_anew(index)
        if self._mergers:
            merger = self._mergers[self._number_of(index)]
            ray.get(merger.replace.remote(index, [actor]), timeout=ANSWERS_WITHIN_S)
        else:
            self._listener.replace(index, actor)

    def _number_of(self, index: int) -> int:
        """Return the number of a generator's merger."""
        return next(number for number, group in enumerate(self._groups) if index in group)

    def _replace(self, index: int) -> None:
        """Start a fresh actor in place of a lost one, once that one surely loads nothing any more."""
        if self.is_headless:
            self.say(b"N %d %s" % (index, HEAD_LOST.encode()))
            return
        try:
            self._leave(index)
            # A merger takes as long to start as an actor of a generator, and neither needs the other for it.
            with ThreadPoolExecutor(1) as beside:
                mending = beside.submit(self._mend_merger, index)
                self._wait_for_end(index)
                seat = self._cluster.replace_actor(index)
                mending.result()
            ((sources, _),) = self._ways([index])
            self._listen_again(index)
        except Exception as error:
            # Ray raises whatever its layers do, and the load waits for a word.
            self.say(b"N %d %s" % (index, type(error).__name__.encode()))
            return
        seat = replace(seat, sources=tuple(sources))
        self.say(b"A %d %s" % (index, json.dumps(asdict(seat)).encode()))

    def _wait_for_end(self, index: int) -> None:
        """Wait until a lost generator has ended: it says so, its actor died, or nobody called it for long."""
        import ray

        while (left_s := STOPPED_AFTER_S - self._unasked_s(index)) > 0:
            try:
                ray.get(self._actors[index].end.remote(0.0), timeout=min(left_s, ANSWERS_WITHIN_S))
                return
            except ray.exceptions.ActorDiedError:
                # A host that lives has seen its actor die, and a generator ends with its actor. Of a host
                # that is gone Ray only supposes it: it may be cut off.
                if self._cluster.has_host_of(index):
                    return
            except ray.exceptions.RayError:
                pass
            time.sleep(LOOKS_AGAIN_S)

    def lose_head(self) -> None:
        """End all generators: without its head Ray ends them soon, and says nothing then."""
        self.is_headless = True
        for index in range(len(self._actors)):
            self._take(index, [], HEAD_LOST)
        self._let_leave()

    def _let_leave(self) -> list[Any]:
        return [actor.leave.remote() for actor in self._actors]

    def obey(self, orders: IO[bytes]) -> None:
        """Do what our parent says, until it says no more."""
        for order in orders:
            word, index, *rest = order.rstrip(b"\n").split(b" ", 2)
            number = int(index)
            if word == b"S":
                self._sender.send(number, rest[0] + b"\n")
                continue
            if word == b"R":
                self._addresses = json.loads(rest[0])
                self.say(b"R " + json.dumps(self._ways(range(len(self._actors)))).encode())
                continue
            if word == b"A":
                threading.Thread(target=self._replace, args=(number,), daemon=True).start()
                continue
            self.say(self._answer(word, number, rest[0] if rest else b""))

    def _ways(self, indexes: Iterable[int]) -> list[list[Any]]:
        """Return the way from the hosts of some generators to the servers, see `reach.ServerWay`.

        All look at once.
        """
        import ray

        addresses = self._addresses
        looks = [self._actors[index].reach.remote(addresses) for index in indexes]
        within_s = len(addresses) * CONNECTS_WITHIN_S + ANSWERS_WITHIN_S
        ray.wait(looks, num_returns=len(looks), timeout=within_s)
        ways: list[list[Any]] = []
        for look in looks:
            try:
                ways.append(list(ray.get(look, timeout=0)))
            except ray.exceptions.RayError as error:
                ways.append([[], ("".join(addresses[:1]), type(error).__name__)])
        return ways

    def _answer(self, word: bytes, index: int, text: bytes) -> bytes:
        import ray

        if word == b"G":
            return self._answer_of_merger(index, text)
        if self.is_headless:
            return b"%c %d" % (word if word == b"X" else b"U", index)
        if word == b"C":
            return self._clock(index)
        actor = self._actors[index]
        try:
            if word == b"W":
                words = ray.get(actor.last_words.remote(), timeout=ANSWERS_WITHIN_S)
                return b"W %d %s" % (index, json.dumps(words).encode())
            ending = actor.end.remote(0.0)
            # A fresh one waits for the end of a lost one; nobody else waits for one that does not answer.
            if index not in self._lost:
                ray.get(ending, timeout=ANSWERS_WITHIN_S)
        except ray.exceptions.RayError:
            return b"U %d" % index
        return b"X %d" % index

    def _clock(self, index: int) -> bytes:
        """Return a reading of a host's clock, made once all lines had come there; `U` without one in time.

        A connection that was reset, or a line that did not come, is no answer: it is asked again.
        """
        import ray

        actor, until_s = self._actors[index], time.monotonic() + FORGOTTEN_AFTER_S
        while time.monotonic() < until_s:
            asked_ns = time.monotonic_ns()
            try:
                clock = actor.clock.remote(self._sender.count(index))
                there_ns = ray.get(clock, timeout=ANSWERS_WITHIN_S)
            except (ray.exceptions.ActorUnavailableError, ray.exceptions.GetTimeoutError):
                there_ns = None
            except ray.exceptions.RayError:
                break
            if there_ns is not None:
                return b"C %d %d %d %d" % (index, asked_ns, there_ns, time.monotonic_ns())
            time.sleep(LOOKS_AGAIN_S)
        return b"U %d" % index

    def _answer_of_merger(self, number: int, order: bytes) -> bytes:
        """Return the answer of a merger to an order."""
        import ray

        try:
            answer = ray.get(self._mergers[number].order.remote(order.decode()), timeout=MERGES_WITHIN_S)
        except ray.exceptions.RayError:
            return b"U %d" % number
        return b"G %d %s" % (number, answer.encode())

    def close(self) -> None:
        """Let every generator end, and wait for it."""
        import ray

        self._listener.stop()
        self._sender.stop()
        if self.is_headless:
            return  # all were told to
        endings = [actor.end.remote(ENDS_WITHIN_S) for actor in self._actors]
        ray.wait(endings, num_returns=len(endings), timeout=ENDS_WITHIN_S + ANSWERS_WITHIN_S)

    def abandon(self) -> None:
        """Let all actors leave that have not: nobody else ends them where there is no head."""
        import ray

        if not self.is_headless:
            leaving = self._let_leave()
            ray.wait(leaving, num_returns=len(leaving), timeout=ANSWERS_WITHIN_S)


def clear_for_dead_parent(folder: str) -> None:
    """Undo what our parent has noted of us, where it is dead: Ray's agents outlive Ray.

    folder: of its Ray.
    """
    marker = os.environ.get(leases.MARKER, "")
    for lease in leases.stale():
        match lease.facts:
            case ProcessFacts(marker=noted) if noted == marker:
                leases.undo(lease, LEAVES_WITHIN_S)
            case FolderFacts(folder=noted) if noted == folder:
                leases.undo(lease)


def main() -> int:
    """Carry lines until our parent closes our input; return the exit code of the process."""
    out = os.fdopen(os.dup(1), "wb")
    # Ray prints where it likes: that is for a person.
    os.dup2(2, 1)
    rules = ClusterRules(**json.loads(sys.stdin.buffer.readline()))
    try:
        return carry(rules, out)
    finally:
        clear_for_dead_parent(rules.folder)


def carry(rules: ClusterRules, out: IO[bytes]) -> int:
    """Place the generators, and carry lines between them and our parent; return an exit code."""
    with RayCluster(rules) as cluster:
        try:
            seats = cluster.place()
        except RefusedCluster as refused:
            refusal = CarrierAnswer(
                refused=refused.code, arguments=refused.arguments, about=refused.about, where=refused.where
            )
            out.write(msgspec.json.encode(refusal) + b"\n")
            out.flush()
            return 1
        carrier = Carrier(cluster, out)
        head = cluster.head
        carrier.say(msgspec.json.encode(CarrierAnswer(seats=tuple(seats), head=head)))
        watch = HeadWatch(head, carrier.lose_head)
        threading.Thread(target=carrier.deliver, daemon=True).start()
        listener = threading.Thread(target=carrier.listen)
        listener.start()
        try:
            carrier.obey(sys.stdin.buffer)
        finally:
            watch.stop()
            carrier.close()
            if not (answers(head) and cluster.give_back()):
                carrier.abandon()
                clear_for_dead_parent(rules.folder)
                os._exit(0)  # Ray's own end waits for a head
            listener.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
