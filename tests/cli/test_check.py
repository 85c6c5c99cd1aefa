"""`loadrig check`: sentences, or every problem; nothing is started."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.cli.__main__ import main
from loadrig.cli._dry import outlook
from loadrig.plan.explain import sentences
from loadrig.plan.load import load
from tests.house.places import ROOT
from tests.wording import codes

GOOD = "loadrig: 1\ntarget: {external: http://127.0.0.1:8000}\nworkload: {users: 2, requests: [{get: /}]}\n"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_a_good_plan_is_said_in_sentences(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(plan)]) == 0
    out, err = capsys.readouterr()
    read = load(plan)
    assert out.splitlines() == sentences(read, outlook(read))
    assert f"loadrig run {plan}" in err


def test_the_demo_says_how_many_trials_it_will_run(
    capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    demo = ROOT / "examples" / "demo.yaml"
    assert main(["check", str(demo)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "30 trials" in line]
    expected = outlook(load(demo))
    assert (expected.settings, expected.trials) == (9, 30)
    assert line == snapshot


SERVED = (
    "loadrig: 1\ntarget: {gunicorn: {app: 'shop:app'}}\ngoals: ['p99 < 200ms']\nknobs: {workers: [1, 2]}\n"
    "workload: {rate: 20/1s, requests: [{get: /}]}\n"
)
STUDIES = {
    "find: grid": ["30 s", "10 s", "60 s", "2 %"],
    "find: one_at_a_time": ["30 s", "10 s", "60 s", "2 %"],
    "find: soak, for: 4h": ["30 s", "4 h"],
    "find: soak, for: 2m, early: false": ["30 s", "2 min"],
    "find: spike, times: 3, for: 20s": ["10 s", "30 s", "20 s", "60 s", "3 min"],
    "find: capacity": ["5 s", "2 min", "5 s"],
    "find: capacity, overload: false": ["5 s", "2 min", "5 s"],
    "find: tune": ["3 s", "45 s", "65 s"],
    "find: tune, objective: p95, short: 10s": ["30 s", "10 s", "30 s"],
    "find: tune, objective: p95, short: 30s": ["30 s", "30 s"],
}
"""Studies, and how long the parts of a trial of each take."""


def test_a_trial_is_said_as_the_strategy_makes_it(
    plan: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    by_study = {}
    for study, times in STUDIES.items():
        plan.write_text(f"{SERVED}study: {{{study}}}\n", encoding="utf-8")
        assert main(["check", str(plan)]) == 0
        (line_of_trial,) = [
            line for line in capsys.readouterr().out.splitlines() if line.startswith("One trial: ")
        ]
        assert re.findall(r"\d+ (?:s|min|h|%)(?!\w)", line_of_trial) == times
        if line_of_trial not in sentences(load(plan)):  # which the strategy leaves as the plan says it
            by_study[study] = line_of_trial
    assert by_study == snapshot


def test_a_budget_cuts_off_no_search_that_is_the_only_trial(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = SERVED.replace("knobs: {workers: [1, 2]}\n", "")
    plan.write_text(f"{alone}study: {{find: capacity, budget: 3m}}\n", encoding="utf-8")
    assert main(["check", str(plan)]) == 0
    out = capsys.readouterr().out
    assert "3 min 5 s" in out
    assert "3 min 13 s" in out


def test_all_problems_come_at_once_and_the_exit_code_is_104(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan.write_text(GOOD.replace("users", "user") + "trial: {measure: 30}\n", encoding="utf-8")
    assert main(["check", str(plan)]) == 104
    out, err = capsys.readouterr()
    assert out == ""
    assert codes(err) == ["plan.unknown-key", "plan.wrong-unit"]
    assert f"{plan}:3:12: " in err
    assert f"{plan}:4:18: " in err


def test_json_has_the_same_for_machines(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", str(plan)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["schema"], answer["fine"], answer["problems"]) == ("loadrig.check/1", True, [])
    read = load(plan)
    assert answer["sentences"] == sentences(read, outlook(read))
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
    err = capsys.readouterr().err
    assert codes(err) == ["cli.wrong-argument"]
    assert "loadrig check PLAN" in err
