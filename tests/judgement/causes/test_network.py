"""Queues, tables, cables and limits of the network, each told from its neighbours."""

from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.causes import accept_backlog
from loadrig.judgement.evidence import LoadSource, SeriesSource
from loadrig.judgement.rank import slowest
from loadrig.testing.cases import ACase
from tests.judgement.causes._sockets import SERVER_AT, cleared, diagnosis_of, finding, flask, stack

TURNED_AWAY = np.array([0.0, 20.0] * 15)


def bursts(
    queue: object, away: object = TURNED_AWAY, backlog: float = 5.0, *, cpu: float = 0.2, due: float = 200.0
) -> ACase:
    """Return a server of unknown make, with room, whose listener was looked at."""
    case = ACase(seconds=30, rate=due, ok=200.0, in_flight=3.0, latency_s=0.01, p99_s=1.02, opened=200.0)
    case.tier("server", kind="program", cpus=(1,), address=SERVER_AT)
    case.counter("server", "process.cpu_s", "tree", cpu).host_cpu([0.2, cpu])
    stack(case)
    case.gauge("host", "tcp_sockets.accept_queue", "in:8000", np.broadcast_to(np.asarray(queue), 30))
    case.gauge("host", "tcp_sockets.backlog", "in:8000", backlog)
    for counter in ("listen_overflows", "listen_drops"):
        case.counter("host", f"tcp_sockets.{counter}", "", np.broadcast_to(np.asarray(away), 30), "1")
    return case


def test_bursts_that_a_short_backlog_turns_away_are_the_root(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnosis_of(bursts(np.array([0.0, 6.0] * 15)))
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("accept_backlog", "server")
    assert diagnosis.findings[0].verdict == "likely"
    assert LoadSource("latency_ms") in [evidence.source for evidence in diagnosis.findings[0].evidence]
    assert [evidence.text for evidence in diagnosis.findings[0].evidence] == snapshot


@pytest.mark.parametrize(("p99_s", "is_known"), [(3.1, True), (0.1, False)], ids=["came again", "did not"])
def test_a_queue_that_was_full_between_two_looks_is_known_by_those_who_came_again(
    p99_s: float, *, is_known: bool
) -> None:
    """One connection was seen in it at most; the slowest answers took as long as a client waits."""
    observed = bursts(np.array([0.0, 1.0] * 15))
    observed.load = replace(observed.load, quantiles={0.5: 0.01, 0.99: p99_s})
    (claim,) = accept_backlog.examine(observed.build())
    assert all(sign.holds for sign in claim.signs) is is_known


def test_a_queue_that_turned_nobody_away_is_cleared(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnosis_of(bursts(5.0, 0.0))
    assert finding(diagnosis, "accept_backlog") is None
    why = cleared(diagnosis, "accept_backlog")
    assert why is not None
    assert why.source == SeriesSource("host", "tcp_sockets.listen_overflows")
    assert why.why == snapshot


def test_a_full_queue_before_busy_workers_is_their_symptom() -> None:
    case = flask(seconds=30, users=40, ok=10.0, in_flight=40.0, latency_s=3.0, p99_s=8.5, cpu=0.02)
    stack(case)
    case.gauge("host", "tcp_sockets.accept_queue", "in:8000", 6.0)
    case.gauge("host", "tcp_sockets.backlog", "in:8000", 5.0)
    case.counter("host", "tcp_sockets.listen_overflows", "", 30.0, "1")
    diagnosis = diagnosis_of(case)
    assert "accept_backlog" not in {each.cause for each in diagnosis.findings}
    assert finding(diagnosis, "accept_backlog") is not None


def test_a_queue_before_a_full_cpu_is_its_symptom() -> None:
    diagnosis = diagnosis_of(bursts(6.0, cpu=0.99, due=300.0))
    assert diagnosis.findings[0].cause == "host_cpu"
    assert finding(diagnosis, "accept_backlog") is not None
    assert "accept_backlog" not in {each.cause for each in diagnosis.findings}


def lossy(*, again: float = 10.0, away: float = 0.0, p99_s: float = 0.25) -> ACase:
    case = ACase(seconds=30, rate=200.0, ok=200.0, latency_s=0.01, p99_s=p99_s)
    case.tier("server", kind="program", cpus=(1,), address=SERVER_AT)
    case.counter("server", "process.cpu_s", "tree", 0.2).host_cpu([0.2, 0.2])
    stack(case)
    case.counter("host", "tcp_sockets.sent_segments", "", 1_000.0, "1")
    case.counter("host", "tcp_sockets.retransmitted_segments", "", again, "1")
    case.counter("host", "tcp_sockets.listen_drops", "", away, "1")
    return case


def test_lost_packets_are_the_root_of_a_tail_of_200_ms() -> None:
    diagnosis = diagnosis_of(lossy())
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("packet_loss", "host")
    assert diagnosis.findings[0].verdict == "likely"


@pytest.mark.parametrize(("needless", "is_accused"), [(0.4, True), (9.8, False)])
def test_segments_that_had_arrived_already_are_not_lost(needless: float, is_accused: bool) -> None:
    """The kernel asks by the last segment whether all came; who reads late says that it did."""
    case = lossy().counter("host", "tcp_sockets.needless_segments", "", needless, "1")
    assert ("packet_loss" in {each.cause for each in diagnosis_of(case).findings}) is is_accused


def test_a_loss_that_few_requests_met_is_possible_where_no_goal_says_how_many_may_be_late() -> None:
    case = lossy(p99_s=0.015)
    assert slowest(case.build()) == ()
    case.load.quantiles[0.999] = 0.21  # type: ignore[index]
    (finding,) = slowest(case.build())
    assert (finding.cause, finding.verdict, finding.harms) == ("packet_loss", "possible", ())


@pytest.mark.parametrize(
    "case",
    [lossy(away=9.0), lossy(p99_s=0.15), lossy(again=1.0)],
    ids=["clients that knock again", "answers that are not late", "a few"],
)
def test_segments_sent_again_are_not_always_a_loss_that_hurts(
    case: ACase, snapshot: SnapshotAssertion
) -> None:
    diagnosis = diagnosis_of(case)
    assert finding(diagnosis, "packet_loss") is None
    why = cleared(diagnosis, "packet_loss")
    assert why is not None
    assert why.why == snapshot


def tracked(share: float, failed: float = 50.0) -> ACase:
    case = lossy(p99_s=1.05)
    case.gauge("host", "tcp_sockets.conntrack_share", "", share)
    case.gauge("host", "tcp_sockets.conntrack_entries", "", share * 65_536)
    case.load.outcomes["connect_timeout"] = np.full(30, failed)  # type: ignore[index]
    return case


def test_a_full_table_explains_the_loss_that_it_makes() -> None:
    diagnosis = diagnosis_of(tracked(1.0))
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("conntrack_full", "host")
    assert "packet_loss" in {symptom.cause for symptom in diagnosis.findings[0].symptoms}


def test_a_large_table_that_is_not_full_is_cleared() -> None:
    diagnosis = diagnosis_of(tracked(0.8))
    assert finding(diagnosis, "conntrack_full") is None
    assert cleared(diagnosis, "conntrack_full") is not None


def wide(*, queued: float = 3e6, unread: float = 0.0, cpu: float = 0.15) -> ACase:
    case = ACase(seconds=30, users=20, ok=120.0, in_flight=20.0, latency_s=0.17)
    case.load.bytes[:] = 24e6
    case.tier("server", kind="program", cpus=(1,), address=SERVER_AT)
    case.counter("server", "process.cpu_s", "tree", cpu).host_cpu([0.2, cpu])
    stack(case)
    case.gauge("host", "tcp_sockets.established", "in:8000", 20.0)
    case.gauge("host", "tcp_sockets.established", f"out:{SERVER_AT}", 20.0)
    case.gauge("host", "tcp_sockets.send_queue_bytes", "in:8000", queued)
    if unread:
        case.gauge("host", "tcp_sockets.receive_queue_bytes", f"out:{SERVER_AT}", unread)
    return case.counter("host", "network.sent_bytes", "eth0", 24.5e6, "B")


def test_answers_that_wait_to_be_sent_are_the_networks_doing(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnosis_of(wide())
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("network_bandwidth", "host")
    assert diagnosis.findings[0].verdict == "likely"
    assert SeriesSource("host", "tcp_sockets.send_queue_bytes", "in:8000") in [
        evidence.source for evidence in diagnosis.findings[0].evidence
    ]
    assert [evidence.text for evidence in diagnosis.findings[0].evidence] == snapshot


def test_a_queue_that_stood_while_a_server_warmed_up_is_no_slow_network() -> None:
    """Its bytes weigh in the mean, of which most answers, quick as they are, know nothing."""
    case = wide(queued=0.0)
    case.load.in_flight[:] = np.where(np.arange(30) < 2, 600.0, 1.0)
    case.load = replace(case.load, quantiles={0.5: 0.001, 0.99: 2.0})
    case.gauge("host", "tcp_sockets.send_queue_bytes", "in:8000", np.where(np.arange(30) < 2, 150_000.0, 0.0))
    assert finding(diagnosis_of(case), "network_bandwidth") is None


def test_a_link_at_its_speed_is_named_by_it(snapshot: SnapshotAssertion) -> None:
    case = wide(queued=0.0).gauge("host", "network.link_bytes", "eth0", 26e6, "B")
    root = diagnosis_of(case).findings[0]
    assert root.cause == "network_bandwidth"
    assert [evidence.text for evidence in root.evidence] == snapshot


@pytest.mark.parametrize(
    "case", [wide(unread=2.9e6), wide(queued=3e5), wide(cpu=0.99)], ids=["a slow reader", "short", "full CPU"]
)
def test_a_queue_to_send_is_not_always_the_network(case: ACase) -> None:
    assert (
        diagnosis_of(case).findings[:1] == () or diagnosis_of(case).findings[0].cause != "network_bandwidth"
    )


def overflowing(resets: float) -> ACase:
    case = flask(seconds=30, rate=700.0, ok=700.0 - resets, failed={"reset": resets})
    case.counter("host", "tcp_sockets.time_wait_overflows", "", 1_000.0, "1")
    case.gauge("host", "tcp_sockets.time_wait_share", "", 1.0)
    return case.gauge("host", "tcp_sockets.time_wait_all", "", 400.0)


def test_cut_short_time_waits_with_resets_are_told() -> None:
    overflow = finding(diagnosis_of(overflowing(20.0)), "time_wait_overflow")
    assert overflow is not None
    assert overflow.component == "host"


def test_a_count_at_its_limit_alone_costs_nothing(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnosis_of(overflowing(0.0))
    assert finding(diagnosis, "time_wait_overflow") is None
    why = cleared(diagnosis, "time_wait_overflow")
    assert why is not None
    assert why.source == LoadSource("outcomes")
    assert why.why == snapshot


def held_back(a_second: float, latency_s: float = 0.044) -> ACase:
    """Return eight users, and acknowledgements that were held back."""
    rps = 8 / latency_s
    case = ACase(seconds=20, users=8, ok=rps, in_flight=8.0, latency_s=latency_s)
    case.tier("server", kind="program", cpus=(1,), address=SERVER_AT)
    case.counter("server", "process.cpu_s", "tree", 0.03).host_cpu([0.1, 0.03])
    stack(case)
    return case.counter("host", "tcp_sockets.delayed_acks", "", a_second, "1")


def test_answers_that_wait_for_acknowledgements_are_told_with_what_it_costs(
    snapshot: SnapshotAssertion,
) -> None:
    root = diagnosis_of(held_back(180.0)).findings[0]
    assert (root.cause, root.component, root.verdict) == ("delayed_ack", "server", "likely")
    assert root.bound == pytest.approx(40 / 44, rel=0.05)
    assert [evidence.text for evidence in root.evidence] == snapshot


@pytest.mark.parametrize(("a_second", "latency_s"), [(12.0, 0.044), (20.0, 0.3), (400.0, 0.004)])
def test_few_of_them_or_of_little_weight_explain_nothing(a_second: float, latency_s: float) -> None:
    # Of a request of 4 ms none was held up, whatever the counter says of others.
    assert finding(diagnosis_of(held_back(a_second, latency_s)), "delayed_ack") is None
