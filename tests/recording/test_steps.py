"""Values that are means since the reading before, on steps of other lengths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.series import Series
from loadrig.recording.steps import NS, Edges, averages

EDGES = np.arange(7, dtype=np.int64) * NS


def at(*seconds: float) -> Edges:
    return (np.array(seconds) * NS).astype(np.int64)


def series(t_ns: Edges, *values: float) -> Series:
    return Series(t_ns, np.array(values, dtype=np.float64), "1", "gauge")


def test_a_value_is_of_the_time_before_its_reading() -> None:
    t_ns = at(0.0, 1.5, 3.0, 6.0)
    means = averages(series(t_ns, 9.0, 2.0, 4.0, 1.0), t_ns, EDGES, 12.0)
    assert means == pytest.approx([2.0, 3.0, 4.0, 1.0, 1.0, 1.0])


def test_a_reading_without_a_value_was_zero() -> None:
    means = averages(series(at(2.0, 6.0), 3.0, 1.0), at(0.0, 2.0, 4.0, 6.0), EDGES, 12.0)
    assert means == pytest.approx([3.0, 3.0, 0.0, 0.0, 1.0, 1.0])


def test_nothing_is_known_beyond_the_readings_and_in_a_long_gap() -> None:
    t_ns = at(1.0, 2.0, 4.5, 5.0)
    means = averages(series(t_ns, 1.0, 2.0, 8.0, 4.0), t_ns, EDGES, 2.0)
    assert np.isnan(means).tolist() == [True, False, True, True, True, True]
    assert means[1] == pytest.approx(2.0)


def test_half_a_step_is_enough_to_know_it() -> None:
    t_ns = at(0.4, 6.0)
    assert averages(series(t_ns, 0.0, 5.0), t_ns, EDGES, 12.0) == pytest.approx(np.full(6, 5.0))


def test_one_reading_tells_nothing() -> None:
    assert np.isnan(averages(series(at(3.0), 5.0), at(3.0), EDGES, 12.0)).all()


@given(st.lists(st.tuples(st.floats(0.05, 2.0), st.floats(0.0, 100.0)), min_size=8, max_size=40))
def test_the_amount_in_all_is_kept(readings: list[tuple[float, float]]) -> None:
    lengths = np.array([length for length, _ in readings])
    scaled = np.concatenate(([0.0], np.cumsum(lengths))) * 6.0 / lengths.sum()
    t_ns = np.unique((scaled * NS).astype(np.int64))
    t_ns[-1] = 6 * NS
    values = [0.0, *(value for _, value in readings)][: t_ns.size]
    means = averages(series(t_ns, *values), t_ns, EDGES, 12.0)
    amount = (np.diff(t_ns) / NS * np.array(values[1:])).sum()
    assert means.sum() == pytest.approx(amount, rel=1e-6, abs=1e-6)
