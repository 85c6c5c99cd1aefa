"""Arrivals: their level over time, and what depends on their kind."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.plan.arrivals import Arrivals, LoadStage, Rate, RateStage, Replay, Sessions, Users


def stage(to: float, over: float = 0.0, hold: float = 0.0) -> LoadStage:
    return LoadStage(to=to, over=Seconds(over), hold=Seconds(hold))


def test_a_constant_level_is_one_point_and_has_no_length() -> None:
    users = Users(count=Count(50))
    assert users.line == [[0.0, 50.0]]
    assert users.length_s is None


def test_fifty_then_twenty_more_every_three_minutes_up_to_130() -> None:
    users = Users(start=Count(50), add=Count(20), every=Seconds(180.0), until=Count(130))
    assert users.line == [
        [0.0, 50.0],
        [180.0, 50.0], [180.0, 70.0],
        [360.0, 70.0], [360.0, 90.0],
        [540.0, 90.0], [540.0, 110.0],
        [720.0, 110.0], [720.0, 130.0],
    ]  # fmt: skip
    assert users.length_s == 5 * 180.0


def test_the_last_step_stops_at_the_limit_even_when_the_steps_do_not_divide() -> None:
    rate = Rate(start=PerSecond(100.0), add=PerSecond(60.0), every=Seconds(10.0), until=PerSecond(200.0))
    assert [level for _, level in rate.line][-1] == 200.0
    assert rate.length_s == 30.0


def test_a_ramp_starts_from_nothing_and_a_hold_keeps_the_level() -> None:
    users = Users(stages=(stage(100, over=10), stage(100, hold=5), stage(20, over=2)))
    assert users.line == [[0.0, 0.0], [10.0, 100.0], [15.0, 100.0], [17.0, 20.0]]
    assert users.length_s == 17.0


def test_a_stage_that_takes_no_time_is_a_step() -> None:
    levels = (PerSecond(10.0), PerSecond(30.0))
    stages = tuple(RateStage(to=level, hold=Seconds(5.0)) for level in levels)
    sessions = Sessions(stages=stages)
    assert sessions.line == [[0.0, 10.0], [5.0, 10.0], [5.0, 30.0], [10.0, 30.0]]


def test_a_replay_ends_with_its_list() -> None:
    replay = Replay(times="times.txt")
    assert replay.length_s is None
    assert replay.ends_itself


@pytest.mark.parametrize(
    ("arrivals", "model", "is_closed", "visitor", "unit", "identities"),
    [
        (Users(count=Count(5)), "users", True, "user", "users", 5),
        (Rate(per_second=PerSecond(10.0)), "rate", False, "arrival", "1/s", 1),
        (Rate(per_second=PerSecond(0.0)), "saturate", True, "arrival", "1/s", 1),
        (Sessions(per_second=PerSecond(2.0)), "sessions", False, "session", "1/s", math.inf),
        (Replay(times="times.txt"), "replay", False, "arrival", "1/s", 1),
    ],
)
def test_what_depends_on_the_kind(
    arrivals: Arrivals, model: str, is_closed: bool, visitor: str, unit: str, identities: float
) -> None:
    assert (arrivals.model, arrivals.is_closed, arrivals.visitor) == (model, is_closed, visitor)
    assert (arrivals.unit, arrivals.most_identities) == (unit, identities)
    assert arrivals.ends_itself == (model == "replay")


def test_steps_from_nothing_have_a_pace() -> None:
    rate = Rate(start=PerSecond(0.0), add=PerSecond(10.0), every=Seconds(1.0), until=PerSecond(20.0))
    assert not rate.is_unpaced


def test_a_half_is_half_of_the_level_at_every_time() -> None:
    users = Users(start=Count(5), add=Count(4), every=Seconds(10.0), until=Count(13))
    assert [stage.to for stage in users.halved().stages] == [2.5, 4.5, 6.5]
    assert users.halved().length_s == users.length_s
    assert Users(count=Count(5)).halved().level == 2
    rate = Rate(stages=(RateStage(to=PerSecond(10.0), over=Seconds(2.0)),))
    assert rate.halved().line == [[0.0, 0.0], [2.0, 5.0]]
    assert Replay(times="times.txt").halved().speed == 0.5


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
    line = users.line
    times = [t for t, _ in line]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(users.length_s)
    assert line[-1][1] == stages[-1][0]
