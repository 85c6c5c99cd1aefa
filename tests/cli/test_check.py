"""`loadrig check`: sentences, or every problem; nothing is started."""

import json
from pathlib import Path

import jsonschema
import pytest

from loadrig.cli.__main__ import main
from tests.house.places import ROOT

GOOD = "loadrig: 1\ntarget: {external: http://127.0.0.1:8000}\nworkload: {users: 2, requests: [{get: /}]}\n"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_a_good_plan_is_said_in_sentences(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(plan)]) == 0
    out, err = capsys.readouterr()
    assert "A closed model: 2 users." in out
    assert "One trial in all; at most" in out
    assert f"loadrig run {plan}" in err


def test_the_demo_says_how_many_trials_it_will_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(ROOT / "examples" / "demo.yaml")]) == 0
    assert "9 settings in 3 blocks, the base twice in each: 30 trials; at most" in capsys.readouterr().out


def test_all_problems_come_at_once_and_the_exit_code_is_104(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan.write_text(GOOD.replace("users", "user") + "trial: {measure: 30}\n", encoding="utf-8")
    assert main(["check", str(plan)]) == 104
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{plan}:3:12: workload has no key user" in err
    assert f"{plan}:4:18: measure is 30 without a unit" in err


def test_json_has_the_same_for_machines(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", str(plan)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["schema"], answer["fine"], answer["problems"]) == ("loadrig.check/1", True, [])
    assert "A closed model: 2 users." in answer["sentences"]
    plan.write_text(GOOD + "trial: {measure: 30}\n", encoding="utf-8")
    assert main(["check", "--json", str(plan)]) == 104
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["code"], problem["where"]["line"], problem["where"]["column"]) == (
        "plan.wrong-unit",
        4,
        18,
    )
    assert problem["mend"] == "write 30s (or 30ms, 30m)"


def test_the_schema_is_one_of_json_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--schema"]) == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))


def test_no_plan_is_a_mistake_with_a_mend(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 104
    assert "mend: write loadrig check PLAN" in capsys.readouterr().err
