"""Slots that are all taken: too few workers, the wrong class, workers that are killed."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.evidence import EventSource, SeriesSource
from loadrig.testing.cases import ACase
from tests.judgement.causes._workers import accused, roots, server, why_not


def sync(workers: int, **facts: object) -> ACase:
    """Sync workers that wait 100 ms in each request, 20 users."""
    told: dict[str, object] = {
        "ok": 10.0 * workers, "alone_s": 0.1, "cpu": 0.012 * workers, "workers": workers,
        "settings": {"--workers": str(workers)}, "accept_queue": max(0.0, 20.0 - workers),
    }  # fmt: skip
    return server(**(told | facts))  # type: ignore[arg-type]


def tomcat(busy: float, limit: float = 50.0, **facts: object) -> ACase:
    told: dict[str, object] = {"ok": 500.0, "users": 200.0, "alone_s": 0.1, "cpu": 0.3}
    case = server("tomcat", "jvm", **(told | facts))  # type: ignore[arg-type]
    case.gauge("server", "tomcat.threads_busy", "http-nio-8080", busy)
    return case.gauge("server", "tomcat.threads_limit", "http-nio-8080", limit)


def test_few_sync_workers_that_wait_are_too_few(snapshot: SnapshotAssertion) -> None:
    first = roots(sync(2))[0]
    assert (first.cause, first.component, first.verdict) == ("too_few_workers", "server", "likely")
    assert "worker_class" in {one.cause for one in first.symptoms}
    assert first.mend == snapshot


def test_as_many_sync_workers_as_are_advised_call_for_another_class(snapshot: SnapshotAssertion) -> None:
    first = roots(sync(6, users=40.0, accept_queue=34.0))[0]
    assert (first.cause, first.verdict) == ("worker_class", "likely")
    assert "too_few_workers" in {one.cause for one in first.symptoms}
    assert first.mend == snapshot


def test_threads_that_are_all_taken() -> None:
    case = server(
        ok=49.0, users=40.0, alone_s=0.1, cpu=0.05, workers=2, threads=5.0,
        settings={"-w": "2", "--threads": "4"}, accept_queue=0.0,
    )  # fmt: skip
    assert roots(case)[0].cause == "too_few_workers"


def test_one_sync_worker_that_computes_beside_an_idle_core(snapshot: SnapshotAssertion) -> None:
    case = sync(1, ok=146.0, users=8.0, alone_s=0.0065, cpu=0.95, cpus=(0, 1), beside=0.2, accept_queue=7.0)
    assert roots(case)[0].cause == "too_few_workers"
    assert why_not(case, "worker_class").why == snapshot


def test_with_one_core_it_is_the_core() -> None:
    case = sync(1, ok=146.0, users=8.0, alone_s=0.0065, cpu=0.97, beside=0.01, accept_queue=7.0)
    found = roots(case)
    assert found[0].cause == "host_cpu"
    assert "too_few_workers" not in {one.cause for one in found}


def test_busy_threads_of_tomcat(snapshot: SnapshotAssertion) -> None:
    first = roots(tomcat(50.0))[0]
    assert first.cause == "too_few_workers"
    assert first.mend == snapshot


def test_threads_that_wait_for_a_full_database_are_its_symptom(snapshot: SnapshotAssertion) -> None:
    case = tomcat(50.0, ok=100.0)
    case.tier("mariadb", kind="mariadb", cpus=(0,)).edge("server", "mariadb", "127.0.0.1:3306", 15)
    case.counter("mariadb", "process.cpu_s", "tree", 0.96).counter("host", "system_cpu.user_s", "cpu0", 0.97)
    clearance = why_not(case, "too_few_workers")
    assert clearance.source == SeriesSource("mariadb", "process.cpu_s", "tree")
    assert clearance.why == snapshot


def test_threads_that_wait_for_a_pool_are_its_symptom(snapshot: SnapshotAssertion) -> None:
    case = tomcat(50.0).gauge("server", "hikari.waiting", "pool:shop", 35.0)
    clearance = why_not(case, "too_few_workers")
    assert clearance.source == SeriesSource("server", "hikari.waiting", "pool:shop")
    assert clearance.why == snapshot


def test_threads_that_are_taken_for_longer_than_alone_wait_for_something_else(
    snapshot: SnapshotAssertion,
) -> None:
    assert why_not(tomcat(50.0, ok=100.0, alone_s=0.02), "too_few_workers").why == snapshot


@pytest.mark.parametrize(("rate", "users"), [(20.0, 0), (40.0, 0), (56.0, 0)])
def test_a_healthy_pool_of_workers_at_30_60_and_85_percent(rate: float, users: int) -> None:
    workers = 8
    busy = rate * 0.1
    case = sync(workers, rate=rate, ok=rate, users=users, in_flight=busy * 1.1, accept_queue=0.05, cpu=0.1)
    assert accused(case) == set()


def test_where_settings_say_nothing_what_was_seen_has_to_do(snapshot: SnapshotAssertion) -> None:
    config = {"--config": "gunicorn.py"}
    case = server(ok=28.0, cpu=0.03, workers=3, settings=config, accept_queue=17.0)
    assert roots(case)[0].cause == "too_few_workers"
    case = server(ok=80.0, users=40.0, cpu=0.08, threads=9.0, settings=config)
    case.gauge("server", "gunicorn.workers", "", 1.0)
    assert roots(case)[0].bound == pytest.approx(1 - 8 / 40)
    assert roots(case)[0].effect == snapshot


def test_variables_of_gunicorn_are_read(snapshot: SnapshotAssertion) -> None:
    case = server(
        ok=80.0, users=40.0, threads=5.0, workers=2, settings={"GUNICORN_CMD_ARGS": "-w2 --threads 4"}
    )
    assert roots(case)[0].bound == pytest.approx(1 - 8 / 40)
    assert roots(case)[0].effect == snapshot


def test_a_server_that_tells_no_limit_and_works_on_a_few_at_once() -> None:
    case = server("program", "jvm", ok=40.0, users=40.0, alone_s=0.1, cpu=0.1, unread=80.0)
    first = roots(case)[0]
    assert (first.cause, first.verdict) == ("too_few_workers", "likely")


def test_what_has_been_read_waits_inside() -> None:
    case = server("program", "jvm", ok=40.0, users=40.0, alone_s=0.1, cpu=0.1)
    case.tier("mariadb", kind="mariadb", cpus=(0,)).edge("server", "mariadb", "127.0.0.1:3306", 4)
    assert "too_few_workers" not in {one.cause for one in roots(case) if one.verdict == "likely"}


def test_the_pool_of_handlers_without_async_is_found_by_its_threads(snapshot: SnapshotAssertion) -> None:
    case = server("uvicorn", ok=400.0, users=200.0, alone_s=0.1, cpu=0.3, threads=41.0)
    first = roots(case)[0]
    assert first.cause == "too_few_workers"
    assert first.bound == pytest.approx(1 - 40 / 200)
    assert first.effect == snapshot


def test_behind_a_proxy_the_program_that_works_is_accused() -> None:
    case = server("nginx", "native", ok=20.0, users=20.0, alone_s=0.1, cpu=0.01)
    case.tier(
        "app", kind="gunicorn", runtime="cpython", cpus=(1,), workers=2, address="127.0.0.1:9000",
        settings={"--workers": "2"},
    )  # fmt: skip
    case.edge("server", "app", "127.0.0.1:9000", 2).counter("app", "process.cpu_s", "tree", 0.02)
    case.gauge("host", "tcp_sockets.accept_queue", "in:9000", 18.0)
    first = roots(case)[0]
    assert (first.cause, first.component) == ("too_few_workers", "app")


def test_unseen_cpu_leaves_it_possible() -> None:
    case = sync(2, cpu=None)
    first = next(one for one in roots(case) if one.cause == "too_few_workers")
    assert first.verdict == "possible"


def killed(reason: str | None) -> ACase:
    """Calls of six seconds against a time-out of two."""
    case = server(
        ok=0.5, users=6.0, alone_s=0.1, cpu=0.05, workers=2, failed={"closed": 0.8},
        settings={"--workers": "2", "-t": "2"},
    )  # fmt: skip
    for second in range(3, 30, 3):
        facts = {} if reason is None else {"reason": reason}
        case.event(second, "worker_died", "server", pid=100 + second, **facts)
    return case


def test_workers_that_are_killed_for_silence(snapshot: SnapshotAssertion) -> None:
    first = roots(killed("timed_out"))[0]
    assert (first.cause, first.verdict) == ("worker_timeouts", "likely")
    assert first.evidence[0].source == EventSource("server", "worker_died", 9)
    assert first.evidence[0].text == snapshot
    assert "too_few_workers" not in {one.cause for one in roots(killed("timed_out"))}


@pytest.mark.parametrize("reason", ["out_of_memory", "recycled", "killed", "exited"])
def test_workers_that_ended_for_another_reason(reason: str) -> None:
    assert "worker_timeouts" not in accused(killed(reason))


def test_fewer_open_connections_than_workers_leave_workers_free_however_much_is_in_flight(
    snapshot: SnapshotAssertion,
) -> None:
    """As seen of a backlog of 1: 60 in flight, most of them before the second SYN, and 5 % failed."""
    case = server(
        rate=239.0, ok=226.0, alone_s=0.022, in_flight=60.0, cpu=0.4, workers=8, settings={"--workers": "8"},
        accept_queue=1.0, each={f"pid:{pid}": 0.05 for pid in range(101, 109)},
    ).counter("host", "tcp_sockets.active_opens", "", 239.0)  # fmt: skip
    case.gauge("host", "tcp_sockets.backlog", "in:8000", 1.0)
    case.counter("host", "tcp_sockets.listen_overflows", "", 40.0)
    case.gauge("host", "tcp_sockets.established", "in:8000", 4.9)
    assert roots(case)[0].cause == "accept_backlog"
    clearance = why_not(case, "worker_class")
    assert clearance.source == SeriesSource("host", "tcp_sockets.listen_overflows")
    assert clearance.why == snapshot


def test_without_gunicorns_log_it_is_possible(snapshot: SnapshotAssertion) -> None:
    found = {one.cause: one for root in roots(killed("unknown")) for one in (root, *root.symptoms)}
    assert found["worker_timeouts"].verdict == "possible"
    assert found["worker_timeouts"].missing[0] == snapshot


@pytest.mark.parametrize("turned", [0.0, 40.0])
def test_workers_with_room_are_not_why_connections_were_turned_away(
    turned: float, snapshot: SnapshotAssertion
) -> None:
    """Who was turned away comes again after a second, and is in flight meanwhile."""
    case = server(
        rate=220.0,
        ok=220.0,
        alone_s=0.022,
        in_flight=25.0,
        cpu=0.4,
        workers=8,
        settings={"--workers": "8"},
        accept_queue=17.0,
    ).counter("host", "tcp_sockets.active_opens", "", 220.0)
    case.counter("host", "tcp_sockets.listen_overflows", "", turned)
    case.goal("p95 < 100ms", "p95", is_met=False)
    if turned:
        assert not {"worker_class", "too_few_workers"} & accused(case)
        clearance = why_not(case, "worker_class")
        assert clearance.source == SeriesSource("host", "tcp_sockets.listen_overflows")
        assert clearance.why == snapshot
    else:
        assert "worker_class" in accused(case)
