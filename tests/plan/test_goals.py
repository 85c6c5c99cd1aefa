"""Goals are read as they are written: measure, limit, route, and the stretches in which they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.plan.goals import NOT_OVER, SHORTEST_S, measures, read_goal
from loadrig.plan.model import Goal
from loadrig.plan.node import Scalar, at
from loadrig.plan.reader import Reader
from loadrig.plan.syntax import parse


def read(text: str) -> tuple[Goal | None, list[str]]:
    """Return a goal as it stands in a plan, and the codes of what is wrong with it."""
    root, _ = parse(f"v: {text}", "plan.yaml")
    node = at(root, "v")
    assert isinstance(node, Scalar)
    reader = Reader()
    goal = read_goal(reader, node)
    return goal, [problem.code for problem in reader.problems]


@pytest.mark.parametrize(
    ("text", "limit", "over"),
    [
        ("p95 < 500ms", 0.5, None),
        ("p95 < 500ms for 30s", 0.5, 30.0),
        ("p95<1s   for  1m30s", 1.0, 90.0),
        ("errors < 0.1% for 1m", 0.001, 60.0),
        ("throughput > 100/s for 10s", 100.0, 10.0),
        ("max < 2s for 1s", 2.0, 1.0),
    ],
)
def test_a_goal_may_name_the_stretches_in_which_it_holds(text: str, limit: float, over: float | None) -> None:
    goal, problems = read(text)
    assert problems == []
    assert goal is not None
    assert (goal.limit, goal.over, goal.text) == (limit, over, text)


def test_a_route_may_have_the_word_for_in_its_name() -> None:
    goal, problems = read("p95{search for x} < 1s for 5s")
    assert problems == []
    assert goal is not None
    assert (goal.route, goal.over) == ("search for x", 5.0)


@pytest.mark.parametrize(
    "text", ["p95 < 1s for", "p95 < 1s for 30", "p95 < 1s for soon", "p95 < 1s for 0", "memory < 1GB for 1m"]
)
def test_a_stretch_that_is_none_is_a_problem_of_its_own(text: str) -> None:
    assert read(text) == (None, ["plan.goal-window"])


def test_goals_that_differ_in_their_stretches_are_not_the_same() -> None:
    assert read("p95 < 1s for 5s")[0] != read("p95 < 1s for 6s")[0]


def test_what_has_no_figure_of_a_stretch_is_a_measure() -> None:
    assert set(NOT_OVER) <= set(measures())


@given(seconds=st.integers(1, 100_000))
def test_any_length_of_a_second_or_more_is_read(seconds: int) -> None:
    goal, _ = read(f"p99 < 1s for {seconds}s")
    assert goal is not None
    assert goal.over is not None
    assert int(goal.over) == seconds >= SHORTEST_S
