"""Resuming a run that was stopped or killed: which run, by which plan, and why not where it cannot go on."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from loadrig.base.errors import Interrupted, PlanError, RigError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli_run import CliResumeErrors
from loadrig.plan.model import Plan
from loadrig.plan.seeding import seed_in, seeded
from loadrig.recording import documents
from loadrig.recording.layout import DEFAULT_PARENT, RunFolder, TrialFolder
from loadrig.study.identity import differing, identity
from loadrig.study.ledger import MOST_BYTES as MOST_LEDGER_BYTES
from loadrig.study.ledger import head_of

if TYPE_CHECKING:
    from loadrig.recording.manifest_document import ManifestDocument

ERRORS = texts_of(CliResumeErrors)


def run_to_resume(plan: Plan, out: Path | None) -> tuple[RunFolder, Plan]:
    """Return the run to go on with, and the plan with the seed that the run has.

    out: the run's folder; by default the newest run under runs/ of such a plan. Raises PlanError where there
    is none, or where its only trial was cut short and cannot go on.
    """
    run = RunFolder(out) if out else _newest(plan)
    if not run.ledger.is_file():
        raise nothing_to_resume(str(run.path))
    return run, _with_its_seed(plan, run)


def refuse_cut(run: RunFolder, plan: Plan) -> None:
    """Raise PlanError where the run is of one trial whose load was begun and cut short."""
    if not is_one_load(plan) or _is_in_ledger(run) or not run.trial(1).manifest.is_file():
        return
    from loadrig.recording import manifest
    from loadrig.recording.reader import Recording

    folder = run.trial(1)
    try:
        facts = manifest.read(folder)
        frames = Recording.open(folder.path).frames
    except RigError:
        return
    if _is_over(folder, facts) or not any(frame.due for frame in frames):
        return
    seconds = (frames[-1].end_ns - frames[0].t_ns) / 1e9
    raise PlanError.of(
        ERRORS.load_cut_short(
            str(run.path), f"{seconds:.0f}", shlex.quote(str(run.path)), command_to_resume(run)
        ),
        code="cli.cannot-resume",
        where=Span("--resume"),
    )


def _is_over(folder: TrialFolder, facts: "ManifestDocument") -> bool:
    """Return whether a trial's load came to its own end.

    facts: the trial's manifest, which says so for sealed trials.
    """
    return folder.is_sealed and facts.is_whole


def _has_its_load(run: RunFolder) -> bool:
    """Return whether the load of a run of one trial is over and kept, so that nothing need run again."""
    from loadrig.recording import manifest

    try:
        return _is_over(run.trial(1), manifest.read(run.trial(1)))
    except RigError:
        return False


def command_to_resume(run: RunFolder) -> str:
    """Return what to type to run the same plan once more, from the start."""
    return f"loadrig run {shlex.quote(str(run.path))}"


def with_advice(failure: RigError, run: RunFolder, plan: Plan, anew: str | None) -> RigError:
    """Return the same failure, with what to type to go on.

    anew: command that begins a run that nothing can go on with.
    """
    if not isinstance(failure, Interrupted):
        return failure
    if is_one_load(plan) and _has_its_load(run):
        mend = ERRORS.see_results(shlex.quote(str(run.path)))
    elif anew is not None:
        mend = ERRORS.run_again(anew)
    elif is_one_load(plan):
        mend = ERRORS.begin_again(command_to_resume(run))
    else:
        mend = ERRORS.go_on(command_to_resume(run))
    return Interrupted([replace(problem, mend=mend) for problem in failure.problems])


def is_one_load(plan: Plan) -> bool:
    """Return whether all that a plan asks for is one trial."""
    from loadrig.study.carry_out import planned

    return planned(plan).total == 1


def plan_of(
    run: RunFolder,
    overrides: Mapping[str, str] | None = None,
    typed: Mapping[str, str] | None = None,
    *,
    sends: bool = True,
) -> Plan:
    """Return the plan that a run was made of, as it was run. overrides, typed, sends: as of plan.load.read.

    Paths in it count from where it lay then, as its first trial says. Raises PlanError.
    """
    from loadrig.plan.load import read
    from loadrig.recording import manifest

    if not run.plan.is_file():
        raise PlanError.of(ERRORS.no_plan(str(run.path)), code="prove.no-plan")
    lay: str | None = None
    for trial in run.trial_folders():
        if trial.manifest.is_file():
            lay = manifest.read(trial).plan_path
            break
    return read(
        documents.text(run.plan),
        lay or str(Path("plan.yaml").absolute()),
        overrides,
        typed,
        sends=sends,
    )


def finish(run: RunFolder) -> None:
    """Judge a run that was killed before it had a result, from what it left; no load is made.

    Does nothing where the run has a result, where there is nothing to judge, and where another process goes
    on with the run.
    """
    if not _has_begun(run) or not run.plan.is_file() or _has_full_result(run):
        return
    from loadrig.cli import _runs
    from loadrig.study.carry_out import carry_out

    try:
        plan = _with_its_seed(plan_of(run, sends=False), run)
        outcome = carry_out(plan, run, may_load=False)
    except Interrupted:
        # No trial came to its end: what the first one had measured is still worth a look.
        _runs.rescued(run)
        return
    except RigError:
        return  # who reads it says what there is to say
    if plan.study.strategy == _runs.SINGLE:
        _runs.written_single(run, outcome)


def _has_begun(run: RunFolder) -> bool:
    """Return whether anything stands in the run's ledger; a reader begins none."""
    return run.ledger.is_file() and run.ledger.stat().st_size > 0


def _has_full_result(run: RunFolder) -> bool:
    """Return whether the run's result says all that there is.

    The result of a study that goes on may be an earlier one.
    """
    try:
        result = documents.read(run.result)
        if result.get("finished", True):
            return True
        at_ns = run.result.stat().st_mtime_ns
        return all(path.stat().st_mtime_ns <= at_ns for path in (run.ledger, run.trials) if path.exists())
    except FileNotFoundError:
        return False
    except (OSError, PlanError):
        return True  # who reads it says what there is to say


def _with_its_seed(plan: Plan, run: RunFolder) -> Plan:
    seed = seed_in(documents.plan_text(run.plan))
    # A run of a version that drew no seed had the default seed, which such a plan still has.
    return seeded(plan, plan.seed if seed is None else seed)


def _is_in_ledger(run: RunFolder) -> bool:
    try:
        lines = documents.text(run.ledger, MOST_LEDGER_BYTES).splitlines(keepends=True)
    except (OSError, PlanError):
        return False  # who opens it says what there is to say
    return any(line.startswith('{"kind": "trial"') and line.endswith("\n") for line in lines)


def _newest(plan: Plan) -> RunFolder:
    """Return the newest run under runs/ of this very plan.

    Where there is none, it is the newest of a plan of this name.
    """
    ledgers = sorted(
        DEFAULT_PARENT.glob("*/ledger.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    of_name = []
    for ledger in ledgers:
        head = head_of(ledger)
        if head is None or head.name != plan.name:
            continue
        run = RunFolder(ledger.parent)
        if not differing(head.identity, identity(_with_its_seed(plan, run))):
            return run
        of_name.append(run)
    if not of_name:
        raise nothing_to_resume(f"{DEFAULT_PARENT}/")
    return of_name[0]


def nothing_to_resume(where: str) -> PlanError:
    """Return the error where no run of a plan is found."""
    return PlanError.of(ERRORS.nothing_to_resume(where), code="cli.nothing-to-resume", where=Span("--resume"))
