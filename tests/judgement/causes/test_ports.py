"""Ports: who ran out of local ones, and who only looks as if."""

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import LoadSource, SeriesSource
from loadrig.judgement.limits.bottlenecks import judgement_of
from loadrig.judgement.rank import ranked
from loadrig.testing.cases import ACase
from tests.judgement.causes._sockets import (
    FAR_REDIS,
    REDIS,
    SERVER_AT,
    cleared,
    diagnosis_of,
    finding,
    flask,
    leg,
    stack,
)

OPENED = np.array([500.0, 500.0] + [0.0] * 18)
"""A thousand ports that 500 a second use up in two seconds; then nothing is freed for a minute."""


def exhausted(to: str = FAR_REDIS, **failed: float) -> ACase:
    good = np.array([500.0, 500.0] + [2.0] * 18)
    failures = {"http_5xx": 1.0, **failed}
    case = flask(to, seconds=20, users=20, ok=good, failed=failures, in_flight=20.0, latency_s=0.02)
    stack(case, ports=1_000, reuse=0)
    return leg(case, to, OPENED, ports=1_000)


def test_a_range_that_runs_empty_in_mid_run_is_the_root(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnosis_of(exhausted())
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == (
        "dependency_port_exhaustion",
        "server",
    )
    assert diagnosis.findings[0].verdict == "likely"
    assert [evidence.text for evidence in diagnosis.findings[0].evidence] == snapshot
    # Two seconds of 500 and eighteen of 2.
    assert diagnosis.findings[0].gain == pytest.approx(500 / 51.8)


def test_of_ports_that_ran_out_at_both_ends_those_come_first_that_cost_more() -> None:
    case = exhausted(no_ports=1.0).weaken("load", "lost").build()
    client, server = diagnose(case).findings
    assert (client.cause, server.cause) == ("client_port_exhaustion", "dependency_port_exhaustion")
    assert (client.gain or 1.0) < (server.gain or 1.0)
    ordered = ranked(case, (client, server), judgement_of(case))
    assert [finding.cause for finding in ordered] == [server.cause, client.cause]


def test_ports_that_were_never_there_cost_what_fails() -> None:
    case = ACase(seconds=20, users=20, ok=27.0, failed={"http_5xx": 243.0, "no_ports": 30.0}, in_flight=20.0)
    case.tier("server", kind="gunicorn", address="127.0.0.1:8000")
    stack(case, ports=1_000, reuse=0)
    case.gauge("host", "tcp_sockets.port_range_share", f"out:{FAR_REDIS}", 1.0)
    case.gauge("host", "tcp_sockets.time_wait", f"out:{FAR_REDIS}", 997.0)
    findings = diagnosis_of(case).findings
    assert [each.cause for each in findings[:2]] == ["dependency_port_exhaustion", "client_port_exhaustion"]
    assert findings[0].gain == pytest.approx(300 / 57)


def test_ports_that_ran_out_towards_somebody_whom_nobody_reaches_any_more(
    snapshot: SnapshotAssertion,
) -> None:
    case = ACase(seconds=20, users=20, ok=0.0, failed={"http_5xx": 300.0}, in_flight=20.0)
    case.tier("server", kind="nginx").tier("php-fpm").edge("server", "php-fpm", "127.0.0.1:9000")
    stack(case, ports=1_000, reuse=0)
    case.gauge("host", "tcp_sockets.port_range_share", f"out:{FAR_REDIS}", 1.0)
    case.gauge("host", "tcp_sockets.time_wait", f"out:{FAR_REDIS}", 997.0)
    diagnosis = diagnose(case.build())
    first = diagnosis.findings[0]
    assert (first.cause, first.component, first.verdict) == (
        "dependency_port_exhaustion", "php-fpm", "likely",
    )  # fmt: skip
    assert diagnosis.sentence == snapshot


def test_the_missing_pool_is_under_the_ports_that_it_used_up() -> None:
    diagnosis = diagnosis_of(exhausted())
    assert "connection_churn" not in {each.cause for each in diagnosis.findings if each.component == "redis"}


def test_a_range_that_was_empty_from_the_begin_on_is_told_by_the_rate_of_what_is_freed() -> None:
    case = flask(FAR_REDIS, seconds=20, users=20, ok=16.0, failed={"http_5xx": 300.0}, in_flight=20.0)
    stack(case, ports=1_000, reuse=0)
    for metric, value in (("time_wait", 999.0), ("port_range_share", 1.0)):
        case.gauge("host", f"tcp_sockets.{metric}", f"out:{FAR_REDIS}", value)
    for metric in ("opened", "closed_first"):
        case.counter("host", f"tcp_sockets.{metric}", f"out:{FAR_REDIS}", 16.7, "1")
    exhaustion = finding(diagnosis_of(case), "dependency_port_exhaustion")
    assert exhaustion is not None
    assert exhaustion.verdict == "likely"


def test_ports_that_are_used_again_at_once_accuse_nobody(snapshot: SnapshotAssertion) -> None:
    case = flask(FAR_REDIS, seconds=20, users=20, ok=500.0, in_flight=20.0, cpu=0.99)
    stack(case, ports=1_000, reuse=1)
    diagnosis = diagnosis_of(leg(case, FAR_REDIS, 500.0, ports=1_000))
    assert finding(diagnosis, "dependency_port_exhaustion") is None
    why = cleared(diagnosis, "dependency_port_exhaustion")
    assert why is not None
    assert why.source == SeriesSource("host", "tcp_sockets.opened", "out:10.0.0.5:6379")
    assert why.why == snapshot


def test_a_test_too_short_to_fail_says_when_it_would(snapshot: SnapshotAssertion) -> None:
    case = flask(FAR_REDIS, seconds=10, users=20, ok=1_800.0, in_flight=20.0, cpu=0.99)
    stack(case, ports=30_001, reuse=2)
    exhaustion = finding(
        diagnosis_of(leg(case, FAR_REDIS, 1_800.0, ports=30_001)), "dependency_port_exhaustion"
    )
    assert exhaustion is not None
    assert exhaustion.verdict == "possible"
    assert exhaustion.missing[0] == snapshot


def test_loopback_hides_what_two_machines_would_show(snapshot: SnapshotAssertion) -> None:
    case = flask(REDIS, seconds=10, users=20, ok=1_800.0, in_flight=20.0, cpu=0.99)
    diagnosis = diagnosis_of(leg(case, REDIS, 1_800.0))
    assert finding(diagnosis, "dependency_port_exhaustion") is None
    why = cleared(diagnosis, "dependency_port_exhaustion")
    assert why is not None
    assert why.source == SeriesSource("host", "tcp_sockets.port_range_share", "out:127.0.0.1:6379")
    assert why.why == snapshot


def test_many_time_waits_far_below_the_range_are_cleared_by_arithmetic(snapshot: SnapshotAssertion) -> None:
    case = flask(FAR_REDIS, seconds=30, users=20, ok=400.0, in_flight=20.0)
    diagnosis = diagnosis_of(leg(case, FAR_REDIS, 100.0))
    assert finding(diagnosis, "dependency_port_exhaustion") is None
    why = cleared(diagnosis, "dependency_port_exhaustion")
    assert why is not None
    assert why.source == SeriesSource("host", "tcp_sockets.port_range_share", "out:10.0.0.5:6379")
    assert why.why == snapshot


def test_twenty_thousand_time_waits_at_a_listener_accuse_nobody() -> None:
    case = flask(seconds=30, rate=100.0, ok=60.0, failed={"timeout": 40.0})
    case.gauge("host", "tcp_sockets.time_wait", "in:8000", 20_000.0)
    case.gauge("host", "tcp_sockets.time_wait_all", "", 20_000.0)
    diagnosis = diagnosis_of(case)
    for cause in ("dependency_port_exhaustion", "client_port_exhaustion", "time_wait_overflow"):
        assert finding(diagnosis, cause) is None


def test_ports_that_nobody_could_see_leave_a_possibility(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=20, rate=600.0, ok=400.0, failed={"http_5xx": 200.0})
    case.tier("server", kind="gunicorn").tier("redis", kind="redis").edge("server", "redis", FAR_REDIS)
    case.counter("redis", "redis.connections", "", 600.0, "1")
    exhaustion = finding(diagnosis_of(case), "dependency_port_exhaustion")
    assert exhaustion is not None
    assert exhaustion.verdict == "possible"
    assert exhaustion.missing[0] == snapshot


def test_a_program_in_a_network_namespace_of_its_own_is_found_there() -> None:
    good = np.array([500.0, 500.0] + [2.0] * 18)
    case = flask(FAR_REDIS, seconds=20, users=20, ok=good, failed={"http_5xx": 1.0}, in_flight=20.0)
    case.counter("host", "tcp_sockets.active_opens", "@server", 1.0, "1")
    case.gauge("host", "tcp_sockets.port_range", "@server", 1_000.0)
    case.gauge("host", "tcp_sockets.time_wait_reuse", "@server", 0.0)
    exhaustion = finding(
        diagnosis_of(leg(case, f"{FAR_REDIS}@server", OPENED, ports=1_000)), "dependency_port_exhaustion"
    )
    assert exhaustion is not None
    assert exhaustion.verdict == "likely"


def run_out() -> ACase:
    case = flask(seconds=10, users=10, ok=100.0, failed={"no_ports": 900.0}, opened=1_000.0, keep_alive=False)
    stack(case, ports=1_000, reuse=0)
    return leg(case, SERVER_AT, OPENED[:10], ports=1_000)


@pytest.mark.parametrize("level", ["void", "grave"])
def test_a_generator_without_ports_accuses_itself_whatever_else_can_be_said(
    level: str, snapshot: SnapshotAssertion
) -> None:
    case = run_out().remark("G6", level, "the generator ran out of local ports 9,000 times")
    diagnosis = diagnosis_of(case)
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == (
        "client_port_exhaustion",
        "generator",
    )
    assert diagnosis.findings[0].verdict == "likely"
    assert diagnosis.findings[0].gain == pytest.approx(10.0)
    assert diagnosis.findings[0].mend == snapshot


def test_half_the_ports_used_and_none_wanting_is_no_limit_of_the_generator(
    snapshot: SnapshotAssertion,
) -> None:
    case = stack(flask(seconds=10, users=10, ok=60.0, in_flight=10.0), ports=1_000, reuse=0)
    diagnosis = diagnosis_of(leg(case, SERVER_AT, 60.0, ports=1_000))
    assert finding(diagnosis, "client_port_exhaustion") is None
    why = cleared(diagnosis, "client_port_exhaustion")
    assert why is not None
    assert why.source == LoadSource("outcomes")
    assert why.why == snapshot


def test_a_server_that_closes_every_connection_is_named_in_the_mend(snapshot: SnapshotAssertion) -> None:
    case = flask(seconds=10, users=10, ok=100.0, failed={"no_ports": 10.0}, opened=110.0)
    case.remark("G6", "grave", "the generator ran out of local ports 100 times")
    case.weaken("load", "lost")
    exhaustion = diagnose(leg(stack(case, ports=1_000), SERVER_AT, 110.0, ports=1_000).build()).findings[0]
    assert exhaustion.cause == "client_port_exhaustion"
    assert exhaustion.mend == snapshot
