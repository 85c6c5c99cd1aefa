"""Time that others took from a process: by a quota, by the hypervisor."""

import os
from pathlib import Path

import pytest

from loadrig.base.processes import TICKS_PER_S
from loadrig.trial import taken_time
from loadrig.trial.surroundings import parse_stolen
from loadrig.trial.taken_time import CounterReading, TakenTime

NS = 1_000_000_000


def test_hours_of_readings_take_no_more_room_than_minutes() -> None:
    times = TakenTime((0,), 1)
    for step in range(2 * taken_time.MOST_READINGS):
        times.look(os.getpid(), step * NS)
    assert times.looks <= taken_time.MOST_READINGS
    assert times.watched_s == 2 * taken_time.MOST_READINGS - 1


def test_forgetting_readings_changes_no_share_and_loses_no_change_of_group() -> None:
    readings = [
        CounterReading(
            second * NS, {"/a" if second < 101 else "/b": second * NS // 4}, {0: second * NS // 10}
        )
        for second in range(200)
    ]
    both = []
    for chosen in (readings, taken_time._thinned(readings)):
        times = TakenTime((0,), 1)
        times._readings = list(chosen)
        both.append((*times.throttled(0, 199 * NS), times.stolen(0, 199 * NS)))
    assert both[0] == pytest.approx(both[1])
    assert len(taken_time._thinned(readings)) < 110


def test_what_was_taken_within_the_window_counts_and_no_more() -> None:
    times = TakenTime((0,), 1)
    for second in range(11):
        late = max(0, second - 5)
        times._readings.append(
            CounterReading(second * NS, {"/group": late * NS // 2}, {0: second * NS // 10})
        )
    assert times.throttled(0, 5 * NS) == (0.0, "")
    assert times.stolen(0, 5 * NS) == pytest.approx(0.1)
    share, group = times.throttled(5 * NS, 10 * NS)
    assert (share, group) == (0.5, "/group")


def test_a_group_that_is_entered_late_counts_from_then() -> None:
    times = TakenTime((0,), 1)
    times._readings.append(CounterReading(0, {"/": 0}, {}))
    times._readings.append(CounterReading(NS, {"/": 0, "/new": 900 * NS}, {}))
    times._readings.append(CounterReading(2 * NS, {"/": 0, "/new": 901 * NS}, {}))
    assert times.throttled(0, 2 * NS) == (0.5, "/new")


@pytest.mark.parametrize(
    ("text", "ns"), [("throttled_time 1500\n", 1500), ("throttled_usec 3\n", 3000), ("", 0)]
)
def test_throttled_time_is_read_in_both_forms(text: str, ns: int, tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text(f"nr_periods 5\n{text}")
    assert taken_time._throttled_ns(tmp_path) == ns


def test_stolen_time_is_read_of_the_cores_that_matter() -> None:
    text = "cpu  9 9 9 9 9 9 9 200 0 0\ncpu0 1 2 3 4 5 6 7 80 0 0\ncpu1 1 2 3 4 5 6 7 120 0 0\nintr 5\n"
    assert parse_stolen(text, [1]) == {1: 120 * NS // TICKS_PER_S}
    assert parse_stolen(text, [7]) == {}
