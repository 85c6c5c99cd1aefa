"""Trials of a study on several nodes: each free node gets the next block, and keeps it to its end.

What a block asks for follows from its number and the seed alone, so the same trials run whatever the number
of nodes; only who runs them, and when, differs. The driver alone writes the ledger, a line as each trial
ends.
"""

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from loadrig.base.errors import Interrupted, RigError, TargetError, VoidError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyDealingErrors, StudyRunnerErrors
from loadrig.language.en.study import StudyDealingTexts, StudyRunnerTexts
from loadrig.recording.layout import RunFolder
from loadrig.study.known import is_of, left_over
from loadrig.study.ledger import Ledger, LedgerLoss
from loadrig.study.runner import StudyEnd, is_hopeless, say_loss, trial_s
from loadrig.study.strategy import InBlocks, Strategy
from loadrig.study.study_node import LostNode, StudyNode
from loadrig.study.trials import DoneTrial, failed
from loadrig.study.watch import StudyWatcher
from loadrig.trial.interruption import Interruption
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:
    from loadrig.recording.manifest_document import ManifestDocument

TEXTS = texts_of(StudyDealingTexts)
ERRORS = texts_of(StudyDealingErrors)
RUNNER_TEXTS = texts_of(StudyRunnerTexts)
RUNNER_ERRORS = texts_of(StudyRunnerErrors)

LOOKS_EVERY_S = 0.2
"""Time between two looks whether a person wants the study to end, in seconds, while all nodes run trials."""


class DealtStrategy(Strategy, InBlocks, Protocol):
    """Strategy whose blocks may be dealt to nodes."""


Running = Collection[Future[DoneTrial]]


def _nothing(trial: DoneTrial) -> None:
    del trial


def _over(running: Running) -> Running:
    """Return the trials that are over, once there is one or it is time to look around."""
    return wait(running, timeout=LOOKS_EVERY_S, return_when=FIRST_COMPLETED).done


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRules:
    """Limits of a study on nodes, as of runner.run, and what is done with trials on the way.

    prepare: what becomes of each trial before it runs. on_ledger: told of each trial that is in the ledger.
    """

    budget_s: float | None = None
    most_trials: int | None = None
    expected_s: float = 60.0
    prepare: Callable[[TrialSpec], TrialSpec] = lambda spec: spec
    on_ledger: Callable[[DoneTrial], None] = _nothing


@dataclass(slots=True)
class NodeSeat:
    """Node in a study. block: the block it was dealt; None: the next one is still to be dealt."""

    node: StudyNode
    block: int | None = None
    spec: TrialSpec | None = None
    began: float = 0.0


@dataclass(slots=True)
class Dealer:
    """Driver of a study on nodes, for one call of `deal`. wait: waits for a trial's end, for a while."""

    strategy: DealtStrategy
    ledger: Ledger
    run: RunFolder
    rules: DealRules
    watch: StudyWatcher
    seats: list[NodeSeat]
    unfinished: "dict[int, ManifestDocument]" = field(default_factory=dict)
    running: dict[Future[DoneTrial], NodeSeat] = field(default_factory=dict)
    end: StudyEnd | None = None
    wait: Callable[[Running], Running] = _over

    def deal(self, pool: Executor, interruption: Interruption) -> StudyEnd:
        """Deal blocks until all are done, or something ends the study."""
        while True:
            for seat in self.seats:
                if self.end is None and seat.spec is None and (spec := self._next(seat)) is not None:
                    self._begin(seat, spec, pool)
            if not self.running:
                return self.end or StudyEnd("done")
            for future in sorted(
                self.wait(self.running), key=lambda future: self.seats.index(self.running[future])
            ):
                self._take(self.running.pop(future), future)
            self._obey()
            if interruption.happened and (self.end is None or self.end.why != "interrupted"):
                stopped = Interrupted.of(RUNNER_ERRORS.stopped_by_hand, code="study.interrupted")
                self._stop(StudyEnd("interrupted", stopped))

    def _obey(self) -> None:
        """Carry out the orders of a person: of several trials at once only their end can be asked."""
        for order in self.watch.orders():
            from loadrig.recording.steering import End  # with documents, which hardly any study needs

            if isinstance(order.order, End):
                self.watch.end_early()
                self.watch.answer(order.id, "done", TEXTS.none_more)
            else:
                self.watch.answer(order.id, "refused", order.why or TEXTS.several_at_once)

    # --- what a node gets -------------------------------------------------------------------------

    def _next(self, seat: NodeSeat) -> TrialSpec | None:
        """Return the trial that a free node runs next; None where nothing is to be run, or not yet."""
        ahead = self.strategy.ahead([other.spec for other in self.seats if other.spec is not None])
        busy_blocks = {other.block for other in self.seats if other is not seat}
        free = {block: specs for block, specs in ahead.items() if block not in busy_blocks}
        if seat.block not in free:
            seat.block = self._chosen(seat, list(free))
        if seat.block is None:
            return None
        if (why := self._limit()) is not None:
            self.watch.note(why)
            self.end = StudyEnd("budget")
            return None
        return self._numbered(free[seat.block][0], seat.node.name)

    def _chosen(self, seat: NodeSeat, blocks: Sequence[int]) -> int | None:
        """Return the block for a node: one that it has begun, else one that nobody has, else a lost node's.

        None: what is left was begun by nodes that are there, and stays with them.
        """
        nodes = {trial.block: trial.node for trial in self.ledger.trials}
        own = [block for block in blocks if nodes.get(block) == seat.node.name]
        fresh = [block for block in blocks if block not in nodes]
        there = {other.node.name for other in self.seats}
        left_alone = [block for block in blocks if block in nodes and nodes[block] not in there]
        return next(iter([*own, *fresh, *left_alone]), None)

    def _numbered(self, spec: TrialSpec, node: str) -> TrialSpec:
        """Return a trial with its number in the run: of the folder that has it already, else the next one."""
        for index, facts in self.unfinished.items():
            if is_of(spec, facts):
                del self.unfinished[index]
                return replace(spec, index=index, node=facts.node)
        used = {trial.index for trial in self.ledger.trials} | {*self.unfinished}
        used |= {seat.spec.index for seat in self.seats if seat.spec is not None}
        index = next(number for number in range(1, len(used) + 2) if number not in used)
        return replace(spec, index=index, node=node)

    def _limit(self) -> str | None:
        """Return why no further trial is begun; None where one may be."""
        over, total = len(self.ledger.trials), self.strategy.total
        if self.rules.most_trials is not None and over + len(self.running) >= self.rules.most_trials:
            return RUNNER_TEXTS.stopped_after_trials(str(self.rules.most_trials))
        if self.watch.is_ended_early:
            return RUNNER_TEXTS.ended_early_hand(str(over), str(total))
        budget_s = self.rules.budget_s
        if budget_s is not None and (over or self.running):
            used = sum(trial.seconds for trial in self.ledger.trials)
            begun = (len(self.running) + 1) * trial_s(self.ledger, self.rules.expected_s)
            if used + begun > budget_s:
                unrun = total - over - len(self.running)
                return RUNNER_TEXTS.budget_used_not(str(unrun), unrun == 1)
        return None

    def _begin(self, seat: NodeSeat, spec: TrialSpec, pool: Executor) -> None:
        seat.spec, seat.began = spec, time.monotonic()
        self.watch.trial_begins(spec, len(self.ledger.trials), self.strategy.total, self.left_s())
        self.running[pool.submit(seat.node.run, self.rules.prepare(spec))] = seat

    # --- what a node says -------------------------------------------------------------------------

    def _take(self, seat: NodeSeat, future: Future[DoneTrial]) -> None:
        """Take the end of a trial, whatever it is."""
        spec, seat.spec = seat.spec, None
        assert spec is not None
        try:
            self._keep(future.result())
        except TargetError as error:
            if is_hopeless(spec, self.ledger.trials):
                self._stop(StudyEnd("failed", error))
            else:
                self._keep(failed(spec, error, time.monotonic() - seat.began))
        except LostNode as loss:
            self._lose(seat, spec, str(loss))
        except Interrupted as failure:
            # A node is told to stop by us alone, or by a person who has sent it a signal.
            self._stop(StudyEnd("interrupted", failure if failure.problems else None))
        except RigError as failure:
            self._stop(StudyEnd("failed", failure))

    def _keep(self, trial: DoneTrial) -> None:
        self.ledger.add(trial)
        self.strategy.tell(trial)
        self.watch.trial_ends(trial)
        self.rules.on_ledger(trial)
        say_loss(trial, self._all_ahead, self.watch)

    def _all_ahead(self) -> list[TrialSpec]:
        return [spec for specs in self.strategy.ahead(()).values() for spec in specs]

    def _lose(self, seat: NodeSeat, spec: TrialSpec, why: str) -> None:
        """Go on without a node; its block is free again, for whichever is free first."""
        name = seat.node.name
        self.seats.remove(seat)
        self.ledger.lose(LedgerLoss(node=name, block=spec.block, index=spec.index, why=why))
        self.watch.note(TEXTS.node_lost(name, why, str(spec.index)))
        if not self.seats and self.end is None:
            self.end = StudyEnd("failed", VoidError.of(ERRORS.all_lost(name, why), code="nodes.all-lost"))

    def _stop(self, end: StudyEnd) -> None:
        """End the study, and the trials that run now. The first reason stays."""
        if self.end is None or self.end.failure is None:
            self.end = end
        for seat in self.running.values():
            seat.node.stop()

    def left_s(self) -> float:
        """Return how long the study is expected to take from now on, in seconds."""
        trials = max(0, self.strategy.total - len(self.ledger.trials))
        return trials * trial_s(self.ledger, self.rules.expected_s) / max(1, len(self.seats))


def run(
    strategy: DealtStrategy,
    ledger: Ledger,
    folder: RunFolder,
    nodes: Sequence[StudyNode],
    rules: DealRules,
    watch: StudyWatcher | None = None,
) -> StudyEnd:
    """Run a study on nodes until the strategy has all it wants, or something stops it, as runner.run does.

    folder: of the run, in which every node writes its trials. Raises nothing that a trial raises.
    """
    watch = watch or StudyWatcher()
    for trial in ledger.trials:
        strategy.tell(trial)
    unfinished = left_over(folder, {trial.index for trial in ledger.trials})
    dealer = Dealer(strategy, ledger, folder, rules, watch, [NodeSeat(node) for node in nodes], unfinished)
    watch.study_begins(strategy.total, len(ledger.trials), dealer.left_s())
    with ThreadPoolExecutor(len(nodes), "loadrig-node") as pool, Interruption() as interruption:
        try:
            end = dealer.deal(pool, interruption)
        except BaseException:
            # The threads wait for their nodes: without an end of those, the pool would never be left.
            for node in nodes:
                node.stop()
            raise
    if end.why == "done":
        ledger.end("done")
    return end
