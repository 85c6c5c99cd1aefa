"""Offsets of clocks: the true one is within the interval, however slow and unequal the ways are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.fleet.clocks import ClockOffset
from loadrig.fleet.hosts import ClockReading

ways = st.integers(min_value=0, max_value=10_000_000)
offsets = st.integers(min_value=-(10**15), max_value=10**15)


def reading(at_ns: int, offset_ns: int, there_ns: int, back_ns: int) -> ClockReading:
    """Return an exchange that took so long there and so long back."""
    return ClockReading(at_ns, at_ns + there_ns + offset_ns, at_ns + there_ns + back_ns)


@given(offset_ns=offsets, round_trips=st.lists(st.tuples(ways, ways), min_size=1, max_size=8))
def test_the_true_offset_is_in_the_interval(offset_ns: int, round_trips: list[tuple[int, int]]) -> None:
    readings = [reading(n * 10**8, offset_ns, *both) for n, both in enumerate(round_trips)]
    offset = ClockOffset.of(readings)
    assert offset.low_ns <= offset_ns <= offset.high_ns
    assert 2 * abs(offset.ns - offset_ns) <= offset.high_ns - offset.low_ns + 1
    assert offset.high_ns - offset.low_ns <= offset.round_trip_ns


def test_drift_is_what_a_clock_gains() -> None:
    before = ClockOffset.of([reading(0, 1_000, 0, 0)])
    after = ClockOffset.of([reading(10**10, 1_000 + 50_000, 0, 0)])
    assert before.drift_ppm(after) == pytest.approx(5.0)
    assert before.drift_ppm(before) is None


def test_a_clock_that_was_set_meanwhile_leaves_the_quickest_exchange() -> None:
    offset = ClockOffset.of([reading(0, 0, 5, 5), reading(100, 10**9, 1, 1)])
    assert offset.low_ns <= 10**9 <= offset.high_ns
