"""Growth by request of all processes together: leaks are sized, and told from what fills."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadrig.judgement.facts.readings import ProcessReadings, RequestCount
from loadrig.judgement.facts.slopes import COUNT_BLOCKS, OF_COUNTS, slopes
from loadrig.stats.beneath import beneath
from loadrig.stats.shape import shape
from tests.soaking.made import A_SECOND, MB, SECONDS, SERVED, T, lives, process


def test_a_leak_is_sized_by_request_and_by_hour() -> None:
    growth = slopes([process(1_000)], SERVED)
    assert growth.is_leak
    assert growth.a_request is not None
    assert growth.a_request.low <= 1_000 <= growth.a_request.high
    assert growth.a_request.value == pytest.approx(1_000, rel=0.03)
    assert growth.an_hour is not None
    assert growth.an_hour.value == pytest.approx(1_000 * A_SECOND * 3600, rel=0.03)


def test_what_each_process_leaks_is_added_up() -> None:
    workers = [process(250, seed=n, subject=f"pid:{n}") for n in range(4)]
    growth = slopes(workers, SERVED)
    assert growth.is_leak
    assert growth.a_request is not None
    assert growth.a_request.value == pytest.approx(1_000, rel=0.03)
    assert growth.workers == 4
    assert set(growth.by_process) == {"pid:0", "pid:1", "pid:2", "pid:3"}
    assert all(slope.value == pytest.approx(250, rel=0.1) for slope in growth.by_process.values())


def test_a_cache_that_fills_is_no_leak() -> None:
    growth = slopes([process(0, 60 * MB)], SERVED)
    assert not growth.is_leak


def test_a_leak_beneath_a_cache_that_fills_is_found_with_its_size() -> None:
    growth = slopes([process(1_000, 40 * MB)], SERVED)
    assert growth.is_leak
    assert growth.a_request is not None
    assert growth.a_request.low <= 1_000 <= growth.a_request.high
    assert growth.a_request.value == pytest.approx(1_000, rel=0.15)


def test_a_steady_process_has_a_bound_of_what_it_may_leak() -> None:
    growth = slopes([process()], SERVED)
    assert growth.word == "level"
    assert growth.a_request is not None
    assert growth.a_request.high < 20


def test_lives_that_climb_are_a_leak_that_restarts_hide() -> None:
    growth = slopes(lives(2_000), SERVED)
    assert growth.is_leak
    assert growth.lives >= 30
    assert growth.workers == pytest.approx(2, rel=0.1)
    assert growth.a_request is not None
    assert growth.a_request.value == pytest.approx(2_000, rel=0.2)


def test_lives_that_only_warm_up_are_none() -> None:
    assert not slopes(lives(0), SERVED).is_leak


def test_a_master_that_lasts_does_not_hide_workers_that_leak() -> None:
    growth = slopes([process(subject="pid:1"), *lives(2_000)], SERVED)
    assert growth.is_leak
    assert growth.lives


def test_without_readings_nothing_is_said() -> None:
    assert slopes([], SERVED).word == "unsure"
    few = ProcessReadings("pid:1", T[:3], np.full(3, 80 * MB))
    assert slopes([few], RequestCount.of(T[:3], T[:3])).word == "unsure"


def test_what_grows_with_requests_is_told_from_what_grows_with_time() -> None:
    rate = A_SECOND * (1 + 0.5 * np.sin(2 * np.pi * T / SECONDS * 3))
    served = RequestCount.of(T, np.concatenate(([0.0], np.cumsum(rate[:-1] * 2))))
    noise = np.random.default_rng(2).normal(0, 0.05 * MB, T.size)
    by_request = ProcessReadings("pid:1", T, 80 * MB + 1_000 * served.requests + noise)
    by_time = ProcessReadings("pid:1", T, 80 * MB + 1_000 * A_SECOND * T + noise)
    assert slopes([by_request], served).follows == "requests"
    assert slopes([by_time], served).follows == "time"
    assert slopes([process(1_000)], SERVED).follows == ""


def test_descriptors_that_are_not_closed_are_a_leak_of_counts() -> None:
    level = np.floor(20 + T * A_SECOND / 500)
    growth = slopes([ProcessReadings("tree", T, level)], SERVED, OF_COUNTS, COUNT_BLOCKS)
    assert growth.is_leak
    assert growth.a_request is not None
    assert growth.a_request.value == pytest.approx(1 / 500, rel=0.05)
    steady = 20 + np.random.default_rng(1).integers(0, 6, T.size).astype(float)
    assert not slopes([ProcessReadings("tree", T, steady)], SERVED, OF_COUNTS, COUNT_BLOCKS).is_leak


@settings(max_examples=15, deadline=None)
@given(factor=st.floats(0.1, 1_000))
def test_units_change_nothing_of_a_shape(factor: float) -> None:
    x = np.arange(40.0)
    y = 3 * x + 5 * np.sin(x) + 40 * (1 - np.exp(-x / 5))
    first, other = shape(x, y), shape(x, y * factor)
    assert first is not None
    assert other is not None
    assert first.word == other.word
    assert other.slope.value == pytest.approx(first.slope.value * factor, rel=1e-3)


def test_the_line_beneath_what_fills_is_found() -> None:
    x, held = np.arange(40.0), 0
    for seed in range(40):
        noise = np.random.default_rng(seed).normal(0, 0.5, 40)
        filling = 100 * (1 - np.exp(-x / 8)) + noise
        line, bare = beneath(x, 2 * x + filling), beneath(x, filling)
        assert line is not None
        assert bare is not None
        assert line.slope.value == pytest.approx(2, abs=0.3)
        assert bare.gain < line.gain
        assert bare.slope.value < 0.3
        held += line.slope.low <= 2 <= line.slope.high
    assert held >= 34


def test_a_dozen_blocks_are_too_few_to_look_beneath() -> None:
    assert beneath(np.arange(12.0), np.arange(12.0)) is None
