from collections.abc import Iterator

import numpy as np
import pytest

from loadrig.stats.growth import growth, hamed_rao
from loadrig.stats.limits import BLOCKS
from loadrig.stats.shape import Shape, least_of_blocks, shape
from tests.stats.noises import Floats, autoregression

MB = 1e6


def healthy(n: int, rng: np.random.Generator) -> Iterator[tuple[str, Floats]]:
    """Memory of servers that leak nothing."""
    t = np.linspace(0, 1, n)
    size = rng.uniform(5, 60) * MB
    shapes = {"flat": np.zeros(n)}
    for full_by in (0.05, 0.1, 0.2, 0.35, 0.5, 0.7):
        shapes[f"a cache that fills, {full_by}"] = size * (1 - np.exp(-t / full_by))
    shapes["a cache with a limit"] = size * np.minimum(t / rng.uniform(0.3, 0.8), 1)
    shapes["a cache of keys of which few are popular"] = size * np.log1p(t / 0.1) / np.log1p(10)
    shapes["arenas"] = _steps(t, rng.uniform(0, 1, rng.integers(2, 7)), rng.choice([1, 4, 8], 6) * MB)
    shapes["compiled code"] = _steps(t, rng.beta(1, 4, rng.integers(3, 10)), rng.uniform(0.5, 3, 10) * MB)
    shapes["collections"] = 20 * MB * ((t * rng.uniform(3, 9) + rng.uniform()) % 1)
    for name, rise in shapes.items():
        yield name, 80 * MB + rise + rng.normal(0, 0.2 * MB, n) + autoregression(n, 0.8, 0.1 * MB, rng)


def _steps(t: Floats, at: Floats, heights: Floats) -> Floats:
    stairs: Floats = np.sum(
        [height * (t > place) for place, height in zip(at, heights, strict=False)], axis=0
    )
    return stairs


def judged(x: Floats, level: Floats) -> Shape | None:
    """Shape of a course by as many blocks as a run is judged by."""
    if x.size > BLOCKS:
        x, level = least_of_blocks(x, level, np.linspace(x[0], x[-1] * (1 + 1e-9), BLOCKS + 1))
    return shape(x, level)


@pytest.mark.parametrize("n", [12, 25, 40, 60, 120])
def test_no_healthy_shape_is_a_leak(n: int) -> None:
    called = []
    for seed in range(4):
        rng = np.random.default_rng(100 * n + seed)
        for name, level in healthy(n, rng):
            course = judged(np.linspace(0, 30_000, n), level)
            if course is not None and course.word == "endless" and course.slope.value * 30_000 > 4 * MB:
                called.append((name, seed))
    assert called == []


@pytest.mark.parametrize("a_request", [2e3, 4e3, 16e3])
@pytest.mark.parametrize("n", [12, 30, 60])
def test_a_leak_of_some_kilobytes_is_called_with_its_size(a_request: float, n: int) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        requests = np.cumsum(rng.uniform(0.8, 1.2, n))
        requests *= 12_000 / requests[-1]
        level = 80 * MB + a_request * requests + rng.normal(0, 0.2 * MB, n)
        pages = np.floor(level / 262_144) * 262_144
        course = judged(requests, pages)
        assert course is not None
        assert course.word == "endless"
        size = course.slope
        assert size.value == pytest.approx(a_request, rel=0.1)
        assert size.low <= a_request <= size.high or size.value == pytest.approx(a_request, rel=0.05)


def test_a_leak_beneath_a_warm_up_is_called_past_it() -> None:
    rng = np.random.default_rng(5)
    x = np.linspace(0, 20_000, 50)
    level = 80 * MB + 3e3 * x + 25 * MB * (1 - np.exp(-x / 1_000)) + rng.normal(0, 0.1 * MB, 50)
    whole = growth(x, level)
    assert whole is not None
    assert not whole.is_endless()
    course = judged(x, level)
    assert course is not None
    assert course.word == "endless"
    assert course.slope.value == pytest.approx(3e3, rel=0.05)


def test_too_few_readings_and_no_course_say_nothing() -> None:
    assert growth([0, 1, 2], [1, 2, 3]) is None
    assert growth(np.zeros(20), np.arange(20)) is None
    assert shape(np.arange(2.0), np.arange(2.0)) is None


def test_a_level_that_stands_still_has_no_growth() -> None:
    grown = growth(np.arange(20), np.full(20, 5.0))
    assert grown is not None
    assert not grown.is_endless()
    assert grown.grown == 0


def test_the_statistic_of_independent_values_is_that_of_mann_and_kendall() -> None:
    # S = 10 of 5 rising values, Var(S) = 5·4·15/18: z = 9 / 4.08 (Kendall 1975, Rank Correlation Methods).
    assert hamed_rao([1, 2, 3, 4, 5]) == pytest.approx(9 / np.sqrt(5 * 4 * 15 / 18), rel=1e-6)
    assert hamed_rao([5, 4, 3, 2, 1]) == pytest.approx(-9 / np.sqrt(5 * 4 * 15 / 18), rel=1e-6)


def test_correlated_noise_makes_fewer_trends_than_without_the_correction() -> None:
    plain = corrected = 0
    for seed in range(200):
        noise = autoregression(60, 0.7, 1.0, np.random.default_rng(seed))
        corrected += abs(hamed_rao(noise)) > 1.96
        plain += abs(hamed_rao(noise, np.random.default_rng(seed).normal(size=60))) > 1.96
    assert plain > 60
    assert corrected < plain / 2
