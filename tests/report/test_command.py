"""`loadrig report`: where the page goes, what is printed, and what is said of a wrong folder."""

import argparse
import json
from pathlib import Path

import pytest

from loadrig import report
from loadrig.base.errors import PlanError, VoidError
from loadrig.cli import report as command

from .folders import SETTING, single
from .studies import study


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return command.run(parser.parse_args(words))


def test_the_page_goes_into_the_run_and_its_place_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study(tmp_path / "run")
    assert run(str(folder)) == 0
    assert capsys.readouterr().out == f"{folder / 'report.html'}\n"
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_page_of_one_trial_goes_beside_the_runs_and_not_into_the_sealed_folder(tmp_path: Path) -> None:
    folder = study(tmp_path / "run")
    trial = folder / "trials" / "0001"
    before = sorted(path.name for path in trial.iterdir())
    assert run(str(trial)) == 0
    assert sorted(path.name for path in trial.iterdir()) == before
    assert (folder / "report-trial-0001.html").is_file()
    assert not (folder / "report.html").exists()


def test_a_trial_shows_the_plan_of_its_run(tmp_path: Path) -> None:
    folder = single(tmp_path / "run")
    built = report.build(folder / "trials" / "0001")
    assert any(section.id == "repeat" for section in built.sections)


def test_the_page_can_go_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = single(tmp_path / "run")
    assert run(str(folder), "--out", str(tmp_path / "page.html")) == 0
    assert (tmp_path / "page.html").is_file()
    assert not (folder / "report.html").exists()


def test_text_prints_the_summary_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = single(tmp_path / "run")
    assert run(str(folder), "--text") == 0
    assert "50 users got" in capsys.readouterr().out
    assert not (folder / "report.html").exists()


def test_json_prints_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = single(tmp_path / "run")
    assert run(str(folder), "--json") == 0
    assert json.loads(capsys.readouterr().out)["setting"] == SETTING


def test_json_has_the_proof_where_there_is_one(proved_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(proved_run), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["proof"]["schema"] == "loadrig.proof/1"
    assert document["findings"] == document["proof"]["findings"]


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_that_is_no_run_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(PlanError) as caught:
        run(str(tmp_path / name))
    assert caught.value.problems[0].code == "report.not-a-run"
    assert name in caught.value.problems[0].what


@pytest.mark.parametrize("content", ["[]", "{", '{"schema": "other/1"}'])
def test_a_result_of_another_program_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "result.json").write_text(content, encoding="utf-8")
    with pytest.raises(PlanError) as caught:
        report.build(tmp_path)
    assert caught.value.problems[0].code == "report.not-a-run"


def test_a_run_that_has_no_result_yet_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(PlanError) as caught:
        report.build(tmp_path)
    assert caught.value.problems[0].code == "report.no-result"
    assert "--resume" in caught.value.problems[0].mend


def test_a_page_that_cannot_be_written_names_the_place(tmp_path: Path) -> None:
    folder = single(tmp_path / "run")
    with pytest.raises(VoidError) as caught:
        report.write_html(folder, tmp_path / "nowhere" / "page.html")
    assert caught.value.problems[0].code == "report.cannot-write"
    assert "nowhere" in caught.value.problems[0].what
