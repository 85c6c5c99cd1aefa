"""Tests that what strategies say of their trials is what they ask for."""

import pytest

from loadrig.base.units import show_duration
from loadrig.plan.load import read
from loadrig.study.carry_out import planned
from loadrig.study.spike.experiment import LONGER
from loadrig.study.strategies.spike import Options
from loadrig.study.strategy import OwnTrials

PLAN = """\
loadrig: 1
target: {{gunicorn: {{app: "shop:app"}}}}
goals: ["p99 < 200ms"]
knobs: {{workers: [1, 2]}}
workload: {{rate: 20/1s, requests: [{{get: /}}]}}
trial: {{warm_up: 4s}}
study: {{{study}}}
"""


@pytest.mark.parametrize(
    "study",
    [
        "find: soak, for: 17m", "find: capacity", "find: tune", "find: tune, short: 11s, long: 12s",
        "find: tune, objective: p95, short: 13s",
    ],
)  # fmt: skip
def test_the_length_that_is_said_is_that_of_the_trials_asked_for(study: str) -> None:
    strategy = planned(read(PLAN.format(study=study), "plan.yaml"))
    assert isinstance(strategy, OwnTrials)
    rules = strategy.ask()[0].plan.trial
    assert show_duration(rules.measure.at_most) in strategy.trial_in_words
    assert strategy.trial_in_words.removeprefix("up to ").startswith(show_duration(rules.warm_up.at_most))


def test_the_parts_of_a_spike_are_as_long_together_as_its_trial() -> None:
    strategy = planned(read(PLAN.format(study="find: spike"), "plan.yaml"))
    assert isinstance(strategy, OwnTrials)
    usual = Options()
    parts = (usual.before, usual.length, usual.after, LONGER * usual.after)
    assert all(show_duration(part) in strategy.trial_in_words for part in parts)
    # And a little more, so that the load does not end before it was looked at for the last time.
    spare = strategy.ask()[0].plan.trial.measure.at_most - sum((parts[0], parts[1], parts[3]))
    assert 0 < spare <= 10


@pytest.mark.parametrize("study", ["find: one_trial", "find: grid", "find: one_at_a_time"])
def test_strategies_that_run_the_plan_as_it_is_say_nothing_of_their_own(study: str) -> None:
    assert not isinstance(planned(read(PLAN.format(study=study), "plan.yaml")), OwnTrials)
