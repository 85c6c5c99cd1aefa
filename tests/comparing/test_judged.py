"""Verdicts of a comparison: what is proved, what is equal, and what is said to be undecided."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import PlanError
from loadrig.comparing.document import ComparedDocument, ComparisonDocument
from loadrig.comparing.judged import compare
from loadrig.comparing.noise import noises, of_neighbours
from loadrig.comparing.read import read_side, runs_in
from loadrig.comparing.yardsticks import asked, margins_of
from tests.comparing import fabricated
from tests.wording import holding


def compared(a: str | Path, b: str | Path, *names: str, history: Path | None = None) -> ComparisonDocument:
    sides = read_side(str(a)), read_side(str(b))
    noise = noises(*sides, runs_in(history) if history else ())
    return compare(*sides, asked(*sides, names), noise, with_shifts=False)


def row_of(comparison: ComparisonDocument, measure: str, route: str | None = None) -> ComparedDocument:
    return next(row for row in comparison.compared if row.measure == measure and row.route == route)


def deciding(comparison: ComparisonDocument) -> list[ComparedDocument]:
    return [row for row in comparison.compared if row.decides]


def two_settings(folder: Path, ratio: float, **options: float) -> tuple[str, str]:
    fabricated.study(folder, [({"workers": 2}, 400.0), ({"workers": 4}, 400.0 * ratio)], **options)  # type: ignore[arg-type]
    return f"{folder}#0", f"{folder}#1"


# --- in blocks and in turns ---------------------------------------------------------------------


def test_a_true_loss_of_six_percent_is_a_regression_though_blocks_drift_by_more(tmp_path: Path) -> None:
    comparison = compared(*two_settings(tmp_path / "s", 0.94, noise=0.01, drift=0.05))
    assert comparison.verdict == "worse"
    throughput = row_of(comparison, "throughput")
    assert (throughput.verdict, throughput.how, throughput.decides) == ("worse", "paired", True)
    assert throughput.interval is not None
    assert throughput.interval[0] < 0.94 < throughput.interval[1]
    assert row_of(comparison, "p95", "search").p is not None


def test_what_changes_nothing_is_equal(tmp_path: Path) -> None:
    comparison = compared(*two_settings(tmp_path / "s", 1.0, noise=0.008))
    assert comparison.verdict == "equal"
    assert row_of(comparison, "throughput").verdict == "equivalent"
    assert comparison.to_decide is None


def test_noise_leaves_it_undecided_with_the_pairs_that_would_tell(tmp_path: Path) -> None:
    comparison = compared(*two_settings(tmp_path / "s", 1.06, noise=0.05, seed=3))
    assert comparison.verdict == "undecided"
    assert comparison.to_decide is not None
    assert comparison.to_decide.pairs > 8
    # Three trials of 40 s a block.
    assert comparison.to_decide.seconds == pytest.approx(comparison.to_decide.pairs * 120.0)


def test_runs_in_turns_are_judged_in_pairs(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for pair in range(8):
        day = math.exp(rng.normal(0, 0.05))
        for name, rate in (("a", 400.0), ("b", 375.0)):
            fabricated.single(
                tmp_path / name / str(pair), day=pair + (0.4 if name == "b" else 0.0),
                rate=rate * day * math.exp(rng.normal(0, 0.008)),
            )  # fmt: skip
    comparison = compared(tmp_path / "a", tmp_path / "b")
    assert (comparison.pairing.how, comparison.verdict) == ("turns", "worse")


def test_the_same_runs_apart_say_nothing_and_tell_why(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    rng = np.random.default_rng(1)
    for first_day, name, rate in ((0, "a", 400.0), (10, "b", 385.0)):
        rates = [rate * math.exp(rng.normal(0, 0.02)) for _ in range(8)]
        fabricated.runs(tmp_path / name, rates, first_day=first_day)
    comparison = compared(tmp_path / "a", tmp_path / "b")
    assert (comparison.pairing.how, comparison.verdict) == ("apart", "undecided")
    assert row_of(comparison, "throughput").how == "apart"
    (warning,) = holding(comparison.warnings, "A's 8 ", "B's 8 ")
    assert warning == snapshot


def test_runs_apart_prove_what_is_far_beyond_their_spread(tmp_path: Path) -> None:
    fabricated.runs(tmp_path / "a", [400, 402, 398, 401, 399, 400])
    fabricated.runs(tmp_path / "b", [300, 302, 298, 301, 299, 300], first_day=10)
    assert compared(tmp_path / "a", tmp_path / "b").verdict == "worse"


# --- a run each ---------------------------------------------------------------------------------


def test_a_run_each_proves_nothing_however_far_apart(tmp_path: Path) -> None:
    a, b = fabricated.single(tmp_path / "a", rate=400), fabricated.single(tmp_path / "b", rate=200, day=1)
    comparison = compared(a, b)
    assert comparison.verdict == "undecided"
    assert {row.how for row in comparison.compared} == {"within"}
    assert comparison.to_decide is not None
    assert comparison.to_decide.pairs == 6
    assert any("proves nothing" in text for text in comparison.warnings)


def test_earlier_runs_of_the_plan_tell_what_a_single_run_is_worth(tmp_path: Path) -> None:
    rates = [400, 402, 399, 401, 398, 400, 403, 399]
    runs = fabricated.runs(tmp_path / "runs", rates)
    bad = fabricated.single(tmp_path / "b", rate=360, day=9)
    comparison = compared(runs / "run-07", bad, history=runs)
    assert comparison.verdict == "worse"
    assert row_of(comparison, "throughput").how == "history"
    assert "7 earlier runs" in row_of(comparison, "throughput").note
    good = fabricated.single(tmp_path / "c", rate=399, day=9)
    assert row_of(compared(runs / "run-07", good, history=runs), "throughput").verdict == "equivalent"


def test_runs_of_another_plan_setting_or_load_are_no_history(tmp_path: Path) -> None:
    runs = fabricated.runs(tmp_path / "runs", [400.0] * 8, users=100)
    a, b = fabricated.single(tmp_path / "a", rate=400), fabricated.single(tmp_path / "b", rate=360, day=9)
    assert row_of(compared(a, b, history=runs), "throughput").how == "within"


def test_runs_of_one_evening_do_not_tell_what_another_day_does(tmp_path: Path) -> None:
    rates = [400, 402, 399, 401, 398, 400, 403, 399]
    runs = fabricated.runs(tmp_path / "runs", rates, every=0.01)
    later = fabricated.single(tmp_path / "b", rate=385, day=9)
    same_evening = fabricated.single(tmp_path / "c", rate=385, day=0.09)
    assert row_of(compared(runs / "run-07", later, history=runs), "throughput").how == "repeats"
    throughput = row_of(compared(runs / "run-07", same_evening, history=runs), "throughput")
    assert throughput.how == "history"
    wide = row_of(compared(runs / "run-07", later, history=runs), "throughput")
    assert wide.interval is not None
    assert throughput.interval is not None
    widths = [math.log(high / low) for low, high in (wide.interval, throughput.interval)]
    # The variance is taken twice: once for the runs, once for the days.
    assert widths[0] == pytest.approx(math.sqrt(2) * widths[1])


def test_repeated_trials_of_a_study_tell_how_far_trials_lie_apart(tmp_path: Path) -> None:
    study = fabricated.study(tmp_path / "s", [({}, 400.0)], blocks=8, noise=0.01)
    sides = read_side(str(study)), read_side(str(fabricated.single(tmp_path / "b", rate=330, day=2)))
    single = replace(sides[0], trials=sides[0].trials[:1])
    comparison = compare(single, sides[1], asked(*sides), noises(single, sides[1]), with_shifts=False)
    assert row_of(comparison, "throughput").how == "repeats"
    assert row_of(comparison, "throughput").verdict == "worse"


def test_the_noise_of_neighbours_does_not_count_a_change_of_level() -> None:
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(0, 0.01, 40), rng.normal(0.2, 0.01, 40)])
    # Of 79 steps one is the change: it adds 0.2 / sqrt(2 * 79) to the square, and not half of 0.2.
    assert of_neighbours(list(values)).sd < 0.025
    assert values.std() > 0.09


# --- errors -------------------------------------------------------------------------------------


def test_errors_are_judged_by_exact_counts_over_blocks(tmp_path: Path) -> None:
    fabricated.runs(tmp_path / "a", [400] * 6, failed=0.0)
    fabricated.runs(tmp_path / "b", [400] * 6, failed=0.01, first_day=10)
    comparison = compared(tmp_path / "a", tmp_path / "b")
    errors = row_of(comparison, "errors")
    assert (errors.verdict, errors.how, comparison.verdict) == ("worse", "counts", "worse")
    assert errors.effect == pytest.approx(0.0099, abs=1e-4)


def test_what_would_decide_errors_is_counted_in_pairs_that_fail_no_more_than_these(tmp_path: Path) -> None:
    runs = fabricated.runs(tmp_path / "runs", [40, 40.2, 39.9, 40.1, 39.8, 40, 40.3, 39.9], failed=0.0)
    b = fabricated.single(tmp_path / "b", rate=40, day=9, failed=0.0)
    errors = row_of(compared(runs / "run-07", b, history=runs), "errors")
    assert errors.verdict == "undecided"
    assert errors.to_decide is not None
    for name in ("a", "b"):
        rates = [40] * (errors.to_decide.pairs + 1)
        fabricated.runs(tmp_path / "turns" / name, rates, first_day=0.5 * (name == "b"), failed=0.0)
    decided = compared(tmp_path / "turns" / "a", tmp_path / "turns" / "b")
    assert decided.pairing.how == "turns"
    assert row_of(decided, "errors").verdict == "equivalent"


def test_no_errors_on_either_side_are_equal_if_enough_was_asked(tmp_path: Path) -> None:
    fabricated.runs(tmp_path / "a", [400] * 6, failed=0.0)
    fabricated.runs(tmp_path / "b", [400] * 6, failed=0.0, first_day=10)
    assert row_of(compared(tmp_path / "a", tmp_path / "b"), "errors").verdict == "equivalent"


def test_errors_that_come_in_bursts_prove_less_than_as_many_that_do_not(tmp_path: Path) -> None:
    def errors_of(name: str, shares: list[float]) -> ComparedDocument:
        for number, share in enumerate(shares):
            fabricated.single(tmp_path / name / str(number), day=number, failed=share)
        fabricated.runs(tmp_path / f"{name}-b", [400] * 6, failed=0.0, first_day=20)
        return row_of(compared(tmp_path / name, tmp_path / f"{name}-b"), "errors")

    even, bursts = errors_of("even", [0.004] * 6), errors_of("bursts", [0.024, 0, 0, 0, 0, 0])
    assert even.verdict == "better"
    assert bursts.verdict == "undecided"


# --- what decides, and together -----------------------------------------------------------------


def test_one_worse_makes_it_worse_whatever_else_is_better(tmp_path: Path) -> None:
    study = fabricated.study(tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 480.0)], blocks=8)
    a, b = read_side(f"{study}#0"), read_side(f"{study}#1")
    b = fabricated.with_estimate(
        b,
        "memory",
        lambda trial, estimate: replace(estimate, value=estimate.value * (1.5 + 0.001 * trial.index)),
    )
    comparison = compare(a, b, asked(a, b), with_shifts=False)
    assert row_of(comparison, "throughput").verdict == "better"
    assert row_of(comparison, "memory").verdict == "worse"
    assert comparison.verdict == "worse"


def test_a_named_measure_decides_alone(tmp_path: Path) -> None:
    comparison = compared(*two_settings(tmp_path / "s", 1.0, noise=0.008), "p99")
    assert [row.measure for row in deciding(comparison)] == ["p99"]


def test_p_values_are_adjusted_within_what_decides_and_within_the_rest(tmp_path: Path) -> None:
    comparison = compared(*two_settings(tmp_path / "s", 1.04, noise=0.01))
    together = deciding(comparison)[0].p
    assert together is not None
    beside = [row.p for row in comparison.compared if not row.decides and row.p is not None]
    assert len(deciding(comparison)) == 2
    assert len(beside) > 6
    plain = compared(*two_settings(tmp_path / "t", 1.04, noise=0.01), "throughput")
    alone = deciding(plain)[0].p
    assert alone is not None
    assert alone <= together


def test_a_measure_that_nobody_knows_is_named_with_the_nearest(tmp_path: Path) -> None:
    a, b = fabricated.single(tmp_path / "a"), fabricated.single(tmp_path / "b")
    with pytest.raises(PlanError) as caught:
        compared(a, b, "througput")
    assert caught.value.problems[0].code == "compare.unknown-measure"
    assert "throughput" in caught.value.problems[0].mend
    with pytest.raises(PlanError) as caught:
        compared(a, b, "sessions_p95")
    (problem,) = caught.value.problems
    assert problem.code == "compare.unknown-measure"
    assert "sessions_p95" in problem.what


def test_an_open_load_is_decided_by_p95_and_a_closed_one_by_throughput(tmp_path: Path) -> None:
    closed = read_side(str(fabricated.single(tmp_path / "c")))
    opened = read_side(str(fabricated.single(tmp_path / "o", model="rate")))
    assert [by.name for by in asked(closed, closed).deciding] == ["throughput", "errors"]
    assert [by.name for by in asked(opened, opened).deciding] == ["p95", "errors"]


def test_margins_may_be_given_for_all_or_for_one(tmp_path: Path) -> None:
    side = read_side(str(fabricated.single(tmp_path / "a")))
    question = asked(side, side, (), margins_of(["5%", "p99=20%"]))
    margins = {by.name: by.equal_within for by in (*question.deciding, *question.beside)}
    assert margins["throughput"] == 0.05
    assert margins["p99"] == 0.2
    assert margins["errors"] == 0.001  # a share: its margin is in points, and asked for by name alone


@pytest.mark.parametrize("text", ["much", "p99=", "0%", "100%", "p99=-3%"])
def test_a_margin_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(PlanError) as caught:
        margins_of([text])
    assert caught.value.problems[0].code == "cli.wrong-argument"


def test_capacities_are_compared_where_both_searched_for_one_and_runs_in_turns_prove_it(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(4)
    for pair in range(8):
        for name, capacity in (("a", 900.0), ("b", 850.0), ("c", 902.0)):
            at = pair + {"a": 0.0, "b": 0.2, "c": 0.4}[name] * (1 if pair % 2 else -1)
            drawn = capacity * math.exp(rng.normal(0, 0.006))
            fabricated.searched(tmp_path / name / str(pair), drawn, day=at)
    worse = compared(tmp_path / "a", tmp_path / "b")
    assert [row.measure for row in deciding(worse)] == ["capacity"]
    assert (worse.verdict, worse.pairing.how) == ("worse", "turns")
    assert compared(tmp_path / "a", tmp_path / "c").verdict == "equal"
    # What else was measured is of the load right below each side's own capacity: only costs are compared.
    assert {row.measure for row in worse.compared} <= {"capacity", "memory", "cpu_per_request"}
    assert all(row.route is None for row in worse.compared)


def test_a_search_each_proves_nothing_unless_earlier_ones_tell_how_they_differ(tmp_path: Path) -> None:
    for number, capacity in enumerate((900, 903, 898, 901, 897, 902, 899, 900)):
        fabricated.searched(tmp_path / "runs" / str(number), float(capacity), day=number)
    bad = fabricated.searched(tmp_path / "b", 840.0, day=9)
    a = tmp_path / "runs" / "7"
    alone = compared(a, bad)
    assert (alone.verdict, deciding(alone)[0].how) == ("undecided", "within")
    assert alone.to_decide is not None
    by_history = compared(a, bad, history=tmp_path / "runs")
    assert (by_history.verdict, deciding(by_history)[0].how) == ("worse", "history")


def test_void_trials_have_no_part_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    fabricated.study(
        folder, [({"workers": 2}, 400.0), ({"workers": 4}, 400.0)], blocks=9, noise=0.008, void=[6]
    )
    comparison = compared(f"{folder}#0", f"{folder}#1")
    assert comparison.pairing.pairs == 8
    assert len(holding(comparison.warnings, "1 of 9")) == 1
