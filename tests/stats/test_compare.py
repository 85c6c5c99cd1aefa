import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadrig.stats.compare import (
    Effect,
    hodges_lehmann,
    holm,
    independent,
    known_noise,
    paired_differences,
    sign_flip_p,
)
from loadrig.stats.equivalence import is_equivalent, tost_p
from loadrig.stats.shares import barnard, compare_shares, fisher
from loadrig.stats.verdict import blocks_to_decide, judge, judge_shares
from tests.lengths import fewest, length, most

# --- paired ---------------------------------------------------------------------------------------


def test_the_centre_agrees_with_the_published_example() -> None:
    # Hollander & Wolfe 1999, Nonparametric Statistical Methods, ex. 3.1 and 3.3 (depression scores).
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    assert hodges_lehmann(np.array(y) - np.array(x)) == pytest.approx(-0.46, abs=1e-9)


@pytest.mark.parametrize(("n", "p"), [(5, 0.0625), (6, 2 / 64), (8, 2 / 256)])
def test_pairs_that_all_agree_have_the_least_p_there_is(n: int, p: float) -> None:
    assert sign_flip_p(np.linspace(0.01, 0.02, n)) == pytest.approx(p)


def test_five_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="5 pairs"):
        paired_differences([1] * 5)


@pytest.mark.parametrize("n", [6, 9])
def test_a_95_percent_interval_of_paired_blocks_covers_the_ratio(n: int) -> None:
    rng = np.random.default_rng(21)
    hits, runs = 0, length(50, 300)
    for run in range(runs):
        block = rng.normal(0, 0.2, n)
        a = np.exp(block + rng.normal(0, 0.02, n))
        b = np.exp(block + math.log(1.1) + rng.normal(0, 0.02, n))
        low, high = paired_differences(np.log(b / a), seed=run).ratio_interval
        hits += low <= 1.1 <= high
    # Over 800 draws each, 6 to 14 blocks covered in 94 to 97 %.
    assert fewest(runs, 0.94) <= hits <= most(runs, 0.97)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.floats(50, 200), min_size=6, max_size=9),
    st.floats(0.2, 5),
    st.integers(0, 5),
)
def test_a_comparison_does_not_depend_on_the_unit_and_turns_round(
    values: list[float], scale: float, seed: int
) -> None:
    a = np.array(values)
    b = np.roll(a, 1) * np.linspace(1.0, 1.1, a.size)
    plain = paired_differences(np.log(b) - np.log(a), seed=seed)
    scaled = paired_differences(np.log(b * scale) - np.log(a * scale), seed=seed)
    assert scaled.centre == pytest.approx(plain.centre, abs=1e-9)
    assert scaled.low == pytest.approx(plain.low, abs=1e-6)
    assert paired_differences(np.log(a) - np.log(b), seed=seed).centre == pytest.approx(
        -plain.centre, abs=1e-9
    )
    assert plain.low <= plain.centre <= plain.high


# --- known noise, independent ---------------------------------------------------------------------


def test_welch_agrees_with_the_published_example() -> None:
    # R: t.test(log(b), log(a)) for the pool of 15 and of 20 connections of case 4.
    difference = independent([36.2, 36.2, 36.3], [34.5, 34.1, 34.4])
    assert difference.ratio == pytest.approx(0.9476, abs=5e-5)
    assert difference.ratio_interval == pytest.approx((0.9344, 0.9608), abs=5e-5)
    assert difference.p == pytest.approx(0.00259, abs=5e-5)


def test_known_noise_gives_the_t_interval() -> None:
    difference = known_noise(0.1, 0.05, 10)
    assert difference.high - difference.centre == pytest.approx(2.2281 * 0.05, rel=1e-4)
    assert difference.narrow_high - difference.centre == pytest.approx(1.8125 * 0.05, rel=1e-4)
    assert difference.p == pytest.approx(0.0734, abs=1e-4)


def test_without_a_noise_estimate_there_is_no_interval() -> None:
    with pytest.raises(ValueError, match="noise"):
        known_noise(0.1, 0.05, 0)


def test_one_replicate_has_no_spread() -> None:
    with pytest.raises(ValueError, match="replicate"):
        independent([1.0], [1.0, 2.0])


def test_a_ratio_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="zero"):
        independent([0.0, 1.0], [1.0, 2.0])


def test_identical_replicates_differ_by_nothing() -> None:
    same = independent([2.0, 2.0], [2.0, 2.0])
    assert (same.centre, same.p) == (0.0, 1.0)
    assert judge(same, 0.03).word == "equivalent"
    assert judge(independent([2.0, 2.0], [3.0, 3.0]), 0.03).word == "better"


def test_holm_agrees_with_the_published_example() -> None:
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_adjusted_p_values_are_never_smaller_and_keep_their_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert np.all(adjusted >= np.array(values) - 1e-12)
    assert np.all(adjusted <= 1)
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(adjusted[order]) >= -1e-12)


# --- equivalence ----------------------------------------------------------------------------------


@given(st.floats(-0.1, 0.1), st.floats(0.001, 0.1), st.floats(1, 50), st.floats(0.01, 0.2))
def test_the_two_one_sided_tests_say_what_the_narrow_interval_says(
    log: float, error: float, df: float, margin: float
) -> None:
    difference = known_noise(log, error, df)
    if abs(tost_p(difference, math.log1p(margin)) - 0.05) > 1e-6:
        assert is_equivalent(difference, math.log1p(margin)) == (
            tost_p(difference, math.log1p(margin)) < 0.05
        )


# --- verdicts -------------------------------------------------------------------------------------


def effect(log: float, error: float, df: float = 20) -> Effect:
    return known_noise(log, error, df, n=6)


@pytest.mark.parametrize(
    ("log", "error", "better", "word"),
    [
        (0.10, 0.01, "higher", "better"),
        (0.10, 0.01, "lower", "worse"),
        (-0.10, 0.01, "higher", "worse"),
        (-0.10, 0.01, "lower", "better"),
        (0.01, 0.003, "higher", "trivial"),
        (0.001, 0.01, "higher", "equivalent"),
        (0.001, 0.05, "higher", "undecided"),
        (0.10, 0.08, "higher", "undecided"),
        (0.028, 0.01, "higher", "undecided"),
    ],
)
def test_each_verdict_has_its_case(log: float, error: float, better: str, word: str) -> None:
    assert judge(effect(log, error), 0.03, "lower" if better == "lower" else "higher").word == word


def test_a_real_difference_of_unknown_size_is_undecided_and_says_so() -> None:
    judgement = judge(effect(0.028, 0.01), 0.03)
    assert (judgement.word, judgement.is_different) == ("undecided", True)


def test_a_p_adjusted_for_many_comparisons_can_take_a_verdict_back() -> None:
    assert judge(effect(0.10, 0.04), 0.03).word == "better"
    assert judge(effect(0.10, 0.04), 0.03, p=0.2).word == "undecided"


@given(st.floats(-0.3, 0.3), st.floats(1e-4, 0.2), st.floats(2, 60), st.floats(0.01, 0.2))
def test_turning_the_question_round_turns_the_verdict_round(
    log: float, error: float, df: float, margin: float
) -> None:
    difference = known_noise(log, error, df, n=6)
    there = judge(difference, margin, "higher").word
    back = judge(known_noise(-log, error, df), margin, "higher").word
    assert back == {"better": "worse", "worse": "better"}.get(there, there)
    assert judge(difference, margin, "lower").word == back


@given(st.floats(-0.3, 0.3), st.floats(1e-4, 0.2), st.floats(2, 60), st.floats(0.01, 0.1))
def test_a_wider_margin_never_makes_an_equivalent_pair_differ(
    log: float, error: float, df: float, margin: float
) -> None:
    difference = known_noise(log, error, df, n=6)
    if judge(difference, margin).word in ("equivalent", "trivial"):
        assert judge(difference, margin * 2).word in ("equivalent", "trivial")


def test_the_blocks_advised_decide_with_about_the_promised_power() -> None:
    rng = np.random.default_rng(31)
    for truth, sd in ((0.0, 0.03), (math.log(1.06), 0.05)):
        effect = known_noise(truth, sd / math.sqrt(6), 5, n=6)
        blocks = blocks_to_decide(effect, math.log(1.03))
        assert blocks is not None
        decided = 0
        runs = length(300, 1000)
        for _ in range(runs):
            values = rng.normal(truth, sd, blocks)
            error = float(values.std(ddof=1)) / math.sqrt(blocks)
            decided += (
                judge(known_noise(float(values.mean()), error, blocks - 1, n=blocks), 0.03).word
                != "undecided"
            )
        assert fewest(runs, 0.77) <= decided <= most(runs, 0.88)


def test_a_difference_as_large_as_the_margin_gets_no_advice() -> None:
    assert blocks_to_decide(effect(math.log(1.0299), 0.05), math.log(1.03)) is None
    assert judge(effect(0.10, 0.01), 0.03).blocks_to_decide is None


def test_equal_things_are_seldom_called_different() -> None:
    rng = np.random.default_rng(33)
    alarms, runs = 0, length(120, 300)
    for run in range(runs):
        a, b = np.exp(rng.normal(0, 0.03, (2, 6)))
        alarms += judge(paired_differences(np.log(b / a), seed=run), 0.03).word in ("better", "worse")
    assert alarms <= most(runs, 0.03)


# --- shares ---------------------------------------------------------------------------------------


def test_exact_tests_agree_with_the_published_examples() -> None:
    # Fisher's tea tasting: 3 of 4 and 1 of 4, two-sided 0.4857 (Agresti 2002, 3.5.2).
    assert fisher(3, 4, 1, 4) == pytest.approx(0.4857, abs=5e-5)
    # Barnard 1947's own table, 3 of 3 and 0 of 3: one-sided 0.0156, two-sided 0.03125.
    assert barnard(3, 3, 0, 3) == pytest.approx(0.03125, abs=1e-4)
    assert barnard(0, 50, 0, 50) == 1.0


def test_the_interval_of_a_difference_agrees_with_the_published_example() -> None:
    # Newcombe 1998, Stat. Med. 17, 873-890, table II, method 10: 56/70 - 48/80: 0.0524 to 0.3339.
    share_difference = compare_shares(48, 80, 56, 70)
    assert (round(share_difference.low, 4), round(share_difference.high, 4)) == (0.0524, 0.3339)


def test_shares_have_verdicts_too() -> None:
    assert judge_shares(compare_shares(1, 2500, 60, 2500), 0.001).word == "worse"
    assert judge_shares(compare_shares(60, 2500, 1, 2500), 0.001).word == "better"
    assert judge_shares(compare_shares(10, 100_000, 12, 100_000), 0.001).word == "equivalent"


def test_a_share_of_nothing_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="nothing"):
        compare_shares(0, 0, 1, 5)
