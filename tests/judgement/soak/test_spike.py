"""Traces of a spike, and whether they go."""

from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.soak.document import Bounds
from loadrig.judgement.soak.spike import SpikeSteps, spike
from loadrig.stats.arrays import Floats
from tests.wording import shape

USUAL, FROM_S, TO_S = 100.0, 60.0, 80.0


def run(drains: float | None, *, seconds: int = 200, fails: bool = False, seed: int = 1) -> SpikeSteps:
    """Return a server with a queue. drains: requests/s by which it shrinks after; None: it took it all."""
    rng = np.random.default_rng(seed)
    t = np.arange(1.0, seconds + 1)
    is_spike = (t > FROM_S) & (t <= TO_S)
    offered = np.where(is_spike, 4 * USUAL, USUAL)
    waiting = np.zeros(seconds)
    for n in range(1, seconds):
        grows = 2 * USUAL if is_spike[n] else -(drains or 0.0)
        waiting[n] = max(0.0, waiting[n - 1] + (grows if drains is not None else 0.0))
    in_flight = 5 + rng.normal(0, 0.5, seconds) + waiting
    latency = 0.02 * np.exp(rng.normal(0, 0.05, seconds)) + waiting / (2 * USUAL)
    failed = np.where(waiting > 0, 0.2 * offered, 0.0) if fails else np.zeros(seconds)
    return SpikeSteps(0.0, t, offered, offered - failed, failed, in_flight, latency)


def ends(bounds: Bounds) -> tuple[float, float, float]:
    """Return the lower end, the estimate and the upper end, all of which are known."""
    low, value, high = bounds.low, bounds.value, bounds.high
    assert low is not None
    assert value is not None
    assert high is not None
    return low, value, high


def nans(steps: SpikeSteps, part: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Floats:
    return np.where(part, np.nan, steps.latency_s)


def test_a_server_that_takes_it_is_unharmed(snapshot: SnapshotAssertion) -> None:
    answer = spike(run(None), FROM_S, TO_S)
    assert answer.verdict == "unharmed"
    assert (answer.back_s.value, answer.back_s.low, answer.back_s.high) == (0.0, 0.0, 0.0)
    assert answer.rate / answer.usual_rate == pytest.approx(4)
    assert answer.text == snapshot


def test_a_queue_that_drains_is_recovered_when_it_is_empty(snapshot: SnapshotAssertion) -> None:
    answer = spike(run(100.0), FROM_S, TO_S)
    assert answer.verdict == "recovered"
    # 20 s at 200 a second more than it can do, drained at 100 a second.
    low, back, high = ends(answer.back_s)
    assert low <= back <= high
    assert back == pytest.approx(40, abs=2)
    assert answer.piled_up_a_second is not None
    low, _, high = ends(answer.piled_up_a_second)
    assert low <= 200 <= high
    assert answer.most_in_flight == pytest.approx(4_005, abs=5)
    assert shape(answer.text) == snapshot


def test_a_server_that_stays_down_at_its_usual_load_is_metastable(snapshot: SnapshotAssertion) -> None:
    answer = spike(run(0.0), FROM_S, TO_S)
    assert answer.verdict == "metastable"
    assert answer.back_s.value is None
    assert shape(answer.text) == snapshot


def test_a_queue_that_still_drains_at_the_end_is_on_its_way() -> None:
    answer = spike(run(20.0), FROM_S, TO_S)
    assert answer.verdict == "recovering"


def test_one_that_was_not_watched_for_long_is_not_called_metastable() -> None:
    answer = spike(run(0.0, seconds=95), FROM_S, TO_S)
    assert answer.verdict == "unknown"


def test_requests_that_failed_by_it_are_counted_with_an_interval(snapshot: SnapshotAssertion) -> None:
    answer = spike(run(100.0, fails=True), FROM_S, TO_S)
    assert answer.usual_errors.value == 0
    low, _, high = ends(answer.errors)
    assert low < 0.2 < high + 0.01
    assert answer.lost == pytest.approx(0.2 * (20 * 400 + 40 * 100), rel=0.05)
    assert shape(answer.text) == snapshot


def test_seconds_without_a_good_answer_are_out_of_the_band() -> None:
    steps = run(None)
    silent = (steps.t_s > TO_S) & (steps.t_s <= TO_S + 15)
    answer = spike(replace(steps, latency_s=nans(steps, silent)), FROM_S, TO_S)
    assert answer.verdict == "recovered"
    assert answer.back_s.value == pytest.approx(16, abs=1)


def test_without_a_base_line_nothing_is_said() -> None:
    steps = run(100.0)
    late = steps.t_s > FROM_S - 5
    few = SpikeSteps(
        FROM_S - 5,
        *(
            getattr(steps, name)[late]
            for name in ("t_s", "offered", "ok", "failed", "in_flight", "latency_s")
        ),
    )
    assert spike(few, FROM_S, TO_S).verdict == "unknown"


def test_a_spike_has_a_length_and_lies_in_the_run() -> None:
    with pytest.raises(ValueError, match="length"):
        spike(run(None), TO_S, TO_S)
    with pytest.raises(ValueError, match="within the run"):
        spike(run(None), -5.0, TO_S)
