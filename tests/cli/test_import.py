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
from loadrig.plan.load import load
from loadrig.report.sections.verdict import sentences
from loadrig.trial.document import trial_of
from tests.converters.recording import CASES as JMX
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
    assert len(lines) == 3
    assert "k6" in lines[1]
    assert 32 in numbers(lines[2])
    assert "37.5 %" in lines[2]
    assert lines[2:] == sentences(trial_of(json.loads((tmp_path / "run" / "result.json").read_text()), ""))


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


def test_a_test_becomes_a_plan_and_it_is_said_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(IMPORT, JMX / "users.jmx", "-o", tmp_path / "users.yaml") == Exit.FINE
    captured = capsys.readouterr()
    assert captured.out.splitlines()[0] == str(tmp_path / "users.yaml")
    assert "JMeter" in captured.out.splitlines()[1]
    assert str(tmp_path / "users.yaml") in captured.err
    assert load(tmp_path / "users.yaml").workload.arrivals.most_identities == 3


def test_json_says_what_became_of_a_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(IMPORT, JMX / "rest.jmx", "-o", tmp_path, "--json") == Exit.FINE
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["made"], document["tool"]) == ("loadrig.import/1", "plan", "JMeter")
    assert document["plan"] == str(tmp_path / "plan.yaml")
    assert document["carried"]["HTTP Request"] == 7
    assert any("JSR223" in part["what"] for part in document["dropped"])
    assert all(part["place"] and part["why"] for part in document["dropped"])
    assert document["secrets"] == 1
    assert (tmp_path / "plan.yaml").stat().st_mode & 0o077 == 0


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("mine")
    with pytest.raises(PlanError) as refused:
        run(IMPORT, JMX / "users.jmx", "-o", tmp_path)
    assert refused.value.problems[0].code == "import.in-the-way"
    assert (tmp_path / "plan.yaml").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["plan.yaml"]


def test_a_name_that_both_tests_and_results_have_is_told_apart_by_the_content(tmp_path: Path) -> None:
    assert run(IMPORT, JMX / "users.jmx", "-o", tmp_path / "p.yaml", "--format", "jmeter") == Exit.FINE
    assert run(IMPORT, RECORDED / "jmeter.jtl", "-o", tmp_path / "r", "--format", "jmeter") == Exit.FINE
    assert (tmp_path / "p.yaml").is_file()
    assert (tmp_path / "r" / "result.json").is_file()


def test_rows_that_are_left_out_are_counted_on_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two.jtl"
    rows = [
        f"{1_000_000 + 2_000 * number + later},{elapsed},/a,200,,T 1-1,true"
        for number in range(20)
        for later, elapsed in ((0, 1_000), (10, 50))
    ]
    path.write_text(
        "\n".join(["timeStamp,elapsed,label,responseCode,responseMessage,threadName,success", *rows])
    )
    assert run(IMPORT, path, "-o", tmp_path / "run") == Exit.FINE
    lines = capsys.readouterr().out.splitlines()
    document = json.loads((tmp_path / "run" / "result.json").read_text())
    ((what, count),) = document["imported"]["left_out"].items()
    assert count > 0
    assert lines[-1] == IMPORT.TEXTS.left_out(count, what)


def test_a_property_without_its_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as refused:
        run(IMPORT, JMX / "users.jmx", "-o", tmp_path / "p.yaml", "-J", "users")
    assert refused.value.problems[0].code == "cli.wrong-argument"
    assert not (tmp_path / "p.yaml").exists()
