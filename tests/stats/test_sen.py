"""Sen's line and the ranks are those of scipy, which is not imported for them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loadrig.stats.sen import ranks, sen_line

readings = st.lists(st.tuples(st.integers(0, 30), st.integers(-8, 8)), min_size=2, max_size=40)


@given(readings, st.sampled_from([0.5, 0.9, 0.95]))
@pytest.mark.filterwarnings("ignore:All `x` coordinates are identical", "ignore:invalid value")
def test_the_line_and_its_interval_are_those_of_scipy(
    pairs: list[tuple[int, int]], confidence: float
) -> None:
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    if np.ptp(x) == 0:
        with pytest.raises(ValueError, match="two different places"):
            sen_line(x, y, confidence)
        return
    ours, theirs = sen_line(x, y, confidence), stats.theilslopes(y, x, alpha=confidence)
    assert ours.slope == pytest.approx(theirs[0])
    assert ours.height == pytest.approx(theirs[1])
    for end, wanted in ((ours.low, theirs[2]), (ours.high, theirs[3])):
        assert math.isnan(end) == math.isnan(wanted)
        assert math.isnan(end) or end == pytest.approx(wanted)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40))
def test_ranks_are_those_of_scipy(values: list[int]) -> None:
    assert ranks(np.array(values, dtype=float)).tolist() == stats.rankdata(values).tolist()
