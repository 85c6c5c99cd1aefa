"""ProcessReadings of hours are kept in as much memory as those of minutes, and say the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.judgement.facts.slopes import slopes
from loadrig.soaking.keeping import MOST_ENDED, MOST_READINGS, Keeping
from tests.soaking.made import A_SECOND, MB


def test_four_hours_of_seconds_are_no_more_than_ten_minutes() -> None:
    keeping = Keeping()
    for second in range(14_400):
        keeping.read(float(second), "pid:1", 80 * MB + second * 1_000.0)
        keeping.served(float(second), second * A_SECOND)
    (reading,) = keeping.readings()
    assert MOST_READINGS / 2 <= reading.t_s.size <= MOST_READINGS + 1
    assert np.all(np.diff(reading.t_s) > 0)
    assert reading.level[0] == 80 * MB
    served = keeping.so_far()
    assert served is not None
    assert served.t_s.size <= MOST_READINGS + 1


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=3_000))
def test_the_least_of_all_is_never_lost(levels: list[float]) -> None:
    keeping = Keeping()
    for second, level in enumerate(levels):
        keeping.read(float(second + 1), "pid:1", level)
    (reading,) = keeping.readings()
    assert reading.level.min() == min(levels)
    assert reading.t_s.size <= MOST_READINGS + 1


def test_a_leak_is_as_large_by_what_was_kept() -> None:
    keeping, rng = Keeping(), np.random.default_rng(1)
    for second in range(7_200):
        keeping.read(float(second), "pid:1", 80 * MB + 1_000 * second * A_SECOND + rng.normal(0, 0.3 * MB))
        keeping.served(float(second), second * A_SECOND)
    served = keeping.so_far()
    assert served is not None
    growth = slopes(keeping.readings(), served)
    assert growth.is_leak
    assert growth.a_request is not None
    assert growth.a_request.value == pytest.approx(1_000, rel=0.02)


def test_processes_that_have_ended_are_forgotten_one_in_two() -> None:
    keeping = Keeping()
    for number in range(3_000):
        keeping.ended("pid:7")
        keeping.read(number * 10.0 + 1, "pid:7", 50 * MB)
    readings = keeping.readings()
    assert len(readings) <= MOST_ENDED + 2
    assert readings[0].t_s[0] == 1.0
    assert readings[-1].t_s[0] == 29_991.0


def test_a_number_that_was_not_read_for_long_is_another_process() -> None:
    keeping = Keeping()
    keeping.read(1.0, "pid:7", 1.0)
    keeping.read(100.0, "pid:7", 2.0)
    assert [reading.t_s.tolist() for reading in keeping.readings()] == [[1.0], [100.0]]


def test_before_the_second_count_nothing_was_served() -> None:
    keeping = Keeping()
    assert keeping.so_far() is None


def test_what_was_served_at_last_is_known_although_readings_are_joined() -> None:
    keeping = Keeping()
    for second in range(14_399):
        keeping.served(float(second), second * A_SECOND)
    served = keeping.so_far()
    assert served is not None
    assert (served.t_s[-1], served.requests[-1]) == (14_398.0, 14_398 * A_SECOND)
