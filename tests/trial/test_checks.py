"""The rig's testimony about itself: each check on figures that should and should not raise it."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from loadrig._native import Histogram
from loadrig.trial import checks
from loadrig.trial.checks import Finding, NotApplicable, Reason
from loadrig.trial.evidence import Evidence


def of_values(*pairs: tuple[int, int]) -> Histogram:
    histogram = Histogram()
    for value_ns, count in pairs:
        histogram.record(value_ns, count)
    return histogram


def healthy() -> Evidence:
    """A clean open-loop minute: 100/s, 20 ms, an idle generator."""
    random = np.random.default_rng(7)
    return Evidence(
        model="rate",
        keep_alive=True,
        seconds=60.0,
        due=6_000,
        sent=6_000,
        unsent=0,
        no_connection=0,
        capped=0,
        opened=5,
        answered=6_000,
        completed=6_000,
        outcomes=Counter(ok=6_000),
        lag=of_values((20_000, 6_000)),
        response=of_values((20_000_000, 6_000)),
        second_busy=np.full(60, 0.05),
        second_in_flight=random.normal(2.0, 0.1, 60),
        second_p50_ms=random.normal(20.0, 0.1, 60),
        run_delay_share=0.001,
        ports_used=5,
        ports_range=28_000,
        fds=20,
        fds_limit=100_000,
        gaps_s=random.exponential(0.01, 3_000),
        planned_levels=(100.0,),
        spacing="poisson",
        little=(120.0, 120.1),
        checks_body=True,
        most_per_second=10_000.0,
        threads=1,
        cpus=(0,),
    )


def found(check: Callable[[Evidence], Iterator[Finding]], run: Evidence) -> list[tuple[str, str]]:
    return [(item.check, item.level) for item in check(run) if isinstance(item, Reason)]


def test_a_healthy_run_raises_nothing() -> None:
    raised = [item for check in checks.ALL for item in check(healthy())]
    assert raised == []


@pytest.mark.parametrize(("sent", "level"), [(5_990, None), (5_960, "suspect"), (5_900, "void")])
def test_requests_due_but_not_sent(sent: int, level: str | None) -> None:
    assert found(checks.g1_sent, replace(healthy(), sent=sent)) == ([("G1", level)] if level else [])


@pytest.mark.parametrize(("lag_ns", "level"), [(900_000, None), (1_500_000, "suspect"), (2_500_000, "void")])
def test_a_late_generator_is_measured_against_the_latency_it_reports(lag_ns: int, level: str | None) -> None:
    run = replace(healthy(), lag=of_values((lag_ns, 6_000)))
    assert found(checks.g2_lag, run) == ([("G2", level)] if level else [])


def test_a_lag_below_a_tenth_of_a_millisecond_never_counts() -> None:
    run = replace(healthy(), lag=of_values((90_000, 6_000)), response=of_values((200_000, 6_000)))
    assert found(checks.g2_lag, run) == []


@pytest.mark.parametrize(("busy", "level"), [(0.49, None), (0.6, "suspect"), (0.9, "void")])
def test_one_busy_second_is_enough(busy: float, level: str | None) -> None:
    seconds = np.full(60, 0.05)
    seconds[30] = busy
    run = replace(healthy(), second_busy=seconds)
    assert found(checks.g3_busy, run) == ([("G3", level)] if level else [])


@pytest.mark.parametrize(("share", "level"), [(0.009, None), (0.02, "suspect"), (0.06, "void")])
def test_waiting_for_a_core(share: float, level: str | None) -> None:
    run = replace(healthy(), run_delay_share=share)
    assert found(checks.g4_delayed, run) == ([("G4", level)] if level else [])


def test_waiting_for_a_connection_is_suspect_and_giving_up_is_void() -> None:
    assert found(checks.g5_capped, replace(healthy(), capped=3)) == [("G5", "suspect")]
    given_up = replace(healthy(), capped=30, no_connection=30, unsent=30)
    assert found(checks.g5_capped, given_up) == [("G5", "void")]


def test_ports_running_out_is_void_and_running_low_is_suspect() -> None:
    assert found(checks.g6_resources, replace(healthy(), ports_used=15_000)) == [("G6", "suspect")]
    out = replace(healthy(), outcomes=Counter(ok=10, no_ports=1))
    assert found(checks.g6_resources, out) == [("G6", "void")]


def test_evenly_spaced_requests_are_not_poisson() -> None:
    run = replace(healthy(), gaps_s=np.full(3_000, 0.01))
    assert found(checks.g7_gaps, run) == [("G7", "void")]


def test_arrivals_at_the_wrong_rate_are_noticed() -> None:
    run = replace(healthy(), gaps_s=np.random.default_rng(3).exponential(0.0115, 3_000))
    assert found(checks.g7_gaps, run) == [("G7", "void")]


def test_true_poisson_gaps_are_seldom_accused() -> None:
    accused = 0
    for seed in range(200):
        gaps = np.random.default_rng(seed).exponential(0.01, 2_000)
        accused += bool(found(checks.g7_gaps, replace(healthy(), gaps_s=gaps)))
    assert accused <= 7  # 1 % of 200 is 2; seven or more has a probability below 0.5 %


def test_a_queue_that_grows_to_the_end_is_overload_not_a_broken_rig() -> None:
    run = replace(healthy(), second_in_flight=np.linspace(2, 600, 60), completed=5_400)
    assert found(checks.g8_stationary, run) == [("G8", "suspect")]


def test_a_slow_drift_of_the_latency_is_said() -> None:
    drifting = 20.0 + np.linspace(0, 3, 60) + np.random.default_rng(1).normal(0, 0.1, 60)
    assert found(checks.g8_stationary, replace(healthy(), second_p50_ms=drifting)) == [("G8", "suspect")]


@pytest.mark.parametrize(("summed", "level"), [(120.5, None), (122.4, "suspect"), (126.0, "void")])
def test_our_own_accounting_must_agree_with_itself(summed: float, level: str | None) -> None:
    run = replace(healthy(), little=(120.0, summed))
    assert found(checks.g9_little, run) == ([("G9", level)] if level else [])


@pytest.mark.parametrize(("most", "level"), [(1_000.0, None), (150.0, "suspect"), (110.0, "void")])
def test_a_rate_near_the_generators_own_ceiling(most: float, level: str | None) -> None:
    assert found(checks.g10_ceiling, replace(healthy(), most_per_second=most)) == (
        [("G10", level)] if level else []
    )


def test_a_machine_without_a_calibration_says_how_to_get_one() -> None:
    (item,) = checks.g10_ceiling(replace(healthy(), most_per_second=None))
    assert isinstance(item, NotApplicable)
    assert "--calibrate" in item.why


def test_a_server_that_closes_connections_is_a_note_not_a_doubt() -> None:
    assert found(checks.g11_reuse, replace(healthy(), opened=6_000)) == [("G11", "note")]


def test_reused_connections_where_each_should_be_new_are_our_fault() -> None:
    assert found(checks.g11_reuse, replace(healthy(), keep_alive=False, opened=100)) == [("G11", "suspect")]


def test_answers_whose_body_was_not_looked_at_are_noted() -> None:
    assert found(checks.g12_checked, replace(healthy(), checks_body=False)) == [("G12", "note")]


@pytest.mark.parametrize("check", [checks.g1_sent, checks.g5_capped, checks.g7_gaps])
def test_checks_of_the_open_model_say_why_they_do_not_apply(
    check: Callable[[Evidence], Iterator[Finding]],
) -> None:
    items = list(check(replace(healthy(), model="users")))
    assert [type(item) for item in items] == [NotApplicable]
