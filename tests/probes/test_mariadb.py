"""The probe of MariaDB against a real one: status, states, digests, locks, passwords, restarts."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from loadrig.base.component import Component
from loadrig.probes import Unavailable, mariadb
from loadrig.probes._databases.mariadb_status import Status
from loadrig.probes._session import Place
from tests.probes.watching import component_of, watching
from tests.servers._daemon import Daemon
from tests.servers.mariadb import PASSWORD, USER, started_mariadb

pytestmark = pytest.mark.integration

VALUE = "value-that-nobody-may-see"

ROWS = 2000
FILL = f"""\
CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(60), stock INT) ENGINE=InnoDB;
INSERT INTO shop.items SELECT seq, CONCAT('item ', seq), 5 FROM shop.seq_1_to_{ROWS};
CREATE USER loadrig@'localhost' IDENTIFIED BY '{PASSWORD}';
GRANT PROCESS ON *.* TO loadrig@'localhost';
GRANT SELECT ON performance_schema.* TO loadrig@'localhost';
CREATE USER poor@'localhost' IDENTIFIED BY '{PASSWORD}';
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("mariadb")
    with started_mariadb(folder, "--performance-schema=ON", "--max-connections=40", sql=FILL) as running:
        yield running


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
    return {"user": USER, "password_env": "SHOP_PASSWORD"}


@contextlib.contextmanager
def client(server: Daemon) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """Yield a connection of the application: a function that does a statement."""
    held = pymysql.connect(
        host="127.0.0.1", port=server.port, user=USER, password=PASSWORD, database="shop", autocommit=True
    )

    def do(sql: str) -> list[tuple[Any, ...]]:
        with held.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    with contextlib.closing(held):
        yield do


def component(server: Daemon) -> Component:
    return component_of("mariadb", server.port, server.pid)


def test_a_query_without_an_index_shows_in_rows_and_in_its_digest(
    server: Daemon, credentials: dict[str, Any]
) -> None:
    with client(server) as do, watching(mariadb, component(server), **credentials) as watched:
        before = watched.look()
        for _ in range(5):
            assert do(f"SELECT COUNT(*) FROM items WHERE name = '{VALUE}'") == [(0,)]
        subject = "digest:SELECT COUNT(*) FROM items WHERE NAME = ?"
        watched.until(lambda now: now["digest_calls", subject] == 5)
        # The digests are read after the status, and not in each look where they take long.
        after = watched.until(lambda now: now["digest_calls", subject] == 5)
        assert after["digest_rows_examined", subject] == 5 * ROWS
        assert after["digest_no_index", subject] == 5
        assert after["digest_s", subject] > 0
        assert after["rows_read", ""] - before["rows_read", ""] >= 5 * ROWS
        assert after["rows_scanned", ""] - before["rows_scanned", ""] >= 5 * ROWS
        assert after["full_scans", ""] >= before["full_scans", ""] + 5
        assert after["statements", "select"] >= before["statements", "select"] + 5
        assert after["buffer_pool_requests", ""] > before["buffer_pool_requests", ""]
        assert not [name for _, name in after if "information_schema" in name or "STATUS" in name]
        texts = watched.everything_said()
        assert VALUE not in texts
        assert PASSWORD not in texts


def test_threads_and_states_leave_us_out(server: Daemon, credentials: dict[str, Any]) -> None:
    with client(server) as do, watching(mariadb, component(server), **credentials) as watched:
        idle = watched.until(lambda now: (now["threads_connected", ""], now["threads_running", ""]) == (1, 0))
        assert idle["connections_share", ""] == pytest.approx(1 / 40)
        assert idle["sessions", "Sleep"] == 1
        waiter = threading.Thread(target=lambda: do("SELECT SLEEP(1)"))
        waiter.start()
        assert watched.until(
            lambda now: (now["sessions", "Query:User sleep"], now["threads_running", ""]) == (1, 1)
        )
        assert watched.until(lambda now: now["longest_statement_s", ""] > 0.1)
        waiter.join()
        after = watched.until(lambda now: now["threads_running", ""] == 0)
        assert after["sessions", "Query:User sleep"] == 0, "gone is zero, not unknown"


def test_our_own_questions_are_in_no_figure(server: Daemon, credentials: dict[str, Any]) -> None:
    with watching(mariadb, component(server), **credentials) as watched:
        before = watched.look()
        for _ in range(10):
            after = watched.look()
        names = ("questions", "temporary_tables", "temporary_tables_on_disk", "full_scans", "rows_sent")
        grown = {name: after[name, ""] - before[name, ""] for name in (*names, "rows_scanned", "rows_read")}
        assert grown == dict.fromkeys(grown, 0)
        assert after["statements", "select"] == before["statements", "select"]


def test_a_lock_wait_between_two_sessions_is_seen(server: Daemon, credentials: dict[str, Any]) -> None:
    with (
        client(server) as holder,
        client(server) as waiter,
        watching(mariadb, component(server), **credentials) as watched,
    ):
        before = watched.look()
        holder("BEGIN")
        holder("UPDATE items SET stock = stock - 1 WHERE id = 1")
        thread = threading.Thread(target=lambda: waiter("UPDATE items SET stock = stock - 1 WHERE id = 1"))
        thread.start()
        watched.every_s = 0.15  # who reads innodb_trx more often than each 0.1 s is given what was
        assert watched.until(lambda now: (now["lock_waiters", ""], now["row_lock_waiters", ""]) == (1, 1))
        assert watched.until(lambda now: now["longest_transaction_s", ""] >= 1)
        holder("COMMIT")
        thread.join()
        watched.until(lambda now: now["lock_waiters", ""] == 0)
        after = watched.look()
        assert after["row_lock_waits", ""] == before["row_lock_waits", ""] + 1
        assert after["row_lock_s", ""] - before["row_lock_s", ""] > 0.1


def test_looks_give_mean_numbers_by_state_statement_and_client(
    server: Daemon, credentials: dict[str, Any]
) -> None:
    here = Component("shop", "program", pid=os.getpid())
    place = Place(components=lambda: (here, component(server)))
    with (
        client(server) as do,
        client(server),
        watching(mariadb, component(server), place, **credentials) as watched,
    ):
        watched.look()
        watched.every_s = 0.3  # several looks to a sample
        thread = threading.Thread(target=lambda: do("SELECT SLEEP(1.5)"))
        thread.start()
        busy = watched.until(lambda now: now["mean_sessions", "Query:User sleep"] == 1)
        assert busy["mean_statements", "statement:SELECT SLEEP(?)"] == 1
        assert busy["client_active", "client:shop shop"] == 1
        assert busy["client_idle", "client:shop shop"] == 1, "the other connection of this process"
        assert watched.until(lambda now: now["looks", ""] >= 2)["mean_sessions_sd", "Query:User sleep"] >= 0
        thread.join()
        after = watched.until(lambda now: now["mean_sessions", "Query:User sleep"] == 0)
        assert after["mean_sessions", "Sleep"] == 2
        assert after["mean_lock_waiters", ""] == 0


def test_who_sleeps_in_a_transaction_and_who_waits_for_it_is_told_by_client(
    server: Daemon, credentials: dict[str, Any]
) -> None:
    update = "UPDATE items SET stock = stock - 1 WHERE id = 3"
    subject = "client:127.0.0.1 shop"
    with (
        client(server) as holder,
        client(server) as waiter,
        watching(mariadb, component(server), **credentials) as watched,
    ):
        watched.look()
        watched.every_s = 0.3
        holder("BEGIN")
        holder(update)
        thread = threading.Thread(target=lambda: waiter(update))
        thread.start()
        waiting = watched.until(
            lambda now: now["mean_lock_waiters", ""] == 1 and now["lock_holders", f"{subject}, asleep"] == 1
        )
        assert waiting["lock_pairs", f"{subject} behind {subject}"] == 1
        assert waiting["client_idle_in_transaction", subject] == 1
        aged = watched.until(lambda now: now["client_idle_in_transaction_median_s", subject] > 0.5)
        oldest = aged["client_idle_in_transaction_oldest_s", subject]
        assert aged["client_idle_in_transaction_median_s", subject] <= oldest < 20
        holder("COMMIT")
        thread.join()
        after = watched.until(lambda now: now["mean_lock_waiters", ""] == 0 and now["lock_waiters", ""] == 0)
        assert after["lock_pairs", f"{subject} behind {subject}"] == 0


def test_what_the_server_itself_waits_for_is_told_apart(server: Daemon, credentials: dict[str, Any]) -> None:
    with client(server) as do, watching(mariadb, component(server), **credentials) as watched:
        watched.look()
        for n in range(50):
            do(f"INSERT INTO items VALUES ({ROWS + 1 + n}, 'more', 1)")
        do("FLUSH TABLES")
        do("SELECT COUNT(*) FROM items")
        values = watched.until(lambda now: any(metric == "wait_s" for metric, _ in now))
        subjects = [subject for metric, subject in values if metric == "wait_s" and subject != "others"]
        assert all(subject.startswith(("wait:io/", "wait:lock/", "wait:synch/")) for subject in subjects)
        assert 0 < len(subjects) <= 8


def test_a_user_of_least_rights_sees_all(server: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIG_PASSWORD", PASSWORD)
    with (
        client(server) as do,
        watching(mariadb, component(server), user="loadrig", password_env="RIG_PASSWORD") as watched,
    ):
        watched.look()
        do("SELECT stock FROM items WHERE id = 77")
        values = watched.until(
            lambda now: ("digest_calls", "digest:SELECT stock FROM items WHERE ID = ?") in now
        )
        assert ("lock_waiters", "") in values
        assert values["sessions", "Sleep"] == 1
        assert watched.events == []


def test_a_user_of_fewer_rights_is_told_which_are_missing_once(
    server: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIG_PASSWORD", PASSWORD)
    with watching(mariadb, component(server), user="poor", password_env="RIG_PASSWORD") as watched:
        for _ in range(3):
            assert watched.look()["questions", ""] > 0
        notes = [event.text for event in watched.of_kind("note")]
        assert len(notes) == 2
        assert all("GRANT PROCESS" in text for text in notes)
        assert not [sample for sample in watched.samples if sample.metric == "looks"], (
            "a part would be a wrong number"
        )


def test_a_wrong_password_is_said_and_not_tried_again_at_once(
    server: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIG_PASSWORD", "wrong-9876")
    with client(server) as do:
        before = do("SHOW GLOBAL STATUS LIKE 'Aborted_connects'")
        with watching(mariadb, component(server), user=USER, password_env="RIG_PASSWORD") as watched:
            lost = [watched.until_lost() for _ in range(5)]
            assert {loss.code for loss in lost} == {"probe.refused"}
            assert "CREATE USER loadrig" in lost[0].mend
            assert "password_env: MARIADB_PASSWORD" in lost[0].mend
            assert "wrong-9876" not in watched.everything_said()
        after = do("SHOW GLOBAL STATUS LIKE 'Aborted_connects'")
        assert int(after[0][1]) == int(before[0][1]) + 1


def test_without_a_user_it_gets_in_by_the_unix_socket(server: Daemon) -> None:
    if os.getuid():
        pytest.skip("only root has an account by unix_socket in a fresh MariaDB: run as root")
    with watching(mariadb, component(server)) as watched:
        assert watched.look()["questions", ""] > 0


def test_without_any_way_in_it_says_how_to_make_one(server: Daemon) -> None:
    with watching(mariadb, component_of("mariadb", server.port)) as watched:
        lost = watched.until_lost()
        assert lost.code == "probe.refused"
        assert "GRANT PROCESS" in lost.mend


def test_a_server_that_is_full_is_no_refusal(server: Daemon, credentials: dict[str, Any]) -> None:
    with contextlib.ExitStack() as held:
        do = held.enter_context(client(server))
        do("SET GLOBAL max_connections = 10")
        try:
            for _ in range(9):  # and one more is kept for an administrator, who our user is too
                held.enter_context(client(server))
            with contextlib.suppress(pymysql.err.OperationalError):
                held.enter_context(client(server))
            with contextlib.suppress(pymysql.err.OperationalError):
                held.enter_context(client(server))
            with watching(mariadb, component(server), **credentials) as watched:
                lost = watched.until_lost()
                assert (lost.code, "max_connections" in lost.mend) == ("probe.no-answer", True)
        finally:
            do("SET GLOBAL max_connections = 40")


def test_without_performance_schema_and_over_a_restart_the_rest_is_there(
    tmp_path: Path, credentials: dict[str, Any]
) -> None:
    with (
        started_mariadb(tmp_path, sql=FILL) as first,
        watching(mariadb, component(first), **credentials) as watched,
    ):
        watched.look()
        with client(first) as do:
            for _ in range(30):
                do("SELECT stock FROM items WHERE id = 1")
        before = watched.look()
        assert not [name for metric, name in before if metric.startswith("digest")]
        os.kill(first.pid, signal.SIGKILL)
        assert watched.until_lost().code == "probe.no-answer"
        with started_mariadb(tmp_path, port=first.port):
            after = watched.until(lambda _: watched.of_kind("restarted"))
            assert after["connections", ""] > before["connections", ""]
            assert after["statements", "select"] >= before["statements", "select"]


def test_a_server_that_stands_still_is_a_gap(server: Daemon, credentials: dict[str, Any]) -> None:
    with watching(mariadb, component(server), **credentials) as watched:
        watched.look()
        os.kill(server.pid, signal.SIGSTOP)
        try:
            assert watched.until_lost().code == "probe.no-answer"
        finally:
            os.kill(server.pid, signal.SIGCONT)
        assert watched.look()["questions", ""] > 0
        assert watched.of_kind("restarted") == []


def test_what_is_not_known_of_a_component_is_asked_for() -> None:
    with pytest.raises(Unavailable) as raised:
        mariadb.attach(mariadb.Options(), Component("mariadb", "mariadb"), Place())
    assert "at: HOST:3306" in raised.value.mend


def test_the_names_of_mysql_are_understood_too() -> None:
    status = Status()
    values = {"Innodb_rows_read": 70.0, "Innodb_row_lock_time": 1500.0, "Threads_running": 3.0}
    reading = status.read(values, {}, 0.0)
    assert (reading["rows_read", ""], reading["row_lock_s", ""], reading["threads_running", ""]) == (
        70,
        1.5,
        2,
    )


def test_digests_that_begin_alike_are_one_and_ours_are_none() -> None:
    long = "SELECT `a` FROM `t` WHERE " + "`column_with_a_long_name` = ? AND " * 9
    rows = [(long + "1", 1, 10**12, 5, 1, 0), (long + "2", 2, 10**12, 5, 1, 0), (None, 1, 10**12, 0, 0, 0)]
    rows += [("SELECT `VARIABLE_VALUE` FROM `information_schema` . `global_status`", 9, 10**12, 0, 0, 0)]
    costs_by_digest = mariadb.digests(rows)
    assert sorted(costs["digest_calls"] for costs in costs_by_digest.values()) == [1, 3]
