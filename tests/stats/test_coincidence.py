import numpy as np
import pytest

from loadrig.stats.coincidence import TRACE, coincidence, discovery_rates, unique_shares
from loadrig.stats.dips import falls
from tests.stats.noises import Floats, pulses


def course(seed: int, depth: float = 0.4, n: int = 90) -> tuple[Floats, Floats, Floats, Floats]:
    """Throughput, what makes its dips, and two decoys: one of the same period, one at random."""
    rng = np.random.default_rng(seed)
    every = rng.uniform(7, 14)
    start = rng.uniform(0, every)
    cause = np.where(pulses(n, every, 1, start), rng.uniform(20, 60, n), 0.0)
    shifted = (start + rng.uniform(0.35, 0.65) * every) % every
    same_period = np.where(pulses(n, every, 1, shifted), rng.uniform(0.01, 0.03, n), 0.0)
    at_random = np.where(rng.uniform(size=n) < 1 / every, rng.uniform(0.5, 1.5, n), 0.0)
    values = rng.normal(1000, 40, n)
    hit = np.convolve(cause > 0, [1.0, 0.5], "full")[:n]
    return values * (1 - depth * np.minimum(hit, 1)), cause, same_period, at_random


def test_the_right_one_of_three_streams_comes_first_in_all_but_one_of_20_cases() -> None:
    right = 0
    for seed in range(20):
        values, *streams = course(seed, depth=0.25 + 0.02 * (seed % 10))
        course_parts = falls(values)
        scores = [
            match.score
            if (match := coincidence(-course_parts.residual, stream, course_parts.dips)) is not None
            else 0.0
            for stream in streams
        ]
        right += int(np.argmax(scores)) == 0
    assert right >= 19


def test_an_aligned_stream_has_recall_precision_and_no_lag() -> None:
    values, cause, *_ = course(4)
    course_parts = falls(values)
    match = coincidence(-course_parts.residual, cause, course_parts.dips)
    assert match is not None
    assert match.recall >= 0.9
    assert match.precision >= 0.9
    assert match.lag in (0, 1)
    assert match.p <= 0.1
    assert len(match.trace) == TRACE[1] - TRACE[0] + 1


def test_what_comes_after_the_loss_has_a_negative_lag() -> None:
    values, cause, *_ = course(4)
    course_parts = falls(values)
    match = coincidence(-course_parts.residual, np.roll(cause, 3), course_parts.dips)
    assert match is not None
    assert match.lag < -1


def test_streams_at_random_seldom_look_as_good() -> None:
    low = 0
    for seed in range(100):
        values, _, _, at_random = course(seed)
        course_parts = falls(values)
        match = coincidence(-course_parts.residual, at_random, course_parts.dips)
        low += match is not None and match.p <= 0.05
    assert low <= 12


def test_a_stream_that_is_the_same_everywhere_says_nothing() -> None:
    values, *_ = course(1)
    course_parts = falls(values)
    assert coincidence(-course_parts.residual, np.full(values.size, 3.0), course_parts.dips) is None


def test_of_two_streams_at_the_same_time_the_one_that_acts_alone_too_has_the_unique_share() -> None:
    rng = np.random.default_rng(2)
    n = 240
    cause = np.where(pulses(n, 12, 1, 3), rng.uniform(20, 60, n), 0.0)
    # The other one comes with every second of them, and acts on nothing.
    along = np.where(pulses(n, 24, 1, 3), rng.uniform(1, 2, n), 0.0)
    losses = 8 * cause + rng.normal(0, 30, n)
    own, others = unique_shares(losses, [cause, along])
    assert own > 0.3
    assert others < 0.02


def test_shares_of_no_streams_and_of_no_losses_are_none() -> None:
    assert unique_shares(np.ones(20), []) == ()
    assert unique_shares(np.ones(20), [np.arange(20.0)]) == (0.0,)


def test_rates_of_false_discoveries_are_those_of_benjamini_and_hochberg() -> None:
    assert discovery_rates([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.04, 0.04))
    assert discovery_rates([]) == ()


def test_a_loss_belongs_to_its_own_burst_and_not_to_the_one_before() -> None:
    # Five dips nine steps apart, the first ones deeper: nine steps earlier or later they fit better still.
    values, logins = np.full(44, 500.0), np.zeros(44)
    for first, depth in ((6, 0.5), (15, 0.4), (24, 0.3), (33, 0.2)):
        values[first : first + 2] *= 1 - depth
        logins[first + 9 : first + 11] = 40.0 * depth
        logins[first : first + 2] += 20.0
    course_parts = falls(values)
    match = coincidence(-course_parts.residual, logins, course_parts.dips)
    assert match is not None
    assert match.lag in (0, 1)
