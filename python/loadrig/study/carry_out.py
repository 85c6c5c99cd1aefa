"""A whole study into a run's folder: strategy, ledger, trials, verdicts, result."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from loadrig.base import members
from loadrig.base.errors import Interrupted, RigError, VoidError
from loadrig.base.estimate import Estimate
from loadrig.engine.compile import longest_s
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyCarryOutErrors
from loadrig.plan.build import STRATEGIES
from loadrig.plan.knobs import catalogue_of
from loadrig.plan.model import Plan
from loadrig.recording import run_seal
from loadrig.recording.files import write_json
from loadrig.recording.layout import RunFolder
from loadrig.study import runner
from loadrig.study.ledger import Ledger
from loadrig.study.strategy import Answering, InBlocks, Strategy, Tuner, window_s
from loadrig.study.trial_in_run import ends_when_doomed, over_in, run_in
from loadrig.study.trials import DoneTrial
from loadrig.study.watch import StudyWatcher
from loadrig.study.yardstick import Yardstick, deciding
from loadrig.trial.spec import TrialSpec, Watcher
from loadrig.trial.surroundings import machine

if TYPE_CHECKING:  # needed once trials are over: the first request does not wait for the import
    from loadrig.study.answer import Question
    from loadrig.study.document import StudyDocument

ERRORS = texts_of(StudyCarryOutErrors)

AROUND_S = 3.0
"""Seconds of a trial for starting, looking at the surroundings and stopping, until trials tell how long that
takes."""


@dataclass(frozen=True, slots=True)
class StudyOutcome:
    """Outcome of a study.

    failure: what stopped it before its end (Ctrl-C, a target that fails), None if it ran to its end
    or its budget. ended: done, budget, interrupted or failed.
    """

    document: "StudyDocument"
    trials: tuple[DoneTrial, ...]
    ended: str
    failure: RigError | None


def planned(plan: Plan) -> Strategy:
    """Return the plan's strategy, fresh. Raises PlanError where the plan does not fit it."""
    module = members.load(STRATEGIES, plan.study.strategy)
    strategy: Strategy = module.strategy(plan, plan.study.options or module.Options())
    return strategy


def trial_s(plan: Plan, strategy: Strategy) -> float:
    """Return the most seconds that a trial takes, before any has run; a tuner's stages set its lengths."""
    longest = longest_s(strategy.plan if isinstance(strategy, Answering) else plan) + AROUND_S
    if not isinstance(strategy, Tuner):
        return longest
    measured = strategy.seconds / max(1, strategy.total)
    return longest - float(plan.trial.measure.at_most) + measured


def asked(plan: Plan, strategy: Strategy, by: Yardstick | None = None) -> "Question":
    """Return what the study is to answer. by: the measure that decides, if it was looked up already."""
    from loadrig.study.answer import Question

    return Question(
        settings=tuple(strategy.settings),
        by=by or _by(plan, strategy),
        goals=plan.goals,
        knobs=plan.knobs,
        catalogue=catalogue_of(plan.target),
        is_closed=plan.workload.arrivals.is_closed,
    )


def _by(plan: Plan, strategy: Strategy) -> Yardstick:
    """Return the measure that decides. Raises PlanError if it does not exist."""
    return strategy.by or deciding(plan)


def carry_out(
    plan: Plan,
    run: RunFolder,
    *,
    watch: StudyWatcher | None = None,
    trial_watch: Callable[[TrialSpec], Watcher] | None = None,
    most_trials: int | None = None,
    may_load: bool = True,
) -> StudyOutcome:
    """Run a study, or go on with the one whose ledger is in the folder, and write its result.

    run: its folder exists. trial_watch: who watches a given trial. most_trials: stop when so many are
    over, earlier sessions included. may_load: False where no load is to be made: what is there is judged.
    What was done before a failure or Ctrl-C is judged and written too; only where no trial is over is the
    failure raised.
    Raises PlanError if the plan does not fit its strategy or the ledger is of another plan.
    """
    strategy = planned(plan)
    yardstick = _by(plan, strategy)
    session = _StudySession(plan, run, strategy, watch, trial_watch or (lambda _: Watcher()), may_load)
    if may_load and plan.nodes is not None:
        _places().check(plan, strategy)
    with Ledger.open(run.ledger, plan, machine().to_json()) as ledger:
        ended = session.trials(ledger, most_trials)
        if ended.failure is not None and not ledger.trials:
            raise ended.failure
        # Not imported at the top: with scipy it takes a second, and the first trial need not wait for that.
        from loadrig.base.documents import plain
        from loadrig.study import conclusion

        question = asked(plan, strategy, yardstick)
        document = conclusion.document(plan, strategy, question, run, ledger, is_finished=ended.why == "done")
        failure = ended.failure
        try:
            write_json(run.result, plain(document))
            run_seal.seal(run)
        except VoidError as full:
            failure = failure or full  # the document is still shown
        return StudyOutcome(document, ledger.trials, ended.why, failure)


@dataclass(frozen=True, slots=True)
class _StudySession:
    """Session of a study: the trials that are left. Its fields are those of `carry_out`."""

    plan: Plan
    run: RunFolder
    strategy: Strategy
    watch: StudyWatcher | None
    trial_watch: Callable[[TrialSpec], Watcher]
    may_load: bool

    def trials(self, ledger: Ledger, most_trials: int | None) -> runner.StudyEnd:
        """Run trials until the strategy, the budget, their number or a person ends them."""
        plan, run = self.plan, self.run
        has_nodes = plan.nodes is not None
        if self.may_load and (has_nodes or any(trial.node for trial in ledger.trials)):
            _places().check_names(plan, ledger)
        over = {trial.index for trial in ledger.trials}
        run_seal.open_again(run, run.ledger.name, run.result.name, done=over)
        if self.may_load and has_nodes:
            return self._on_nodes(ledger, most_trials)
        return runner.run(
            self.strategy,
            ledger,
            self._run_here,
            watch=self.watch,
            budget_s=plan.study.budget,
            most_trials=most_trials,
            expected_s=trial_s(plan, self.strategy),
        )

    def _run_here(self, spec: TrialSpec) -> Any:
        spec = ends_when_doomed(spec, is_alone=len(self.strategy.settings) == 1)
        if (over := over_in(self.run, spec)) is not None:
            return over
        if not self.may_load:
            raise _unfinished(self.run)
        outcome = run_in(self.run, spec, self.trial_watch(spec))
        if spec.index == 1:
            self._foresee(outcome.measures)
        return outcome

    def _on_nodes(self, ledger: Ledger, most_trials: int | None) -> runner.StudyEnd:
        from loadrig.study import dealing

        strategy = self.strategy
        assert isinstance(strategy, InBlocks)

        def on_ledger(trial: DoneTrial) -> None:
            if trial.index == 1:
                self._foresee(trial.measures)

        rules = dealing.DealRules(
            budget_s=self.plan.study.budget,
            most_trials=most_trials,
            expected_s=trial_s(self.plan, strategy),
            prepare=partial(ends_when_doomed, is_alone=False),
            on_ledger=on_ledger,
        )
        with _places().started(self.plan, self.run, ledger.handle) as nodes:
            return dealing.run(strategy, ledger, self.run, nodes, rules, self.watch)

    def _foresee(self, measures: Mapping[str, Estimate]) -> None:
        """Say what the study will not see, from the rate that its first trial had."""
        rate = measures.get("throughput")
        if self.watch is not None and rate is not None and rate.value > 0:
            from loadrig.study import fidelity

            for text in fidelity.foreseen(self.plan, rate.value, window_s(self.plan, self.strategy)):
                self.watch.note(text)


def _places() -> ModuleType:
    """Return the choice of nodes, which hardly any study needs: no first request waits for its import."""
    from loadrig.study import node_places

    return node_places


def _unfinished(run: RunFolder) -> Interrupted:
    wording = ERRORS.run_unfinished(str(run.path), shlex.quote(str(run.path)))
    return Interrupted.of(wording, code="study.interrupted")
