import json
import math
from typing import Any

import pytest

from loadrig.base.documents import plain
from loadrig.base.estimate import Estimate
from loadrig.plan.model import Goal, Plan
from loadrig.study.answer import Question
from loadrig.study.judge import judge
from loadrig.study.result import document
from loadrig.study.trials import DoneTrial

from .fakes import CATALOGUE, DEMO, THROUGHPUT, FakeServers, cores, knob, plan, simulate, trial_result


def made_of(study_plan: Plan, servers: FakeServers, keep: int | None = None) -> dict[str, Any]:
    settings, trials = simulate(study_plan, servers)
    done_trials: tuple[DoneTrial, ...] = tuple(trials[:keep])
    question = Question(settings, THROUGHPUT, study_plan.goals, study_plan.knobs, CATALOGUE, is_closed=True)
    judgement = judge(question, done_trials)
    study_document = document(
        study_plan,
        question,
        judgement,
        done_trials,
        created="2025-01-31T12:00:00Z",
        machine={"cores": 2},
        is_finished=True,
    )
    whole: dict[str, Any] = json.loads(json.dumps(plain(study_document), allow_nan=False))
    return whole


def test_the_document_has_the_shape_of_its_schema() -> None:
    document = made_of(plan(*DEMO), FakeServers(cores(2)))
    assert (document["schema"], document["kind"], document["name"]) == ("loadrig.study/2", "grid", "fake")
    assert document["question"] == {
        "by": "throughput", "unit": "1/s", "better": "higher", "equal_within": 0.03, "scale": "ratio",
    }  # fmt: skip
    assert document["noise"]["pairs"] == 3
    assert document["noise"]["relative"] == pytest.approx(math.expm1(document["noise"]["sd_log"]))
    assert [setting["id"] for setting in document["settings"]] == list(range(9))
    assert [setting["is_base"] for setting in document["settings"]] == [True] + [False] * 8
    base = document["settings"][0]
    assert len(base["trials"]) == 6
    assert set(base["trials"][0]) >= {"index", "block", "folder", "validity", "values"}
    assert set(base["measures"]["throughput"]) >= {
        "value",
        "unit",
        "low",
        "high",
        "n",
        "of",
        "confidence",
        "warnings",
    }
    assert base["measures"]["throughput"]["of"] == "blocks"
    kinds = [comparison["kind"] for comparison in document["comparisons"]]
    assert (kinds.count("with_base"), kinds.count("with_best"), kinds.count("aa")) == (8, 8, 1)
    for comparison in document["comparisons"]:
        assert comparison["interval"][0] <= comparison["effect"] <= comparison["interval"][1]
        assert comparison["blocks"] == 3
    assert document["recommended"]["setting"] == {"worker_class": "gthread", "workers": 1, "threads": 4}
    assert document["recommended"]["setting_id"] not in document["recommended"]["indistinguishable"]
    assert document["validity"] == {"valid": 30, "disturbed": 0, "void": 0}
    assert document["seconds"] == 150.0


def test_an_undecided_comparison_says_what_it_would_take() -> None:
    document = made_of(plan(*DEMO), FakeServers(cores(1), noise=0.05))
    costs = [
        comparison["to_decide"]
        for comparison in document["comparisons"]
        if comparison["verdict"] == "undecided" and comparison["to_decide"]
    ]
    assert costs
    for cost in costs:
        assert cost["blocks"] >= 1
        assert cost["seconds"] == cost["blocks"] * 50.0


@pytest.mark.parametrize("keep", [0, 1, 2, 5, 9, 10, 11, 17])
def test_at_every_moment_of_a_study_there_is_a_document(keep: int) -> None:
    goal = Goal("throughput > 50/s", "throughput", False, 50.0, "1/s")
    document = made_of(plan(*DEMO, blocks=2, goals=[goal]), FakeServers(cores(2)), keep)
    assert len(document["settings"]) == 9
    untried = [setting for setting in document["settings"] if not setting["trials"]]
    assert all(setting["standing"] == "void" and setting["feasible"] is None for setting in untried)
    if keep < 10:
        assert document["recommended"] is None or len(document["settings"]) - len(untried) > 1


def test_one_trial_recommends_nothing() -> None:
    settings, trials = simulate(plan(knob("workers", 1, 2), blocks=1), FakeServers(cores(2)))
    question = Question(settings[:1], THROUGHPUT, (), (), CATALOGUE)
    judgement = judge(question, [trial for trial in trials if trial.is_base][:1])
    assert judgement.recommended is None
    assert judgement.settings[0].standing == "best"
    assert judgement.settings[0].measures["throughput"].low is not None


def test_numbers_that_json_cannot_say_do_not_reach_it() -> None:
    wild = trial_result(
        {
            "throughput": Estimate(100.0, "1/s", -math.inf, math.inf),
            "p95": Estimate(math.nan, "s"),
            "errors": Estimate(0.0, "1", 0.0, 1.0, n=0),
        }
    )
    document = made_of(plan(knob("workers", 1, 2), blocks=1), FakeServers(cores(2), spoil=lambda _: wild))
    assert "p95" not in document["settings"][0]["measures"]
    throughput = document["settings"][1]["measures"]["throughput"]
    assert (throughput["low"], throughput["high"]) == (None, None)
