"""A connection for each request: where it costs something, and whose doing it is."""

from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.evidence import LoadSource, SeriesSource
from loadrig.judgement.facts.opening import credible_share
from loadrig.testing.cases import ACase
from tests.judgement.causes._sockets import REDIS, SERVER_AT, cleared, diagnosis_of, finding, flask, leg


def fast(**more: Any) -> ACase:
    """Return a request of 1.4 ms on a full core, 1 ms of which is opening a connection to redis."""
    return flask(seconds=20, users=20, ok=700.0, in_flight=20.0, latency_s=0.03, cpu=0.98, **more)


def test_a_connection_a_request_to_redis_is_the_root_where_it_is_most_of_a_request(
    snapshot: SnapshotAssertion,
) -> None:
    diagnosis = diagnosis_of(leg(fast(), REDIS, 700.0))
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("connection_churn", "redis")
    assert diagnosis.findings[0].verdict == "likely"
    assert diagnosis.findings[0].effect == snapshot
    assert diagnosis.findings[0].mend == snapshot
    assert diagnosis.findings[0].detail == "to a dependency: redis"
    assert diagnosis.findings[0].gain == pytest.approx(1 / (1 - 1.0 / 1.4), rel=0.01)
    assert [evidence.text for evidence in diagnosis.findings[0].evidence] == snapshot


def test_what_costs_less_than_usual_is_foretold_no_more_than_what_was_seen_allows() -> None:
    """A connection that usually takes 1 ms, and a request that takes 0.7 ms of CPU: it is cheaper here."""
    case = flask(seconds=20, users=20, ok=1_400.0, in_flight=20.0, latency_s=0.015, cpu=0.98)
    churn = finding(diagnosis_of(leg(case, REDIS, 1_400.0)), "connection_churn", "redis")
    assert churn is not None
    assert churn.verdict == "likely"
    assert churn.gain == pytest.approx(1 / (1 - 0.7), rel=0.02)


@pytest.mark.parametrize(
    ("usual_share", "share"), [(0.0, 0.0), (0.3, 0.3), (1.0, 1.0), (1.25, 0.8), (2.0, 0.5), (50.0, 0.4)]
)
def test_the_share_is_believed_less_the_more_the_usual_cost_exceeds_all_that_was_seen(
    usual_share: float, share: float
) -> None:
    assert credible_share(usual_share) == pytest.approx(share)


def test_a_pool_accuses_nobody() -> None:
    case = leg(fast(), REDIS, np.array([20.0] + [0.0] * 19))
    assert finding(diagnosis_of(case), "connection_churn") is None


def test_a_connection_for_four_requests_in_ten_counts_where_it_takes_a_fifth_of_the_core() -> None:
    churn = finding(diagnosis_of(leg(fast(), REDIS, 280.0)), "connection_churn", "redis")
    assert churn is not None
    assert churn.verdict == "likely"
    slower = flask(seconds=20, users=20, ok=100.0, in_flight=20.0, latency_s=0.2, cpu=0.98)
    assert finding(diagnosis_of(leg(slower, REDIS, 40.0)), "connection_churn") is None


def test_a_slow_request_does_not_notice_a_connection_more(snapshot: SnapshotAssertion) -> None:
    case = flask(seconds=20, users=20, ok=20.0, in_flight=20.0, latency_s=1.0, cpu=0.98)
    diagnosis = diagnosis_of(leg(case, REDIS, 20.0))
    assert finding(diagnosis, "connection_churn") is None
    why = cleared(diagnosis, "connection_churn", "redis")
    assert why is not None
    assert why.source == SeriesSource("server", "process.cpu_s", "tree")
    assert why.why == snapshot


def test_where_the_cpu_is_idle_it_is_measured_against_the_time_of_a_request(
    snapshot: SnapshotAssertion,
) -> None:
    case = flask(seconds=20, users=20, ok=100.0, in_flight=20.0, latency_s=0.2, cpu=0.2)
    diagnosis = diagnosis_of(leg(case, REDIS, 100.0))
    assert finding(diagnosis, "connection_churn") is None
    why = cleared(diagnosis, "connection_churn", "redis")
    assert why is not None
    assert why.source == LoadSource("latency_ms")
    assert why.why == snapshot


def test_a_far_dependency_costs_round_trips() -> None:
    far = "10.9.0.5:6379"
    case = flask(far, seconds=20, users=20, ok=300.0, in_flight=20.0, latency_s=0.066, cpu=0.3)
    case.gauge("host", "tcp_sockets.rtt_median_s", f"out:{far}", 0.02)
    churn = finding(diagnosis_of(leg(case, far, 300.0)), "connection_churn")
    assert churn is not None
    assert churn.component == "redis"


def test_sync_workers_that_close_every_connection_are_named_with_what_it_costs(
    snapshot: SnapshotAssertion,
) -> None:
    case = flask(seconds=20, users=20, ok=2_400.0, in_flight=20.0, latency_s=0.008, cpu=0.98, opened=2_400.0)
    churn = finding(diagnosis_of(leg(case, SERVER_AT, 2_400.0)), "connection_churn", "server")
    assert churn is not None
    assert (churn.verdict, churn.detail) == ("likely", "of clients")
    assert churn.mend == snapshot


def test_a_load_that_asks_for_new_connections_accuses_the_load() -> None:
    case = flask(
        seconds=20, users=20, ok=2_400.0, in_flight=20.0, latency_s=0.008, cpu=0.98, opened=2_400.0,
        keep_alive=False,
    )  # fmt: skip
    diagnosis = diagnosis_of(leg(case, SERVER_AT, 2_400.0))
    assert finding(diagnosis, "connection_churn", "server") is None
    churn = finding(diagnosis, "connection_churn", "load")
    assert churn is not None
    assert (churn.verdict, churn.detail) == ("possible", "of the load")


def test_connections_that_replace_failed_ones_are_nobodys_churn() -> None:
    case = flask(
        seconds=20, users=20, ok=50.0, failed={"timeout": 50.0}, in_flight=20.0, latency_s=0.008, opened=51.0
    )
    diagnosis = diagnosis_of(case)
    assert finding(diagnosis, "connection_churn") is None
    assert cleared(diagnosis, "connection_churn") is None


def test_a_healthy_server_with_a_connection_a_request_is_not_accused() -> None:
    case = flask(seconds=30, rate=300.0, ok=300.0, latency_s=0.004, opened=300.0, cpu=0.5)
    leg(leg(case, REDIS, 300.0), SERVER_AT, 300.0)
    assert diagnosis_of(case).findings[0].cause == "healthy"


def test_without_a_look_at_the_server_it_stays_possible() -> None:
    case = ACase(seconds=20, users=20, ok=5_000.0, in_flight=20.0, latency_s=0.0005, opened=5_000.0)
    churn = finding(diagnosis_of(case), "connection_churn")
    assert churn is None or churn.verdict == "possible"


def test_a_dependency_that_counts_its_connections_itself_is_believed() -> None:
    case = fast().counter("redis", "redis.connections", "", 700.0, "1")
    churn = finding(diagnosis_of(case), "connection_churn", "redis")
    assert churn is not None
    assert churn.verdict == "likely"


def test_connections_whose_time_wait_is_cut_short_are_counted_by_who_accepts_them() -> None:
    case = leg(fast(), REDIS, 60.0).counter("redis", "redis.connections", "", 700.0, "1")
    diagnosis = diagnosis_of(case)
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("connection_churn", "redis")


def test_a_long_tail_alone_is_not_brought_about_by_what_each_request_does() -> None:
    case = flask(seconds=30, rate=780.0, ok=780.0, latency_s=0.007, p99_s=0.12, cpu=0.88, opened=780.0)
    diagnosis = diagnosis_of(leg(leg(case, REDIS, 780.0), SERVER_AT, 780.0))
    assert finding(diagnosis, "connection_churn") is None


def test_connections_that_have_no_session_yet_tell_how_long_opening_takes(
    snapshot: SnapshotAssertion,
) -> None:
    """Take 33 connections, of which 3 have a session: 28 that wait, at 27 a second, are a second each."""
    at = "127.0.0.1:5432"
    case = flask(seconds=20, users=40, ok=27.0, in_flight=40.0, latency_s=1.4, cpu=0.86)
    case.tier("postgresql", kind="postgresql", runtime="native", address=at).edge("server", "postgresql", at)
    case.gauge("postgresql", "postgresql.backends", "", 3.0)
    leg(case, at, 27.0)
    case.gauge("host", "tcp_sockets.established", f"out:{at}", 33.0)
    churn = finding(diagnosis_of(case), "connection_churn", "postgresql")
    assert churn is not None
    assert churn.verdict == "likely"
    assert churn.bound == pytest.approx(0.939 * 1.07 / 1.48, rel=0.01)
    assert [evidence.text for evidence in churn.evidence] == snapshot


def test_requests_that_clients_gave_up_excuse_no_connection_behind_the_server() -> None:
    slow = flask(
        seconds=20, users=20, ok=100.0, failed={"timeout": 600.0}, in_flight=20.0, latency_s=0.03, cpu=0.98
    )
    assert finding(diagnosis_of(leg(slow, REDIS, 150.0)), "connection_churn", "redis") is not None


def test_few_connections_count_where_each_is_dear_and_the_database_is_full() -> None:
    """Take 75 sessions of PostgreSQL, a process each, for 2,100 requests of 0.46 ms of its CPU time."""
    at = "127.0.0.1:5432"
    case = flask(seconds=20, users=16, ok=2100.0, in_flight=16.0, latency_s=0.0075, cpu=0.3)
    case.tier("postgresql", kind="postgresql", runtime="native", address=at, cpus=(3,))
    case.edge("server", "postgresql", at).counter("postgresql", "process.cpu_s", "tree", 0.97)
    case.host_cpu([0.2, 0.3, 0.0, 0.99])
    churn = finding(diagnosis_of(leg(case, at, 75.0)), "connection_churn", "postgresql")
    assert churn is not None
    assert churn.gain == pytest.approx(1 / (1 - 75.0 / 2100.0 * 3e-3 / (0.97 / 2100.0)), rel=0.05)
    assert finding(diagnosis_of(leg(case, at, 7.0)), "connection_churn", "postgresql") is None
