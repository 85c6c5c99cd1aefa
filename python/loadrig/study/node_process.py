"""Process of a node: runs the trials that come by its input, one after the other, on its own cores.

It is a process of its own, as a trial takes one over: its signals, its cores, its leases. When its input
closes or says stop, the trial that runs is ended as by Ctrl-C, so a killed driver leaves no load behind.
On another host it runs them in a folder of its own, and sends each trial's folder back before it answers.

In:  first a NodeBegin, then a NodeOrder for each trial.
Out: a NodeReady; then for each trial a NodeAnswer, after those with the parts of its folder.
"""

import base64
import io
import json
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from loadrig.base import hangups, known_secrets, own_files, passing, private
from loadrig.base.documents import Document, plain
from loadrig.base.errors import Interrupted, RigError
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan
from loadrig.recording.layout import RunFolder
from loadrig.study import node_cargo
from loadrig.study.node_messages import NodeAnswer, NodeBegin, NodeOrder, NodeReady, ToldError
from loadrig.study.node_needs import lack_of
from loadrig.study.trial_in_run import over_in, run_in
from loadrig.study.trials import DoneTrial, done
from loadrig.trial.spec import Experiment, TrialSpec, Watcher

if TYPE_CHECKING:
    from loadrig.proving.live_order import LiveOrder


def packed(task: "TrialSpec | LiveOrder") -> str:
    """Return a task as text, for a process that we have started ourselves."""
    return base64.b64encode(pickle.dumps(task)).decode()


def unpacked(text: str) -> TrialSpec:
    """Return the trial of a text that `packed` has made."""
    spec: TrialSpec = pickle.loads(base64.b64decode(text))  # it comes from our own driver
    return spec


def unpacked_live(text: str) -> "LiveOrder":
    """Return the experiment of a text that `packed` has made."""
    order: LiveOrder = pickle.loads(base64.b64decode(text))  # it comes from our own driver
    return order


def outcome_of(spec: TrialSpec, run: RunFolder) -> DoneTrial:
    """Run a trial, or read it where it is over already. Raises what trial.runner.run_trial raises."""
    _learn_secrets(spec)
    begun = time.monotonic()
    outcome = over_in(run, spec) or run_in(run, spec, Watcher())
    # A trial that was over already took no time now: its load tells how long it was.
    return done(spec, outcome, max(time.monotonic() - begun, outcome.seconds), run.path)


def _learn_secrets(spec: TrialSpec) -> None:
    for secret in spec.plan.literals.values():
        known_secrets.learn(str(secret))


def _after_rest(rest_s: float) -> None:
    if rest_s:
        from loadrig.proving import rest  # with a proof's trials alone

        rest.wait(rest_s)


class NodePlace:
    """Place of a node's trials: the run's folder of the driver, or one of our own whose trials are sent back.

    begin: what the driver wants. stack: ends what is ours.
    """

    def __init__(self, begin: NodeBegin, stack: ExitStack) -> None:
        self.lacks = ""
        self._files: Path | None = None
        self._is_ours = not begin.folder
        if not self._is_ours:
            self.run = RunFolder(Path(begin.folder))
            return
        own = stack.enter_context(passing.folder("nodes"))
        self.run = RunFolder(own / "run")
        private.make_folder(self.run.trials)
        if begin.files:
            self._files = own / "files"
            private.make_folder(self._files)
            node_cargo.unpack(io.BytesIO(base64.b64decode(begin.files)), self._files)
        elif not Path(begin.base).is_dir():
            self.lacks = begin.base
            return
        stack.callback(os.chdir, "/")  # before the folder is removed
        os.chdir(self._files or begin.base)

    def placed(self, spec: TrialSpec) -> TrialSpec:
        """Return a trial's task as it is carried out here: the files that its plan names are those we got."""
        if self._files is None or not spec.plan.path:
            return spec
        path = spec.plan.path
        plan = replace(spec.plan, path=str(self._files / Path(path).name))
        # Whoever goes on with the study finds the plan's files by the path in the manifest.
        return replace(spec, plan=plan, plan_path=path)

    def send_back(self, spec: TrialSpec, say: Callable[[Document], None]) -> None:
        """Send what a trial has left to the driver, where it is not in the driver's own folder."""
        folder = self.run.trial(spec.index).path
        if not self._is_ours or not folder.is_dir():
            return
        for part in node_cargo.parts_of(folder):
            say(NodeAnswer(part=part))
        own_files.remove_tree(folder)


class FindingsText:
    """Findings of an experiment of a proof, as text for the driver; empty of a study's trial."""

    text = ""

    def make(self, order: "LiveOrder", spec: TrialSpec, place: NodePlace) -> None:
        """Make the experiment in a trial. Raises what a trial raises; what was found until then is kept."""
        from loadrig.proving import live_order  # with scipy, which no other trial needs before its load

        findings = live_order.LiveFindings()
        _learn_secrets(spec)

        def run(plan: Plan, setting: Setting, live: Experiment) -> None:
            task = replace(spec, plan=plan, setting=setting, experiment=live)
            run_in(place.run, place.placed(task), Watcher())

        try:
            live_order.carry_out(order, place.run.path, run, findings)
        finally:
            self.text = json.dumps(plain(findings))


class NodeLoop:
    """Loop of a node: hears its driver in a thread, and runs trials in the main one, which signals reach."""

    def __init__(self, orders: IO[bytes], out: IO[bytes]) -> None:
        self._orders, self._out = orders, out
        self._tasks: queue.SimpleQueue[NodeOrder | None] = queue.SimpleQueue()
        self._is_running = threading.Event()
        self._is_alone = threading.Event()

    def run(self) -> None:
        """Run trials until the driver wants no more."""
        begin = msgspec.json.decode(self._orders.readline(), type=NodeBegin)
        if begin.cpus:
            os.sched_setaffinity(0, begin.cpus)
        with ExitStack() as stack:
            place = NodePlace(begin, stack)
            threading.Thread(target=self._hear, name="loadrig-orders", daemon=True).start()
            self._say(NodeReady(lacks=place.lacks, lack=lack_of(begin.needs)))
            while (order := self._tasks.get()) is not None:
                self._say(self._answer(order, place))

    def _answer(self, order: NodeOrder, place: NodePlace) -> NodeAnswer:
        spec = place.placed(unpacked(order.spec))
        self._is_running.set()
        over, error, live = None, None, FindingsText()
        try:
            _after_rest(order.rest_s)
            if order.live:
                live.make(unpacked_live(order.live), spec, place)
            else:
                over = outcome_of(spec, place.run)
        except RigError as failure:
            error = ToldError.of(failure)
        except KeyboardInterrupt:
            error = ToldError(kind=Interrupted.__name__, problems=())
        finally:
            self._is_running.clear()
        if not self._is_alone.is_set():
            place.send_back(spec, self._say)
        return NodeAnswer(done=over, error=error, live=live.text)

    def _hear(self) -> None:
        for line in self._orders:
            order = msgspec.json.decode(line, type=NodeOrder)
            if order.stop:
                break
            self._tasks.put(order)
        else:
            self._is_alone.set()  # nobody reads what is sent: a pipe that is full would hold us up
        self._tasks.put(None)
        if self._is_running.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    def _say(self, message: Document) -> None:
        try:
            self._out.write(json.dumps(plain(message)).encode() + b"\n")
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
