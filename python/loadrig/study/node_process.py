"""Process of a node: runs the trials that come by its input, one after the other, on its own cores.

It is a process of its own, as a trial takes one over: its signals, its cores, its leases. When its input
closes or says stop, the trial that runs is ended as by Ctrl-C, so a killed driver leaves no load behind.

In:  first a NodeBegin, then a NodeOrder for each trial.
Out: `{"ready": 1}`; then for each trial a NodeAnswer.
"""

import base64
import json
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import msgspec

from loadrig.base import hangups, known_secrets
from loadrig.base.documents import plain
from loadrig.base.errors import Interrupted, RigError
from loadrig.recording.layout import RunFolder
from loadrig.study.node_messages import NodeAnswer, NodeBegin, NodeOrder, ToldError
from loadrig.study.trial_in_run import over_in, run_in
from loadrig.study.trials import DoneTrial, done
from loadrig.trial.spec import Silence, TrialSpec


def packed(spec: TrialSpec) -> str:
    """Return a trial's task as text, for a process that we have started ourselves."""
    return base64.b64encode(pickle.dumps(spec)).decode()


def unpacked(text: str) -> TrialSpec:
    """Return the task of a text that `packed` has made."""
    spec: TrialSpec = pickle.loads(base64.b64decode(text))  # it comes from our own driver
    return spec


def outcome_of(spec: TrialSpec, run: RunFolder) -> DoneTrial:
    """Run a trial, or read it where it is over already. Raises what trial.runner.run_trial raises."""
    for secret in spec.plan.literals.values():
        known_secrets.learn(str(secret))
    begun = time.monotonic()
    outcome = over_in(run, spec) or run_in(run, spec, Silence())
    # A trial that was over already took no time now: its load tells how long it was.
    return done(spec, outcome, max(time.monotonic() - begun, outcome.seconds), run.path)


class NodeLoop:
    """Loop of a node: hears its driver in a thread, and runs trials in the main one, which signals reach."""

    def __init__(self, orders: IO[bytes], out: IO[bytes]) -> None:
        self._orders, self._out = orders, out
        self._tasks: queue.SimpleQueue[TrialSpec | None] = queue.SimpleQueue()
        self._is_running = threading.Event()

    def run(self) -> None:
        """Run trials until the driver wants no more."""
        begin = msgspec.json.decode(self._orders.readline(), type=NodeBegin)
        run = RunFolder(Path(begin.folder))
        if begin.cpus:
            os.sched_setaffinity(0, begin.cpus)
        threading.Thread(target=self._hear, name="loadrig-orders", daemon=True).start()
        self._say({"ready": 1})
        while (spec := self._tasks.get()) is not None:
            self._is_running.set()
            try:
                answer = NodeAnswer(done=outcome_of(spec, run))
            except RigError as error:
                answer = NodeAnswer(error=ToldError.of(error))
            except KeyboardInterrupt:
                answer = NodeAnswer(error=ToldError(kind=Interrupted.__name__, problems=()))
            finally:
                self._is_running.clear()
            self._say(plain(answer))

    def _hear(self) -> None:
        for line in self._orders:
            order = msgspec.json.decode(line, type=NodeOrder)
            if order.stop:
                break
            self._tasks.put(unpacked(order.spec))
        self._tasks.put(None)
        if self._is_running.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    def _say(self, message: Mapping[str, Any]) -> None:
        try:
            self._out.write(json.dumps(message).encode() + b"\n")
            self._out.flush()
        except BrokenPipeError:
            self._tasks.put(None)  # the driver is gone; what was measured is in the folder


def _as_interrupt(number: int, frame: object) -> None:
    del number, frame
    raise KeyboardInterrupt


def main() -> int:
    """Run trials until our driver closes our input; return the exit code of the process."""
    out = os.fdopen(os.dup(1), "wb")
    # What a trial starts may print: that is for a person, and no answer.
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, _as_interrupt)
    signal.signal(signal.SIGTERM, _as_interrupt)
    hangups.listen(_as_interrupt)
    try:
        NodeLoop(sys.stdin.buffer, out).run()
    except KeyboardInterrupt:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
