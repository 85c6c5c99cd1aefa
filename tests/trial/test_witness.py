"""What is seen of the generator from outside, on a process that stands for it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base.processes import TICKS_PER_S
from loadrig.base.running import Address, RunningTarget
from loadrig.trial import witness
from loadrig.trial.surroundings import parse_stolen
from loadrig.trial.witness import CounterReading, Witness

NS = 1_000_000_000
NOWHERE = RunningTarget(Address("127.0.0.1", 1))


@pytest.fixture
def child() -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    yield process
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=10)


@pytest.mark.integration
def test_a_generator_that_nothing_holds_up_is_said_so(child: "subprocess.Popen[bytes]") -> None:
    seen = Witness(NOWHERE, (0,), 1)
    began = time.monotonic_ns()
    seen.follow(child.pid)
    seen.look(time.monotonic_ns(), at_last=True)
    facts = seen.facts(began, time.monotonic_ns())
    assert (facts["stops"], facts["throttled_share"]) == (0, 0.0)
    assert abs(facts["clock_step_s"]) < 0.1
    assert "not known" in facts["shared_core"]["unknown"]


def test_a_clock_that_is_set_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Witness(NOWHERE, (0,), 1)
    wall_ns = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: wall_ns() - 60 * NS)
    assert seen.facts(0, NS)["clock_step_s"] == pytest.approx(-60, abs=1)


@pytest.mark.integration
def test_hours_of_readings_take_no_more_room_than_minutes(child: "subprocess.Popen[bytes]") -> None:
    seen = Witness(NOWHERE, (0,), 1)
    seen.follow(child.pid)
    for step in range(3 * witness.MOST_READINGS):
        seen.look(step * witness.LOOK_EVERY_NS + 10**15)
    assert len(seen._readings) <= witness.MOST_READINGS
    assert seen.facts(0, NS)["watched_s"] > 0


def test_forgetting_readings_changes_no_share_and_loses_no_change_of_group() -> None:
    readings = [
        CounterReading(
            second * NS, {"/a" if second < 101 else "/b": second * NS // 4}, {0: second * NS // 10}
        )
        for second in range(200)
    ]
    both = []
    for kept in (readings, witness._thinned(readings)):
        seen = Witness(NOWHERE, (0,), 1)
        seen._readings = list(kept)
        facts = seen.facts(0, 199 * NS)
        both.append((facts["throttled_share"], facts["throttled_group"], facts["stolen_share"]))
    assert both[0] == pytest.approx(both[1])
    assert len(witness._thinned(readings)) < 110


def test_what_was_taken_within_the_window_counts_and_no_more() -> None:
    seen = Witness(NOWHERE, (0,), 1)
    for second in range(11):
        late = max(0, second - 5)
        seen._readings.append(CounterReading(second * NS, {"/group": late * NS // 2}, {0: second * NS // 10}))
    facts = seen.facts(0, 5 * NS)
    assert facts["throttled_share"] == 0.0
    assert facts["stolen_share"] == pytest.approx(0.1)
    facts = seen.facts(5 * NS, 10 * NS)
    assert facts["throttled_share"] == pytest.approx(0.5)
    assert facts["throttled_group"] == "/group"


def test_a_group_that_is_entered_late_counts_from_then() -> None:
    seen = Witness(NOWHERE, (0,), 1)
    seen._readings.append(CounterReading(0, {"/": 0}, {}))
    seen._readings.append(CounterReading(NS, {"/": 0, "/new": 900 * NS}, {}))
    seen._readings.append(CounterReading(2 * NS, {"/": 0, "/new": 901 * NS}, {}))
    assert seen.facts(0, 2 * NS)["throttled_share"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "ns"), [("throttled_time 1500\n", 1500), ("throttled_usec 3\n", 3000), ("", 0)]
)
def test_throttled_time_is_read_in_both_forms(text: str, ns: int, tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text(f"nr_periods 5\n{text}")
    assert witness._throttled_ns(tmp_path) == ns


def test_stolen_time_is_read_of_the_cores_that_matter() -> None:
    text = "cpu  9 9 9 9 9 9 9 200 0 0\ncpu0 1 2 3 4 5 6 7 80 0 0\ncpu1 1 2 3 4 5 6 7 120 0 0\nintr 5\n"
    assert parse_stolen(text, [1]) == {1: 120 * NS // TICKS_PER_S}
    assert parse_stolen(text, [7]) == {}
