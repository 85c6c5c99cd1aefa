"""Tests that intervals become wide enough to hold what would have been measured without stand-stills."""

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig._native import Histogram
from loadrig.base.estimate import Estimate
from loadrig.testing.engine_frames import histogram_of
from loadrig.trial.widening import Factors, fallen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

REQUESTS = 20_000
NOISE = 1.03
"""Times of a histogram are right to a thousandth; quantiles of so many requests differ by this by chance."""


class StallPattern:
    """Stand-stills of random lengths: nothing runs for a share of the time."""

    def __init__(self, random: np.random.Generator, share: float, mean_s: float, until_s: float) -> None:
        count = int(1.2 * until_s * share / mean_s) + 20
        self.lengths = random.exponential(mean_s, count)
        runs = random.exponential(mean_s * (1 - share) / share, count)
        self.starts = np.cumsum(runs) + np.concatenate(([0.0], np.cumsum(self.lengths)[:-1]))
        self.before = np.concatenate(([0.0], np.cumsum(self.lengths)))

    def share(self, until_s: float) -> float:
        return float(self.lengths[self.starts < until_s].sum() / until_s)

    def worked(self, t_s: "Floats") -> "Floats":
        """Return how long anything ran until these instants."""
        last = np.searchsorted(self.starts, t_s, side="right") - 1
        inside = np.minimum(self.lengths[last], t_s - self.starts[last])
        work_s: Floats = t_s - np.where(last >= 0, self.before[last] + inside, 0.0)
        return work_s

    def response_s(self, due_s: "Floats", work_s: "Floats") -> "Floats":
        """Return how long requests take whose work goes on only while something runs."""
        done = self.worked(due_s) + work_s
        late_s: Floats = done + self.before[np.searchsorted(self.worked(self.starts), done)] - due_s
        return late_s


@pytest.mark.parametrize("share", [0.02, 0.10, 0.25])
@pytest.mark.parametrize("stall_s", [0.001, 0.03, 1.0])
@pytest.mark.parametrize("median_s", [0.002, 0.2])
@pytest.mark.parametrize("spread", [0.3, 1.5])
def test_what_would_have_been_measured_lies_within(
    share: float, stall_s: float, median_s: float, spread: float
) -> None:
    random = np.random.default_rng(11)
    until_s = max(100.0, 200 * stall_s / share)
    stalls = StallPattern(random, share, stall_s, 2 * until_s)
    due_s = np.sort(random.uniform(0, until_s, REQUESTS))
    work_s = median_s * np.exp(spread * random.standard_normal(REQUESTS))
    measured = Histogram.decode(histogram_of(stalls.response_s(due_s, work_s)))
    undisturbed = Histogram.decode(histogram_of(work_s))
    stalled = stalls.share(until_s)
    for quantile in (0.5, 0.9, 0.95, 0.99):
        low = (1 - stalled) * fallen(measured, quantile, stalled) * measured.quantile_ns(quantile)
        assert low <= NOISE * undisturbed.quantile_ns(quantile)
        assert undisturbed.quantile_ns(quantile) <= NOISE * measured.quantile_ns(quantile) / (1 - stalled)
    assert (1 - stalled) * fallen(measured, None, stalled) * measured.mean_ns <= NOISE * undisturbed.mean_ns


@given(st.lists(st.integers(1, 10**10), min_size=1, max_size=50), st.floats(0, 1), st.floats(0, 1))
def test_what_is_left_out_never_raises_a_quantile_or_the_mean(
    values: list[int], quantile: float, share: float
) -> None:
    times = Histogram()
    for value in values:
        times.record(value)
    assert 0 <= fallen(times, quantile, share) <= 1
    assert 0 <= fallen(times, None, share) <= 1


def test_of_no_times_nothing_is_lowered() -> None:
    assert fallen(Histogram(), 0.99, 0.5) == 1.0


def test_an_estimate_without_an_interval_stays_without() -> None:
    factors = Factors(0.5, 2.0)
    assert factors.on(Estimate(3.0, "s")) == Estimate(3.0, "s")
    assert factors.on(Estimate(3.0, "s", 2.0, 4.0)) == Estimate(3.0, "s", 1.0, 8.0)
