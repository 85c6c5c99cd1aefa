"""The knee of a curve, and queues that grow without end told from those that only wander."""

import numpy as np
import pytest
from scipy import stats

from loadrig.stats.knee import diverges, knee, kneedle

TICK_S = 0.25


def queue(
    rng: np.random.Generator, use: float, seconds: float, rate: float = 1_000.0
) -> tuple[np.ndarray, ...]:
    """In flight, due, done of a line with one place, each quarter of a second, after 30 s of settling."""
    n = int(rate * (seconds + 30))
    at = np.cumsum(rng.exponential(1 / rate, n))
    takes = rng.exponential(use / rate, n)
    sums = np.cumsum(takes)
    done_at = sums + np.maximum.accumulate(at - (sums - takes))
    edges = np.arange(30.0, 30.0 + seconds, TICK_S) if use < 1 else np.arange(0.0, seconds, TICK_S)
    came, went = np.searchsorted(at, edges), np.searchsorted(done_at, edges)
    return (came - went)[1:], np.diff(came), np.diff(went)


def test_power_peaks_at_half_use_of_a_single_server() -> None:
    # M/M/1: X / R = lambda (mu - lambda) / 1, highest at mu / 2 (Kleinrock).
    loads = np.linspace(5.0, 95.0, 19)
    bend = knee(loads, loads, 1 / (100 - loads))
    assert bend is not None
    assert bend.at == pytest.approx(50.0)


def test_users_bend_where_the_bounds_cross() -> None:
    # Asymptotes of a closed load: X = min(N / (R + Z), most), which meet at N* = 40.
    users = np.arange(4.0, 101.0, 4.0)
    bend = knee(users, np.minimum(users / 0.1, 400.0), np.maximum(0.1, users / 400.0))
    assert bend is not None
    assert bend.at == pytest.approx(40.0)
    assert bend.bend == pytest.approx(40.0)


def test_the_example_of_kneedle_bends_where_its_authors_say() -> None:
    # y = -1 / (x + 0.1) + 5 for x in 0…1: the knee is at 0.22 in the published figure 2.
    x = np.linspace(0.0, 1.0, 10)
    assert kneedle(x, -1 / (x + 0.1) + 5) == pytest.approx(0.222, abs=0.001)


@pytest.mark.parametrize("slope", [1.0, 3.0])
def test_what_only_rises_has_no_knee(slope: float) -> None:
    loads = np.linspace(1.0, 10.0, 10)
    assert kneedle(loads, slope * loads) is None
    assert knee(loads, slope * loads, np.full(10, 0.1)) is None


def test_three_loads_have_no_knee() -> None:
    assert knee([1, 2, 3], [1, 2, 2], [1, 1, 2]) is None


def simulated_divergence(rng: np.random.Generator, use: float, seconds: float) -> bool:
    in_flight, due, done = queue(rng, use, seconds)
    return diverges(in_flight, due, done, TICK_S)


def test_five_percent_too_much_is_seen_within_ten_seconds() -> None:
    rng = np.random.default_rng(1)
    divergences = sum(simulated_divergence(rng, 1.05, 10.0) for _ in range(60))
    assert divergences >= 40


def test_half_too_much_is_seen_within_two_seconds() -> None:
    rng = np.random.default_rng(2)
    assert all(simulated_divergence(rng, 1.5, 2.25) for _ in range(60))


@pytest.mark.parametrize("use", [0.5, 0.9, 0.97])
@pytest.mark.parametrize("seconds", [2.5, 10.0])
def test_a_stable_queue_is_rarely_said_to_diverge(use: float, seconds: float) -> None:
    rng = np.random.default_rng(3)
    diverging = sum(simulated_divergence(rng, use, seconds) for _ in range(200))
    # 1 % is meant; 8 of 200 or more are seen once in a thousand times then.
    assert diverging < 8


def test_a_trend_alone_is_no_proof() -> None:
    rng = np.random.default_rng(4)
    trends = 0
    for _ in range(100):
        in_flight = queue(rng, 0.97, 5.0)[0]
        trends += bool(stats.kendalltau(np.arange(in_flight.size), in_flight).pvalue < 0.01)
    # One in a hundred is meant, of independent readings; eight or more are seen once in 100,000 times then.
    assert trends >= 8


def test_few_steps_and_nothing_due_say_nothing() -> None:
    assert not diverges([1, 50], [100, 100], [1, 1], TICK_S)
    assert not diverges([0] * 9, [0] * 9, [0] * 9, TICK_S)
    with pytest.raises(ValueError, match="together"):
        diverges([1, 2], [1], [1], TICK_S)
