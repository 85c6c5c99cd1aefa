"""A whole study into a run's folder: strategy, ledger, trials, verdicts, result."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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
from loadrig.recording import documents, run_seal
from loadrig.recording.files import write_json
from loadrig.recording.layout import RunFolder
from loadrig.study import runner
from loadrig.study.ledger import Ledger
from loadrig.study.strategy import Answering, AnsweringEach, InBlocks, Strategy, Tuner
from loadrig.study.trial_in_run import ends_when_doomed, over_in, run_in
from loadrig.study.trials import DoneTrial
from loadrig.study.watch import StudyWatcher
from loadrig.study.yardstick import Yardstick, deciding
from loadrig.trial.spec import Silence, TrialSpec, Watcher
from loadrig.trial.surroundings import machine

if TYPE_CHECKING:  # needed once trials are over: the first request does not wait for the import
    from loadrig.study.answer import Question
    from loadrig.study.document import StudyDocument
    from loadrig.study.proof import DiagnosedTrial

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
    What was done before a failure or
    Ctrl-C is judged and written too; only where no trial is over is the failure raised.
    Raises PlanError if the plan does not fit its strategy or the ledger is of another plan.
    """
    strategy = planned(plan)
    by = _by(plan, strategy)

    window_s = strategy.window_s if isinstance(strategy, Tuner) else float(plan.trial.measure.at_most)

    def run_one(spec: TrialSpec) -> Any:
        spec = ends_when_doomed(spec, is_alone=len(strategy.settings) == 1)
        if (over := over_in(run, spec)) is not None:
            return over
        if not may_load:
            raise _unfinished(run)
        outcome = run_in(run, spec, trial_watch(spec) if trial_watch else Silence())
        if spec.index == 1:
            foresee(outcome.measures)
        return outcome

    def foresee(measures: Mapping[str, Estimate]) -> None:
        """Say what the study will not see, from the rate that its first trial had."""
        rate = measures.get("throughput")
        if watch is not None and rate is not None and rate.value > 0:
            from loadrig.study import fidelity

            for text in fidelity.foreseen(plan, rate.value, window_s):
                watch.note(text)

    if may_load and plan.nodes is not None:
        _places().check(plan, strategy)
    with Ledger.open(run.ledger, plan, machine()) as ledger:
        if may_load and (plan.nodes is not None or any(trial.node for trial in ledger.trials)):
            _places().check_names(plan, ledger)
        over = {trial.index for trial in ledger.trials}
        run_seal.open_again(run, run.ledger.name, run.result.name, done=over)
        if may_load and plan.nodes is not None:
            ended = _on_nodes(plan, strategy, ledger, run, watch, most_trials, foresee)
        else:
            ended = runner.run(
                strategy,
                ledger,
                run_one,
                watch=watch,
                budget_s=plan.study.budget,
                most_trials=most_trials,
                expected_s=trial_s(plan, strategy),
            )
        if ended.failure is not None and not ledger.trials:
            raise ended.failure
        # Not imported at the top: with scipy it takes a second, and the first trial need not wait for that.
        from msgspec import structs

        from loadrig.base.documents import plain
        from loadrig.study import fidelity, proof, result
        from loadrig.study.failures import headed, target_failed
        from loadrig.study.judge import judge

        trials = ledger.trials
        question = asked(plan, strategy, by)
        if isinstance(strategy, Tuner):
            question = replace(question, settings=tuple(strategy.tried))
            trials = tuple(strategy.with_figures(trial) for trial in trials)
        judgement = judge(question, trials)
        document = result.document(
            plan,
            question,
            judgement,
            trials,
            created=ledger.created,
            machine=ledger.machine,
            is_finished=ended.why == "done",
        )
        warnings = (*document.warnings, *fidelity.warnings(plan, trials, window_s))
        document = structs.replace(document, warnings=warnings)
        if isinstance(strategy, Tuner):
            document = strategy.laid_over(document)
        command = f"loadrig run {shlex.quote(str(run.path))}"
        findings, diagnosis = proof.findings(document, _results(run, document), command)
        document = structs.replace(document, findings=findings, diagnosis=diagnosis)
        if isinstance(strategy, Answering):
            document = structs.replace(document, **{strategy.name: _answer(strategy, run, document)})
        if isinstance(strategy, AnsweringEach) and len(document.settings) > 1:
            document = structs.replace(document, **{strategy.each: _answers(strategy, run, document)})
        if (failed := target_failed(run, trials)) is not None:
            document = headed(document, failed)
        failure = ended.failure
        try:
            write_json(run.result, plain(document))
            run_seal.seal(run)
        except VoidError as full:
            failure = failure or full  # the document is still shown
        return StudyOutcome(document, ledger.trials, ended.why, failure)


def _places() -> ModuleType:
    """Return the choice of nodes, which hardly any study needs: no first request waits for its import."""
    from loadrig.study import node_places

    return node_places


def _on_nodes(
    plan: Plan,
    strategy: Strategy,
    ledger: Ledger,
    run: RunFolder,
    watch: StudyWatcher | None,
    most_trials: int | None,
    foresee: Callable[[Mapping[str, Estimate]], None],
) -> runner.StudyEnd:
    """Run a study on the nodes of its plan."""
    from loadrig.study import dealing

    assert isinstance(strategy, InBlocks)

    def heard(trial: DoneTrial) -> None:
        if trial.index == 1:
            foresee(trial.measures)

    rules = dealing.DealRules(
        budget_s=plan.study.budget,
        most_trials=most_trials,
        expected_s=trial_s(plan, strategy),
        prepare=partial(ends_when_doomed, is_alone=False),
        heard=heard,
    )
    with _places().started(plan, run, ledger.handle) as nodes:
        return dealing.run(strategy, ledger, run, nodes, rules, watch)


def _unfinished(run: RunFolder) -> Interrupted:
    wording = ERRORS.run_unfinished(str(run.path), shlex.quote(str(run.path)))
    return Interrupted.of(wording, code="study.interrupted")


def _answer(strategy: Answering, run: RunFolder, document: "StudyDocument") -> Any:
    """Return what the strategy alone says: of the recommended setting, or of the base; None of no trial."""
    number = document.recommended.setting_id if document.recommended else 0
    return _answer_of(strategy, run, document, number)


def _answers(strategy: Answering, run: RunFolder, document: "StudyDocument") -> tuple[Any, ...]:
    """Return what the strategy says of each setting, but of those without a trial that can be believed."""
    answers = (_answer_of(strategy, run, document, setting.id) for setting in document.settings)
    return tuple(answer for answer in answers if answer is not None)


def _answer_of(strategy: Answering, run: RunFolder, document: "StudyDocument", number: int) -> Any:
    """Return what the strategy says of a setting, by its number; None of no trial."""
    from msgspec import structs

    from loadrig.base.documents import plain
    from loadrig.recording.reader import Recording
    from loadrig.study.capacity.document import CapacityDocument

    for trial in document.settings[number].trials:
        if trial.is_usable:
            answer = strategy.answer(Recording.open(run.trial(trial.index).path))
            answer = structs.replace(answer, setting_id=number, trial=trial.index)
            # Soaks and spikes have schemas of their own: a study's result holds them as they are written.
            return answer if isinstance(answer, CapacityDocument) else plain(answer)
    return None


def _results(run: RunFolder, document: "StudyDocument") -> dict[int, list["DiagnosedTrial"]]:
    """Return results of trials that may be believed, by the setting's id."""
    from loadrig.base.documents import typed
    from loadrig.study.proof import DiagnosedTrial

    results: dict[int, list[DiagnosedTrial]] = {}
    for setting in document.settings:
        for trial in setting.trials:
            path = run.trial(trial.index).result
            if trial.is_usable and path.is_file():
                results.setdefault(setting.id, []).append(
                    typed(DiagnosedTrial, documents.read(path), str(path))
                )
    return results
