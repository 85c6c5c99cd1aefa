"""Bisection: where a limit lies, by answers that may be wrong."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.capacity.bisection import Bisection

answers = st.lists(st.tuples(st.floats(90.0, 1_100.0), st.booleans(), st.floats(0.5, 1.0)), max_size=40)


@given(answers)
def test_it_stays_a_probability_whatever_it_is_told(trials: list[tuple[float, bool, float]]) -> None:
    bisection = Bisection.between(100.0, 1_000.0)
    for level, passes, right in trials:
        bisection = bisection.after(level, passes, right)
    assert bisection.weights.sum() == pytest.approx(1.0)
    low, high = bisection.interval()
    assert 99.0 < low <= bisection.median <= high < 1_012.0


@given(answers)
def test_the_order_of_answers_does_not_matter(trials: list[tuple[float, bool, float]]) -> None:
    forwards = backwards = Bisection.between(100.0, 1_000.0)
    for level, passes, right in trials:
        forwards = forwards.after(level, passes, right)
    for level, passes, right in reversed(trials):
        backwards = backwards.after(level, passes, right)
    np.testing.assert_allclose(forwards.weights, backwards.weights, rtol=1e-6, atol=1e-12)


def test_right_answers_halve_it_like_ordinary_bisection() -> None:
    bisection = Bisection.between(100.0, 1_000.0, 400)
    for _ in range(8):
        bisection = bisection.after(bisection.median, bisection.median <= 370.0, 1.0)
    assert bisection.median == pytest.approx(370.0, rel=0.01)


def test_one_wrong_answer_is_outvoted() -> None:
    bisection = Bisection.between(100.0, 1_000.0, 400).after(300.0, False, 0.9)
    for _ in range(25):
        bisection = bisection.after(bisection.median, bisection.median <= 600.0, 0.9)
    assert bisection.median == pytest.approx(600.0, rel=0.03)


def test_intervals_hold_the_limit_as_often_as_they_say_where_the_probability_is_right() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        limit = math.exp(rng.uniform(math.log(110), math.log(900)))
        bisection = Bisection.between(100.0, 1_000.0)
        for _ in range(20):
            level = bisection.median
            bisection = bisection.after(level, (level <= limit) == (rng.random() < 0.8), 0.8)
        low, high = bisection.interval(0.9)
        held += low <= limit <= high
    assert 0.86 < held / 400 < 0.95


def test_where_answers_are_harder_near_the_limit_distance_must_be_minded() -> None:
    rng = np.random.default_rng(2)
    held = {"distance": 0, "constant": 0}
    for _ in range(300):
        limit = math.exp(rng.uniform(math.log(300), math.log(500)))
        by_distance = constant = Bisection.between(200.0, 800.0)
        for _ in range(25):
            level = by_distance.median
            passes = rng.random() < 1 / (1 + math.exp(-math.log(limit / level) / 0.03))
            by_distance = by_distance.after_by_distance(level, bool(passes), 0.03)
            constant = constant.after(level, bool(passes), 0.95)
        for way, bisection in (("distance", by_distance), ("constant", constant)):
            low, high = bisection.interval(0.9)
            held[way] += low <= limit <= high
    assert held["distance"] / 300 > 0.84
    assert held["constant"] / 300 < 0.7


def test_an_answer_that_is_mostly_wrong_is_refused() -> None:
    with pytest.raises(ValueError, match="none"):
        Bisection.between(1.0, 2.0).after(1.5, True, 0.3)
