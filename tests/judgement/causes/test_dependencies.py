"""Dependencies that are slow, asked too often, or hold everybody up."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.causes import slow_dependency
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import LoadSource, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.commands import slowest_command
from loadrig.testing.cases import ACase
from tests.judgement.causes._shop import accused, cleared, diagnosed, first, shop
from tests.judgement.causes._sockets import stack


def slow(**figures: float) -> ACase:
    """Return a service that takes 400 ms for each answer, and does nothing meanwhile."""
    return shop("rates", **{"ok": 100.0, "connections": 40.0, "alone_s": 0.4, **figures})  # type: ignore[arg-type]


def chatty(
    behind: str = "redis", *, each: float = 40.0, ok: float = 200.0, rows: float = 1.0, **figures: float
) -> ACase:
    """Return forty look-ups for each request; packing and unpacking them fills the core. rows: of each."""
    case = shop(behind, **{"ok": ok, "own_cpu": 0.7, "its_cpu": 0.2, "users": 20.0, **figures})  # type: ignore[arg-type]
    if behind == "redis":
        case.counter("redis", "redis.commands", "", each * ok)
        case.counter("redis", "redis.command_calls", "command:get", each * ok)
        case.counter("redis", "redis.command_s", "command:get", each * ok * 1.5e-6)
    elif behind == "mariadb":
        case.counter("mariadb", "mariadb.questions", "", each * ok)
        case.counter("mariadb", "mariadb.rows_sent", "", each * ok)
    else:
        case.counter("postgresql", "postgresql.commits", "", each * ok)
        case.counter("postgresql", "postgresql.rows_fetched", "", rows * each * ok)
    return case.counter(behind, "process.voluntary_switches", "tree", each * ok)


def with_keys(*, ok: float = 50.0, its_cpu: float = 0.85) -> ACase:
    """Return a server that gives KEYS over 100,000 keys in each request: 17 ms for nobody else."""
    case = shop("redis", ok=ok, users=20.0, connections=20.0, own_cpu=0.05, its_cpu=its_cpu)
    case.counter("redis", "redis.command_s", "command:keys", min(1.0, 0.017 * ok))
    case.counter("redis", "redis.command_calls", "command:keys", ok)
    for at_s in range(3, 28, 4):
        case.event(at_s, "slow_command", "redis", "keys k:*", duration_s=0.018)
    return case


def test_a_slow_service_holds_all_requests(snapshot: SnapshotAssertion) -> None:
    finding = first(slow())
    assert (finding.cause, finding.component, finding.verdict) == ("slow_dependency", "rates", "likely")
    assert finding.effect == snapshot


@pytest.mark.parametrize(("busy", "is_slow"), [(38.0, False), (0.2, True)], ids=["on the way", "arrived"])
def test_calls_that_wait_for_an_acknowledgement_say_nothing_of_a_service(
    busy: float, is_slow: bool, snapshot: SnapshotAssertion
) -> None:
    """All requests await the service; the kernel counts how many of the calls are still being sent."""
    out, case = "out:127.0.0.1:9000", stack(slow())
    case.gauge("server", "socket_stages.awaiting", out, 40.0)
    case.counter("server", "socket_stages.busy_s", out, busy)
    case.counter("host", "tcp_sockets.delayed_acks", "", case.load.ok_rps, "1")
    assert ("slow_dependency" in accused(case)) == is_slow
    if not is_slow:
        finding = first(case)
        assert (finding.cause, finding.component, finding.effect, finding.mend) == snapshot


def balanced(other_s: float, *, cpu: float = 0.05, rate: float | None = None) -> ACase:
    """Return two programs behind a proxy, 200 requests a second to each: they take 80 ms, and other_s."""
    usual: dict[str, float | None] = {"users": 0.0 if rate else 20.0, "rate": rate}
    case = ACase(seconds=30, ok=400.0, in_flight=20.0, **usual)  # type: ignore[arg-type]
    case.tier("server", kind="haproxy").counter("server", "process.cpu_s", "tree", 0.05)
    for port, seconds in ((9000, 0.08), (9001, other_s)):
        name, role = f"app:{port}", f"out:127.0.0.1:{port}"
        case.tier(name, kind="program", runtime="go", cpus=(1,)).edge("server", name, f"127.0.0.1:{port}")
        case.counter(name, "process.cpu_s", "tree", cpu if port == 9000 else 0.05)
        case.counter("server", "socket_stages.segments", role, 200.0)
        case.gauge("server", "socket_stages.awaiting", role, 200.0 * seconds)
    return case


@pytest.mark.parametrize(
    ("other_s", "cpu", "is_slow"),
    [(0.004, 0.05, True), (0.06, 0.05, False), (0.004, 0.98, False)],
    ids=["slower", "alike", "its core is full"],
)
def test_of_programs_beside_each_other_one_is_far_slower(
    other_s: float, cpu: float, is_slow: bool, snapshot: SnapshotAssertion
) -> None:
    case = balanced(other_s, cpu=cpu)
    findings = [(finding.cause, finding.component) for finding in diagnosed(case).findings]
    assert (("slow_dependency", "app:9000") in findings) == is_slow
    if is_slow:
        assert (first(case).effect, first(case).mend) == snapshot


@pytest.mark.parametrize(("other_s", "is_told"), [(0.004, True), (0.06, False)], ids=["slower", "alike"])
def test_a_slower_program_is_possible_where_an_open_load_is_answered_in_time(
    other_s: float, *, is_told: bool
) -> None:
    case = balanced(other_s, rate=400.0).build()
    assert case.harms == {}
    claims = slow_dependency.where_nothing_is_wrong(case)
    assert [claim.component for claim in claims] == (["app:9000"] if is_told else [])


@pytest.mark.parametrize(("at_work", "is_told"), [(39.0, False), (0.2, True)], ids=["locked", "not there"])
def test_a_call_that_a_database_works_on_is_not_on_its_way(at_work: float, *, is_told: bool) -> None:
    """A database acknowledges late what it answers late: a row lock holds up its sessions, and no segment."""
    case = stack(shop("mariadb", ok=100.0, connections=40.0, alone_s=0.4))
    case.gauge("mariadb", "mariadb.threads_running", "", at_work)
    case.gauge("server", "socket_stages.awaiting", "out:127.0.0.1:3306", 40.0)
    case.counter("server", "socket_stages.busy_s", "out:127.0.0.1:3306", 38.0)
    case.counter("host", "tcp_sockets.delayed_acks", "", 100.0, "1")
    assert ("delayed_ack" in accused(case)) is is_told


def test_a_service_that_nobody_can_look_into_is_accused_by_what_waits_for_it() -> None:
    finding = first(slow(its_cpu=None))  # type: ignore[arg-type]
    assert (finding.cause, finding.verdict) == ("slow_dependency", "likely")


def test_a_service_with_a_full_cpu_is_overloaded_and_not_slow() -> None:
    assert "slow_dependency" not in accused(slow(its_cpu=0.88))


def test_retries_show_as_connections_for_each_request(snapshot: SnapshotAssertion) -> None:
    finding = first(slow(ok=10.0, opened=29.0, alone_s=0.3))
    assert finding.cause == "slow_dependency"
    assert SeriesSource("host", "tcp_sockets.established", "out:127.0.0.1:9000") in [
        evidence.source for evidence in finding.evidence
    ]
    assert [evidence.text for evidence in finding.evidence] == snapshot


def test_calls_that_were_given_up_show_as_half_closed_connections(snapshot: SnapshotAssertion) -> None:
    case = slow(ok=10.0).gauge("host", "tcp_sockets.fin_wait2", "out:127.0.0.1:9000", 46.0)
    assert first(case).evidence[0].source == SeriesSource(
        "host", "tcp_sockets.fin_wait2", "out:127.0.0.1:9000"
    )
    assert first(case).evidence[0].text == snapshot


def test_where_every_request_fails_there_is_no_median_to_tell(snapshot: SnapshotAssertion) -> None:
    case = slow(ok=0.0, failed={"status": 100.0})  # type: ignore[arg-type]
    case.load = replace(case.load, quantiles={})
    finding = next(each for each in diagnosed(case).findings if each.cause == "slow_dependency")
    assert finding.effect == snapshot


def test_a_server_that_is_busy_itself_does_not_wait() -> None:
    assert "slow_dependency" not in accused(slow(own_cpu=0.9))


def test_kept_connections_of_a_database_that_idles_are_no_wait(snapshot: SnapshotAssertion) -> None:
    case = shop("mariadb", ok=100.0, connections=40.0, alone_s=0.4)
    case.gauge("mariadb", "mariadb.threads_running", "", 0.2)
    assert "slow_dependency" not in accused(case)
    clearance = cleared(case, "slow_dependency")
    assert clearance.source == SeriesSource("mariadb", "mariadb.threads_running")
    assert clearance.why == snapshot


def test_kept_connections_of_a_cache_that_idles_are_no_wait() -> None:
    case = shop("redis", ok=100.0, connections=40.0, alone_s=0.4)
    case.counter("redis", "redis.command_s", "command:get", 0.001)
    assert "slow_dependency" not in accused(case)


def test_a_database_that_sleeps_on_its_statements_is_slow() -> None:
    case = shop("postgresql", ok=100.0, connections=40.0, alone_s=0.4)
    case.gauge("postgresql", "postgresql.sessions", "active", 39.0)
    case.gauge("postgresql", "postgresql.waits", "Timeout:PgSleep", 39.0)
    finding = first(case)
    assert (finding.cause, finding.component) == ("slow_dependency", "postgresql")


def test_where_requests_wait_for_workers_it_is_only_possible() -> None:
    findings = [
        finding
        for finding in diagnosed(slow(users=400.0, ok=100.0)).findings
        if finding.cause == "slow_dependency"
    ]
    assert all(finding.verdict == "possible" for finding in findings)


@pytest.mark.parametrize("rate", [30.0, 60.0, 85.0])
def test_a_service_that_takes_its_time_harms_nobody_by_itself(rate: float) -> None:
    assert accused(slow(rate=rate, ok=rate)) == {"healthy"}


@pytest.mark.parametrize("behind", ["redis", "mariadb", "postgresql"])
def test_forty_round_trips_a_request_are_too_many(behind: str, snapshot: SnapshotAssertion) -> None:
    finding = first(chatty(behind))
    assert (finding.cause, finding.component, finding.verdict) == ("n_plus_one", "server", "likely")
    assert finding.effect == snapshot
    assert finding.detail.endswith(f": {behind}")
    assert "host_cpu" in {symptom.cause for symptom in finding.symptoms}


def test_the_statement_that_is_repeated_is_named(snapshot: SnapshotAssertion) -> None:
    case = chatty("mariadb")
    case.counter("mariadb", "mariadb.digest_calls", "digest:SELECT name FROM items WHERE id = ?", 7900.0)
    case.counter("mariadb", "mariadb.digest_calls", "digest:SELECT id FROM orders", 100.0)
    assert first(case).effect == snapshot


def test_a_handful_of_statements_is_cleared_with_its_number(snapshot: SnapshotAssertion) -> None:
    case = chatty("mariadb", each=6.0)
    assert "n_plus_one" not in accused(case)
    clearance = cleared(case, "n_plus_one")
    assert clearance.source == SeriesSource("mariadb", "mariadb.questions")
    assert clearance.why == snapshot


def test_a_number_that_is_neither_small_nor_large_is_a_question() -> None:
    (finding,) = [
        each for each in diagnosed(chatty("mariadb", each=9.0)).findings if each.cause == "n_plus_one"
    ]
    assert finding.verdict == "possible"


@pytest.mark.parametrize(("others", "verdict"), [(10.0, "likely"), (900.0, "possible")])
def test_nine_of_the_same_that_cost_most_of_a_request_are_too_many(others: float, verdict: str) -> None:
    case = chatty("mariadb", each=9.0)
    case.counter("mariadb", "mariadb.digest_calls", "digest:SELECT name FROM items WHERE id = ?", 1790.0)
    case.counter("mariadb", "mariadb.digest_calls", "digest:SELECT id FROM orders", others)
    (finding,) = [each for each in diagnosed(case).findings if each.cause == "n_plus_one"]
    assert finding.verdict == verdict


def test_twelve_cheap_commands_in_a_long_request_are_no_cause() -> None:
    case = chatty("redis", each=12.0, ok=15.0, own_cpu=0.95, its_cpu=0.01)
    assert "n_plus_one" not in accused(case)


def test_commands_in_one_packet_are_one_round_trip(snapshot: SnapshotAssertion) -> None:
    case = chatty("redis").counter("redis", "process.voluntary_switches", "tree", 210.0)
    (finding,) = [each for each in diagnosed(case).findings if each.cause == "n_plus_one"]
    assert finding.verdict == "possible"
    assert finding.missing[0] == snapshot


def test_transactions_that_may_be_parts_of_statements_are_not_sure(snapshot: SnapshotAssertion) -> None:
    assert first(chatty("postgresql", each=15.0)).verdict == "likely"
    case = chatty("postgresql", each=15.0, rows=1 / 3)
    finding = next(
        each
        for root in diagnosed(case).findings
        for each in (root, *root.symptoms)
        if each.cause == "n_plus_one"
    )
    assert finding.verdict == "possible"
    assert finding.missing[0] == snapshot


def closed(each: float) -> ACase:
    """Return a database that lets nobody look in, with so many messages of each request on the way to it."""
    case = shop("postgresql", ok=200.0, own_cpu=0.7, its_cpu=0.2, users=20.0)
    return case.counter("server", "socket_stages.segments", "out:127.0.0.1:5432", 200.0 * each)


@pytest.mark.parametrize(("each", "verdict"), [(40.0, "likely"), (12.0, "possible")])
def test_what_a_closed_database_is_asked_is_seen_on_the_way_to_it(each: float, verdict: str) -> None:
    """Forty are many statements, however many messages a driver needs for one; twelve may be four of them."""
    (finding,) = [
        finding
        for root in diagnosed(closed(each)).findings
        for finding in (root, *root.symptoms)
        if finding.cause == "n_plus_one"
    ]
    assert (finding.component, finding.verdict) == ("server", verdict)


@pytest.mark.parametrize(("driver", "verdict"), [("psycopg2", "likely"), ("", "possible")])
def test_messages_of_a_driver_that_sends_a_statement_at_once_are_statements(
    driver: str, verdict: str
) -> None:
    case = closed(14.0).build()
    server = structs.replace(case.components[0], settings={**case.components[0].settings, "driver": driver})
    case = replace(case, components=(server, *case.components[1:]))
    roots = diagnose(case).findings
    (finding,) = [each for root in roots for each in (root, *root.symptoms) if each.cause == "n_plus_one"]
    assert finding.verdict == verdict


def test_a_handful_of_messages_are_not_many_statements() -> None:
    assert "n_plus_one" not in accused(closed(4.0))


def calling(calls: float, *, answers: float | None = None) -> ACase:
    """Return a server that calls a service for each thing it needs. answers: messages back."""
    case = shop("rates", ok=100.0, own_cpu=0.85, its_cpu=0.1, users=20.0)
    case.counter("server", "socket_stages.segments", "out:127.0.0.1:9000", 100.0 * calls)
    back = calls if answers is None else answers
    return case.counter("rates", "socket_stages.segments", "in:9000", 100.0 * back)


def test_fifteen_calls_of_a_service_a_request_are_too_many(snapshot: SnapshotAssertion) -> None:
    """Calls that cost a full server most of its CPU are the cause, whatever protocol they speak."""
    finding = first(calling(15.0))
    assert (finding.cause, finding.component, finding.verdict) == ("n_plus_one", "server", "likely")
    assert (finding.effect, finding.mend) == snapshot


def test_one_long_message_in_many_pieces_is_one_call() -> None:
    assert first(calling(40.0)).cause == "n_plus_one"
    assert "n_plus_one" not in accused(calling(40.0, answers=1.0))


def test_keys_that_memcached_is_asked_for_together_are_one_question() -> None:
    def asking(messages: float) -> ACase:
        case = shop("memcached", ok=200.0, own_cpu=0.7, its_cpu=0.1, users=20.0)
        case.counter("memcached", "memcached.gets", "", 200.0 * 40)
        return case.counter("server", "socket_stages.segments", "out:127.0.0.1:11211", 200.0 * messages)

    assert first(asking(40.0)).cause == "n_plus_one"
    assert "n_plus_one" not in accused(asking(1.0))


def test_dear_statements_are_not_many_small_ones() -> None:
    case = chatty("mariadb", each=40.0, ok=10.0, own_cpu=0.05, its_cpu=0.9)
    assert first(case).cause == "database_cpu"


def test_a_command_that_holds_the_thread_is_named(snapshot: SnapshotAssertion) -> None:
    finding = first(with_keys())
    assert (finding.cause, finding.component, finding.verdict) == ("cache_bottleneck", "redis", "likely")
    assert finding.effect == snapshot
    assert finding.mend == snapshot


def test_one_full_thread_is_the_end_of_a_redis() -> None:
    case = shop("redis", ok=9000.0, users=60.0, connections=60.0, own_cpu=0.3, its_cpu=0.96, together=False)
    case.counter("redis", "redis.commands", "", 36_000.0)
    case.counter("redis", "redis.command_s", "command:lrange", 0.6)
    case.counter("redis", "redis.command_calls", "command:lrange", 36_000.0)
    finding = first(case)
    assert (finding.cause, finding.component, finding.verdict) == ("cache_bottleneck", "redis", "likely")


def test_a_redis_whose_client_is_the_busy_one_is_cleared() -> None:
    case = shop("redis", ok=2000.0, users=20.0, own_cpu=0.7, its_cpu=0.28)
    case.counter("redis", "redis.commands", "", 4000.0)
    assert "cache_bottleneck" not in accused(case)


def test_counters_tell_how_long_a_command_of_the_slow_log_takes_in_all() -> None:
    # One call in forty is slow enough for the log; the others take half a millisecond each.
    case = shop("redis", ok=900.0, users=16.0, connections=16.0, own_cpu=0.3, its_cpu=0.5)
    case.counter("redis", "redis.command_s", "command:keys", 0.45)
    case.counter("redis", "redis.command_calls", "command:keys", 900.0)
    for at_s in range(3, 28):
        case.event(at_s, "slow_command", "redis", "keys k:*", subject="command:keys", duration_s=0.003)
    built = case.build()
    slow = slowest_command(built, built.tiers["redis"])
    assert slow is not None
    assert slow.name == "KEYS"
    assert slow.share == pytest.approx(0.45)
    assert slow.each_s == pytest.approx(0.0005)


def test_a_slow_command_now_and_then_hides_no_thread_that_is_full() -> None:
    case = shop("redis", ok=444.0, users=40.0, own_cpu=0.05, its_cpu=0.95)
    case.event(10.0, "slow_command", "redis", "sort", duration_s=0.013)
    finding = first(case)
    assert (finding.cause, finding.detail) == ("cache_bottleneck", "one thread")


def test_a_slow_command_now_and_then_is_no_cause(snapshot: SnapshotAssertion) -> None:
    case = shop("redis", ok=100.0, users=40.0, connections=40.0, its_cpu=0.05)
    case.event(10.0, "slow_command", "redis", "hgetall", duration_s=0.02)
    assert "cache_bottleneck" not in accused(case)
    clearance = cleared(case, "cache_bottleneck")
    assert clearance.source == SeriesSource("redis", "redis.slow_commands")
    assert clearance.why == snapshot


def storm(*, logins: bool = False, filling: bool = False) -> ACase:
    """Return 30 seconds, of which every sixth has nearly only misses, and half the throughput."""
    missing = np.arange(30) < 6 if filling else np.arange(30) % 6 == 5
    ok = np.where(missing, 100.0, 200.0)
    case = ACase(
        users=20.0, ok=ok, in_flight=20.0, latency_s=0.1, logins=np.where(missing, 50.0, 0.0) * logins
    )
    case.tier("server", kind="gunicorn").tier("redis", kind="redis", address="127.0.0.1:6379")
    case.counter("redis", "redis.hits", "", np.where(missing, 20.0, 390.0))
    case.counter("redis", "redis.misses", "", np.where(missing, 180.0, 10.0))
    return case.counter("redis", "redis.expired_keys", "", np.where(missing, 300.0, 1.0))


def test_keys_that_expire_together_let_throughput_fall(snapshot: SnapshotAssertion) -> None:
    finding = first(storm())
    assert (finding.cause, finding.component, finding.verdict) == ("cache_bottleneck", "redis", "likely")
    assert finding.detail == "misses together"
    assert finding.effect == snapshot


def test_misses_because_the_load_itself_changes_are_not_the_caches_doing(snapshot: SnapshotAssertion) -> None:
    assert "cache_bottleneck" not in accused(storm(logins=True))
    clearance = cleared(storm(logins=True), "cache_bottleneck")
    assert clearance.source == LoadSource("routes")
    assert clearance.why == snapshot


def test_a_cache_that_is_being_filled_is_innocent(snapshot: SnapshotAssertion) -> None:
    assert "cache_bottleneck" not in accused(storm(filling=True))
    clearance = cleared(storm(filling=True), "cache_bottleneck")
    assert clearance.source == SeriesSource("redis", "redis.misses")
    assert clearance.why == snapshot


def test_evictions_at_the_memory_limit_say_that_it_is_too_small(snapshot: SnapshotAssertion) -> None:
    case = shop("redis", ok=100.0, connections=15.0)
    case.counter("redis", "redis.hits", "", 60.0).counter("redis", "redis.misses", "", 40.0)
    case.counter("redis", "redis.evicted_keys", "", 40.0)
    case.gauge("redis", "redis.memory_bytes", "", 99e6).gauge("redis", "redis.memory_limit_bytes", "", 100e6)
    finding = next(each for each in diagnosed(case).findings if each.cause == "cache_bottleneck")
    assert (finding.detail, finding.verdict) == ("too small", "likely")
    assert finding.effect == snapshot


@pytest.mark.parametrize(
    ("stored", "peak", "is_herd"),
    [(16.0, 80.0, True), (0.6, 80.0, False), (16.0, 20.0, False)],
    ids=["stored by all", "stored once", "evenly"],
)
def test_a_key_that_all_who_miss_it_compute_is_named(
    stored: float, peak: float, is_herd: bool, snapshot: SnapshotAssertion
) -> None:
    case = shop("redis", ok=1000.0, users=32.0, own_cpu=0.2)
    case.counter("redis", "redis.hits", "", 1500.0, "1").counter("redis", "redis.misses", "", 16.0, "1")
    case.counter("redis", "redis.expired_keys", "", 0.5, "1")
    case.counter("redis", "redis.command_calls", "command:set", stored, "1")
    case.gauge("redis", "redis.keys", "db0", 1.0).gauge("redis", "redis.misses_peak_per_s", "", peak)
    heard = [finding for finding in diagnosed(case).findings if finding.cause == "cache_bottleneck"]
    assert bool(heard) is is_herd
    if is_herd:
        assert heard[0].effect == snapshot


@pytest.mark.parametrize(("misses", "is_herd"), [(1.9, True), (0.2, False)], ids=["38", "6"])
def test_few_look_ups_a_second_may_be_a_herd(misses: float, is_herd: bool) -> None:
    """Pages of memcached that take a second to compute are missed seldom: more than a few are no chance."""
    case = shop("memcached", ok=150.0, users=32.0, own_cpu=0.2)
    case.counter("memcached", "memcached.hits", "", 143.0, "1")
    case.counter("memcached", "memcached.misses", "", misses, "1")
    case.counter("memcached", "memcached.misses_expired", "", misses / 4, "1")
    case.counter("memcached", "memcached.sets", "", misses, "1")
    case.gauge("memcached", "memcached.misses_peak_per_s", "", 3 * misses)
    assert ("cache_bottleneck" in accused(case)) is is_herd


def asking_names(waiting: float, asked: str = "10.0.0.2:53") -> Case:
    """Return a server with 20 requests in flight, of which so many ask another one over UDP."""
    case = ACase(seconds=30, users=20, ok=100.0, in_flight=20.0, latency_s=0.2).tier("server", runtime="go")
    return case.gauge("host", "name_lookups.waiting", asked, waiting).build()


def test_a_name_server_that_requests_wait_for_is_accused(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(asking_names(15.0))
    finding = diagnosis.findings[0]
    assert (finding.cause, finding.component, finding.verdict) == ("slow_dependency", "dns", "likely")
    # 7.5 of 20 requests wait for a name, two sockets each.
    assert finding.gain == pytest.approx(1.6, rel=0.01)
    assert diagnosis.sentence == snapshot


def test_another_server_that_is_asked_over_udp_is_accused_by_its_address(snapshot: SnapshotAssertion) -> None:
    finding = diagnose(asking_names(15.0, "10.0.0.3:8600")).findings[0]
    assert (finding.cause, finding.component) == ("slow_dependency", "10.0.0.3:8600")
    assert finding.verdict == "likely"
    # 15 of 20 requests wait for it: each question has one socket.
    assert finding.gain == pytest.approx(4.0, rel=0.01)
    assert (finding.effect, finding.mend) == snapshot


def test_a_few_questions_for_names_accuse_nobody() -> None:
    assert "dns" not in {finding.component for finding in diagnose(asking_names(1.0)).findings}
