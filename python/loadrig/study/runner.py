"""Runs the trials that a strategy asks for, one after the other, and keeps each before the next."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from loadrig.base.errors import Interrupted, RigError, TargetError
from loadrig.base.setting import show_setting
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyRunnerErrors
from loadrig.language.en.study import StudyRunnerTexts
from loadrig.study.ledger import Ledger
from loadrig.study.strategy import Strategy
from loadrig.study.trials import DoneTrial, done, failed
from loadrig.study.watch import StudyWatcher
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:
    from loadrig.trial.result import TrialResult

TEXTS = texts_of(StudyRunnerTexts)
ERRORS = texts_of(StudyRunnerErrors)

RunTrial: TypeAlias = "Callable[[TrialSpec], TrialResult]"
"""Function that runs one trial to its end. Raises what trial.runner.run_trial raises."""

FAILURES_UNTIL_HOPELESS = 3
"""Failed settings, with none that worked, from which the fault lies elsewhere than in the settings."""


@dataclass(frozen=True, slots=True)
class StudyEnd:
    """End of a study's run. failure: what stopped it before its end, to be raised or shown."""

    why: Literal["done", "budget", "interrupted", "failed"]
    failure: RigError | None = None


def run(
    strategy: Strategy,
    ledger: Ledger,
    run_trial: RunTrial,
    *,
    watch: StudyWatcher | None = None,
    budget_s: float | None = None,
    most_trials: int | None = None,
    expected_s: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
) -> StudyEnd:
    """Run until the strategy has all it wants, the budget is used, or something stops it.

    strategy: fresh; it is told what the ledger holds. budget_s: of trial time, earlier sessions
    included; a trial that would likely end beyond it is not begun. most_trials: stop when so many are
    over. expected_s: of one trial, used
    until the first is over. clock: seconds, never back.
    Raises nothing that a trial raises: that is in the answer, and what was done is in the ledger.
    """
    watch = watch or StudyWatcher()
    for trial in ledger.trials:
        strategy.tell(trial)
    watch.study_begins(strategy.total, len(ledger.trials), _left_s(strategy, ledger, expected_s))
    try:
        while asked := strategy.ask():
            spec = asked[0]
            if most_trials is not None and len(ledger.trials) >= most_trials:
                watch.note(TEXTS.stopped_after_trials(str(len(ledger.trials))))
                return StudyEnd("budget")
            if watch.is_ended_early:
                watch.note(TEXTS.ended_early_hand(str(len(ledger.trials)), str(strategy.total)))
                return StudyEnd("budget")
            if not _fits(ledger, budget_s, expected_s):
                unrun = strategy.total - len(ledger.trials)
                watch.note(TEXTS.budget_used_not(str(unrun), unrun == 1))
                return StudyEnd("budget")
            watch.trial_begins(
                spec, len(ledger.trials), strategy.total, _left_s(strategy, ledger, expected_s)
            )
            trial = _run_one(spec, ledger, run_trial, clock)
            ledger.add(trial)
            strategy.tell(trial)
            watch.trial_ends(trial)
            say_loss(trial, strategy.ask, watch)
    except Interrupted as failure:
        return StudyEnd("interrupted", failure)
    except KeyboardInterrupt:
        return StudyEnd("interrupted", Interrupted.of(ERRORS.stopped_by_hand, code="study.interrupted"))
    except RigError as failure:
        return StudyEnd("failed", failure)
    ledger.end("done")
    return StudyEnd("done")


def _run_one(spec: TrialSpec, ledger: Ledger, run_trial: RunTrial, clock: Callable[[], float]) -> DoneTrial:
    """Run one trial; a target that fails with this setting is a result, unless it never works at all."""
    begun = clock()
    try:
        outcome = run_trial(spec)
    except TargetError as error:
        if is_hopeless(spec, ledger.trials):
            raise
        return failed(spec, error, clock() - begun)
    # A trial that was over already took no time now: its load tells how long it was.
    seconds = max(clock() - begun, outcome.seconds)
    return done(spec, outcome, seconds, ledger.path.parent)


def is_hopeless(spec: TrialSpec, trials: tuple[DoneTrial, ...]) -> bool:
    """Return whether a trial whose server failed shows that the study cannot work at all."""
    if spec.is_base:
        # Without the base there is nothing to compare with.
        return not any(trial.is_base and trial.is_usable for trial in trials)
    failures = sum(trial.validity == "failed" for trial in trials)
    return not any(trial.is_usable for trial in trials) and failures + 1 >= FAILURES_UNTIL_HOPELESS


def trial_s(ledger: Ledger, expected_s: float) -> float:
    """Return how long a trial is expected to take, in seconds: the mean of those that worked."""
    seconds = [trial.seconds for trial in ledger.trials if trial.validity != "failed"]
    return sum(seconds) / len(seconds) if seconds else expected_s


def _left_s(strategy: Strategy, ledger: Ledger, expected_s: float) -> float:
    return max(0, strategy.total - len(ledger.trials)) * trial_s(ledger, expected_s)


def _fits(ledger: Ledger, budget_s: float | None, expected_s: float) -> bool:
    if budget_s is None or not ledger.trials:
        return True
    used = sum(trial.seconds for trial in ledger.trials)
    return used + trial_s(ledger, expected_s) <= budget_s


def say_loss(trial: DoneTrial, ahead: Callable[[], Sequence[TrialSpec]], watch: StudyWatcher) -> None:
    """Say that a trial has no usable figures, and what becomes of it. ahead: returns trials to come."""
    if trial.is_usable:
        return
    again = any(
        spec.setting == trial.setting and spec.block == trial.block and spec.repeat > trial.repeat
        for spec in ahead()
    )
    what = TEXTS.is_void if trial.validity == "void" else TEXTS.has_failed
    reason = f": {trial.reasons[0]}" if trial.reasons else ""
    then = TEXTS.will_repeated_once if again else TEXTS.is_out
    watch.note(TEXTS.trial(str(trial.index), show_setting(trial.setting), what, reason, then))
