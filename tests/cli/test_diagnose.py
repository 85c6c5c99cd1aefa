"""`loadrig diagnose`: findings from a run's recordings, for a person and for a machine."""

import argparse
import json
import shutil
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.cli import diagnose as command
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import SyntheticServer, write_recording
from loadrig.trial.result import result_of
from tests.report.studies import study


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return command.run(parser.parse_args(words))


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a trial's folder with all that a diagnosis reads."""
    folder = tmp_path_factory.mktemp("recorded") / "0001"
    write_recording(folder, (150.0,) * 30, server=SyntheticServer(grows_to_bytes=50e6))
    return folder


@pytest.fixture
def of_one_trial(recording: Path, tmp_path: Path) -> Path:
    """Make a run of that trial, with a result of another time."""
    run_folder = RunFolder(tmp_path / "run")
    run_folder.create("loadrig: 1\n")
    shutil.copytree(recording, run_folder.trial(1).path)
    result = result_of(Recording.open(recording)).to_json()
    older = result | {"findings": [], "diagnosis": result["diagnosis"] | {"sentence": "Old."}}
    run_folder.result.write_text(json.dumps(older))
    return run_folder.path


def test_the_findings_are_made_of_the_recording_and_not_read_from_the_result(
    of_one_trial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(str(of_one_trial), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"schema", "name", "findings", "diagnosis", "account"}
    assert document["findings"][0]["cause"] == "healthy"
    assert document["diagnosis"]["sentence"] != "Old."


def test_a_person_reads_what_limits_it(of_one_trial: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(of_one_trial)) == 0
    short = capsys.readouterr().out
    assert run(str(of_one_trial), "--json") == 0
    assert json.loads(capsys.readouterr().out)["findings"][0]["title"] in short
    assert "generator" not in short
    assert run(str(of_one_trial), "--all") == 0
    assert len(capsys.readouterr().out) >= len(short)


def test_a_study_is_diagnosed_by_all_its_trials(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study(tmp_path / "run")
    for trial in (folder / "trials").iterdir():
        shutil.rmtree(trial)
        shutil.copytree(recording, trial)
        (trial / "result.json").write_text(json.dumps(result_of(Recording.open(trial)).to_json()))
    assert run(str(folder), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "loadrig.study/2"
    assert document["findings"][0]["cause"] == "healthy"


def test_what_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as raised:
        run(str(tmp_path / "nowhere"))
    assert raised.value.problems[0].code == "report.not-a-run"
