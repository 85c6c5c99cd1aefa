"""Trials of a proof on several places at the same time: blocks of base and changes, each on one place.

A block stays on its place, as a change is compared with the base there. What is left of a block whose place
is lost becomes a block of its own elsewhere, with a base of its own.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from loadrig.base.errors import Interrupted, RigError, VoidError
from loadrig.judgement.experiments.trial_gains import FEWEST_PAIRED_BLOCKS
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.proving import ProvingCarryOutErrors, ProvingSideBySideErrors
from loadrig.language.en.proving import ProvingSideBySideTexts
from loadrig.proving.live_order import LiveFindings, LiveOrder
from loadrig.proving.pairs import MOST_BLOCKS, Pairs
from loadrig.proving.trials import ProvingPlace, TrialRunner
from loadrig.stats.elasticity import BASE
from loadrig.trial.interruption import Interruption

TEXTS, ERRORS = texts_of(ProvingSideBySideTexts), texts_of(ProvingSideBySideErrors)
COURSE_ERRORS = texts_of(ProvingCarryOutErrors)

LOOKS_EVERY_S = 0.2
"""Time between two looks whether a person wants the proof to end, in seconds, while all places run trials."""


class LostPlace(Exception):
    """Loss of a place: it runs no trial any more. Its text says how, as a clause."""


class ProofPlaces:
    """Places of a proof that are left. say: tells a person that one was lost."""

    def __init__(self, places: Sequence[ProvingPlace], say: Callable[[str], None]) -> None:
        self.places, self._say = list(places), say

    def work(self, tasks: "Sequence[LiveTask | BlockTask]") -> None:
        """Let the places do the tasks, each the next one when it is free.

        Raises the first error of a trial, once the trials beside it have ended; Interrupted after Ctrl-C.
        """
        waiting, running = deque(tasks), dict[Future[None], tuple[ProvingPlace, LiveTask | BlockTask]]()
        failure: RigError | None = None
        with ThreadPoolExecutor(len(self.places), "loadrig-proof") as pool, Interruption() as interruption:
            try:
                while running or (waiting and failure is None):
                    if failure is None:
                        self._begin(waiting, running, pool)
                    for future in wait(running, LOOKS_EVERY_S, FIRST_COMPLETED).done:
                        place, task = running.pop(future)
                        try:
                            future.result()
                        except LostPlace as loss:
                            self._lose(place, str(loss))
                            waiting.appendleft(task.left())
                            failure = failure or self._all_lost(place, str(loss))
                        except RigError as error:
                            # A place that is told to stop by us says nothing of its own.
                            failure = failure or (error if error.problems else _by_hand())
                            self._stop(running)
                    if interruption.happened and failure is None:
                        failure = _by_hand()
                        self._stop(running)
            except BaseException:
                # The threads wait for their places: without an end of those, the pool would never be left.
                self._stop(running)
                raise
        if failure is not None:
            raise failure

    def _begin(self, waiting: deque[Any], running: dict[Any, Any], pool: ThreadPoolExecutor) -> None:
        busy = [place for place, _ in running.values()]
        for place in self.places:
            if waiting and place not in busy:
                task = waiting.popleft()
                running[pool.submit(task.run, place)] = place, task

    def _stop(self, running: dict[Any, Any]) -> None:
        for place, _ in running.values():
            place.stop()

    def _lose(self, place: ProvingPlace, why: str) -> None:
        self.places.remove(place)
        self._say(TEXTS.place_lost(place.name, why))

    def _all_lost(self, place: ProvingPlace, why: str) -> RigError | None:
        if self.places:
            return None
        return VoidError.of(ERRORS.all_lost(place.name, why), code="nodes.all-lost")


@dataclass(slots=True)
class LiveTask:
    """Experiment while load runs, in a trial on one place. most_rest_s: longest wait for ports before it.

    `run` raises what a trial raises, and LostPlace; `left` is what is to be done elsewhere then.
    """

    runner: TrialRunner
    order: LiveOrder
    findings: LiveFindings
    most_rest_s: float

    def run(self, place: ProvingPlace) -> None:
        """Make the experiment."""
        plan = self.order.plan
        spec = self.runner.begun(plan, plan.base_setting, node=place.name, number=self.order.number)
        place.prove(spec, self.order, self.findings, self.most_rest_s)

    def left(self) -> "LiveTask":
        """Return the whole experiment: what was found until then was lost with the place."""
        return self


@dataclass(slots=True)
class BlockTask:
    """Block of base and changes. row: those that are still to be run, in their order."""

    pairs: "DealtPairs"
    block: int
    row: list[int]
    changes: Sequence[int]

    def run(self, place: ProvingPlace) -> None:
        """Run what is left of the block."""
        while self.row:
            self.pairs.run_change(self.row[0], self.block, place)
            del self.row[0]

    def left(self) -> "BlockTask":
        """Return a block of what was not compared yet: all of it, where its base had not run."""
        self.pairs.forget(self.row[0])
        rest = self.changes if BASE in self.row else self.row
        return self.pairs.block_of([change for change in rest if change != BASE])


class DealtPairs(Pairs):
    """Runner of base and changes in blocks, as many at once as there are places. nodes: set before `run`."""

    nodes: ProofPlaces

    @property
    def _at_once(self) -> int:
        return len(self.nodes.places)

    @property
    def _fewest_in_turn(self) -> int:
        return math.ceil(FEWEST_PAIRED_BLOCKS / self._at_once)

    def _run_blocks(self, changes: Sequence[int]) -> None:
        most = MOST_BLOCKS - max(self._tried[change] for change in changes)
        self.nodes.work([self.block_of(changes) for _ in range(max(1, min(self._at_once, most)))])

    def block_of(self, changes: Sequence[int]) -> BlockTask:
        """Return the next block, of these changes."""
        return BlockTask(self, self._next_block(), self._row(changes), changes)

    def forget(self, change: int) -> None:
        """Count a trial no more, as it was lost with its place."""
        with self._lock:
            self._tried[change] -= 1


def _by_hand() -> Interrupted:
    return Interrupted.of(COURSE_ERRORS.stopped_by_hand(), code="trial.interrupted")
