"""Run of a plan for a person: shown while it runs, summed up when it ends, however it ends."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadrig.base import members, own_files, private
from loadrig.base.errors import Interrupted, PlanError, RigError, TargetError, VoidError
from loadrig.base.exits import Exit
from loadrig.cli import _resume, _seals, _streams
from loadrig.cli._live import LiveRun
from loadrig.plan.model import Plan
from loadrig.plan.seeding import seeded
from loadrig.recording import run_seal
from loadrig.recording.files import write_json
from loadrig.recording.layout import DEFAULT_PARENT, RunFolder, TrialFolder
from loadrig.study.carry_out import StudyOutcome, carry_out, planned
from loadrig.study.yardstick import deciding

if TYPE_CHECKING:
    from loadrig.trial.result import TrialResult

SINGLE = "one_trial"

NO_WAY = "fleet.no-way-to-target"
"""Code of the failure by which no load is begun as a host of the fleet cannot reach the server."""


def run_plan(
    plan: Plan,
    title: str,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    most_trials: int | None = None,
    as_json: bool = False,
    prove: bool | None = None,
    pids: Iterable[int] = (),
    anew: str | None = None,
    has_page: bool = False,
    has_screen: bool = False,
    receivers: Sequence[str] = (),
    verbose: bool = False,
) -> int:
    """Run a plan into a folder of its own, print its result and return the exit code.

    out: the run's folder; by default a new one under runs/. resume: go on in it, or in the newest run of this
    plan. prove: whether the diagnosis of a single trial is proved then; by default as the plan says. pids:
    processes that the rig started beside the server, which a proof may touch too.
    anew: what to type to begin again, where nothing can go on with the run; by default its folder names it.
    has_page: show the run in the browser while it goes on. has_screen: show it on the whole terminal, where
    there is one. receivers: who is told of the run meanwhile, as FORMAT=PLACE.
    verbose: print every warning in full.
    Raises the RigError that stopped the run, after everything measured was shown.
    """
    _check_before(plan, receivers)
    is_found = out is not None and Path(out).exists()
    run, plan = _begun(plan, Path(out) if out else None, resume=resume)
    _streams.keep(run.path)
    if has_page:
        from loadrig.cli import _beside

        _beside.begin(run.path)
    has_screen = has_screen and sys.stderr.isatty()
    quiet = has_screen or (as_json and not sys.stderr.isatty())
    try:
        with (
            _screen(run, is_shown=has_screen),
            _published(run, receivers),
            LiveRun(
                title, planned(plan).by or deciding(plan), run, quiet=quiet, at_once=_starts_target(plan)
            ) as live,
        ):
            outcome = carry_out(plan, run, watch=live, trial_watch=lambda _: live, most_trials=most_trials)
    except PlanError:
        # What refuses it only now is known by others alone, such as a cluster without room for its nodes.
        if not resume and not has_page:
            _take_back(run, is_found=is_found)
        raise
    except (Interrupted, TargetError, VoidError) as error:
        if error.problems[0].code == NO_WAY and not resume and not has_page:
            _take_back(run, is_found=is_found)
            raise
        failure = _resume.with_advice(error, run, plan, anew)
        _show_rescued(run, failure, as_json=as_json, verbose=verbose)
        raise failure from error
    if outcome.failure is not None:
        outcome = replace(outcome, failure=_resume.with_advice(outcome.failure, run, plan, anew))
    if plan.study.strategy == SINGLE:
        wants = plan.prove is not None and plan.prove.after_run if prove is None else prove
        return _end_single(run, outcome, plan if wants else None, pids, as_json=as_json, verbose=verbose)
    # Not at the top, here and below: the report takes a second to import, and the load need not wait.
    from loadrig.base.documents import plain
    from loadrig.cli import _finish

    return _finish.end(
        run.path,
        plain(outcome.document),
        lambda: _finish.exit_of_study(outcome.document),
        failure=outcome.failure,
        as_json=as_json,
        verbose=verbose,
    )


def _check_before(plan: Plan, receivers: Sequence[str]) -> None:
    """Refuse, before there is a folder, receivers and nodes that cannot be."""
    if receivers:
        from loadrig.cli import publish as publishing

        publishing.checked(receivers)
    if plan.nodes is not None:
        from loadrig.study import node_places

        node_places.check(plan, planned(plan))


def _show_rescued(run: RunFolder, failure: RigError, *, as_json: bool, verbose: bool) -> None:
    """Show what a run had measured of which no trial came to its end, if anything."""
    if (document := rescued(run)) is not None:
        from loadrig.cli import _finish

        _finish.end(
            run.path, document, lambda: failure.exit, failure=failure, as_json=as_json, verbose=verbose
        )


def _take_back(run: RunFolder, *, is_found: bool) -> None:
    """Remove the folder of a run that was refused before any load. is_found: whether it was there.

    Else the mended plan, with the same words typed, would find the folder in use.
    """
    if any(map(_has_begun, run.trial_folders())):
        return
    with suppress(OSError):
        own_files.remove_tree(run.path)
        if is_found:
            private.make_folder(run.path)
        elif run.path.parent == DEFAULT_PARENT:
            DEFAULT_PARENT.rmdir()  # which fails where other runs are in it
    _streams.keep(None)


def _has_begun(trial: TrialFolder) -> bool:
    """Return whether the load of a trial has begun; also where its manifest cannot be read, to be safe."""
    try:
        return json.loads(trial.manifest.read_bytes()).get("start_ns") is not None
    except (OSError, ValueError):
        return True


def _screen(run: RunFolder, *, is_shown: bool) -> AbstractContextManager[None]:
    """Return what shows a run on the whole terminal, or nothing."""
    if not is_shown:
        return nullcontext()
    from loadrig.cli import _beside

    return _beside.screen(run.path)


def _published(run: RunFolder, receivers: Sequence[str]) -> AbstractContextManager[None]:
    """Return what tells a run to receivers, or nothing."""
    if not receivers:
        return nullcontext()
    from loadrig.cli import _beside

    return _beside.publisher(run.path, receivers)


def _end_single(
    run: RunFolder,
    outcome: StudyOutcome,
    to_prove: Plan | None,
    pids: Iterable[int],
    *,
    as_json: bool,
    verbose: bool,
) -> int:
    """Print the result of a run of one trial, which is its trial's, and prove it where that is asked for.

    to_prove: the plan whose diagnosis is proved; None for no proof. Return the exit code.
    """
    from loadrig.cli import _finish

    last = outcome.trials[-1]
    result, unwritten = written_single(run, outcome)
    document = result.to_json()
    failure = outcome.failure or unwritten
    if to_prove is not None and failure is None:
        from loadrig.base.documents import plain
        from loadrig.cli import _prove

        proof = _prove.prove_run(
            run, to_prove, index=last.index, pids=pids, quiet=_prove.is_quiet(as_json=as_json)
        )
        proved = plain(proof)
        document = {
            **proof.failure, **document, "findings": proved["findings"], "diagnosis": proved["diagnosis"],
            "proof": proved,
        }  # fmt: skip

    def code() -> Exit:
        exit_code = _finish.exit_of_trial(result)  # of a server that never answered it says what to do
        return Exit.TARGET_FAILED if _finish.has_failed(document) else exit_code

    return _finish.end(run.path, document, code, failure=failure, as_json=as_json, verbose=verbose)


def written_single(run: RunFolder, outcome: StudyOutcome) -> tuple["TrialResult", VoidError | None]:
    """Write the result of a run's only trial as that of the run; return it, and why it could not be written.

    Raises what stopped the run where its trial left no folder.
    """
    from loadrig.recording.reader import Recording
    from loadrig.trial.result import result_of

    last = outcome.trials[-1]
    if not last.folder:
        from loadrig.cli import _finish

        raise outcome.failure or TargetError(_finish.failed_trial(last.reasons))
    result = result_of(Recording.open(run.path / last.folder))
    return result, _unwritten(run, result.to_json())


def _unwritten(run: RunFolder, document: Mapping[str, Any]) -> VoidError | None:
    """Write the run's result.json; return why it could not be written, None if it was.

    The result can still be shown.
    """
    try:
        run_seal.open_again(run, run.result.name)
        write_json(run.result, document)
        run_seal.seal(run)
    except VoidError as failure:
        return failure
    return None


def rescued(run: RunFolder) -> Mapping[str, Any] | None:
    """Return the result of a first trial that was cut short; None where nothing was measured."""
    folder = run.trial(1)
    if not folder.manifest.is_file():
        return None
    from loadrig.recording.reader import Recording
    from loadrig.trial.result import result_of

    try:
        recording = Recording.open(folder.path)
        if not any(frame.due for frame in recording.frames):
            return None
        document = result_of(recording).to_json()
    except RigError:
        return None
    _unwritten(run, document)
    return document


def _starts_target(plan: Plan) -> bool:
    """Return whether the rig starts the server, before the load can begin."""
    return bool(getattr(members.load("loadrig.target", plan.target.member), "STARTS", True))


def _begun(plan: Plan, out: Path | None, *, resume: bool) -> tuple[RunFolder, Plan]:
    """Return the run's folder, and the plan with its seed.

    The seed is drawn when the run begins, and stays when it goes on.
    """
    if not resume:
        plan = seeded(plan)
        run = RunFolder(out) if out else RunFolder.fresh(None, plan.name)
        run.create(plan.text)
        return run, plan
    run, plan = _resume.run_to_resume(plan, out)
    _seals.look(run.path)
    _resume.refuse_cut(run, plan)
    return run, plan
