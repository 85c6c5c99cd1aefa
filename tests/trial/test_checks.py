"""The rig's testimony about itself: each check on figures that should and should not raise it."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import cramervonmises
from syrupy.assertion import SnapshotAssertion

from loadrig.recording.manifest_document import OtherClient, OthersDocument, SharedCore, WitnessDocument
from loadrig.trial import check_gaps, checks, checks_around
from loadrig.trial.check_others import g16_others
from loadrig.trial.check_steered import g17_steered
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import NotApplicable, Reason, Remark
from loadrig.trial.served import ServedCount
from tests.lengths import length
from tests.trial.clean import agreeing, healthy, of_values, witness


def beside(share: float, how: str = "held") -> WitnessDocument:
    """Return a generator that used so much of the server's core."""
    return witness(shared_core=SharedCore("", share, core=1, thread="nginx", pid=4711, how=how, looks=12))


def reasons_of(
    check: Callable[[ValidityEvidence], Iterator[Remark]], run: ValidityEvidence
) -> list[tuple[str, str]]:
    return [(item.check, item.level) for item in check(run) if isinstance(item, Reason)]


def test_a_healthy_run_raises_nothing() -> None:
    raised = [item for check in checks.ALL for item in check(healthy())]
    assert raised == []


@pytest.mark.parametrize(("unsent", "level"), [(10, None), (40, "disturbed"), (100, "grave")])
def test_requests_due_but_not_sent(unsent: int, level: str | None) -> None:
    assert reasons_of(checks.g1_sent, replace(healthy(), unsent=unsent)) == ([("G1", level)] if level else [])


def test_a_request_whose_connection_was_never_made_failed_by_the_target() -> None:
    assert reasons_of(checks.g1_sent, replace(healthy(), sent=5_000)) == []


def test_a_request_that_timed_out_while_it_waited_for_our_cap_was_left_out() -> None:
    run = replace(healthy(), sent=5_000, capped=900)
    assert reasons_of(checks.g1_sent, run) == [("G1", "grave")]


def test_a_target_that_holds_a_thousand_connections_is_overloaded_and_the_trial_stands() -> None:
    run = replace(healthy(), open_most=1_000, no_connection=2_000, unsent=2_000, capped=2_500)
    assert reasons_of(checks.g1_sent, run) == [("G1", "disturbed")]
    assert reasons_of(checks.g5_capped, run) == []


@pytest.mark.parametrize(
    ("lag_ns", "level"), [(900_000, None), (1_500_000, "disturbed"), (2_500_000, "grave")]
)
def test_a_late_generator_is_measured_against_the_latency_it_reports(lag_ns: int, level: str | None) -> None:
    run = replace(healthy(), lag=of_values((lag_ns, 6_000)))
    assert reasons_of(checks.g2_lag, run) == ([("G2", level)] if level else [])


def test_a_lag_below_a_tenth_of_a_millisecond_never_counts() -> None:
    run = replace(healthy(), lag=of_values((90_000, 6_000)), response=of_values((200_000, 6_000)))
    assert reasons_of(checks.g2_lag, run) == []


@pytest.mark.parametrize(("busy", "level"), [(0.49, None), (0.6, "disturbed"), (0.9, "grave")])
def test_one_busy_second_is_enough(busy: float, level: str | None) -> None:
    seconds = np.full(60, 0.05)
    seconds[30] = busy
    run = replace(healthy(), second_busy=seconds)
    assert reasons_of(checks.g3_busy, run) == ([("G3", level)] if level else [])


@pytest.mark.parametrize(("share", "level"), [(0.009, None), (0.02, "disturbed"), (0.06, "grave")])
def test_waiting_for_a_core(share: float, level: str | None) -> None:
    run = replace(healthy(), run_delay_share=share)
    assert reasons_of(checks.g4_delayed, run) == ([("G4", level)] if level else [])


def test_waiting_for_a_connection_disturbs_and_giving_up_does_so_gravely() -> None:
    assert reasons_of(checks.g5_capped, replace(healthy(), capped=3)) == [("G5", "disturbed")]
    given_up = replace(healthy(), capped=30, no_connection=30, unsent=30)
    assert reasons_of(checks.g5_capped, given_up) == [("G5", "grave")]


def test_ports_running_out_is_void_and_running_low_is_suspect() -> None:
    assert reasons_of(checks.g6_resources, replace(healthy(), ports_used=15_000)) == [("G6", "disturbed")]
    out = replace(healthy(), outcomes=Counter(ok=10, no_ports=1))
    assert reasons_of(checks.g6_resources, out) == [("G6", "grave")]


def test_gaps_of_requests_that_waited_for_the_targets_connections_are_its_own() -> None:
    bunched = replace(healthy(), gaps_s=np.full(3_000, 0.01), wait=of_values((200_000_000, 6_000)))
    assert reasons_of(check_gaps.g7_gaps, bunched) == []
    # Taken up within half a gap: what waits a second for a place in an accept queue waits for the target.
    assert reasons_of(check_gaps.g7_gaps, replace(bunched, lag=of_values((4_000_000, 6_000)))) == []
    late = replace(bunched, lag=of_values((50_000_000, 6_000)))
    assert reasons_of(check_gaps.g7_gaps, late) == [("G7", "disturbed")]


def test_evenly_spaced_requests_are_not_poisson() -> None:
    run = replace(healthy(), gaps_s=np.full(3_000, 0.01))
    assert reasons_of(check_gaps.g7_gaps, run) == [("G7", "disturbed")]


def test_arrivals_at_the_wrong_rate_are_noticed() -> None:
    run = replace(healthy(), gaps_s=np.random.default_rng(3).exponential(0.0115, 3_000))
    assert reasons_of(check_gaps.g7_gaps, run) == [("G7", "disturbed")]


def test_how_many_arrivals_a_seed_has_by_chance_is_no_fault_of_the_generator() -> None:
    gaps = np.random.default_rng(3).exponential(0.0103, 3_000)
    assert reasons_of(check_gaps.g7_gaps, replace(healthy(), gaps_s=gaps, due=5_825)) == []
    assert reasons_of(check_gaps.g7_gaps, replace(healthy(), gaps_s=gaps, due=5_500)) == [("G7", "grave")]


def test_the_gaps_of_two_threads_are_those_of_half_the_rate_each() -> None:
    gaps = np.random.default_rng(5).exponential(0.02, 3_000)
    assert reasons_of(check_gaps.g7_gaps, replace(healthy(), gaps_s=gaps, threads=2)) == []
    assert reasons_of(check_gaps.g7_gaps, replace(healthy(), gaps_s=gaps, threads=1)) == [("G7", "disturbed")]


def test_short_gaps_are_not_judged_by_a_lateness_that_is_allowed() -> None:
    random = np.random.default_rng(6)
    due = np.cumsum(random.exponential(0.0001, 6_001))
    # Taken up at the next multiple of 50 µs: the lateness of a generator that wakes so often.
    gaps = np.diff(np.ceil(due / 50e-6) * 50e-6)
    run = replace(healthy(), gaps_s=gaps, planned_levels=(10_000.0,), due=600_000)
    assert reasons_of(check_gaps.g7_gaps, run) == []
    # Bunched by five milliseconds they are not what was asked for.
    bunched = np.diff(np.ceil(due / 5e-3) * 5e-3)
    assert reasons_of(check_gaps.g7_gaps, replace(run, gaps_s=bunched)) == [("G7", "disturbed")]


def even(**other: Any) -> ValidityEvidence:
    """Return a healthy run of evenly spaced requests, 100 a second for a minute."""
    return replace(healthy(), **{"spacing": "constant", "gaps_s": np.full(3_000, 0.01), **other})


def test_even_gaps_are_what_even_arrivals_have() -> None:
    assert reasons_of(check_gaps.g7_gaps, even()) == []
    late = np.random.default_rng(7).uniform(0, 0.0001, 3_001)
    assert reasons_of(check_gaps.g7_gaps, even(gaps_s=0.01 + np.diff(late))) == []


def test_random_gaps_are_not_what_even_arrivals_have() -> None:
    random = np.random.default_rng(8)
    assert reasons_of(check_gaps.g7_gaps, even(gaps_s=random.exponential(0.01, 3_000))) == [
        ("G7", "disturbed")
    ]
    dense = even(gaps_s=random.exponential(0.0001, 6_000), planned_levels=(10_000.0,), due=600_000)
    assert reasons_of(check_gaps.g7_gaps, dense) == [("G7", "disturbed")]


def test_even_arrivals_leave_nothing_to_chance() -> None:
    assert reasons_of(check_gaps.g7_gaps, even(due=5_999)) == []
    assert reasons_of(check_gaps.g7_gaps, even(due=5_980)) == [("G7", "disturbed")]
    assert reasons_of(check_gaps.g7_gaps, even(due=5_900)) == [("G7", "grave")]


def test_the_even_gaps_of_two_threads_are_those_of_half_the_rate_each() -> None:
    gaps = np.full(3_000, 0.02)
    assert reasons_of(check_gaps.g7_gaps, even(gaps_s=gaps, threads=2)) == []
    assert reasons_of(check_gaps.g7_gaps, even(gaps_s=gaps, threads=1)) == [("G7", "disturbed")]


def test_true_poisson_gaps_are_seldom_accused() -> None:
    accused = 0
    for seed in range(200):
        gaps = np.random.default_rng(seed).exponential(0.01, 2_000)
        accused += bool(reasons_of(check_gaps.g7_gaps, replace(healthy(), gaps_s=gaps)))
    assert accused <= 7  # 1 % of 200 is 2; seven or more has a probability below 0.5 %


def test_a_queue_that_grows_to_the_end_is_overload_not_a_broken_rig() -> None:
    run = replace(healthy(), second_in_flight=np.linspace(2, 600, 60), completed=5_400)
    assert reasons_of(checks.g8_stationary, run) == [("G8", "disturbed")]


def test_a_queue_that_grows_as_a_walk_is_overload_in_twelve_seconds_too() -> None:
    remarks = 0
    for seed in range(100):
        steps = np.random.default_rng(seed).poisson(150, 12) - 100.0
        run = replace(healthy(), second_in_flight=np.cumsum(steps), completed=1_200, due=1_800)
        remarks += any("rate is above" in str(remark) for remark in checks.g8_stationary(run))
    assert remarks == 100


def test_a_slow_drift_of_the_latency_is_said() -> None:
    drifting = 20.0 + np.linspace(0, 3, 60) + np.random.default_rng(1).normal(0, 0.1, 60)
    assert reasons_of(checks.g8_stationary, replace(healthy(), second_p50_ms=drifting)) == [
        ("G8", "disturbed")
    ]


@pytest.mark.parametrize(("summed", "level"), [(120.5, None), (122.4, "disturbed"), (126.0, "void")])
def test_our_own_accounting_must_agree_with_itself(summed: float, level: str | None) -> None:
    run = replace(healthy(), little=(120.0, summed))
    assert reasons_of(checks.g9_little, run) == ([("G9", level)] if level else [])


@pytest.mark.parametrize(("most", "level"), [(1_000.0, None), (150.0, "disturbed"), (110.0, "grave")])
def test_a_rate_near_the_generators_own_ceiling(most: float, level: str | None) -> None:
    assert reasons_of(checks.g10_ceiling, replace(healthy(), most_per_second=most)) == (
        [("G10", level)] if level else []
    )


def test_a_machine_without_a_calibration_says_how_to_get_one() -> None:
    (item,) = checks.g10_ceiling(replace(healthy(), most_per_second=None))
    assert isinstance(item, NotApplicable)
    assert "--calibrate" in item.why


def test_a_server_that_closes_connections_is_not_what_was_asked_for() -> None:
    assert reasons_of(checks_around.g11_reuse, replace(healthy(), opened=6_000)) == [("G11", "disturbed")]


def test_connections_that_a_failure_ended_are_not_held_against_the_server() -> None:
    run = replace(healthy(), opened=1_005, answered=5_000, completed=6_000)
    assert reasons_of(checks_around.g11_reuse, run) == []


def test_many_connections_that_are_kept_are_no_closing() -> None:
    assert reasons_of(checks_around.g11_reuse, replace(healthy(), opened=500, open_most=500)) == []


def test_reused_connections_where_each_should_be_new_are_our_fault() -> None:
    assert reasons_of(checks_around.g11_reuse, replace(healthy(), keep_alive=False, opened=100)) == [
        ("G11", "disturbed")
    ]


def test_answers_whose_body_was_not_looked_at_are_noted() -> None:
    assert reasons_of(checks_around.g12_checked, replace(healthy(), checks_body=False)) == [("G12", "note")]


def test_a_fast_error_is_not_a_fast_server() -> None:
    run = replace(healthy(), outcomes=Counter(ok=5_600, http_5xx=300, timeout=100))
    (reason,) = checks_around.g12_checked(run)
    assert isinstance(reason, Reason)
    assert reason.level == "disturbed"
    assert "6.67 %" in reason.text
    assert "http_5xx" in reason.text


def test_a_few_errors_are_a_figure_and_no_doubt() -> None:
    run = replace(healthy(), outcomes=Counter(ok=5_800, http_5xx=200))
    assert reasons_of(checks_around.g12_checked, run) == []


def test_want_of_ports_is_told_of_once() -> None:
    run = replace(healthy(), outcomes=Counter(ok=600, no_ports=5_400), ports_used=28_000)
    assert reasons_of(checks_around.g12_checked, run) == []
    assert reasons_of(checks.g6_resources, run) == [("G6", "grave")]


def test_redirects_that_nobody_expects_are_not_the_page() -> None:
    assert reasons_of(checks_around.g12_checked, replace(healthy(), unforeseen={"302": 200})) == []
    assert reasons_of(checks_around.g12_checked, replace(healthy(), unforeseen={"302": 6_000})) == [
        ("G12", "disturbed")
    ]


def test_answers_that_were_all_empty_are_named_by_route() -> None:
    (reason,) = checks_around.g12_checked(replace(healthy(), empty_routes=("GET /",)))
    assert isinstance(reason, Reason)
    assert "GET /" in reason.text


@pytest.mark.parametrize(("share", "level"), [(0.009, None), (0.03, "disturbed"), (0.2, "grave")])
@pytest.mark.parametrize("cause", ["throttled_share", "stolen_share"])
def test_every_way_of_not_running_counts(cause: str, share: float, level: str | None) -> None:
    run = replace(healthy(), witness=witness(**{cause: share}))
    assert reasons_of(checks.g4_delayed, run) == ([("G4", level)] if level else [])


@pytest.mark.parametrize(("share", "level"), [(0.0001, "disturbed"), (0.1, "grave")])
def test_any_stop_of_the_generator_is_told(share: float, level: str) -> None:
    run = replace(healthy(), witness=witness(stops=1, stopped_share=share))
    assert reasons_of(checks.g4_delayed, run) == [("G4", level)]


def test_a_frame_that_came_late_means_that_it_stood_still() -> None:
    assert reasons_of(checks.g4_delayed, replace(healthy(), stood_still_s=0.4)) == []
    assert reasons_of(checks.g4_delayed, replace(healthy(), stood_still_s=0.7)) == [("G4", "grave")]
    short = replace(healthy(), frame_s=0.1, stood_still_s=0.15)
    assert reasons_of(checks.g4_delayed, short) == [("G4", "grave")]


def test_a_split_that_agrees_raises_nothing() -> None:
    assert list(checks_around.g13_split(healthy())) == []


@pytest.mark.parametrize(
    ("other", "level"),
    [
        ({"rate_low": 0.025, "rate_high": 0.04}, "disturbed"),
        ({"rate_low": -0.09, "rate_high": -0.06}, "grave"),
        ({"p99_low": 0.2, "p99_high": 0.4}, "disturbed"),  # 0.2 ms of 1 ms
        ({"p99_low": 0.6, "p99_high": 0.9, "has_cores": False}, "grave"),
    ],
)
def test_a_split_that_is_apart_speaks_against_every_trial(other: dict[str, Any], level: str) -> None:
    assert reasons_of(checks_around.g13_split, replace(healthy(), split=agreeing(**other))) == [
        ("G13", level)
    ]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"split": None}, "--calibrate"),
        ({"split": agreeing(rate_low=-0.01, rate_high=0.03)}, "noise"),
        ({"split": agreeing(has_cores=False)}, "three cores"),
        ({"is_plain": False}, "plain"),
        ({"threads": 2}, "one thread"),
        ({"completed": 600_000}, "up to 5,000/s"),
    ],
)
def test_what_was_not_compared_is_not_said_to_agree(change: dict[str, Any], word: str) -> None:
    (item,) = checks_around.g13_split(replace(healthy(), **change))
    assert isinstance(item, NotApplicable)
    assert word in item.why


def test_one_generator_that_is_faster_than_two_is_not_accused() -> None:
    assert agreeing(p99=-0.6, p99_low=-0.9, p99_high=-0.3).level == "agree"


@pytest.mark.parametrize(("share", "level"), [(0.019, None), (0.05, "disturbed"), (0.2, "grave")])
def test_a_generator_on_the_servers_core(share: float, level: str | None) -> None:
    run = replace(healthy(), witness=beside(share))
    assert reasons_of(checks_around.g14_shared_core, run) == ([("G14", level)] if level else [])


def test_what_was_only_seen_says_in_how_many_looks() -> None:
    (reason,) = checks_around.g14_shared_core(replace(healthy(), witness=beside(0.2, "seen")))
    assert isinstance(reason, Reason)
    assert "12 looks" in reason.text
    assert "nginx, process 4711" in reason.text


def test_a_server_that_cannot_be_seen_is_not_said_to_be_apart() -> None:
    (item,) = checks_around.g14_shared_core(
        replace(healthy(), witness=witness(shared_core=SharedCore("the server's process is not known")))
    )
    assert isinstance(item, NotApplicable)


def test_cores_that_were_slower_for_some_time_are_noted(snapshot: SnapshotAssertion) -> None:
    # As on a shared host: a neighbour for twenty seconds of sixty.
    run = replace(healthy(), core_work_s=np.r_[np.full(20, 15e-6), np.full(20, 22e-6), np.full(20, 15e-6)])
    (reason,) = checks_around.g15_core_speed(run)
    assert isinstance(reason, Reason)
    assert (reason.check, reason.level) == ("G15", "note")
    assert reason.text == snapshot  # from 15 µs to 22 µs


def test_even_cores_and_a_single_slow_second_are_not_noted() -> None:
    assert reasons_of(checks_around.g15_core_speed, healthy()) == []
    slow_once = np.full(60, 15e-6)
    slow_once[30] = 60e-6
    assert reasons_of(checks_around.g15_core_speed, replace(healthy(), core_work_s=slow_once)) == []


def test_a_speed_that_was_read_seldom_is_not_judged() -> None:
    (item,) = checks_around.g15_core_speed(replace(healthy(), core_work_s=np.full(7, 15e-6)))
    assert isinstance(item, NotApplicable)


@pytest.mark.parametrize(("step_s", "is_told"), [(0.05, False), (-0.15, False), (0.3, True), (-3600.0, True)])
def test_a_clock_that_was_set_is_told_and_slewing_is_not(step_s: float, is_told: bool) -> None:
    run = replace(healthy(), witness=witness(clock_step_s=step_s))
    assert reasons_of(checks_around.clock_steps, run) == ([("clock", "disturbed")] if is_told else [])


def test_a_recording_from_before_the_witness_is_judged_without() -> None:
    old = replace(healthy(), witness=None, others=None, split=None, core_work_s=np.empty(0))
    raised = [item for check in checks.ALL for item in check(old)]
    assert [item.check for item in raised] == ["G13", "G14", "G15", "G16"]
    assert all(isinstance(item, NotApplicable) for item in raised)


@pytest.mark.parametrize("check", [checks.g1_sent, checks.g5_capped, check_gaps.g7_gaps])
def test_checks_of_the_open_model_say_why_they_do_not_apply(
    check: Callable[[ValidityEvidence], Iterator[Remark]],
) -> None:
    items = list(check(replace(healthy(), model="users")))
    assert [type(item) for item in items] == [NotApplicable]


def others(**facts: Any) -> OthersDocument:
    clients = (OtherClient("wrk, process 7", 2),)
    usual = {"looks": 9, "seen_in": 9, "connections": 2, "is_counted": True, "clients": clients}
    return OthersDocument(**{**usual, **facts})


@pytest.mark.parametrize(
    ("others_read", "level"),
    [
        (others(bytes=50_000), "disturbed"),
        (others(bytes=1_000), None),
        (others(), None),
        (others(seen_in=0, connections=0, clients=()), None),
        (others(is_counted=False), "note"),
    ],
    ids=["a third", "a health check", "idle", "nobody", "a Unix socket"],
)
def test_connections_of_others_are_judged_by_what_came_over_them(
    others_read: OthersDocument, level: str | None
) -> None:
    run = replace(healthy(), others=others_read, sent_bytes=100_000)
    assert reasons_of(g16_others, run) == ([("G16", level)] if level else [])


def test_the_servers_own_count_comes_before_bytes(snapshot: SnapshotAssertion) -> None:
    run = replace(healthy(), others=others(bytes=50_000), sent_bytes=100_000)
    (reason,) = g16_others(replace(run, served=(ServedCount("nginx", 8_000, 6_000),)))
    assert isinstance(reason, Reason)
    assert all(part in reason.text for part in ("25 %", "wrk, process 7"))
    assert reason.text == snapshot
    # What it has counted is ours: a byte or two more over another connection is no load of its own.
    assert reasons_of(g16_others, replace(healthy(), served=(ServedCount("nginx", 6_030, 6_000),))) == []


def test_whose_connections_cannot_be_seen_is_not_checked() -> None:
    (item,) = g16_others(replace(healthy(), others=OthersDocument("no netlink")))
    assert isinstance(item, NotApplicable)


@pytest.mark.parametrize("size", [20, 500, 5_000])
def test_gaps_that_pass_without_a_closer_look_would_pass_it(size: int) -> None:
    rng = np.random.default_rng(size)
    passed = 0
    for _ in range(length(100, 1_000)):
        gaps_s = rng.gamma(3, rng.uniform(0.9, 1.1) / 100, size)
        theirs = cramervonmises(gaps_s, "gamma", args=(3, 0, 1 / 100))
        statistic = check_gaps._statistic(gaps_s, 3, 100)
        assert statistic == pytest.approx(theirs.statistic)
        if statistic < check_gaps.LIKELY_STATISTIC:
            passed += 1
            assert theirs.pvalue > 2 * check_gaps.LEAST_P
    assert passed > 0


def test_a_load_that_was_changed_by_hand_is_told_and_weakens_nothing() -> None:
    assert reasons_of(g17_steered, healthy()) == []
    assert reasons_of(g17_steered, replace(healthy(), steered=("it was ended", "and so on"))) == [
        ("G17", "note")
    ]
