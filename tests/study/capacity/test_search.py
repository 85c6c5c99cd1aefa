"""A whole search, on servers that are formulas."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.study.capacity.answer import Answer
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.search import Search
from tests.study.capacity.fakes import GOALS, LATE, TICK_S, Formula
from tests.wording import shape


def searched(server: Formula, search: Search) -> Answer:
    while not search.is_over:
        tick = server.advance(search.level)
        search.see(tick)
    return search.answer()


@pytest.mark.parametrize(("capacity", "most"), [(800.0, 1_000.0), (4_500.0, 5_000.0), (70.0, 100.0)])
def test_the_capacity_is_found_and_confirmed(capacity: float, most: float) -> None:
    answer = searched(Formula(capacity, most), Search(GOALS, budget_s=120.0 if capacity >= 500 else 240.0))
    assert answer.capacity is not None
    assert answer.capacity.value == pytest.approx(capacity, rel=0.06)
    assert answer.binding == LATE.text
    assert answer.saturation is not None
    assert answer.saturation.value == pytest.approx(most, rel=0.1)
    assert answer.at_most is not None
    # Late answers come in clusters here as anywhere, for all that is known: few minutes are sure of a level.
    assert (answer.at_least or 0.0) < capacity * 1.03
    assert answer.at_most > capacity * 0.97


def test_it_is_over_in_time_and_says_so_where_it_is_not_sure(snapshot: SnapshotAssertion) -> None:
    answer = searched(Formula(), Search(GOALS, budget_s=25.0))
    assert answer.took_s <= 25.0 + TICK_S
    assert answer.why == "budget"
    assert answer.warnings == snapshot


@pytest.mark.parametrize("budget_s", [0.1, 1.0, 8.0])
def test_a_budget_that_is_too_small_for_any_answer_says_so(
    budget_s: float, snapshot: SnapshotAssertion
) -> None:
    answer = searched(Formula(), Search(GOALS, budget_s=budget_s))
    assert (answer.why, answer.capacity) == ("budget", None)
    assert answer.took_s <= budget_s + TICK_S
    assert [shape(warning) for warning in answer.warnings] == snapshot


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1_000), st.floats(6.0, 90.0))
def test_whenever_the_time_is_up_there_is_an_answer_that_holds_together(seed: int, budget_s: float) -> None:
    search = Search(GOALS, budget_s=budget_s, seed=seed)
    answer = searched(Formula(seed=seed), search)
    assert answer.took_s <= budget_s + TICK_S
    assert all(a.at_s <= b.at_s for a, b in zip(answer.probes, answer.probes[1:], strict=False))
    if answer.capacity is not None:
        assert answer.capacity.low is not None
        assert answer.capacity.high is not None
        assert answer.capacity.low <= answer.capacity.value <= answer.capacity.high
        if answer.saturation is not None:
            assert answer.saturation.high is not None
            # Clipped where it was seen to answer no more, by any measurement of it.
            assert answer.capacity.high <= 1.05 * answer.saturation.high
    elif answer.why == "budget":
        assert answer.warnings


def test_the_same_seed_and_frames_make_the_same_search() -> None:
    levels = []
    for _ in range(2):
        search, server, own = Search(GOALS, budget_s=60.0, seed=4), Formula(seed=2), []
        while not search.is_over:
            own.append(search.see(server.advance(search.level)))
        levels.append(own)
    assert levels[0] == levels[1]


def test_a_generator_that_cannot_offer_more_ends_it_with_what_would_be_needed() -> None:
    answer = searched(Formula(held_back_from=300.0), Search(GOALS))
    assert answer.why == "generator_limited"
    assert answer.capacity is None
    assert answer.needed is not None
    assert answer.needed > 300.0


def test_where_every_level_meets_the_goals_it_says_so() -> None:
    answer = searched(Formula(), Search(GOALS, most=200.0))
    assert answer.why == "all_levels_meet"
    assert answer.capacity is None
    assert answer.at_least == 200.0


def test_where_no_level_meets_the_goals_it_says_which_came_nearest() -> None:
    answer = searched(
        Formula(capacity=2.0, most=1_000.0), Search(GOALS, first=20.0, least=20.0, budget_s=120.0)
    )
    assert answer.why == "no_level_meets"
    assert answer.capacity is None
    assert answer.nearest is not None
    assert answer.nearest.text == LATE.text
    assert answer.nearest.level < 100.0


def test_goals_that_a_request_alone_misses_are_met_by_no_load() -> None:
    server = Formula()
    server.is_broken = True
    answer = searched(server, Search(GOALS, budget_s=60.0))
    assert answer.why == "no_level_meets"
    assert answer.capacity is None
    assert answer.nearest is not None
    assert answer.nearest.text == LATE.text
    assert answer.took_s < 45.0


def test_a_throughput_that_the_capacity_does_not_reach_is_not_met() -> None:
    goals = Goals(GOALS.shares, throughput=2_000.0)
    assert searched(Formula(), Search(goals)).why == "no_level_meets"


@pytest.mark.parametrize("never", [False, True])
def test_whether_it_recovers_from_an_overload_is_seen(never: bool) -> None:
    server = Formula(most=400.0, capacity=320.0)
    search = Search(GOALS, budget_s=150.0)
    while not search.is_over:
        tick = server.advance(search.level)
        if never and search.doing == "overload":
            server.is_broken = True
            tick = server.advance(search.level)
        search.see(tick)
    beyond = search.answer().beyond
    assert beyond is not None
    assert beyond.has_recovered is not never
    assert beyond.peak_in_flight > 100


def test_an_overload_may_be_left_out() -> None:
    answer = searched(Formula(), Search(GOALS, skip_overload=True))
    assert answer.beyond is None
    assert all(probe.kind != "overload" for probe in answer.probes)


def test_users_are_whole_and_the_law_of_scaling_is_fitted() -> None:
    search = Search(Goals((LATE,)), unit="users", first=1.0, budget_s=90.0)
    server = Formula(capacity=64.0, most=80.0, shares=1)
    levels = set()
    while not search.is_over:
        levels.add(search.level)
        search.see(server.advance(search.level))
    assert all(float(level).is_integer() for level in levels)
    answer = search.answer()
    assert answer.unit == "users"
    assert answer.usl is None or answer.usl.loads >= 6


def test_it_does_not_begin_without_a_goal_that_a_level_can_miss() -> None:
    with pytest.raises(ValueError, match="needs a goal"):
        Search(Goals(()))
    with pytest.raises(ValueError, match="goes on"):
        Search(GOALS).answer()
    with pytest.raises(ValueError, match="above 0"):
        Search(GOALS, least=0.0)


def test_the_interval_is_of_the_logarithm_and_positive() -> None:
    answer = searched(Formula(seed=9), Search(GOALS))
    assert answer.capacity is not None
    assert answer.capacity.low is not None
    assert math.log(answer.capacity.low) > 0
