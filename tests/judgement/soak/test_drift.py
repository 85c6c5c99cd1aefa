"""Steps and slopes of latency are told from noise and from each other, and from another mix of the load."""

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.soak.document import DriftDocument
from loadrig.judgement.soak.drift import RouteCourse, drifts
from loadrig.judgement.soak.mix import explains, is_changed, mix
from loadrig.stats.arrays import Floats
from tests.stats.noises import autoregression
from tests.wording import shape

N = 240
T: Floats = np.arange(1, N + 1, dtype=np.float64) * 60.0


def noisy(seed: int, level: float = 0.02, sd: float = 0.04) -> Floats:
    rng = np.random.default_rng(seed)
    return level * np.exp(autoregression(N, 0.5, sd, rng))


def drift_of(values: Floats, measure: str = "latency", route: str = "/a") -> DriftDocument:
    (drift,) = drifts([RouteCourse(route, measure, T, values)])
    return drift


def test_steady_noise_that_inherits_does_not_drift() -> None:
    courses = [RouteCourse(f"/{seed}", "latency", T, noisy(seed)) for seed in range(100)]
    assert sum(drift.verdict != "steady" for drift in drifts(courses)) <= 1


def test_a_step_is_found_where_it_was(snapshot: SnapshotAssertion) -> None:
    values = noisy(1)
    values[100:] *= 1.3
    drift = drift_of(values)
    assert drift.verdict == "step"
    assert drift.ratio == pytest.approx(1.3, abs=0.06)
    assert drift.low is not None
    assert drift.high is not None
    assert drift.low <= 1.3 <= drift.high
    assert drift.at_s == pytest.approx(T[100], abs=900)
    assert shape(drift.text) == snapshot


def test_a_slope_is_called_one(snapshot: SnapshotAssertion) -> None:
    drift = drift_of(noisy(2) * np.linspace(1, 1.4, N))
    assert drift.verdict == "slope"
    assert drift.ratio == pytest.approx(1.4, abs=0.1)
    assert shape(drift.text) == snapshot


def test_a_change_that_is_sure_and_too_small_to_matter_is_none() -> None:
    values = noisy(3, sd=0.001)
    values[120:] *= 1.01
    assert drift_of(values).verdict == "steady"


def test_throughput_may_fall_by_less_than_latency_may_rise(snapshot: SnapshotAssertion) -> None:
    values = noisy(4, level=500.0, sd=0.004)
    values[120:] *= 0.96
    drift = drift_of(values, "throughput")
    assert drift.verdict == "step"
    assert drift.ratio < 1
    assert shape(drift.text) == snapshot


def test_a_course_of_few_known_values_is_left_out() -> None:
    values = np.full(N, np.nan)
    values[:5] = 0.02
    assert drifts([RouteCourse("/a", "latency", T, values)]) == []


def test_a_slow_route_that_is_asked_for_more_is_a_change_of_the_mix(snapshot: SnapshotAssertion) -> None:
    slow = np.linspace(10, 90, 60)
    counts = {"/fast": 1_000 - slow, "/slow": slow}
    means = {"/fast": np.full(60, 0.01), "/slow": np.full(60, 1.0)}
    shift = mix(counts, means)
    assert shift is not None
    assert is_changed(shift)
    assert explains(shift)
    assert shift.of_routes_s == pytest.approx(0, abs=1e-12)
    assert shift.of_mix_s == pytest.approx(shift.change_s)
    assert shape(shift.text) == snapshot


def test_a_route_that_slows_down_is_not_put_down_to_the_mix(snapshot: SnapshotAssertion) -> None:
    counts = {"/fast": np.full(60, 900.0), "/slow": np.full(60, 100.0)}
    means = {"/fast": np.linspace(0.01, 0.02, 60), "/slow": np.full(60, 1.0)}
    shift = mix(counts, means)
    assert shift is not None
    assert not is_changed(shift)
    assert not explains(shift)
    assert shift.of_mix_s == pytest.approx(0, abs=1e-12)
    assert shift.text == snapshot


def test_a_route_that_was_asked_for_at_one_end_only_has_its_own_time_at_both() -> None:
    counts = {"/a": np.full(30, 100.0), "/b": np.repeat([0.0, 50.0], 15)}
    means = {"/a": np.full(30, 0.01), "/b": np.repeat([np.nan, 0.5], 15)}
    shift = mix(counts, means)
    assert shift is not None
    assert explains(shift)


def test_without_answers_there_is_no_mix() -> None:
    assert mix({}, {}) is None
    assert mix({"/a": np.zeros(9)}, {"/a": np.full(9, np.nan)}) is None
