"""Load of a trial of a tuning: as long as its stage wants, or a search that says how far it came."""

from dataclasses import replace

import pytest

from loadrig.plan.arrivals import Rate
from loadrig.plan.model import Goal, PlannedKnob
from loadrig.study.strategies import tune
from loadrig.study.strategy import Strategy
from loadrig.study.tuning.load import CUT_SHORT, BoundedSearch, searching
from loadrig.trial.spec import TrialSpec
from tests.study.capacity.fakes import Formula
from tests.study.fakes import knob, plan, rate

GOALS = (Goal("p99 < 100ms", "p99", True, 0.1, "s"), Goal("errors < 0.1%", "errors", True, 0.001, "1"))
KNOBS: tuple[PlannedKnob, ...] = (knob("workers", 1, 2, 4),)


def spec(seconds: float) -> TrialSpec:
    study_plan = plan(*KNOBS, strategy="tune", goals=GOALS, arrivals=Rate(per_second=rate(20.0)))
    return TrialSpec(plan=study_plan.lasting(seconds), setting={"workers": 1}, seed=1)


def searched(seconds: float, load_s: float) -> BoundedSearch:
    experiment = searching(spec(seconds), unit="1/s", first=20.0, most=100_000.0).experiment
    assert isinstance(experiment, BoundedSearch)
    server = Formula()
    for _ in range(int(load_s * 4)):
        if experiment.search.is_over:
            break
        experiment.search.see(server.advance(experiment.search.level))
    return experiment


def test_a_trial_is_as_long_as_its_stage_wants() -> None:
    rules = spec(30.0).plan.trial.measure
    assert (rules.at_least, rules.at_most) == (30.0, 30.0)


def test_a_search_has_the_seconds_of_its_stage_and_finds_the_capacity() -> None:
    estimate = searched(60.0, 60.0).estimates()["capacity"]
    assert estimate.value == pytest.approx(800.0, rel=0.1)
    assert estimate.warnings == ()


def test_one_that_is_cut_short_says_the_load_that_met_the_goals_for_certain() -> None:
    early = searched(60.0, 8.0)
    assert not early.search.is_over
    estimate = early.estimates()["capacity"]
    assert 0 < estimate.value <= 900.0
    assert estimate.low is None or estimate.warnings == ()
    if estimate.low is None:
        assert estimate.warnings == (CUT_SHORT,)


def strategy(goals: tuple[Goal, ...]) -> Strategy:
    study_plan = plan(*KNOBS, strategy="tune", goals=goals, arrivals=Rate(per_second=rate(20.0)))
    return tune.strategy(replace(study_plan), tune.Options())


def test_under_a_rate_every_trial_is_a_search_of_its_own() -> None:
    first = strategy(GOALS)
    assert first.by is not None
    assert first.by.name == "capacity"
    (spec, *_) = first.ask()
    assert isinstance(spec.experiment, BoundedSearch)
    assert spec.plan.trial.measure.at_most == tune.SEARCH_SHORT_S + 5.0
