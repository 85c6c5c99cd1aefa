"""`loadrig import`: where the run is, what it says, and that every other command takes it."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.base.exits import Exit
from loadrig.cli import compare, diagnose, history, report
from loadrig.report.sections.verdict import sentences
from loadrig.trial.document import trial_of
from tests.importers.made import RECORDED
from tests.wording import numbers

IMPORT = members.load("loadrig.cli", "import")


def run(command: Any, *words: object) -> int:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return int(command.run(parser.parse_args([str(word) for word in words])))


def test_it_prints_where_the_run_is_and_its_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(IMPORT, RECORDED / "k6.json", "-o", tmp_path / "run") == Exit.FINE
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(tmp_path / "run")
    assert len(lines) == 2
    assert "k6" in lines[1]
    assert 32 in numbers(lines[1])
    assert "37.5 %" in lines[1]
    assert lines[1:] == sentences(trial_of(json.loads((tmp_path / "run" / "result.json").read_text()), ""))


def test_json_is_the_trials_result_and_that_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run(IMPORT, RECORDED / "jmeter.jtl", "-o", tmp_path / "run", "--json", "--name", "shop") == Exit.FINE
    )
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["name"], document["imported"]["tool"]) == (
        "loadrig.trial/2",
        "shop",
        "JMeter",
    )
    assert json.loads((tmp_path / "run" / "result.json").read_text()) == document


def test_every_other_command_takes_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        run(IMPORT, RECORDED / "vegeta.json", "-o", tmp_path / name, "--name", "shop")
    assert run(report, tmp_path / "one", "--text") == Exit.FINE
    assert run(report, tmp_path / "one") == Exit.FINE
    assert run(diagnose, tmp_path / "one") == Exit.FINE
    assert run(compare, tmp_path / "one", tmp_path / "two") == Exit.UNDECIDED
    assert (
        run(compare, tmp_path / "one", RECORDED / "vegeta.csv", "--html", tmp_path / "c.html")
        == Exit.UNDECIDED
    )
    assert run(history, tmp_path) == Exit.UNDECIDED
    assert "2 runs" in capsys.readouterr().out


def test_a_folder_that_is_in_use_and_a_route_without_its_other_name_are_refused(tmp_path: Path) -> None:
    run(IMPORT, RECORDED / "k6.json", "-o", tmp_path / "run")
    for words, code in (
        (("-o", tmp_path / "run"), "recording.folder-in-use"),
        (("-o", tmp_path / "other", "--route", "search"), "cli.wrong-argument"),
    ):
        with pytest.raises(PlanError) as refused:
            run(IMPORT, RECORDED / "k6.json", *words)
        assert refused.value.problems[0].code == code
