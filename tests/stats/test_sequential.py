"""Wald's test for a share: its own error rates, the closed forms, and hits that come in clusters."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.stats.roots import zero_between
from loadrig.stats.sequential import ShareTest, inflation, odds_apart
from tests.lengths import length

RUNS = length(500, 1_500)


def played(test: ShareTest, share: float, rng: np.random.Generator, most: int = 20_000) -> tuple[str, int]:
    """Return what a test decides that is told one observation after the other, and after how many."""
    miss, hit = test.steps
    low, high = test.bounds
    walk = np.cumsum(np.where(rng.random(most) < share, hit, miss))
    over = np.flatnonzero((walk <= low) | (walk >= high))
    n = int(over[0]) + 1 if over.size else most
    hits = round((walk[n - 1] - n * miss) / (hit - miss))
    return test.judge(hits, n).decision, n


def power_of(test: ShareTest, share: float) -> float:
    """Return the h other than 0 with E[exp(h z)] = 1; 0 where there is no drift. Source: Wald 1945."""
    miss, hit = test.steps
    drift = share * hit + (1 - share) * miss
    if abs(drift) < 1e-12 * hit:
        return 0.0

    def excess(power: float) -> float:
        return float(np.logaddexp(math.log(share) + power * hit, math.log1p(-share) + power * miss))

    # Convex, 0 at 0 and falling there where the drift is negative: the other zero is on that side.
    far = 1.0 if drift < 0 else -1.0
    while excess(far) <= 0:
        far *= 2
    near = far
    while excess(near) >= 0 and abs(near) > 1e-9:
        near /= 2
    return 0.0 if abs(near) <= 1e-9 else zero_between(excess, min(near, far), max(near, far))


def is_called_small(test: ShareTest, share: float) -> float:
    """Return the probability that a true share is called small in the end, as if bounds were met exactly."""
    low, high = test.bounds
    power = power_of(test, share)
    if abs(power) < 1e-9:
        return high / (high - low)
    return math.expm1(power * high) / (math.exp(power * high) - math.exp(power * low))


def expected_size(test: ShareTest, share: float) -> float:
    """Return the mean number of independent observations at a true share, by Wald's approximation."""
    low, high = test.bounds
    miss, hit = test.steps
    if abs(power_of(test, share)) < 1e-9:  # no drift: the second moment tells
        return -low * high / (share * hit**2 + (1 - share) * miss**2)
    is_small = is_called_small(test, share)
    return (is_small * low + (1 - is_small) * high) / (share * hit + (1 - share) * miss)


@pytest.mark.parametrize(
    ("small", "large", "least", "most"), [(0.005, 0.02, 210, 325), (0.008, 0.0125, 2_400, 2_800)]
)
def test_it_takes_as_many_as_wald_computed(small: float, large: float, least: int, most: int) -> None:
    test = ShareTest(small, large)
    sizes = sorted([expected_size(test, small), expected_size(test, large)])
    assert least * 0.95 < sizes[0] < sizes[1] < most * 1.05


def test_it_errs_no_more_often_than_it_says() -> None:
    test, rng = ShareTest(0.01, 0.04), np.random.default_rng(1)
    for share, wrong, allowed in ((0.01, "large", test.alpha), (0.04, "small", test.beta)):
        errs = sum(played(test, share, rng)[0] == wrong for _ in range(RUNS))
        # Three standard errors above what is allowed: this fails by chance in one of a thousand.
        assert errs / RUNS < allowed + 3 * math.sqrt(allowed * (1 - allowed) / RUNS)


@pytest.mark.parametrize("share", [0.008, 0.01, 0.02, 0.03, 0.04, 0.06])
def test_mean_size_and_decisions_are_those_of_the_closed_forms(share: float) -> None:
    test, rng = ShareTest(0.01, 0.04), np.random.default_rng(2)
    runs = [played(test, share, rng) for _ in range(RUNS)]
    small = sum(decision == "small" for decision, _ in runs) / RUNS
    assert small == pytest.approx(is_called_small(test, share), abs=0.06)
    # Wald leaves out by how much a bound is overshot: a fifth here, where one hit is half of the way to it.
    assert expected_size(test, share) == pytest.approx(np.mean([n for _, n in runs]), rel=0.35)


def test_where_nothing_drifts_both_ends_are_reached_as_the_bounds_lie() -> None:
    test = ShareTest(0.01, 0.04)
    miss, hit = test.steps
    still = -miss / (hit - miss)
    assert is_called_small(test, still) == pytest.approx(0.5)
    assert expected_size(test, still) == pytest.approx(expected_size(test, still * 1.001), rel=0.02)


@given(st.floats(0.001, 0.3), st.floats(1.2, 6.0), st.floats(0.01, 0.2), st.floats(0.01, 0.2))
def test_the_closed_forms_keep_their_promises_at_both_shares(
    share: float, factor: float, alpha: float, beta: float
) -> None:
    test = ShareTest(*odds_apart(share, factor), alpha, beta)
    assert is_called_small(test, test.small) == pytest.approx(1 - alpha, abs=1e-6)
    assert is_called_small(test, test.large) == pytest.approx(beta, abs=1e-6)
    assert expected_size(test, test.small) > 0


@given(st.integers(0, 500), st.integers(0, 5_000), st.floats(1.0, 50.0))
def test_what_is_inflated_is_never_surer(hits: int, more: int, worth: float) -> None:
    test = ShareTest(0.005, 0.02)
    plain, careful = test.judge(hits, hits + more), test.judge(hits, hits + more, worth)
    assert careful.sure <= plain.sure + 1e-12
    assert careful.decision in (plain.decision, "open")


def clustered(rng: np.random.Generator, steps: int, per_step: int, share: float, size: float) -> np.ndarray:
    """Hits of each step where they come in clusters of a mean length, each within a step or over several."""
    n = steps * per_step
    hits = np.zeros(n)
    for start in np.flatnonzero(rng.random(n) < share / size):
        hits[start : start + rng.geometric(1 / size)] = 1
    counted: np.ndarray = hits.reshape(steps, per_step).sum(axis=1)
    return counted


@pytest.mark.parametrize("size", [1.0, 10.0, 100.0])
def test_inflation_is_what_clusters_add_to_the_variance_of_a_count(size: float) -> None:
    rng = np.random.default_rng(4)
    n = 60_000
    counts = [clustered(rng, 200, n // 200, 0.02, size) for _ in range(100)]
    true = float(np.var([count.sum() for count in counts])) / (n * 0.02 * 0.98)
    inflated = float(np.median([inflation(count, np.full(200, n // 200)) for count in counts]))
    # Clusters of geometric length: mean of the squares over the mean, 2 size - 1.
    assert true == pytest.approx(2 * size - 1, rel=0.45)
    assert inflated == pytest.approx(true, rel=0.45, abs=0.3)


def test_with_its_inflation_the_test_keeps_its_errors_where_hits_come_in_clusters() -> None:
    test, rng = ShareTest(0.005, 0.02), np.random.default_rng(5)
    wrong = {"careful": 0, "careless": 0}
    for _ in range(300):
        hits = np.cumsum(clustered(rng, 200, 200, 0.005, 20.0))
        for way, worth in (("careful", 39.0), ("careless", 1.0)):
            decisions = [test.judge(int(hits[k]), 200 * (k + 1), worth).decision for k in range(4, 200, 5)]
            wrong[way] += next((decision for decision in decisions if decision != "open"), "open") == "large"
    assert wrong["careful"] / 300 < 0.10
    assert wrong["careless"] / 300 > 0.15


@pytest.mark.parametrize(("small", "large"), [(0.0, 0.1), (0.2, 0.1), (0.5, 1.0)])
def test_no_test_is_made_of_shares_that_are_none(small: float, large: float) -> None:
    with pytest.raises(ValueError, match="small < large"):
        ShareTest(small, large)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        ShareTest(0.1, 0.2).judge(3, 2)
    with pytest.raises(ValueError, match="alpha"):
        ShareTest(0.1, 0.2, alpha=0.0)
    with pytest.raises(ValueError, match="factor"):
        odds_apart(0.1, 1.0)
    assert odds_apart(0.01) == pytest.approx((0.005025, 0.01980), rel=1e-3)
    assert inflation([0, 0, 0], [5, 5, 5]) == inflation([1], [5]) == 1.0
