"""Looks at growing data that together keep a confidence. When to look at all is tested in test_warmup."""

import numpy as np
import pytest
from scipy import stats

from loadrig.stats.stopping import look_confidence, repeated_confidence


def test_one_look_at_the_end_costs_nothing() -> None:
    assert repeated_confidence([1.0]) == pytest.approx(0.95)
    assert repeated_confidence([1.0], 0.8) == pytest.approx(0.8)


def test_the_first_look_spends_its_share() -> None:
    assert repeated_confidence([0.25]) == pytest.approx(1 - 0.05 / 4)


def test_two_looks_err_together_as_their_joint_law_says() -> None:
    first, last = (1 - repeated_confidence(looks) for looks in ([0.4], [0.4, 1.0]))
    reach = stats.norm.isf(np.array([first, last]) / 2)
    joint = stats.multivariate_normal([0, 0], [[1, np.sqrt(0.4)], [np.sqrt(0.4), 1]])
    assert joint.cdf(reach, lower_limit=-reach) == pytest.approx(0.95, abs=1e-4)


@pytest.mark.parametrize("looks", [(0.1, 0.2, 0.5, 0.9, 1.0), (0.5, 0.51, 1.0), (0.02, 1.0)])
def test_all_looks_together_keep_the_confidence(looks: tuple[float, ...]) -> None:
    rng = np.random.default_rng(5)
    steps = rng.standard_normal((200_000, len(looks))) * np.sqrt(np.diff((0.0, *looks)))
    scores = np.cumsum(steps, axis=1) / np.sqrt(looks)
    levels = [1 - repeated_confidence(looks[: n + 1]) for n in range(len(looks))]
    erred = (np.abs(scores) > stats.norm.isf(np.array(levels) / 2)).any(axis=1)
    # Three standard errors of 200,000 draws.
    assert erred.mean() == pytest.approx(0.05, abs=0.0015)


def test_a_known_end_leaves_more_for_the_last_look_than_an_open_one() -> None:
    looks = [3 / 9, 5 / 9, 8 / 9, 1.0]
    assert [round(repeated_confidence(looks[: n + 1]), 3) for n in range(4)] == [0.983, 0.983, 0.975, 0.978]
    assert repeated_confidence(looks) < look_confidence(4)


@pytest.mark.parametrize("looks", [(), (0.0, 1.0), (0.5, 0.5), (0.8, 0.4), (0.5, 1.1)])
def test_what_is_no_row_of_looks_is_refused(looks: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="shares"):
        repeated_confidence(looks)
