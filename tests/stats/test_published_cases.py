"""The verdicts on tables that were published, and what their authors could not see in them."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from loadrig.stats.best import may_be_best
from loadrig.stats.compare import Effect, independent, known_noise
from loadrig.stats.noise import noise_of_differences
from loadrig.stats.shares import compare_shares
from loadrig.stats.verdict import judge, judge_shares

CASES = Path(__file__).parents[1] / "fixtures" / "cases"


def table(name: str) -> list[dict[str, str]]:
    with (CASES / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


# --- Tomcat's knobs, on a database of two cores ---------------------------------------------------


def tomcat(knob: str, level: str, measure: str = "throughput_rps", cores: str = "2") -> list[float]:
    return [
        float(row[measure])
        for row in table("tomcat_knobs_and_db_cores.csv")
        if row["db_cores"] == cores and row["knob"] == knob and row["level"] == level
    ]


def tomcat_effect(knob: str, a: str, b: str, measure: str = "throughput_rps") -> Effect:
    return independent(tomcat(knob, a, measure), tomcat(knob, b, measure))


@pytest.mark.parametrize(
    ("knob", "a", "b", "low", "high"),
    [
        # The 90 % intervals of b/a.
        ("heap", "1G", "2G", 0.981, 1.015),
        ("metaspace", "set", "unset", 0.987, 1.009),
        ("keepalive", "set", "unset", 0.991, 1.004),
        ("max_threads", "100", "200", 0.989, 1.018),
    ],
)
def test_knobs_without_effect_are_equivalent_at_3_percent(
    knob: str, a: str, b: str, low: float, high: float
) -> None:
    difference = tomcat_effect(knob, a, b)
    assert judge(difference, 0.03).word == "equivalent"
    assert (math.exp(difference.narrow_low), math.exp(difference.narrow_high)) == pytest.approx(
        (low, high), abs=6e-4
    )


@pytest.mark.parametrize(("knob", "a", "b"), [("heap", "1G", "2G"), ("max_threads", "100", "200")])
def test_even_2_percent_is_enough_for_them(knob: str, a: str, b: str) -> None:
    assert judge(tomcat_effect(knob, a, b), 0.02).word == "equivalent"


@pytest.mark.parametrize(("a", "b", "change"), [("15", "20", -0.052), ("15", "30", -0.077)])
def test_more_connections_to_a_busy_database_are_worse(a: str, b: str, change: float) -> None:
    difference = tomcat_effect("db_pool", a, b)
    assert judge(difference, 0.03).word == "worse"
    assert difference.ratio - 1 == pytest.approx(change, abs=6e-4)


def test_each_step_of_the_pool_is_worse_at_2_percent() -> None:
    assert judge(tomcat_effect("db_pool", "15", "20"), 0.02).word == "worse"
    assert judge(tomcat_effect("db_pool", "20", "30"), 0.02).word == "worse"


def test_the_second_step_is_a_real_loss_but_not_shown_to_pass_3_percent() -> None:
    judgement = judge(tomcat_effect("db_pool", "20", "30"), 0.03)
    assert (judgement.word, judgement.is_different) == ("undecided", True)


def test_on_mean_latency_the_same_runs_decide_nothing() -> None:
    difference = tomcat_effect("heap", "1G", "2G", "mean_ms")
    assert judge(difference, 0.10, "lower").word == "undecided"
    assert (math.exp(difference.narrow_low), math.exp(difference.narrow_high)) == pytest.approx(
        (0.78, 1.29), abs=0.01
    )
    assert judge(difference, 0.03, "lower").word == "undecided"


# --- gunicorn's workers and threads ---------------------------------------------------------------

APIS = ("api1_s", "api2_s", "api3_s", "api4_s")


def cell(series: str, workers: int, threads: int) -> np.ndarray:
    for row in table("gunicorn_workers_threads.csv"):
        if (row["series"], row["workers"], row["threads"]) == (series, str(workers), str(threads)):
            return np.array([float(row[api]) for api in APIS])
    raise LookupError((series, workers, threads))


def test_the_cell_that_was_run_twice_shows_the_noise() -> None:
    change = cell("repeat", 4, 4) / cell("first", 4, 4) - 1
    assert change.min() == pytest.approx(0.075, abs=1e-3)
    assert change.max() == pytest.approx(0.268, abs=1e-3)
    assert cell("repeat", 4, 4).mean() / cell("first", 4, 4).mean() - 1 == pytest.approx(0.17, abs=5e-3)


def repeated(cells: list[int]) -> list[float]:
    """Return ln(second/first) of the mean of the four APIs of cells 4 x threads, run twice.

    The run is the unit: its APIs share its luck.
    """
    return [math.log(cell("repeat", 4, n).mean() / cell("first", 4, n).mean()) for n in cells]


@pytest.mark.parametrize("cells", [[4], [4, 6, 8, 10]])
def test_the_chosen_cell_and_the_faster_one_cannot_be_told_apart(cells: list[int]) -> None:
    noise = noise_of_differences(repeated(cells))
    first, two = cell("repeat", 4, 1).mean(), cell("repeat", 4, 2).mean()
    assert first / two - 1 == pytest.approx(0.108, abs=2e-3)
    # A single run of each: the difference has the noise of both.
    difference = known_noise(math.log(two / first), noise.sd_log * math.sqrt(2), noise.df)
    for margin in (0.03, 0.05):
        assert judge(difference, margin, "lower").word == "undecided"


def test_most_cells_of_that_sweep_may_be_the_best() -> None:
    noise = noise_of_differences(repeated([4, 6, 8, 10]))
    rows = [row for row in table("gunicorn_workers_threads.csv") if row["series"] == "repeat"]
    means = [float(np.mean([float(row[api]) for api in APIS])) for row in rows]
    compared = may_be_best(np.log(means), np.eye(len(rows)), noise.sd_log, noise.df, "lower")
    may_be = {
        f"{row['workers']}x{row['threads']}" for row, place in zip(rows, compared, strict=True) if place
    }
    assert {"4x1", "4x2", "4x8"} <= may_be


def test_the_errors_that_decided_it_decide_nothing() -> None:
    # 0.04 % and 0.25 % of about 2,500 calls.
    share_difference = compare_shares(1, 2500, 6, 2500)
    assert share_difference.p == pytest.approx(0.125, abs=5e-3)
    assert judge_shares(share_difference, 0.001).word == "undecided"


# --- gunicorn's max_requests ----------------------------------------------------------------------


def total_seconds(run: int) -> float:
    row = next(row for row in table("gunicorn_max_requests.csv") if row["run"] == str(run))
    hours, minutes, seconds = (int(part) for part in row["total_time"].split(":"))
    return hours * 3600.0 + minutes * 60 + seconds


def test_the_same_max_requests_twice_differs_by_1_2_percent() -> None:
    assert total_seconds(5) / total_seconds(6) - 1 == pytest.approx(0.012, abs=1e-3)


def test_one_run_each_cannot_show_that_max_requests_costs_nothing() -> None:
    noise = noise_of_differences([math.log(total_seconds(6) / total_seconds(5))])
    for run in (1, 2, 3, 4):
        difference = known_noise(
            math.log(total_seconds(run) / total_seconds(5)), noise.sd_log * math.sqrt(2), noise.df
        )
        assert judge(difference, 0.02, "lower").word == "undecided"


# --- a soak before and after the tuning of its garbage collector ----------------------------------


def test_tuning_the_collector_was_equivalent_at_5_percent_and_undecided_at_3() -> None:
    rows = table("jvm_soak_gc_tuning.csv")
    before, after = (
        [float(row["tps"]) for row in rows if row["phase"] == phase] for phase in ("before", "after")
    )
    logs = np.log(np.array(after) / np.array(before))
    assert np.expm1(logs) == pytest.approx([-0.019, 0.013, 0.009], abs=5e-4)
    difference = known_noise(float(logs.mean()), float(logs.std(ddof=1)) / math.sqrt(3), 2, n=3)
    assert np.expm1([difference.narrow_low, difference.narrow_high]) == pytest.approx(
        [-0.028, 0.031], abs=5e-4
    )
    assert judge(difference, 0.05).word == "equivalent"
    assert judge(difference, 0.03).word == "undecided"
