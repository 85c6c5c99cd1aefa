import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loadrig.stats.best import dunnett_critical, may_be_best
from loadrig.stats.noise import block_design, noise_of_differences
from loadrig.stats.outliers import odd_residuals

# --- noise ----------------------------------------------------------------------------------------


def test_the_noise_of_pairs_is_that_of_one_measurement() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0, 0.05, (2, 20_000))
    noise = noise_of_differences(b - a)
    assert noise.sd_log == pytest.approx(0.05, rel=0.03)
    assert noise.df == 20_000


def test_no_pairs_know_no_noise() -> None:
    assert noise_of_differences([]).df == 0


def test_a_block_design_agrees_with_the_published_example() -> None:
    # Box, Hunter & Hunter 2005, table 4.4 (penicillin): residual mean square 18.83 on 12 degrees of freedom,
    # treatment means 84, 85, 89, 86.
    table = [[89, 88, 97, 94], [84, 77, 92, 79], [81, 87, 87, 85], [87, 92, 89, 84], [79, 81, 80, 88]]
    y, block, treatment = zip(*((table[i][j], i, j) for i in range(5) for j in range(4)), strict=True)
    design_fit = block_design(y, block, treatment)
    assert design_fit.df == 12
    assert design_fit.sd**2 == pytest.approx(18.83, abs=0.005)
    assert design_fit.effects == pytest.approx([84, 85, 89, 86])
    log, error = design_fit.contrast(0, 2)
    assert log == pytest.approx(5.0)
    assert error == pytest.approx(math.sqrt(2 * 18.8333 / 5), rel=1e-4)


def test_the_base_twice_a_block_sharpens_the_base() -> None:
    block = np.repeat(np.arange(3), 10)
    treatment = np.tile([0, 0, 1, 2, 3, 4, 5, 6, 7, 8], 3)
    design_fit = block_design(np.random.default_rng(0).normal(size=30), block, treatment)
    assert design_fit.df == 19
    assert design_fit.contrast(0, 1)[1] < design_fit.contrast(1, 2)[1]


def test_a_design_with_holes_corrects_for_a_bad_block() -> None:
    # Treatment 1 was missed in the slow block; its plain mean would flatter it by a third of ln 2.
    rows = [(b, t) for b in range(3) for t in range(3) if (b, t) != (2, 1)]
    y = [math.log(100) - (math.log(2) if b == 2 else 0.0) for b, _ in rows]
    design_fit = block_design(y, [b for b, _ in rows], [t for _, t in rows])
    assert design_fit.contrast(0, 1)[0] == pytest.approx(0.0, abs=1e-12)


def test_treatments_that_never_meet_are_refused() -> None:
    with pytest.raises(ValueError, match="block"):
        block_design([1, 2, 3, 4], [0, 0, 1, 1], [0, 1, 2, 3])


# --- best -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comparisons", "df", "critical"),
    # Dunnett 1955, table 1a (one-sided, 95 %).
    [(1, 10, 1.81), (2, 5, 2.44), (2, 10, 2.15), (3, 10, 2.34), (8, 20, 2.56), (9, 20, 2.60), (9, 1e6, 2.42)],
)
def test_critical_values_agree_with_the_published_table(comparisons: int, df: float, critical: float) -> None:
    assert dunnett_critical(comparisons, df) == pytest.approx(critical, abs=0.006)


def test_critical_values_agree_with_scipy_s_own_test() -> None:
    rng = np.random.default_rng(3)
    control, *others = rng.normal(size=(5, 6))
    dunnett_test = stats.dunnett(
        *others, control=control, alternative="greater", rng=np.random.default_rng(1)
    )
    low = dunnett_test.confidence_interval(0.95).low
    pooled = math.sqrt(np.mean([group.var(ddof=1) for group in (control, *others)]))
    differences = np.array([group.mean() - control.mean() for group in others])
    critical = (differences - low) / (pooled * math.sqrt(2 / 6))
    assert critical == pytest.approx(dunnett_critical(4, 25), abs=0.02)


def test_the_true_best_is_in_the_set_and_the_bad_are_not() -> None:
    rng = np.random.default_rng(4)
    truth = np.log([100, 100, 98, 80, 60])
    kept_best, kept_bad, runs = 0, 0, 300
    for _ in range(runs):
        block = np.repeat(np.arange(4), 5)
        treatment = np.tile(np.arange(5), 4)
        y = truth[treatment] + rng.normal(0, 0.2, 4)[block] + rng.normal(0, 0.03, 20)
        fit = block_design(y, block, treatment)
        compared = may_be_best(fit.effects, fit.covariance, fit.sd, fit.df)
        kept_best += compared[0] and compared[1]
        kept_bad += compared[3] or compared[4]
    assert kept_best / runs >= 0.93
    assert kept_bad == 0


def test_the_best_of_equals_is_left_out_no_more_than_5_percent_of_the_time() -> None:
    rng = np.random.default_rng(5)
    runs, missed = 1000, 0
    for _ in range(runs):
        means = np.array([0.02, 0, 0, 0, 0, 0, 0, 0, 0]) + rng.normal(0, 0.05 / math.sqrt(3), 9)
        sd = 0.05 * math.sqrt(rng.chisquare(19) / 19)
        missed += not may_be_best(means, np.eye(9) / 3, sd, 19)[0]
    assert missed / runs <= 0.05


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=8), st.floats(0.001, 0.5))
def test_the_leader_may_always_be_best_and_direction_only_turns_the_sign(
    values: list[float], sd: float
) -> None:
    shape = np.eye(len(values)) / 3
    up = may_be_best(values, shape, sd, 12, "higher")
    down = may_be_best([-value for value in values], shape, sd, 12, "lower")
    assert up[int(np.argmax(values))]
    assert up == down


def test_one_alone_is_the_best() -> None:
    assert may_be_best([1.0], [[1.0]], math.nan, 0)[0]


# --- outliers -------------------------------------------------------------------------------------


def test_an_odd_trial_of_a_design_is_flagged_and_clean_designs_seldom() -> None:
    rng = np.random.default_rng(8)
    block, treatment = np.repeat(np.arange(3), 10), np.tile([0, 0, 1, 2, 3, 4, 5, 6, 7, 8], 3)
    alarms = 0
    for _ in range(500):
        y = rng.normal(0, 0.02, 30)
        fit = block_design(y, block, treatment)
        alarms += bool(odd_residuals(fit.residuals, fit.leverages, fit.df))
        y[17] -= 0.3
        spoiled = block_design(y, block, treatment)
        assert odd_residuals(spoiled.residuals, spoiled.leverages, spoiled.df) == (17,)
    assert alarms / 500 <= 0.02


def test_few_degrees_of_freedom_flag_nothing() -> None:
    assert odd_residuals([1.0, -1.0], [0.5, 0.5], 1) == ()
