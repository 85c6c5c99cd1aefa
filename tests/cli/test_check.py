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


SERVED = (
    "loadrig: 1\ntarget: {gunicorn: {app: 'shop:app'}}\ngoals: ['p99 < 200ms']\nknobs: {workers: [1, 2]}\n"
    "workload: {rate: 20/1s, requests: [{get: /}]}\n"
)
OF_PLAN = "up to 30 s to warm up, then 10 s to 60 s measured, until throughput is known to 2 %."


@pytest.mark.parametrize(
    ("study", "trial"),
    [
        ("find: grid", OF_PLAN),
        ("find: one_at_a_time", OF_PLAN),
        ("find: soak, for: 4h", "up to 30 s to warm up, then 4 h measured, or less once the answer is sure."),
        ("find: soak, for: 2m, early: false", "up to 30 s to warm up, then 2 min measured."),
        (
            "find: spike, times: 3, for: 20s",
            "10 s to warm up, then 30 s of the usual load, 20 s of 3 times as much, and 60 s of the usual"
            " load again, or up to 3 min while requests still wait.",
        ),
        (
            "find: capacity",
            "5 s at the first level, then a search for the capacity that takes at most 2 min 5 s, the"
            " overload at its end included.",
        ),
        (
            "find: capacity, overload: false",
            "5 s at the first level, then a search for the capacity that takes at most 2 min 5 s.",
        ),
        (
            "find: tune",
            "3 s at the first level, then a search for the capacity that takes at most 45 s; at most 65 s in"
            " the final race and the confirmation.",
        ),
        (
            "find: tune, objective: p95, short: 10s",
            "up to 30 s to warm up, then 10 s measured; 30 s in the final race and the confirmation.",
        ),
        ("find: tune, objective: p95, short: 30s", "up to 30 s to warm up, then 30 s measured."),
    ],
)
def test_a_trial_is_said_as_the_strategy_makes_it(
    plan: Path, capsys: pytest.CaptureFixture[str], study: str, trial: str
) -> None:
    plan.write_text(f"{SERVED}study: {{{study}}}\n", encoding="utf-8")
    assert main(["check", str(plan)]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("One trial: ")]
    assert said == [f"One trial: {trial}"]


def test_a_budget_cuts_off_no_search_that_is_the_only_trial(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = SERVED.replace("knobs: {workers: [1, 2]}\n", "")
    plan.write_text(f"{alone}study: {{find: capacity, budget: 3m}}\n", encoding="utf-8")
    assert main(["check", str(plan)]) == 0
    out = capsys.readouterr().out
    assert "a search for the capacity that takes at most 3 min 5 s" in out
    assert "One trial in all; at most 3 min 13 s." in out


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
