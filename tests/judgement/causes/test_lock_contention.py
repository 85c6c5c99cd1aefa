"""Threads that wait for a lock: seen in Go and the JVM, worked out for Python."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import diagnose
from loadrig.testing.cases import ACase
from tests.judgement.causes._workers import accused, roots, server

IN_A_LOCK = "internal/sync.runtime_SemacquireMutex"


def go(waiting: float = 29.0, **facts: object) -> ACase:
    """Return a Go server with 30 requests in flight, one lock around 5 ms of sleep: 185/s."""
    usual: dict[str, object] = {"ok": 185.0, "users": 30.0, "alone_s": 0.0054, "cpu": 0.06}
    case = server("program", "go", **(usual | facts))  # type: ignore[arg-type]
    case.gauge("server", "go.waiting_in", "internal/poll.runtime_pollWait", 31.0)
    case.gauge("server", "go.waiting_in", IN_A_LOCK, waiting)
    return case


def python(**facts: object) -> ACase:
    """Return a gunicorn of 16 threads with one lock around 20 ms of sleep: 48/s."""
    usual: dict[str, object] = {
        "ok": 47.8, "users": 16.0, "alone_s": 0.0205, "cpu": 0.066, "threads": 17.0,
        "settings": {"--workers": "1", "--threads": "16"},
    }  # fmt: skip
    return server(**(usual | facts))  # type: ignore[arg-type]


def test_goroutines_that_stand_in_a_lock(snapshot: SnapshotAssertion) -> None:
    first = roots(go())[0]
    assert (first.cause, first.component, first.verdict) == ("lock_contention", "server", "likely")
    assert first.mend == snapshot


def test_the_mutex_profile_speaks_for_it() -> None:
    bare, profiled = go(), go()
    profiled.counter("server", "go.mutex_wait_s", "", 26.4)
    assert roots(profiled)[0].weight > roots(bare)[0].weight


@pytest.mark.parametrize("states", [{"BLOCKED": 28.0, "RUNNABLE": 4.0}])
def test_blocked_threads_of_a_jvm(states: dict[str, float]) -> None:
    case = server("tomcat", "jvm", ok=190.0, users=30.0, alone_s=0.0053, cpu=0.1)
    case.gauge("server", "tomcat.threads_busy", "http-1", 30.0).gauge(
        "server", "tomcat.threads_limit", "http-1", 200
    )
    for state, number in states.items():
        case.gauge("server", "jvm.threads", state, number)
    assert roots(case)[0].cause == "lock_contention"


@pytest.mark.parametrize(("times", "verdict"), [(0.9, "likely"), (0.1, "possible")])
def test_a_jvm_counts_how_often_its_threads_waited_for_a_monitor(times: float, verdict: str) -> None:
    case = server("tomcat", "jvm", ok=190.0, users=30.0, alone_s=0.0053, cpu=0.1).tier("database", kind="")
    case.edge("server", "database", "127.0.0.1:7000")  # it lets nobody look in
    case.counter("server", "jvm.monitors_contended", "", times * 190.0)
    first = next(root for root in roots(case) if root.cause == "lock_contention")
    assert first.verdict == verdict


@pytest.mark.parametrize(("held", "cause"), [(0.97, "lock_contention"), (0.3, "worker_class")])
def test_workers_that_sleep_until_the_lock_of_a_sqlite_file_is_free(held: float, cause: str) -> None:
    settings = {"--workers": "6", "--threads": "1", "--worker-class": "sync"}
    case = server("gunicorn", "cpython", ok=32.0, users=12.0, alone_s=0.03, cpu=0.1, settings=settings)
    case.gauge("server", "thread_states.threads", "state:sleeping", 5.2)
    case.gauge("server", "file_locks.held", "shop.db", held)
    assert roots(case)[0].cause == cause
    assert ("shop.db" in roots(case)[0].mend) == (cause == "lock_contention")


def test_processes_that_wait_for_a_locked_file() -> None:
    case = server("php-fpm", "native", ok=190.0, users=30.0, alone_s=0.0053, cpu=0.1)
    case.gauge("server", "thread_states.threads", "state:lock", 14.0)
    first = roots(case)[0]
    assert (first.cause, first.component, first.verdict) == ("lock_contention", "server", "likely")


def test_threads_of_python_that_work_one_by_one_and_wait_for_nothing_else(
    snapshot: SnapshotAssertion,
) -> None:
    case = python()
    case.gauge("server", "python.gil_share", "", 0.03).gauge("server", "python.waiting_threads", "", 0.0)
    first = roots(case)[0]
    assert (first.cause, first.verdict) == ("lock_contention", "likely")
    assert first.mend == snapshot


def test_what_threads_wait_for_unseen_is_possible_only(snapshot: SnapshotAssertion) -> None:
    first = next(root for root in roots(python()) if root.cause == "lock_contention")
    assert first.verdict == "possible"
    assert first.missing[0] == snapshot


def test_a_full_cpu_is_not_a_lock() -> None:
    assert roots(go(cpu=0.99, waiting=3.0))[0].cause == "host_cpu"
    assert "lock_contention" not in accused(go(cpu=0.99, waiting=3.0))


def test_some_goroutines_in_a_lock_of_a_healthy_server() -> None:
    case = go(waiting=1.5, rate=500.0, ok=500.0, in_flight=4.0, alone_s=0.006, cpu=0.3)
    assert accused(case) == set()


def test_threads_that_all_sleep_are_not_in_a_lock() -> None:
    case = python(
        ok=80.0, users=40.0, alone_s=0.1, threads=9.0, settings={"--workers": "1", "--threads": "8"}
    )
    assert "lock_contention" not in accused(case)


def test_a_lock_that_no_probe_shows_beside_a_database_that_idles() -> None:
    """Take a Go program without pprof, and a JVM with a ReentrantLock."""
    for runtime in ("go", "jvm"):
        case = server("program", runtime, ok=185.0, users=30.0, alone_s=0.0054, cpu=0.06)
        if runtime == "jvm":
            case.gauge("server", "jvm.threads", "WAITING", 40.0)
        case.tier("redis", kind="redis", cpus=(0,)).edge("server", "redis", "127.0.0.1:6379", 2)
        case.counter("redis", "process.cpu_s", "tree", 0.1)
        first = roots(case)[0]
        assert (first.cause, first.verdict) == ("lock_contention", "likely")
        case.tier("rates", kind="program").edge("server", "rates", "127.0.0.1:9000", 2)
        assert {root.cause: root.verdict for root in roots(case)}["lock_contention"] == "possible"


def test_threads_that_wait_for_a_dependency_are_not_in_a_lock() -> None:
    case = python()
    case.gauge("server", "python.gil_share", "", 0.03)
    case.tier("mariadb", kind="mariadb", cpus=(0,)).edge("server", "mariadb", "127.0.0.1:3306", 16)
    case.counter("mariadb", "process.cpu_s", "tree", 0.95).counter("host", "system_cpu.user_s", "cpu0", 0.97)
    assert "lock_contention" not in accused(case)


def test_threads_in_a_lock_are_compared_with_what_their_program_has_taken_up() -> None:
    # 16 children behind a proxy, 14 of them in one lock, and a crowd that has not reached them yet.
    case = server("nginx", "native", ok=190.0, users=1500.0, alone_s=0.0053, cpu=0.1)
    case.tier("php-fpm", kind="php-fpm", runtime="native", cpus=(1,), address="127.0.0.1:9000")
    case.edge("server", "php-fpm", "127.0.0.1:9000")
    case.counter("php-fpm", "process.cpu_s", "tree", 0.1)
    case.gauge("host", "tcp_sockets.established", "in:9000", 527.0)
    case.gauge("host", "tcp_sockets.accept_queue", "in:9000", 511.0)
    case.gauge("php-fpm", "thread_states.threads", "state:lock", 14.0)
    accused = {(finding.cause, finding.component): finding for finding in diagnose(case.build()).findings}
    assert accused["lock_contention", "php-fpm"].verdict == "likely"
