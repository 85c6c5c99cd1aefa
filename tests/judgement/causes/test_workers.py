"""Slots that are all taken: too few workers, the wrong class, workers that are killed."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.evidence import EventSource
from loadrig.testing.cases import ACase
from tests.account.made import a_call
from tests.judgement.causes._workers import accused, roots, server
from tests.judgement.scenes import scene


def sync(workers: int, **facts: object) -> ACase:
    """Return sync workers that wait 100 ms in each request, 20 users."""
    usual: dict[str, object] = {
        "ok": 10.0 * workers, "alone_s": 0.1, "cpu": 0.012 * workers, "workers": workers,
        "settings": {"--workers": str(workers)}, "accept_queue": max(0.0, 20.0 - workers),
    }  # fmt: skip
    return server(**(usual | facts))  # type: ignore[arg-type]


def tomcat(busy: float, limit: float = 50.0, **facts: object) -> ACase:
    usual: dict[str, object] = {"ok": 500.0, "users": 200.0, "alone_s": 0.1, "cpu": 0.3}
    case = server("tomcat", "jvm", **(usual | facts))  # type: ignore[arg-type]
    case.gauge("server", "tomcat.threads_busy", "http-nio-8080", busy)
    return case.gauge("server", "tomcat.threads_limit", "http-nio-8080", limit)


def test_threads_that_are_all_taken() -> None:
    case = server(
        ok=49.0, users=40.0, alone_s=0.1, cpu=0.05, workers=2, threads=5.0,
        settings={"-w": "2", "--threads": "4"}, accept_queue=0.0,
    )  # fmt: skip
    assert roots(case)[0].cause == "too_few_workers"


def test_with_one_core_it_is_the_core() -> None:
    case = sync(1, ok=146.0, users=8.0, alone_s=0.0065, cpu=0.97, beside=0.01, accept_queue=7.0)
    findings = roots(case)
    assert findings[0].cause == "host_cpu"
    assert "too_few_workers" not in {finding.cause for finding in findings}


def test_busy_threads_of_tomcat(snapshot: SnapshotAssertion) -> None:
    first = roots(tomcat(50.0))[0]
    assert first.cause == "too_few_workers"
    assert first.mend == snapshot


BOOT = {"framework": "spring-boot 3.4.1"}


@pytest.mark.parametrize(
    ("kind", "settings", "knob"),
    [
        ("tomcat", {}, "maxThreads=16"),
        ("tomcat", BOOT, "server.tomcat.threads.max=16"),
        ("tomcat", {**BOOT, "--server.tomcat.threads.max": "9"}, "server.tomcat.threads.max=18"),
        ("tomcat", {**BOOT, "SERVER_TOMCAT_THREADS_MAX": "9"}, "server.tomcat.threads.max=18"),
        ("jetty", BOOT, "server.jetty.threads.max=16"),
        ("undertow", BOOT, "server.undertow.threads.worker=16"),
        ("undertow", {}, "WORKER_TASK_MAX_THREADS=16"),
    ],
)
def test_the_setting_of_threads_is_that_of_the_server_that_a_jvm_embeds(
    kind: str, settings: dict[str, str], knob: str
) -> None:
    facts = {"kind": kind, "runtime": "jvm", "settings": settings}
    call = a_call("upstream", 7.9, n=30)
    case = scene(65.0, {"in_hand": 8.0, "unread": 16.0, "calls": (call,)}, cpu=0.1, held=8.0, facts=facts)
    first = roots(case)[0]
    assert first.cause == "too_few_workers"
    assert knob in first.mend.split()


@pytest.mark.parametrize(
    ("kind", "mend"),
    [("php-fpm", "pm.max_children = 16"), ("puma", "threads 16, 16"), ("apache", "MaxRequestWorkers 16")],
)
def test_the_setting_of_workers_is_written_as_their_server_has_it(kind: str, mend: str) -> None:
    call = a_call("upstream", 7.9, n=30)
    facts = {"kind": kind, "runtime": "native"}
    case = scene(65.0, {"in_hand": 8.0, "unread": 16.0, "calls": (call,)}, cpu=0.1, held=8.0, facts=facts)
    assert roots(case)[0].mend.endswith(mend)


@pytest.mark.parametrize(("rate", "users"), [(20.0, 0), (40.0, 0), (56.0, 0)])
def test_a_healthy_pool_of_workers_at_30_60_and_85_percent(rate: float, users: int) -> None:
    workers = 8
    busy = rate * 0.1
    case = sync(workers, rate=rate, ok=rate, users=users, in_flight=busy * 1.1, accept_queue=0.05, cpu=0.1)
    assert accused(case) == set()


def test_what_has_been_read_waits_inside() -> None:
    case = server("program", "jvm", ok=40.0, users=40.0, alone_s=0.1, cpu=0.1)
    case.tier("mariadb", kind="mariadb", cpus=(0,)).edge("server", "mariadb", "127.0.0.1:3306", 4)
    assert "too_few_workers" not in {root.cause for root in roots(case) if root.verdict == "likely"}


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
    first = next(root for root in roots(case) if root.cause == "too_few_workers")
    assert first.verdict == "possible"


def killed(reason: str | None) -> ACase:
    """Return calls of six seconds against a time-out of two."""
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
    assert "too_few_workers" not in {root.cause for root in roots(killed("timed_out"))}


@pytest.mark.parametrize("reason", ["out_of_memory", "recycled", "killed", "exited"])
def test_workers_that_ended_for_another_reason(reason: str) -> None:
    assert "worker_timeouts" not in accused(killed(reason))


def test_without_gunicorns_log_it_is_possible(snapshot: SnapshotAssertion) -> None:
    by_cause = {
        finding.cause: finding for root in roots(killed("unknown")) for finding in (root, *root.symptoms)
    }
    assert by_cause["worker_timeouts"].verdict == "possible"
    assert by_cause["worker_timeouts"].missing[0] == snapshot
