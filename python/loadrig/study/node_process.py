"""Process of a node: runs the trials that come by its input, one after the other, on its own cores.

It is a process of its own, as a trial takes one over: its signals, its cores, its leases. When its input
closes or says stop, the trial that runs is ended as by Ctrl-C, so a killed driver leaves no load behind.

In:  first `{"folder": RUN, "cpus": [0, 1]}`; then `{"spec": …}` (a TrialSpec, pickled, in base64), and
     `{"stop": 1}`.
Out: `{"ready": 1}`; then for each trial `{"done": …}` (its line for the ledger), or `{"kind", "problems"}`.
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
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from loadrig.base import hangups, known_secrets
from loadrig.base.errors import Interrupted, PlanError, Problem, RigError, Span, TargetError, VoidError
from loadrig.recording.layout import RunFolder
from loadrig.study.trial_in_run import over_in, run_in
from loadrig.study.trials import DoneTrial, done, line_of
from loadrig.trial.spec import Silence, TrialSpec

KINDS: Mapping[str, type[RigError]] = {
    kind.__name__: kind for kind in (PlanError, TargetError, VoidError, Interrupted)
}
"""Errors of a trial by their names, as they cross from one process to another."""


def packed(spec: TrialSpec) -> str:
    """Return a trial's task as text, for a process that we have started ourselves."""
    return base64.b64encode(pickle.dumps(spec)).decode()


def unpacked(text: str) -> TrialSpec:
    """Return the task of a text that `packed` has made."""
    spec: TrialSpec = pickle.loads(base64.b64decode(text))  # it comes from our own driver
    return spec


def told_error(error: RigError) -> dict[str, Any]:
    """Return an error as it is sent to the driver."""
    return {"kind": type(error).__name__, "problems": [asdict(problem) for problem in error.problems]}


def heard_error(message: Mapping[str, Any]) -> RigError:
    """Return the error that a node has sent."""
    problems = []
    for row in message["problems"]:
        where = Span(**row["where"]) if row["where"] else None
        problems.append(Problem(**{**row, "where": where, "detail": tuple(row["detail"])}))
    return KINDS[message["kind"]](problems)


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
        begin = json.loads(self._orders.readline())
        run = RunFolder(Path(begin["folder"]))
        if begin["cpus"]:
            os.sched_setaffinity(0, begin["cpus"])
        threading.Thread(target=self._hear, name="loadrig-orders", daemon=True).start()
        self._say({"ready": 1})
        while (spec := self._tasks.get()) is not None:
            self._is_running.set()
            try:
                answer: dict[str, Any] = {"done": line_of(outcome_of(spec, run))}
            except RigError as error:
                answer = told_error(error)
            except KeyboardInterrupt:
                answer = {"kind": Interrupted.__name__, "problems": []}
            finally:
                self._is_running.clear()
            self._say(answer)

    def _hear(self) -> None:
        for line in self._orders:
            order = json.loads(line)
            if "stop" in order:
                break
            self._tasks.put(unpacked(order["spec"]))
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
