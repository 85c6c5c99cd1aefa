"""A trial of a study in the study's folder: run, or read from what an earlier process has sealed there."""

from dataclasses import replace
from typing import TYPE_CHECKING

from loadrig.base.errors import TargetError
from loadrig.recording.files import write_json
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.study.known import sealed_result
from loadrig.trial.runner import run_trial
from loadrig.trial.spec import TrialSpec, Watcher

if TYPE_CHECKING:  # with scipy it takes a second to import, and the load does not wait for what judges it
    from loadrig.trial.result import TrialResult


def over_in(run: RunFolder, spec: TrialSpec) -> "TrialResult | None":
    """Return the result of a trial that is over although the ledger does not say so; None of any other.

    Raises TargetError where the server died in that trial.
    """
    folder = run.trial(spec.index)
    if (over := sealed_result(spec, folder)) is not None:
        write_json(folder.result, over.to_json())
    return over


def run_in(run: RunFolder, spec: TrialSpec, watch: Watcher) -> "TrialResult":
    """Run a trial into its folder and write its result. Raises what trial.runner.run_trial raises."""
    folder = run.trial(spec.index)
    if folder.path.exists():
        folder.set_aside()  # a rig that was killed in the middle of this trial left it
    try:
        outcome = run_trial(spec, folder, watch)
    except TargetError:
        _keep_death(folder)
        raise
    if spec.experiment is not None:
        outcome = replace(outcome, measures={**outcome.measures, **spec.experiment.estimates()})
    write_json(folder.result, outcome.to_json())
    return outcome


def ends_when_doomed(spec: TrialSpec, *, is_alone: bool) -> TrialSpec:
    """Return the trial, made to end once its setting is known to miss a goal.

    The base and a trial by itself are returned unchanged.
    """
    if is_alone or spec.is_base or spec.experiment is not None:
        return spec
    from loadrig.study.capacity.goals import split
    from loadrig.study.doomed import Doomed

    goals = split(spec.plan.goals)
    if not goals.shares:
        return spec
    return replace(spec, experiment=Doomed(goals, float(spec.plan.trial.measure.at_most)))


def _keep_death(folder: TrialFolder) -> None:
    """Write what a trial says whose server died while it was loaded, for the study and for its reader."""
    if not folder.is_sealed:
        return  # the server did not come up: no load was made
    from loadrig.recording.reader import Recording
    from loadrig.trial.result import result_of

    recording = Recording.open(folder.path)
    if recording.manifest.death:
        write_json(folder.result, result_of(recording).to_json())
