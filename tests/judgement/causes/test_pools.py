"""Pools that are too small and too large, and all that only looks like it."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.testing.cases import ACase
from tests.judgement.causes._shop import accused, diagnosed, first, shop


def small_pool(behind: str = "mariadb", **figures: float) -> ACase:
    """Return two connections, each held for 20 ms, and 40 requests that want one."""
    return shop(behind, **{"ok": 100.0, "connections": 2.0, "alone_s": 0.02, **figures})  # type: ignore[arg-type]


def test_threads_that_wait_for_a_pool_beside_a_busy_core_wait_for_the_pool() -> None:
    case = shop(ok=600.0, connections=14.0, alone_s=0.023, users=60.0, own_cpu=0.8, its_cpu=0.02)
    case.gauge("server", "hikari.limit", "pool:StorePool", 14.0)
    case.gauge("server", "hikari.active", "pool:StorePool", 14.0)
    case.gauge("server", "hikari.waiting", "pool:StorePool", 32.0)
    finding = first(case)
    assert (finding.cause, finding.verdict) == ("pool_too_small", "likely")


def test_a_pool_that_says_that_nobody_waits_is_innocent() -> None:
    case = small_pool()
    case.gauge("server", "hikari.limit", "pool:HikariPool-1", 2.0)
    case.gauge("server", "hikari.active", "pool:HikariPool-1", 1.9)
    case.gauge("server", "hikari.waiting", "pool:HikariPool-1", 0.0)
    assert "pool_too_small" not in accused(case)


def test_as_many_workers_as_connections_wait_for_nobody() -> None:
    assert "pool_too_small" not in accused(small_pool(slots=2, alone_s=0.02))


def test_requests_that_take_long_alone_do_not_wait_for_a_pool() -> None:
    """Forty requests that sleep half a second each, in a server that also keeps five connections."""
    case = shop(ok=80.0, connections=5.0, alone_s=0.5).gauge("mariadb", "mariadb.threads_running", "", 0.3)
    assert "pool_too_small" not in accused(case)


def test_threads_at_a_monitor_do_not_wait_for_a_pool() -> None:
    case = small_pool().gauge("server", "jvm.threads", "BLOCKED", 37.0)
    findings = [finding for finding in diagnosed(case).findings if finding.cause == "pool_too_small"]
    assert all(finding.verdict == "possible" for finding in findings)


def test_a_connection_that_many_requests_share_is_no_pool() -> None:
    findings = diagnosed(small_pool("redis", connections=1.0, alone_s=0.01)).findings
    assert all(finding.verdict != "likely" for finding in findings if finding.cause == "pool_too_small")


def test_a_connection_for_each_request_is_no_pool() -> None:
    assert "pool_too_small" not in accused(small_pool(opened=100.0))


@pytest.mark.parametrize("rate", [30.0, 60.0, 85.0])
def test_a_pool_that_suffices_is_not_accused(rate: float) -> None:
    assert accused(shop(rate=rate, ok=rate, connections=2.0, alone_s=0.02)) == {"healthy"}


def test_a_crowd_in_the_database_is_a_symptom_of_its_cpu(snapshot: SnapshotAssertion) -> None:
    case = shop(ok=100.0, connections=60.0, its_cpu=0.88, alone_s=0.01, slots=60, users=60.0)
    case.gauge("mariadb", "mariadb.threads_running", "", 55.0)
    finding = first(case)
    assert finding.cause == "database_cpu"
    (crowd,) = [symptom for symptom in finding.symptoms if symptom.cause == "pool_too_large"]
    assert (crowd.component, crowd.verdict) == ("server", "possible")
    assert crowd.mend == snapshot


def test_a_crowd_that_waits_for_locks_is_not_a_pool_too_large() -> None:
    case = shop(ok=80.0, connections=40.0, its_cpu=0.03)
    case.gauge("mariadb", "mariadb.threads_running", "", 39.0)
    case.counter("mariadb", "mariadb.row_lock_s", "", 38.0)
    assert "pool_too_large" not in accused(case)
