"""End of a command: what is printed, and the exit code."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from loadrig.base.documents import ABSENT, Absent
from loadrig.base.errors import Problem, RigError, TargetError
from loadrig.base.exits import Exit
from loadrig.cli._rendered import rendered
from loadrig.cli._shown import show
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli_run import CliFinishErrors
from loadrig.report import Report, of_run, read, write_page
from loadrig.report.run import Run
from loadrig.study.document import StudyDocument
from loadrig.study.trials import GoalRow
from loadrig.trial.result import TrialResult

ERRORS = texts_of(CliFinishErrors)


def end(
    folder: Path,
    document: Mapping[str, Any],
    code: Callable[[], Exit],
    *,
    failure: RigError | None,
    as_json: bool,
    verbose: bool = False,
) -> Exit:
    """Print the summary (or the JSON), write the page, and return the exit code.

    document: what the run's result.json says, or would say on a disk with room for it. verbose: print every
    warning in full. code: returns the exit
    code of the run; failure: what has stopped it, which is raised after all was shown. A page that cannot be
    written is reported, and hides neither code nor failure.
    """
    built: tuple[Run, Report] | None = None
    if as_json:
        print(json.dumps(document, indent=1))
    else:
        built = _built(folder, document)
        show(built[1], verbose=verbose)
    unwritten: RigError | None = None
    try:
        page = write_page(*(built or _built(folder, document)))
        if not as_json:
            print(f"report: {page}", file=sys.stderr)
    except RigError as error:
        unwritten = error
    if failure is not None:
        if unwritten is not None:
            print(rendered(unwritten), file=sys.stderr)
        raise failure
    exit_code = code()
    if unwritten is None:
        return exit_code
    if exit_code is Exit.FINE:
        raise unwritten
    print(rendered(unwritten), file=sys.stderr)
    return exit_code


def _built(folder: Path, document: Mapping[str, Any]) -> tuple[Run, Report]:
    """Return a run as it is read, and its report, for the terminal and for the page."""
    run = read(folder, document)
    return run, of_run(run)


def has_failed(document: Mapping[str, Any]) -> bool:
    """Return whether a result says that the server under test died, went away or never answered."""
    return document.get("target_failed") is not None


def exit_of_trial(result: TrialResult) -> Exit:
    """Return the exit code of one trial. Raises TargetError when nothing was ever answered."""
    if not result.was_answered:
        raise TargetError(never_answered(result))
    if result.document.target_failed:
        return Exit.TARGET_FAILED
    if not result.validity.has_load:
        return Exit.VOID
    if any(goal.is_met is False for goal in result.goals):
        return Exit.GOAL_MISSED
    if any(goal.is_met is None for goal in result.goals):
        return Exit.UNDECIDED
    return Exit.FINE


def exit_of_study(study: StudyDocument) -> Exit:
    """Return the exit code of a study that ran to its end or its budget.

    A server that failed under load comes before all else, also where the answer does not depend on that
    setting. A goal counts as missed when no setting meets them all.
    """
    if study.target_failed:
        return Exit.TARGET_FAILED
    if not study.usable:
        return Exit.VOID
    if study.capacity is not None and len(study.settings) == 1:
        return OF_SEARCHES[study.capacity.why_ended, study.capacity.value is not None]
    if study.soaks:
        # As of any study: what holds for some setting can be had.
        codes = [_exit_of_answer(study.setting(answer["setting_id"]).goals, answer) for answer in study.soaks]
        return next(code for code in (Exit.FINE, Exit.UNDECIDED, Exit.GOAL_MISSED) if code in codes)
    if study.soak is not ABSENT or study.spike is not ABSENT:
        return _exit_of_answer(study.settings[0].goals, study.soak or study.spike)
    if study.tuning and study.tuning.why == "no setting meets the goals":
        return Exit.GOAL_MISSED
    if study.settings and all(setting.feasible is False for setting in study.settings):
        return Exit.GOAL_MISSED
    if study.recommended is None:
        return Exit.UNDECIDED
    return Exit.FINE


OF_SEARCHES = {
    ("sure", True): Exit.FINE,
    ("sure", False): Exit.UNDECIDED,
    ("budget", True): Exit.FINE,
    ("budget", False): Exit.UNDECIDED,
    ("all_levels_meet", False): Exit.FINE,
    ("no_level_meets", True): Exit.GOAL_MISSED,
    ("no_level_meets", False): Exit.GOAL_MISSED,
    ("generator_limited", False): Exit.VOID,
}
"""Exit codes by why a search ended, and whether it found a capacity."""


OF_ANSWERS = {
    "sound": Exit.FINE,
    "drifts": Exit.FINE,
    "dips": Exit.FINE,
    "leaks": Exit.GOAL_MISSED,
    "lapses": Exit.GOAL_MISSED,
    "unsure": Exit.UNDECIDED,
    "unharmed": Exit.FINE,
    "recovered": Exit.FINE,
    "recovering": Exit.UNDECIDED,
    "unknown": Exit.UNDECIDED,
    "metastable": Exit.GOAL_MISSED,
}
"""Exit codes by the answer of a soak or a spike. A server with dips is no failure: nobody asked for one
without, unless by a goal."""


def _exit_of_answer(rows: Sequence[GoalRow], answer: Mapping[str, Any] | Absent | None) -> Exit:
    """Return the exit code of a soak or a spike: of its goals, then of its answer."""
    goals = [goal.met for goal in rows]
    if any(met is False for met in goals):
        return Exit.GOAL_MISSED
    exit_code = OF_ANSWERS[answer["verdict"]] if answer else Exit.UNDECIDED
    return Exit.UNDECIDED if exit_code is Exit.FINE and None in goals else exit_code


def failed_trial(reasons: tuple[str, ...]) -> Problem:
    """Return the problem of a single trial that left no folder."""
    return Problem.of(ERRORS.failed_trial(reasons[0] if reasons else ""), code="trial.failed")


def never_answered(result: TrialResult) -> Problem:
    """Return the problem of a target that gave no HTTP answer at all."""
    document = result.document
    outcomes = {name: count for name, count in document.outcomes.items() if count}
    worst = max(outcomes, key=lambda name: outcomes[name], default="unsent")
    details = [example.detail for example in document.examples if example.outcome == worst][:3]
    counts = ", ".join(f"{name} {count:,}" for name, count in outcomes.items())
    return Problem.of(
        ERRORS.never_answered(str(document.address), counts, worst),
        code="trial.never-answered",
        detail=tuple(dict.fromkeys(detail for detail in details if detail)),
    )
