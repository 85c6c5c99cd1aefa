"""Arrivals as piecewise-linear levels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.engine.lines import length_s, line_of
from loadrig.plan.model import LoadStage, Rate, RateStage, Replay, Sessions, Users


def stage(to: float, over: float = 0.0, hold: float = 0.0) -> LoadStage:
    return LoadStage(to=to, over=Seconds(over), hold=Seconds(hold))


def test_a_constant_level_is_one_point_and_has_no_length() -> None:
    users = Users(count=Count(50))
    assert line_of(users) == [[0.0, 50.0]]
    assert length_s(users) is None


def test_fifty_then_twenty_more_every_three_minutes_up_to_130() -> None:
    users = Users(start=Count(50), add=Count(20), every=Seconds(180.0), until=Count(130))
    assert line_of(users) == [
        [0.0, 50.0],
        [180.0, 50.0], [180.0, 70.0],
        [360.0, 70.0], [360.0, 90.0],
        [540.0, 90.0], [540.0, 110.0],
        [720.0, 110.0], [720.0, 130.0],
    ]  # fmt: skip
    assert length_s(users) == 5 * 180.0


def test_the_last_step_stops_at_the_limit_even_when_the_steps_do_not_divide() -> None:
    rate = Rate(start=PerSecond(100.0), add=PerSecond(60.0), every=Seconds(10.0), until=PerSecond(200.0))
    assert [level for _, level in line_of(rate)][-1] == 200.0
    assert length_s(rate) == 30.0


def test_a_ramp_starts_from_nothing_and_a_hold_keeps_the_level() -> None:
    users = Users(stages=(stage(100, over=10), stage(100, hold=5), stage(20, over=2)))
    assert line_of(users) == [[0.0, 0.0], [10.0, 100.0], [15.0, 100.0], [17.0, 20.0]]
    assert length_s(users) == 17.0


def test_a_stage_that_takes_no_time_is_a_step() -> None:
    levels = (PerSecond(10.0), PerSecond(30.0))
    stages = tuple(RateStage(to=level, hold=Seconds(5.0)) for level in levels)
    sessions = Sessions(stages=stages)
    assert line_of(sessions) == [[0.0, 10.0], [5.0, 10.0], [5.0, 30.0], [10.0, 30.0]]


def test_a_replay_ends_with_its_list() -> None:
    assert length_s(Replay(times="times.txt")) is None


@given(
    st.lists(
        st.tuples(
            st.floats(0, 1e4, allow_nan=False),
            st.floats(0, 100, allow_nan=False),
            st.floats(0, 100, allow_nan=False),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_time_never_runs_backwards_and_the_line_ends_with_the_schedule(
    stages: list[tuple[float, float, float]],
) -> None:
    users = Users(stages=tuple(stage(to, over, hold) for to, over, hold in stages))
    line = line_of(users)
    times = [t for t, _ in line]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(length_s(users))
    assert line[-1][1] == stages[-1][0]
