"""Process that speaks with Ray for a fleet: lines come in by its input and go out by its output.

It is a process of its own since Ray takes one over: its handlers of signals, threads, variables, and a token
that no server under test may inherit. It ends when its input closes, and with it all that it started.

In:  first the rules as JSON; then `S INDEX LINE`, `R 0 ADDRESSES` (as JSON, to be reached from all hosts),
     and of one letter and an index `C` clock, `W` last words, `X` stop.
Out: first `{"seats": […]}` or `{"refused": CODE, "arguments": […]}`; then `L INDEX LINE`, `E INDEX WHY` (its
     end), `R JSON` (index, address and how of those that cannot), `C INDEX ASKED THERE ANSWERED`,
     `W INDEX JSON`, `X INDEX`, and `U INDEX` for what has no answer.
"""

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import IO, Any

from loadrig.fleet._ray_cluster import RayCluster, RefusedCluster
from loadrig.fleet.reach import CONNECTS_WITHIN_S

ANSWERS_WITHIN_S = 3.0
"""Longest wait for an answer of a host, in seconds. One that takes longer has no clock to compare."""

ENDS_WITHIN_S = 5.0
"""Time that a generator has to end by itself, in seconds."""


class Carrier:
    """Carrier of lines between our parent and the actors. out: where to write."""

    def __init__(self, cluster: RayCluster, out: IO[bytes]) -> None:
        self._out = out
        self._actors = cluster.actors
        self._lock = threading.Lock()
        self._is_over = False

    def say(self, line: bytes) -> None:
        """Write a line; nobody else writes in the middle of it."""
        with self._lock, suppress(BrokenPipeError):
            self._out.write(line + b"\n")
            self._out.flush()

    def listen(self) -> None:
        """Carry what the generators write, until all have ended."""
        import ray

        pending = {actor.lines.remote(): index for index, actor in enumerate(self._actors)}
        while pending and not self._is_over:
            ready, _ = ray.wait(list(pending), num_returns=1, timeout=0.5)
            for reference in ready:
                index = pending.pop(reference)
                try:
                    lines, is_last = ray.get(reference)
                except ray.exceptions.RayError as error:
                    self.say(b"E %d %s" % (index, type(error).__name__.encode()))
                    continue
                for line in lines:
                    self.say(b"L %d %s" % (index, line))
                if is_last:
                    self.say(b"E %d " % index)
                else:
                    pending[self._actors[index].lines.remote()] = index

    def obey(self, orders: IO[bytes]) -> None:
        """Do what our parent says, until it says no more."""
        for order in orders:
            word, index, *rest = order.rstrip(b"\n").split(b" ", 2)
            number = int(index)
            if word == b"S":
                self._actors[number].send.remote(rest[0] + b"\n")
                continue
            if word == b"R":
                self.say(b"R " + json.dumps(self._unreached(json.loads(rest[0]))).encode())
                continue
            self.say(self._answer(word, number))

    def _unreached(self, addresses: list[str]) -> list[list[Any]]:
        """Return the hosts that cannot connect to all addresses: index, address, how. All look at once."""
        import ray

        looks = [actor.reach.remote(addresses) for actor in self._actors]
        within_s = len(addresses) * CONNECTS_WITHIN_S + ANSWERS_WITHIN_S
        ray.wait(looks, num_returns=len(looks), timeout=within_s)
        lacking: list[list[Any]] = []
        for index, look in enumerate(looks):
            try:
                answer = ray.get(look, timeout=0)
            except ray.exceptions.RayError as error:
                answer = (addresses[0], type(error).__name__)
            if answer is not None:
                lacking.append([index, *answer])
        return lacking

    def _answer(self, word: bytes, index: int) -> bytes:
        import ray

        actor = self._actors[index]
        try:
            if word == b"C":
                asked_ns = time.monotonic_ns()
                there_ns = ray.get(actor.clock.remote(), timeout=ANSWERS_WITHIN_S)
                return b"C %d %d %d %d" % (index, asked_ns, there_ns, time.monotonic_ns())
            if word == b"W":
                words = ray.get(actor.last_words.remote(), timeout=ANSWERS_WITHIN_S)
                return b"W %d %s" % (index, json.dumps(words).encode())
            ray.get(actor.end.remote(0.0), timeout=ANSWERS_WITHIN_S)
        except ray.exceptions.RayError:
            return b"U %d" % index
        return b"X %d" % index

    def close(self) -> None:
        """Let every generator end, and wait for it."""
        import ray

        self._is_over = True
        endings = [actor.end.remote(ENDS_WITHIN_S) for actor in self._actors]
        ray.wait(endings, num_returns=len(endings), timeout=ENDS_WITHIN_S + ANSWERS_WITHIN_S)


def main() -> int:
    """Carry lines until our parent closes our input; return the exit code of the process."""
    out = os.fdopen(os.dup(1), "wb")
    # Ray prints where it likes: that is for a person.
    os.dup2(2, 1)
    rules: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    with RayCluster(rules) as cluster:
        try:
            seats = cluster.place()
        except RefusedCluster as refused:
            refusal = {"refused": refused.code, "arguments": refused.arguments}
            out.write(json.dumps(refusal).encode() + b"\n")
            out.flush()
            return 1
        carrier = Carrier(cluster, out)
        carrier.say(json.dumps({"seats": seats}).encode())
        listener = threading.Thread(target=carrier.listen)
        listener.start()
        try:
            carrier.obey(sys.stdin.buffer)
        finally:
            carrier.close()
            listener.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
