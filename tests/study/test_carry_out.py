import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.documents import plain
from loadrig.base.errors import Interrupted, PlanError, Problem, TargetError
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.study import trial_in_run as room
from loadrig.study.carry_out import carry_out
from loadrig.trial.result import TrialResult
from loadrig.trial.spec import TrialSpec, Watcher

from .fakes import DEMO, FakeServers, cores, knob, plan


class FakeStudyTrials:
    """Stands in for the trial room: leaves a folder a trial, as it does. stop_at: Ctrl-C in this one."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.servers = FakeServers(cores(2))
        self.stop_at = stop_at

    def __call__(self, spec: TrialSpec, folder: TrialFolder, watch: Watcher) -> Any:
        folder.path.mkdir(parents=True)
        (folder.path / "manifest.json").write_text("{}")
        watch.note(f"trial {spec.index}")
        if spec.index == self.stop_at:
            raise Interrupted(Problem(what="stopped by hand", mend="go on", code="trial.interrupted"))
        result = self.servers(spec)
        parts = {field.name: getattr(result, field.name) for field in fields(result)}
        return _WithDocument(**{**parts, "folder": folder.path})


class _WithDocument(TrialResult):
    def to_json(self) -> dict[str, Any]:
        return {"schema": "loadrig.trial/2"}


class FakeTrialWatcher(Watcher):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def folder(tmp_path: Path) -> RunFolder:
    run = RunFolder(tmp_path / "run")
    run.create("name: fake\n")
    return run


def test_a_study_leaves_its_ledger_its_trials_and_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "run_trial", FakeStudyTrials())
    run, watcher = folder(tmp_path), FakeTrialWatcher()
    outcome = carry_out(plan(*DEMO, blocks=1), run, trial_watch=lambda _: watcher)
    assert (outcome.ended, outcome.failure, len(outcome.trials)) == ("done", None, 10)
    assert watcher.notes == [f"trial {index}" for index in range(1, 11)]
    document = json.loads(run.result.read_text())
    assert document == json.loads(json.dumps(plain(outcome.document)))
    assert document["finished"] is True
    assert document["machine"]["cores"] >= 1
    for setting in document["settings"]:
        for trial in setting["trials"]:
            assert (
                json.loads((run.path / trial["folder"] / "result.json").read_text())["schema"]
                == "loadrig.trial/2"
            )
    assert run.ledger.read_text().count('"kind": "trial"') == 10


def test_an_interrupted_study_has_a_result_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, study_plan = folder(tmp_path), plan(*DEMO, blocks=1)
    monkeypatch.setattr(room, "run_trial", FakeStudyTrials(stop_at=6))
    outcome = carry_out(study_plan, run)
    assert outcome.ended == "interrupted"
    assert isinstance(outcome.failure, Interrupted)
    assert json.loads(run.result.read_text())["finished"] is False
    monkeypatch.setattr(room, "run_trial", FakeStudyTrials())
    again = carry_out(study_plan, run)
    assert (again.ended, len(again.trials)) == ("done", 10)
    assert json.loads(run.result.read_text())["finished"] is True
    # What the trial that was cut short had left is kept aside, and is no trial of the study.
    assert (run.trials / "0006-broken-1").is_dir()
    assert [trial.path.name for trial in run.trial_folders()] == [f"{index:04d}" for index in range(1, 11)]


def test_a_target_that_never_works_is_an_error_without_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_server(spec: TrialSpec, folder: TrialFolder, watch: Watcher) -> Any:
        raise TargetError(
            Problem(what="the server exited at start", mend="see its log", code="target.exited")
        )

    monkeypatch.setattr(room, "run_trial", no_server)
    run = folder(tmp_path)
    with pytest.raises(TargetError):
        carry_out(plan(knob("workers", 1, 2), strategy="one_trial"), run)
    assert not run.result.exists()


def test_an_unknown_measure_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = FakeStudyTrials()
    monkeypatch.setattr(room, "run_trial", trials)
    run = folder(tmp_path)
    with pytest.raises(PlanError) as caught:
        carry_out(plan(*DEMO, by="troughput"), run)
    problem = caught.value.problems[0]
    assert problem.code == "study.unknown-measure"
    assert "throughput" in problem.mend
    assert trials.servers.ran == []
    assert not run.ledger.exists()
