"""Steps in which times passed that were counted at their ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig._native import Histogram
from loadrig.account.occupancy import occupied_s
from loadrig.recording.steps import NS

STEPS = 6
EDGES = np.arange(STEPS + 1, dtype=np.int64) * NS + 40 * NS


def ended(*times: tuple[int, float]) -> list[Histogram]:
    """Return a histogram for each step. times: the step in which it ended, and its length in seconds."""
    histograms = [Histogram() for _ in range(STEPS)]
    for step, length_s in times:
        histograms[step].record(int(length_s * NS))
    return histograms


def test_a_short_time_passed_in_the_step_in_which_it_ended() -> None:
    occupied = occupied_s(ended((3, 1e-3), (3, 2e-3), (1, 4e-3)), EDGES)
    assert occupied == pytest.approx([0, 4e-3, 0, 3e-3, 0, 0], abs=2e-5)


def test_a_long_time_passed_in_the_steps_before_as_well() -> None:
    # Ends come evenly, so half a second of the two passes in the step of the end, and half in the first.
    assert occupied_s(ended((4, 2.0)), EDGES) == pytest.approx([0, 0, 0.5, 1.0, 0.5, 0], abs=5e-3)


def test_what_passed_before_the_first_step_is_left_out() -> None:
    assert occupied_s(ended((0, 30.0)), EDGES) == pytest.approx([0.5, 0, 0, 0, 0, 0], abs=1e-6)


@given(st.lists(st.tuples(st.just(STEPS - 1), st.floats(1e-6, 4.0)), max_size=20))
def test_no_time_is_lost(times: list[tuple[int, float]]) -> None:
    total_s = sum(length_s for _, length_s in times)
    occupied = occupied_s(ended(*times), EDGES)
    assert occupied.sum() == pytest.approx(total_s, rel=2e-3, abs=1e-9)
    assert (occupied >= -1e-9).all()
