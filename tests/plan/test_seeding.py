"""A run whose plan names no seed draws one and writes it into its own plan."""

import pytest

from loadrig.plan.load import read
from loadrig.plan.quick import quick_plan
from loadrig.plan.seeding import MOST, drawn, seed_in, seeded

TEXT = quick_plan("http://127.0.0.1:8000/", rate="100").text


def test_seeds_that_are_drawn_differ() -> None:
    # Two of five are alike by chance once in 200 million.
    seeds = {drawn() for _ in range(5)}
    assert len(seeds) == 5
    assert all(1 <= seed <= MOST for seed in seeds)


def test_a_plan_without_a_seed_is_given_one_that_its_text_names() -> None:
    plan = seeded(read(TEXT, "plan.yaml"))
    assert plan.trial.seed is not None
    assert plan.seed == plan.trial.seed == seed_in(plan.text)
    assert read(plan.text, "plan.yaml") == plan


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("trial:", "trial:  # a comment")])
def test_all_else_of_the_plan_stays_as_it_was(text: str) -> None:
    before, after = read(text, "plan.yaml"), seeded(read(text, "plan.yaml"), 7)
    assert after.seed == 7
    assert (after.workload, after.trial.measure, after.goals) == (
        before.workload,
        before.trial.measure,
        before.goals,
    )
    assert ("# a comment" in after.text) == ("# a comment" in text)


def test_a_seed_that_the_plan_names_is_kept() -> None:
    plan = read(TEXT, "plan.yaml", {"trial.seed": "5"})
    assert seeded(plan) is plan
    assert plan.seed == 5


def test_a_plan_that_no_run_has_begun_has_no_seed() -> None:
    assert seed_in(TEXT) is None
    assert read(TEXT, "plan.yaml").trial.seed is None
