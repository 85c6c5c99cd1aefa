"""A real Tomcat and its HikariCP pool under load: threads that are busy, and that wait for a connection."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from loadrig.base import processes
from loadrig.base.units import Seconds
from loadrig.probes import hikari, jvm, tomcat
from loadrig.probes._jvm import libraries
from loadrig.probes._jvm.attach import Jvm
from loadrig.probes._session import Lost, Place, Session
from tests.conftest import Deadline
from tests.lengths import length
from tests.probes.jvm_sessions import figures
from tests.servers import java

ATTACH = frozenset({"jvm-attach"})

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def one_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile the reader once for all tests, and not into the user's home."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path(__file__).parents[2] / ".tools" / "cache"))


def _options(probe: ModuleType) -> object:
    """As often as the tests ask."""
    return probe.Options(**{"details_every" if probe is jvm else "every": Seconds(0.0)})


@contextmanager
def watched(server: java.JavaServer, *probes: ModuleType) -> Iterator[list[Session]]:
    sessions = [probe.attach(_options(probe), server.component(), Place(permits=ATTACH)) for probe in probes]
    try:
        yield sessions
    finally:
        for session in sessions:
            session.detach()


@contextmanager
def clients(server: java.JavaServer, n: int, path: str) -> Iterator[list[int]]:
    """So many requests at once; yields while they are under way. The list fills with their statuses."""
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda: statuses.append(server.get(path))) for _ in range(n)]
    for thread in threads:
        thread.start()
    yield statuses
    for thread in threads:
        thread.join()


@pytest.mark.nightly
def test_ten_threads_and_a_pool_of_two_show_as_busy_and_waiting(tmp_path: Path, deadline: Deadline) -> None:
    with java.shop(tmp_path, threads=12, pool=2) as server, watched(server, tomcat, hikari) as sessions:
        of_tomcat, of_pool = sessions
        idle = figures(of_tomcat, deadline)
        connector = f"http-nio-127.0.0.1-{server.port}"
        assert {subject for _, subject in idle} == {connector}
        assert idle["threads_limit", connector] == 12
        assert idle["threads_busy", connector] == 0
        with clients(server, 10, "/query?ms=400") as statuses:
            # Five turns of two: most wait for more than a second.
            deadline.wait_for(
                lambda: figures(of_pool, deadline)["waiting", "pool:ShopPool"] >= 4, "threads that wait"
            )
            full = figures(of_pool, deadline)
            busy = max(figures(of_tomcat, deadline)["threads_busy", connector] for _ in range(2))
        assert full["active", "pool:ShopPool"] == full["limit", "pool:ShopPool"] == 2
        assert busy >= 4
        assert statuses == [200] * 10
        deadline.wait_for(
            lambda: figures(of_tomcat, deadline)["requests", connector] >= idle["requests", connector] + 10,
            "the requests to be counted",
        )
        after = figures(of_tomcat, deadline)
        assert after["processing_s", connector] - idle["processing_s", connector] >= 10 * 0.4
        assert after["errors", connector] == idle["errors", connector]
        assert server.get("/no-such-path") == 404
        deadline.wait_for(
            lambda: figures(of_tomcat, deadline)["errors", connector] == after["errors", connector] + 1,
            "the error to be counted",
        )
        deadline.wait_for(
            lambda: figures(of_pool, deadline)["waiting", "pool:ShopPool"] == 0, "the pool to be idle again"
        )


def test_all_probes_of_a_jvm_share_one_reader(tmp_path: Path, deadline: Deadline) -> None:
    with java.shop(tmp_path) as server:
        with watched(server, jvm, tomcat, hikari) as sessions:
            for session in sessions[1:]:
                assert figures(session, deadline)
            deadline.wait_for(
                lambda: ("memory_limit_bytes", "heap") in figures(sessions[0], deadline),
                "the MBeans of the JVM",
            )
            assert len(readers()) == 1
            # One that leaves takes nothing from the others.
            sessions.pop().detach()
            assert figures(sessions[0], deadline)
            assert len(readers()) == 1
        assert readers() == []


def readers() -> list[int]:
    family = processes.tree(os.getpid(), processes.table())
    return [member for member in family if processes.command_line(member).endswith(" JmxReader")]


@pytest.mark.parametrize(
    ("probe", "setting"),
    [(tomcat, "server.tomcat.mbeanregistry.enabled=true"), (hikari, "registerMbeans=true")][: length(1, 2)],
)
def test_a_library_that_shows_nothing_is_named_with_the_switch(
    tmp_path: Path, deadline: Deadline, probe: ModuleType, setting: str
) -> None:
    with java.shop(tmp_path, mbeans=False) as server, watched(server, probe) as [session]:
        losses: list[Lost] = []

        def is_missed() -> bool:
            try:
                assert session.sample(time.monotonic_ns()) == []
            except Lost as loss:
                losses.append(loss)
            return bool(losses)

        deadline.wait_for(is_missed, "the probe to say what is missing")
        assert losses[0].code == "probe.no-mbeans"
        assert setting in losses[0].mend


def test_a_jvm_without_tomcat_and_pool_is_passed_over_in_silence(tmp_path: Path, deadline: Deadline) -> None:
    with java.plain(tmp_path) as server, watched(server, jvm, tomcat, hikari) as sessions:
        deadline.wait_for(
            lambda: ("memory_limit_bytes", "heap") in figures(sessions[0], deadline), "the MBeans of the JVM"
        )
        for _ in range(3):
            figures(sessions[0], deadline)
            assert [session.sample(time.monotonic_ns()) for session in sessions[1:]] == [[], []]


def test_a_tomcat_that_only_lies_on_the_class_path_is_not_missed(tmp_path: Path, deadline: Deadline) -> None:
    jars = java.libraries()
    with java.plain(tmp_path, beside=jars) as server, watched(server, jvm, tomcat) as (of_jvm, of_tomcat):
        deadline.wait_for(
            lambda: ("memory_limit_bytes", "heap") in figures(of_jvm, deadline), "the MBeans of the JVM"
        )
        for _ in range(3):
            figures(of_jvm, deadline)
            assert of_tomcat.sample(time.monotonic_ns()) == []


def test_a_library_packed_in_another_jar_is_found(tmp_path: Path) -> None:
    import zipfile

    packed = tmp_path / "app.jar"
    with zipfile.ZipFile(packed, "w") as jar:
        jar.writestr("BOOT-INF/lib/HikariCP-5.1.0.jar", "")
        jar.writestr("BOOT-INF/lib/other.jar", "")
    held = packed.open("rb")  # as a JVM holds the jars of its class path
    own = Jvm(os.getpid(), None)
    assert libraries.uses(own, "HikariCP")
    assert not libraries.uses(own, "tomcat-embed-core")
    held.close()
    assert not libraries.uses(own, "HikariCP")


BEANS = {
    'Catalina:name="http-nio-8080",type=ThreadPool': {
        "maxThreads": -1, "currentThreadsBusy": -1, "connectionCount": 7,
    },
    "Catalina:name=shared,type=Executor": {"activeCount": 3, "queueSize": 9, "maxThreads": 4, "poolSize": 4},
    'Tomcat-1:name="http-nio-8081",type=GlobalRequestProcessor': {"processingTime": 1500, "requestCount": 6},
}  # fmt: skip


def test_a_connector_that_shares_an_executor_shows_the_executors_threads() -> None:
    assert sorted(tomcat.figures(BEANS)) == [
        ("connections", "http-nio-8080", 7.0),
        ("processing_s", "http-nio-8081", 1.5),
        ("queued", "shared", 9.0),
        ("requests", "http-nio-8081", 6.0),
        ("threads", "shared", 4.0),
        ("threads_busy", "shared", 3.0),
        ("threads_limit", "shared", 4.0),
    ]


def test_each_pool_is_a_subject_of_its_own() -> None:
    beans = {
        "com.zaxxer.hikari:type=Pool (orders)": {"ActiveConnections": 1, "ThreadsAwaitingConnection": 0},
        "com.zaxxer.hikari:type=PoolConfig (orders)": {"MaximumPoolSize": 10},
        "com.zaxxer.hikari:type=Pool (stock (new))": {"ActiveConnections": 2},
    }
    assert sorted(hikari.figures(beans)) == [
        ("active", "pool:orders", 1.0),
        ("active", "pool:stock (new)", 2.0),
        ("limit", "pool:orders", 10.0),
        ("waiting", "pool:orders", 0.0),
    ]
