"""Windows of equal load: which steps of stages, ramps and searches are laid beside each other."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadrig.account.levels import LEAST_S, MOST_LEVELS, levels_of
from loadrig.account.load import LoadSeries
from loadrig.recording.steps import Floats
from tests.account.made import a_load


def an_open_load(planned: Floats, answered: "Floats | None" = None, step_s: float = 1.0) -> LoadSeries:
    """Return a load of a rate, of which as much was answered as came unless told otherwise."""
    n = planned.size
    load = a_load(planned if answered is None else answered, planned, planned=planned, n=n)
    edges_ns = (load.edges_ns * step_s).astype(np.int64)
    return replace(load, due=planned, model="rate", edges_ns=edges_ns, seconds=np.full(n, step_s))


def test_each_stage_is_a_level_less_the_second_after_its_jump() -> None:
    levels = levels_of(an_open_load(np.repeat([50.0, 100.0, 200.0], 6)))
    assert [level.planned for level in levels] == [50.0, 100.0, 200.0]
    assert [np.flatnonzero(level.is_in).tolist() for level in levels] == [
        [1, 2, 3, 4, 5], [7, 8, 9, 10, 11], [13, 14, 15, 16, 17],
    ]  # fmt: skip


def test_a_ramp_is_cut_into_windows_of_about_equal_load() -> None:
    planned = np.linspace(50.0, 500.0, 120)
    levels = levels_of(an_open_load(planned))
    assert len(levels) == MOST_LEVELS
    for level in levels:
        inside = planned[level.is_in]
        assert inside.max() / inside.min() < 1.7
    assert np.diff([level.planned for level in levels]).min() > 0


def test_a_load_that_hardly_changes_has_no_levels() -> None:
    assert levels_of(an_open_load(np.repeat([100.0, 120.0], 10))) == []
    assert levels_of(an_open_load(np.full(20, 100.0))) == []


def test_what_piled_up_elsewhere_and_is_worked_off_belongs_to_no_level() -> None:
    planned = np.repeat([50.0, 400.0, 10.0, 100.0], 6)
    answered = np.repeat([50.0, 200.0, 150.0, 100.0], 6)
    levels = levels_of(an_open_load(planned, answered))
    assert [(level.planned, level.is_overloaded) for level in levels] == [
        (50.0, False), (100.0, False), (400.0, True),
    ]  # fmt: skip


def test_when_the_schedule_is_over_what_is_left_belongs_to_no_level() -> None:
    load = an_open_load(np.repeat([15.0, 150.0], [8, 16]), np.repeat([15.0, 98.0], [8, 16]))
    over = replace(load, due=np.where(np.arange(24) < 18, load.planned, 0.0))
    levels = levels_of(over)
    assert [level.is_overloaded for level in levels] == [False, True]
    assert np.flatnonzero(levels[1].is_in).tolist() == list(range(9, 18))


def test_a_step_in_which_the_load_jumped_belongs_to_no_level_however_long() -> None:
    levels = levels_of(an_open_load(np.array([15.0] * 6 + [83.0] + [150.0] * 6), step_s=1.2))
    assert [np.flatnonzero(level.is_in).tolist() for level in levels] == [
        [1, 2, 3, 4, 5], [8, 9, 10, 11, 12],
    ]  # fmt: skip


def test_users_wait_for_their_answers_and_overload_nobody() -> None:
    planned = np.repeat([4.0, 64.0], 6)
    load = replace(an_open_load(planned, np.full(12, 90.0)), model="users")
    assert [level.is_overloaded for level in levels_of(load)] == [False, False]


def test_stretches_of_one_level_are_one_level() -> None:
    levels = levels_of(an_open_load(np.repeat([50.0, 100.0, 50.0, 100.0], 4)))
    assert [int(level.is_in.sum()) for level in levels] == [6, 6]


def test_a_level_of_less_than_three_readings_is_joined_to_its_neighbour() -> None:
    planned = np.repeat([10.0, 100.0, 110.0], [40, 40, 9])
    levels = levels_of(an_open_load(planned, step_s=0.25))
    assert len(levels) == 2
    assert levels[1].is_in[80:].sum() == 9


def test_only_a_search_is_looked_at_beyond_its_measured_part() -> None:
    planned = np.repeat([50.0, 200.0], 6)
    measured = replace(an_open_load(planned), is_measured=np.arange(12) >= 6)
    assert levels_of(measured) == []
    assert len(levels_of(replace(measured, is_of_levels=np.ones(12, dtype=np.bool_)))) == 2


@given(st.lists(st.floats(0.0, 1e4), min_size=1, max_size=120), st.sampled_from([0.25, 1.0]))
def test_levels_do_not_overlap_and_each_has_its_time(planned: list[float], step_s: float) -> None:
    load = an_open_load(np.array(planned), step_s=step_s)
    levels = levels_of(load)
    assert len(levels) <= MOST_LEVELS
    assert len(levels) != 1
    if levels:
        assert np.sum([level.is_in for level in levels], axis=0).max() == 1
        assert [level.planned for level in levels] == sorted(level.planned for level in levels)
        assert min(load.seconds[level.is_in].sum() for level in levels) >= 0.98 * LEAST_S
