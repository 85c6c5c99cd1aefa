"""The strategy of a tuning on servers whose truth is known: what it finds, how it goes on, what it says."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.documents import plain
from loadrig.base.errors import PlanError
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.plan.model import Goal, PlannedKnob
from loadrig.study import result
from loadrig.study.carry_out import asked
from loadrig.study.judge import judge
from loadrig.study.strategies import tune
from loadrig.study.strategy import Tuner
from loadrig.study.trials import DoneTrial, GoalRow, done
from loadrig.study.tuning.answer import Why
from loadrig.study.tuning.document import TuningDocument
from loadrig.study.tuning.tunes import Tunes
from loadrig.trial.result import TrialResult
from loadrig.trial.validity import Validity
from tests.study.fakes import FakeServers, cores, knob, plan, trial_result

SPACE = (
    knob("worker_class", "sync", "gthread"),
    knob("workers", *range(1, 7)),
    knob("threads", *range(1, 9), when={"worker_class": ("gthread",)}),
)
MISSED: Why = "no setting meets the goals"
MEMORY = Goal("memory < 100MB", "memory", True, 100e6, "B")

Run = tuple[Tunes, list[DoneTrial]]


def memory(setting: Setting) -> float:
    return 20e6 * int(setting["workers"]) + 1e6 * int(setting["workers"]) * int(setting.get("threads", 1))


def more(setting: Setting) -> Mapping[str, Estimate]:
    return {
        "memory": Estimate(memory(setting), "B"), "server_cpu": Estimate(1.0, "cores"),
        "cpu_per_request": Estimate(0.01, "s"),
    }  # fmt: skip


def ran(
    servers: FakeServers,
    *,
    knobs: Sequence[PlannedKnob] = SPACE,
    goals: Sequence[Goal] = (),
    options: tune.Options | None = None,
    trials_before: Sequence[DoneTrial] = (),
    most: int = 400,
    budget: float | None = None,
    seed: int = 1,
) -> Run:
    """Return a tuning in memory, to its end or for so many trials."""
    study_plan = plan(*knobs, strategy="tune", goals=goals, seed=seed, budget=budget)
    strategy = tune.strategy(study_plan, options or tune.Options())
    assert isinstance(strategy, Tunes)
    trials = list(trials_before)
    for trial in trials_before:
        strategy.tell(trial)
    while len(trials) < most and (next_ones := strategy.ask()):
        trial = done(next_ones[0], servers(next_ones[0]), 30.0, Path())
        rows = [_row(goal, trial) for goal in goals] if trial.is_usable else []
        trial = replace(trial, goals=tuple(rows))
        trials.append(trial)
        strategy.tell(trial)
    return strategy, trials


@cache
def whole() -> Run:
    """Return a tuning to its end that no test goes on with."""
    return ran(FakeServers(cores(4.0), more=more))


def _row(goal: Goal, trial: DoneTrial) -> GoalRow:
    value = trial.measures[goal.measure].value
    return GoalRow(goal.text, value < goal.limit if goal.below else value > goal.limit, value)


def answer(run: Run) -> TuningDocument:
    return run[0].answer()


def test_the_best_is_found_in_a_part_of_the_grid_and_confirmed_in_six_blocks() -> None:
    run = whole()
    tuned = answer(run)
    assert tuned.why == "confirmed"
    assert tuned.setting is not None
    assert cores(4.0)(tuned.setting) == pytest.approx(400.0)
    assert tuned.against_default is not None
    assert tuned.against_default.verdict == "better"
    confirming = [trial for trial in run[1] if trial.block >= run[0].ground.first["confirm"]]
    assert len({trial.block for trial in confirming}) == 6
    assert len({json.dumps(dict(trial.setting)) for trial in run[1]}) < len(run[0].settings) / 2


def test_of_equals_the_cheaper_is_preferred() -> None:
    knobs = (knob("workers", 1, 2, 4, 8),)
    tuned = answer(ran(FakeServers(cores(2.0), noise=0.004, drift=0.02, more=more), knobs=knobs))
    assert tuned.setting == {"workers": 2}


def test_a_goal_bounds_what_is_recommended() -> None:
    tuned = answer(ran(FakeServers(cores(6.0), more=more), goals=(MEMORY,)))
    assert tuned.setting is not None
    assert memory(tuned.setting) < MEMORY.limit
    assert cores(6.0)(tuned.setting) >= 0.97 * 600.0


def test_where_no_setting_meets_a_goal_the_nearest_is_named_with_what_it_misses() -> None:
    goal = Goal("memory < 1MB", "memory", True, 1e6, "B")
    run = ran(FakeServers(cores(4.0), more=more), goals=(goal,))
    tuned = answer(run)
    assert tuned.why == MISSED
    assert tuned.setting is None
    assert tuned.nearest is not None
    (missed,) = tuned.nearest.misses
    assert missed.goal == "memory < 1MB"
    assert missed.value == pytest.approx(memory(tuned.nearest.setting))
    tried = {memory(trial.setting) for trial in run[1]}
    assert memory(tuned.nearest.setting) == min(tried)
    document = document_of_run(run, (goal,))
    assert document["recommended"] is None
    assert "worker_class=sync workers=1" in document["tuning"]["text"]


@pytest.mark.parametrize("stopped", [1, 3, 9, 17, 25, 33, 41])
def test_a_study_stopped_anywhere_goes_on_as_if_it_had_not_been(stopped: int) -> None:
    part = ran(FakeServers(cores(4.0), more=more), most=stopped)[1]
    again = ran(FakeServers(cores(4.0), more=more), trials_before=part)[1]
    assert [(trial.index, trial.block, dict(trial.setting)) for trial in again] == [
        (trial.index, trial.block, dict(trial.setting)) for trial in whole()[1]
    ]


def test_another_seed_looks_elsewhere() -> None:
    first, second = (
        [dict(trial.setting) for trial in ran(FakeServers(cores(4.0), more=more), seed=seed)[1]]
        for seed in (1, 2)
    )
    assert first != second


def test_void_trials_are_repeated_once_and_settings_that_fail_are_left() -> None:
    failures: dict[int, int] = {}

    def spoil(spec: object) -> TrialResult | None:
        index = spec.index  # type: ignore[attr-defined]
        setting = spec.setting  # type: ignore[attr-defined]
        if setting["workers"] == 5:
            return trial_result({}, was_answered=False)
        if index in (2, 30):
            failures[index] = 1
            return trial_result({}, Validity("void"))
        return None

    run = ran(FakeServers(cores(4.0), more=more, spoil=spoil))
    tuned = answer(run)
    assert tuned.why == "confirmed"
    assert tuned.setting is not None
    assert tuned.setting["workers"] != 5
    failed = [json.dumps(dict(trial.setting)) for trial in run[1] if trial.validity == "failed"]
    assert len(failed) == len(set(failed))
    assert len(failures) == 2


def test_a_server_that_never_works_ends_the_tuning() -> None:
    servers = FakeServers(cores(4.0), spoil=lambda _: trial_result({}, was_answered=False))
    run = ran(servers)
    assert answer(run).why == "nothing works"
    assert len(run[1]) < 8


def test_the_budget_is_kept_for_the_confirmation() -> None:
    free = whole()[1]
    bound = ran(FakeServers(cores(4.0), more=more), budget=40 * 30.0)
    assert len(bound[1]) < len(free)
    assert answer(bound).why == "confirmed"
    assert sum(trial.seconds for trial in bound[1]) <= 40 * 30.0 + 30.0


def test_knobs_that_do_nothing_are_frozen_at_their_base_after_the_screening() -> None:
    knobs = (knob("workers", 1, 2, 4), *(knob(f"idle{n}", 1, 10, 100) for n in range(5)))
    run = ran(FakeServers(cores(4.0), noise=0.005, drift=0.02, more=more), knobs=knobs)
    tuned = answer(run)
    inert = {knob_effect.knob for knob_effect in tuned.inert}
    assert "workers" not in inert
    assert len(inert) >= 4
    race = run[0].ground.first["race"]
    later = [trial for trial in run[1] if trial.block >= race]
    assert all(trial.setting[name] == 1 for trial in later for name in inert)
    assert tuned.setting is not None
    assert tuned.setting["workers"] == 4


def test_two_objectives_give_a_front() -> None:
    run = ran(FakeServers(cores(4.0), noise=0.005, more=more), options=tune.Options(front="memory"))
    tuned = answer(run)
    assert len(tuned.front) >= 2
    figures = [(cores(4.0)(setting), memory(setting)) for setting in tuned.front]
    assert sorted(figures, reverse=True) == figures
    assert tuned.front[-1] == {"worker_class": "sync", "workers": 1} or figures[-1][1] <= 25e6


def test_memory_can_be_what_is_made_small() -> None:
    tuned = answer(ran(FakeServers(cores(4.0), more=more), options=tune.Options(objective="memory")))
    assert tuned.setting is not None
    assert tuned.setting["workers"] == 1


def test_cost_per_request_is_a_figure_of_the_study() -> None:
    run = ran(FakeServers(cores(4.0), more=more), options=tune.Options(objective="cost_per_request"))
    document = document_of_run(run, ())
    assert document["question"]["by"] == "cost_per_request"
    assert document["question"]["better"] == "lower"
    assert "cost_per_request" in document["settings"][0]["measures"]
    assert document["recommended"] is not None


def test_optuna_can_be_asked_instead() -> None:
    run = ran(FakeServers(cores(4.0), more=more), options=tune.Options(model="tpe"))
    tuned = answer(run)
    assert tuned.setting is not None
    assert cores(4.0)(tuned.setting) >= 300.0


def test_the_document_holds_what_was_confirmed_in_place_of_what_the_search_saw() -> None:
    run = ran(FakeServers(cores(4.0), more=more), goals=(MEMORY,))
    document = document_of_run(run, (MEMORY,))
    json.dumps(document, allow_nan=False)
    tuned = document["tuning"]
    assert document["recommended"]["setting"] == tuned["setting"]
    between = [0, document["recommended"]["setting_id"]]
    row = next(
        comparison
        for comparison in document["comparisons"]
        if comparison["kind"] == "with_base" and comparison["between"] == between
    )
    assert row["effect"] == tuned["against_default"]["effect"]
    assert row["blocks"] == 6
    assert [stage["name"] for stage in tuned["stages"]] == ["search", "race", "final race", "confirm"]
    cells = tuned["map"]["cells"]
    assert any(cell["may_be_best"] for cell in cells)
    assert all(cell["feasible"] >= 0.5 for cell in cells if cell["may_be_best"])
    assert len(tuned["path"]) == len(run[1])


def test_stopped_before_its_end_it_recommends_nothing() -> None:
    run = ran(FakeServers(cores(4.0), more=more), most=12)
    document = document_of_run(run, ())
    assert document["tuning"]["why"] == "going on"
    assert document["recommended"] is None


def document_of_run(run: Run, goals: Sequence[Goal]) -> dict[str, Any]:
    strategy, trials = run
    study_plan = strategy._plan
    question = replace(asked(study_plan, strategy), settings=tuple(strategy.tried), goals=tuple(goals))
    whole = tuple(strategy.with_figures(trial) for trial in trials)
    document = result.document(
        study_plan, question, judge(question, whole), whole, created="", machine={}, is_finished=True
    )
    laid: dict[str, Any] = json.loads(json.dumps(plain(strategy.laid_over(document))))
    return laid


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (tune.Options(objective="througput"), "study.unknown-measure"),
        (tune.Options(objective="capacty"), "study.unknown-measure"),
        (tune.Options(front="nothing"), "study.unknown-measure"),
    ],
)
def test_what_cannot_be_an_objective_is_refused(options: tune.Options, code: str) -> None:
    with pytest.raises(PlanError) as refused:
        tune.strategy(plan(*SPACE, strategy="tune"), options)
    assert [problem.code for problem in refused.value.problems] == [code]


def test_it_is_a_tuner_and_its_estimate_is_an_upper_bound() -> None:
    strategy, trials = whole()
    assert isinstance(strategy, Tuner)
    fresh = tune.strategy(plan(*SPACE, strategy="tune"), tune.Options())
    assert fresh.total >= len(trials)
    assert strategy.total == len(trials)


def test_where_optuna_is_not_installed_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "find_spec", lambda _: None)
    with pytest.raises(PlanError) as refused:
        tune.strategy(plan(*SPACE, strategy="tune"), tune.Options(model="tpe"))
    assert refused.value.problems[0].code == "study.needs-optuna"
