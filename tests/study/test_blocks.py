from collections import Counter
from pathlib import Path
from typing import Literal

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.base.setting import show_setting
from loadrig.plan.model import Goal, Plan
from loadrig.study.carry_out import planned
from loadrig.study.strategies import grid
from loadrig.study.strategy import Strategy
from loadrig.study.trials import DoneTrial, done
from loadrig.trial.spec import TrialSpec
from loadrig.trial.validity import Validity

from .fakes import DEMO, FakeServers, cores, knob, plan, reason, trial_result


def trial(spec: TrialSpec, verdict: Literal["valid", "void", "failed"] = "valid") -> DoneTrial:
    good = FakeServers(cores(2))(spec)
    if verdict == "valid":
        return done(spec, good, 1.0, Path())
    validity = Validity("void", (reason("void", "the generator was late"),))
    if verdict == "void":
        return done(spec, trial_result(good.measures, validity), 1.0, Path())
    return done(spec, trial_result({}, was_answered=False), 1.0, Path())


def strategy_after(study_plan: Plan, trials: list[DoneTrial]) -> Strategy:
    strategy = planned(study_plan)
    for trial in trials:
        strategy.tell(trial)
    return strategy


def everything(study_plan: Plan) -> list[TrialSpec]:
    strategy, specs = planned(study_plan), []
    while asked := strategy.ask():
        specs.append(asked[0])
        strategy.tell(trial(asked[0]))
    return specs


def test_every_block_runs_each_setting_once_and_the_base_twice() -> None:
    specs = everything(plan(*DEMO, blocks=4))
    assert [spec.index for spec in specs] == list(range(1, 41))
    for block in range(4):
        runs = Counter(show_setting(spec.setting) for spec in specs if spec.block == block)
        assert runs.pop("worker_class=sync workers=1") == 2
        assert sorted(runs.values()) == [1] * 8
    assert {(spec.repeat, spec.is_base) for spec in specs} == {(0, True), (1, True), (0, False)}


def test_the_order_is_random_and_reproducible() -> None:
    def orders(seed: int) -> list[list[str]]:
        specs = everything(plan(*DEMO, blocks=3, seed=seed))
        return [[show_setting(spec.setting) for spec in specs if spec.block == block] for block in range(3)]

    assert orders(1) == orders(1)
    assert orders(1) != orders(2)
    assert len({tuple(order) for order in orders(1)}) == 3


def test_no_place_in_the_block_belongs_to_a_setting() -> None:
    # Over 200 seeds each of ten trials comes first about 20 times; the base, which runs twice, 40.
    first = Counter(show_setting(planned(plan(*DEMO, seed=seed)).ask()[0].setting) for seed in range(200))
    assert 22 <= first.pop("worker_class=sync workers=1") <= 60
    assert all(6 <= count <= 38 for count in first.values())
    assert len(first) == 8


def test_all_trials_of_a_block_meet_the_same_arrivals_and_blocks_differ() -> None:
    specs = everything(plan(*DEMO, blocks=2, seed=5))
    assert {(spec.block, spec.seed) for spec in specs} == {(0, 5), (1, 6)}


def test_the_state_is_what_it_was_told() -> None:
    study_plan = plan(*DEMO, blocks=2)
    specs = everything(study_plan)
    for cut in (0, 1, 7, 10, 13, 20):
        assert (
            strategy_after(study_plan, [trial(spec) for spec in specs[:cut]]).ask()[:1]
            == specs[cut : cut + 1]
        )


def test_a_void_trial_is_repeated_once_at_the_end_of_its_block() -> None:
    study_plan = plan(*DEMO, blocks=1)
    specs = planned(study_plan).ask()
    lost = next(spec for spec in specs if not spec.is_base)
    trials = [trial(spec, "void" if spec is lost else "valid") for spec in specs]
    again = strategy_after(study_plan, trials).ask()
    assert [(spec.setting, spec.repeat, spec.index) for spec in again] == [(lost.setting, 1, 11)]
    assert strategy_after(study_plan, [*trials, trial(again[0], "void")]).ask() == []
    assert strategy_after(study_plan, [*trials, trial(again[0])]).ask() == []


def test_each_lost_run_of_the_base_is_repeated_once() -> None:
    study_plan = plan(knob("workers", 1, 2), blocks=1)
    specs = planned(study_plan).ask()
    trials = [trial(spec, "void" if spec.is_base else "valid") for spec in specs]
    again = strategy_after(study_plan, trials).ask()
    assert [spec.is_base for spec in again] == [True, True]
    assert [spec.repeat for spec in again] == [2, 3]
    trials.append(trial(again[0]))
    assert len(strategy_after(study_plan, trials).ask()) == 1
    trials.append(trial(again[1], "void"))
    assert strategy_after(study_plan, trials).ask() == []


def test_a_setting_with_which_the_target_fails_is_not_tried_in_later_blocks() -> None:
    study_plan = plan(*DEMO, blocks=2)
    specs = planned(study_plan).ask()
    bad = next(spec.setting for spec in specs if not spec.is_base)
    trials = [trial(spec, "failed" if spec.setting == bad else "valid") for spec in specs]
    strategy = strategy_after(study_plan, trials)
    assert all(spec.setting != bad for spec in strategy.ask())
    assert strategy.total == 10 + 9


def test_while_nothing_has_worked_a_failure_is_not_the_setting_s() -> None:
    study_plan = plan(*DEMO, blocks=1)
    first = next(spec for spec in planned(study_plan).ask() if not spec.is_base)
    asked = strategy_after(study_plan, [trial(first, "failed")]).ask()
    assert asked[-1].setting == first.setting


def test_one_trial_is_never_run_a_second_time_even_when_it_is_void() -> None:
    chosen = planned(plan(*DEMO, strategy="one_trial"))
    (spec,) = chosen.ask()
    chosen.tell(trial(spec, "void"))
    assert chosen.ask() == []
    assert chosen.total == 1


def test_one_trial_runs_once_whatever_the_blocks() -> None:
    specs = everything(plan(*DEMO, strategy="one_trial", blocks=6))
    assert [spec.setting for spec in specs] == [{"worker_class": "sync", "workers": 1}]


def test_one_at_a_time_runs_its_settings_in_blocks() -> None:
    assert len(everything(plan(*DEMO, strategy="one_at_a_time", blocks=2))) == 12


def test_a_grid_too_large_is_refused_with_its_size() -> None:
    with pytest.raises(PlanError) as caught:
        planned(plan(knob("a", *range(20)), knob("b", *range(20))))
    problem = caught.value.problems[0]
    assert problem.code == "study.grid-too-large"
    assert "400" in problem.what
    small = plan(knob("a", 1, 2, 3))
    with pytest.raises(PlanError):
        grid.strategy(small, grid.Options(most=2))  # type: ignore[arg-type]  # a Count is an int


LATE = Goal("p99 < 1s", "p99", True, 1.0, "s", None)
"""Some strategies search for what misses a goal."""


def test_every_member_has_options_a_strategy_and_its_page() -> None:
    for name in members.names("loadrig.study.strategies"):
        member = members.load("loadrig.study.strategies", name)
        doc = member.__doc__ or ""
        assert member.strategy(plan(*DEMO, goals=(LATE,)), member.Options()).settings
        assert "## What it does" in doc
        assert "## Options" in doc
        assert "## Example" in doc
