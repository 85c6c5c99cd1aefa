"""Series on a case's steps: counters as rates, levels as means, gaps as gaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.series import Series
from loadrig.judgement.facts.timeline import Track
from loadrig.recording.steps import NS, Floats, levels, rates

EDGES = np.arange(11, dtype=np.int64) * NS


def series(at_s: list[float], values: list[float], kind: str = "counter") -> Series:
    return Series((np.array(at_s) * NS).astype(np.int64), np.array(values, dtype=np.float64), "s", kind)


def track(values: Floats, *, is_counter: bool) -> Track:
    n = values.size
    return Track("server", "probe.metric", "", is_counter, values, np.ones(n, dtype=bool), np.ones(n))


def test_a_counter_that_grows_evenly_has_one_rate_however_it_was_read() -> None:
    by_step = rates(series([-0.4, 0.7, 3.1, 9.9, 10.2], [0.0, 2.2, 7.0, 20.6, 21.2]), EDGES)
    assert by_step == pytest.approx(np.full(10, 2.0))


def test_a_counter_that_begins_anew_adds_nothing_in_that_step() -> None:
    by_step = rates(series([0, 5, 6, 10], [100, 105, 3, 7]), EDGES)
    assert by_step == pytest.approx([1, 1, 1, 1, 1, 0, 1, 1, 1, 1])


def test_what_lies_before_the_first_reading_or_behind_the_last_is_not_known() -> None:
    by_step = rates(series([2, 7], [0, 5]), EDGES)
    assert np.isnan(by_step).tolist() == [True, True] + [False] * 5 + [True] * 3


def test_a_gap_is_not_bridged() -> None:
    by_step = rates(series([0, 3, 4, 7, 10], [0, 3, float("nan"), 7, 10]), EDGES)
    assert np.isnan(by_step).tolist() == [False] * 3 + [True] * 4 + [False] * 3
    level = levels(series([0.5, 1.5, 2.5, 3.5], [1, 1, float("nan"), 1], "gauge"), EDGES)
    assert np.isnan(level[:4]).tolist() == [False, False, True, False]


def test_a_level_holds_for_a_while_and_no_longer() -> None:
    by_step = levels(series([0.5, 1.2, 1.6], [4, 6, 8], "gauge"), EDGES)
    assert by_step[:2].tolist() == [4, 7]
    assert by_step[2:4].tolist() == [8, 8]
    assert np.isnan(by_step[5:]).all()


@given(st.lists(st.floats(0, 50), min_size=2, max_size=30))
def test_the_growth_in_all_is_what_the_counter_grew(grown: list[float]) -> None:
    at_s = [i * 10 / (len(grown) - 1) for i in range(len(grown))]
    total = np.cumsum(grown)
    growth = track(rates(series(at_s, list(total)), EDGES), is_counter=True)
    assert growth.grew == pytest.approx(total[-1] - total[0], abs=1e-6)


def test_what_is_said_is_said_of_the_measured_part() -> None:
    inside = np.arange(10) >= 5
    readings = Track("server", "a.b", "", False, np.arange(10.0), inside, np.ones(10))
    assert (readings.median, readings.mean, readings.peak) == (7.0, 7.0, 9.0)
    assert readings.share_above(7.5) == pytest.approx(0.4)
    nothing = track(np.full(10, np.nan), is_counter=False)
    assert not nothing.is_known
    assert np.isnan([nothing.mean, nothing.peak, nothing.high()]).all()
    assert nothing.share_above(0.0) == 0.0
