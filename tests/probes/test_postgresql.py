"""The probe of PostgreSQL against a real one: sessions, waits, locks, checkpoints, statements, restarts."""

import contextlib
import getpass
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pg8000.native
import pytest

from loadrig.base.component import Component
from loadrig.probes import Unavailable, postgresql
from loadrig.probes._counting import Counters
from loadrig.probes._databases import postgresql_views as _postgresql_views
from loadrig.probes._session import Place
from tests.conftest import Deadline
from tests.probes.watching import Watched, component_of, watching
from tests.servers._daemon import Daemon
from tests.servers.postgres import PASSWORD, USER, started_postgres

pytestmark = pytest.mark.integration

VALUE = "value-that-nobody-may-see"
ROWS = 3000
TABLES = f"""\
CREATE EXTENSION pg_stat_statements;
CREATE TABLE items AS SELECT n AS id, 'item ' || n AS name, 5 AS stock FROM generate_series(1, {ROWS}) AS n;
CREATE ROLE loadrig LOGIN PASSWORD '{PASSWORD}' IN ROLE pg_monitor;
CREATE ROLE poor LOGIN PASSWORD '{PASSWORD}';
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("postgres")
    options = ("-c", "shared_preload_libraries=pg_stat_statements", "-c", "max_connections=20")
    with started_postgres(folder, *options, sql=TABLES) as running:
        yield running


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
    return {"user": USER, "password_env": "SHOP_PASSWORD"}


@contextlib.contextmanager
def client(server: Daemon, **more: str) -> Iterator[Callable[[str], list[Any]]]:
    """Yield a connection of the application: a function that does a statement."""
    held = pg8000.native.Connection(
        USER, host="127.0.0.1", port=server.port, password=PASSWORD, database="shop", timeout=30,
        **more,
    )  # fmt: skip
    with contextlib.closing(held):
        yield lambda sql: held.run(sql) or []


def component(server: Daemon) -> Component:
    return component_of("postgresql", server.port, server.pid)


def test_a_query_without_an_index_shows_in_rows_and_among_the_statements(
    server: Daemon, credentials: dict[str, Any]
) -> None:
    with client(server) as do, watching(postgresql, component(server), **credentials) as watched:
        before = watched.look()
        for _ in range(5):
            assert do(f"SELECT count(*) FROM items WHERE name = '{VALUE}'") == [[0]]
        do(f"CREATE ROLE guest{os.getpid()} PASSWORD '{VALUE}'")
        subject = "statement:SELECT count(*) FROM items WHERE name = $1"
        after = watched.until(lambda now: now["statement_calls", subject] == 5)
        assert after["statement_s", subject] > 0
        assert after["statement_rows", subject] == 5
        assert after["statement_blocks_hit", subject] > 0
        # A session tells what it has done at the end of a statement, and then not for a second.
        assert watched.until(
            lambda now: do("SELECT 1") and now["rows_scanned", ""] - before["rows_scanned", ""] >= 5 * ROWS
        )
        assert watched.until(lambda now: now["commits", ""] > before["commits", ""])
        assert watched.until(lambda now: ("statement_calls", "statement:CREATE ROLE") in now)
        texts = watched.everything_said()
        assert VALUE not in texts
        assert PASSWORD not in texts
        assert "pg_stat_database" not in texts


def test_sessions_and_waits_leave_us_out(server: Daemon, credentials: dict[str, Any]) -> None:
    with client(server) as do, watching(postgresql, component(server), **credentials) as watched:
        idle = watched.until(lambda now: now["backends", ""] == 1)
        assert idle["sessions", "idle"] == 1
        assert idle["backends_share", ""] == pytest.approx(1 / 20)
        waiter = threading.Thread(target=lambda: do("SELECT pg_sleep(3)"))
        waiter.start()
        busy = watched.until(lambda now: now["waits", "Timeout:PgSleep"] == 1)
        assert busy["sessions", "active"] == 1
        assert watched.until(lambda now: now["longest_statement_s", ""] > 0.2)
        waiter.join()
        after = watched.until(lambda now: now["sessions", "active"] == 0)
        assert after["waits", "Timeout:PgSleep"] == 0, "gone is zero, not unknown"


def test_a_lock_wait_between_two_sessions_is_seen(server: Daemon, credentials: dict[str, Any]) -> None:
    with (
        client(server) as holder,
        client(server) as waiter,
        watching(postgresql, component(server), **credentials) as watched,
    ):
        watched.look()
        holder("BEGIN")
        holder("UPDATE items SET stock = stock - 1 WHERE id = 1")
        thread = threading.Thread(target=lambda: waiter("UPDATE items SET stock = stock - 1 WHERE id = 1"))
        thread.start()
        assert watched.until(
            lambda now: (now["lock_waiters", ""], now["sessions", "idle in transaction"]) == (1, 1)
        )
        assert watched.until(lambda now: now["waits", "Lock:transactionid"] == 1)
        assert watched.until(lambda now: now["longest_lock_wait_s", ""] > 0.1)
        assert watched.until(lambda now: now["longest_idle_in_transaction_s", ""] > 0.1)
        holder("COMMIT")
        thread.join()
        assert watched.until(lambda now: now["lock_waiters", ""] == 0)


def a_mean(watched: Watched, metric: str, subject: str) -> float:
    """Return the mean of a number over all looks so far: of a second and more, which is ten looks."""
    looks = {
        sample.t_ns: sample.value for sample in watched.samples if sample.metric == "looks" and sample.value
    }
    total = sum(
        sample.value * looks[sample.t_ns]
        for sample in watched.samples
        if (sample.metric, sample.subject) == (metric, subject)
    )
    return total / sum(looks.values())


def test_looks_give_mean_numbers_by_wait_statement_and_client(
    server: Daemon, credentials: dict[str, Any], deadline: Deadline
) -> None:
    here = Component("shop", "program", pid=os.getpid())
    place = Place(components=lambda: (here, component(server)))
    with client(server) as do, client(server):
        # A session is there for a moment after its probe has left it: to this probe it is a client.
        ours = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'loadrig'"
        deadline.wait_for(lambda: not do(ours), "the sessions of earlier tests to end")
        with watching(postgresql, component(server), place, **credentials) as watched:
            watched.look()
            watched.samples.clear()
            watched.every_s = 0.3  # several looks to a sample
            thread = threading.Thread(target=lambda: do("SELECT pg_sleep(4)"))
            thread.start()
            busy = watched.until(lambda now: now["mean_waits", "Timeout:PgSleep"] == 1)
            assert busy["mean_statements", "statement:SELECT pg_sleep(?)"] == 1
            assert busy["mean_sessions", "active"] == 1
            assert (busy["client_active", "client:shop"], busy["client_on_cpu", "client:shop"]) == (1, 0)
            assert busy["client_idle", "client:shop"] == 1, "the other connection of this process"
            several = watched.until(lambda now: now["looks", ""] >= 2)
            assert several["mean_sessions_sd", "active"] >= 0
            thread.join()
            # Where a look came late the probe has asked anew, and its old session ends a moment later.
            after = watched.until(
                lambda now: (
                    now["mean_waits", "Timeout:PgSleep"] == 0
                    and not any(number for (_, subject), number in now.items() if "loadrig" in subject)
                )
            )
            assert after["mean_sessions", "idle"] == 2
            assert 0 < a_mean(watched, "mean_waits", "Timeout:PgSleep") < 1


def test_an_idle_transaction_has_its_client_and_its_age(server: Daemon, credentials: dict[str, Any]) -> None:
    with (
        client(server, application_name="billing 4711") as holder,
        client(server, application_name="billing 4712") as younger,
        watching(postgresql, component(server), **credentials) as watched,
    ):
        holder("BEGIN")
        time.sleep(0.4)
        younger("BEGIN")
        subject = "client:127.0.0.1 billing *"
        watched.until(lambda now: now["client_idle_in_transaction", subject] == 2)
        watched.every_s = 0.3
        values = watched.until(lambda now: now["client_idle_in_transaction_median_s", subject] > 0.3)
        oldest = values["client_idle_in_transaction_oldest_s", subject]
        assert 0.4 <= values["client_idle_in_transaction_median_s", subject] + 0.2 <= oldest + 0.2
        assert oldest < 20
        holder("ROLLBACK")
        younger("ROLLBACK")
        assert watched.until(lambda now: now["client_idle_in_transaction", subject] == 0)


def test_who_waits_for_whom_is_told_by_client(server: Daemon, credentials: dict[str, Any]) -> None:
    update = "UPDATE items SET stock = stock - 1 WHERE id = 2"
    with (
        client(server, application_name="report") as holder,
        client(server, application_name="web") as first,
        client(server, application_name="web") as second,
        watching(postgresql, component(server), **credentials) as watched,
    ):
        holder("BEGIN")
        holder(update)
        threads = [threading.Thread(target=do, args=(update,)) for do in (first, second)]
        for thread in threads:
            thread.start()
        pair = "client:127.0.0.1 web behind client:127.0.0.1 report"
        queue = watched.until(lambda now: now["lock_waiters", ""] == 2 and now["lock_pairs", pair] >= 1)
        # The second waits for the first, which waits for the row: one holds both up.
        queued = "client:127.0.0.1 web behind client:127.0.0.1 web"
        assert queue["lock_pairs", pair] + queue["lock_pairs", queued] == 2
        assert queue["lock_holders", "client:127.0.0.1 report, idle in transaction"] == 1
        holder("COMMIT")
        for thread in threads:
            thread.join()
        after = watched.until(lambda now: now["lock_waiters", ""] == 0)
        assert (after["lock_pairs", pair], after["lock_pairs", queued]) == (0, 0)


def test_a_checkpoint_is_an_event(server: Daemon, credentials: dict[str, Any]) -> None:
    with client(server) as do, watching(postgresql, component(server), **credentials) as watched:
        before = watched.look()
        do("INSERT INTO items SELECT n, 'more', 1 FROM generate_series(1, 5000) AS n")
        do("CHECKPOINT")
        watched.until(lambda _: watched.of_kind("checkpoint"))
        event = watched.of_kind("checkpoint")[0]
        assert event.facts["cause"] == "requested"
        after = watched.look()
        assert after["checkpoints_requested", ""] == before["checkpoints_requested", ""] + 1
        assert after["log_written_bytes", ""] > before["log_written_bytes", ""]
        assert after["checkpoint_blocks", ""] > before["checkpoint_blocks", ""]


def test_a_user_of_least_rights_sees_all(server: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIG_PASSWORD", PASSWORD)
    access = {"user": "loadrig", "password_env": "RIG_PASSWORD"}
    with client(server) as do, watching(postgresql, component(server), None, **access) as watched:
        watched.look()
        do("SELECT stock FROM items WHERE id = 77")
        subject = "statement:SELECT stock FROM items WHERE id = $1"
        assert watched.until(lambda now: now["statement_calls", subject] == 1)
        assert watched.until(lambda now: now["sessions", "idle"] == 1)
        assert watched.of_kind("note") == []


def test_a_user_of_fewer_rights_is_told_which_are_missing_once(
    server: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIG_PASSWORD", PASSWORD)
    access = {"user": "poor", "password_env": "RIG_PASSWORD"}
    with client(server), watching(postgresql, component(server), None, **access) as watched:
        for _ in range(3):
            assert watched.look()["commits", ""] > 0
        (note,) = watched.of_kind("note")
        assert "GRANT pg_monitor TO poor" in note.text
        watched.every_s = 0.3
        for _ in range(3):
            assert watched.look()["looks", ""] == 0, "a part of the sessions would be a wrong number"


@pytest.mark.parametrize("word", ["wrong-9876", ""])
def test_a_refused_password_is_said_and_not_tried_again_at_once(
    word: str, server: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIG_PASSWORD", word)
    before = server.log.read_text().count("password authentication failed")
    access = {"user": USER, "password_env": "RIG_PASSWORD"}
    with watching(postgresql, component(server), None, **access) as watched:
        lost = [watched.until_lost() for _ in range(5)]
        assert {loss.code for loss in lost} == {"probe.refused"}
        assert "CREATE ROLE loadrig" in lost[0].mend
        assert "password_env: POSTGRES_PASSWORD" in lost[0].mend
        if word:
            assert word not in watched.everything_said()
    assert server.log.read_text().count("password authentication failed") - before <= 1


def test_without_a_user_it_gets_in_by_the_unix_socket_where_that_is_trusted(server: Daemon) -> None:
    # There is no role postgres here; the one of who runs the rig is made for this test.
    with client(server) as do:
        do(f'CREATE ROLE "{getpass.getuser()}" LOGIN')
        with watching(postgresql, component(server)) as watched:
            assert watched.look()["commits", ""] > 0


def test_without_any_way_in_it_says_how_to_make_one(server: Daemon) -> None:
    with watching(postgresql, component_of("postgresql", server.port)) as watched:
        lost = watched.until_lost()
        assert (lost.code, "IN ROLE pg_monitor" in lost.mend) == ("probe.refused", True)


def test_a_server_that_is_full_is_no_refusal(server: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIG_PASSWORD", PASSWORD)
    access = {"user": "loadrig", "password_env": "RIG_PASSWORD"}
    with contextlib.ExitStack() as held:
        for _ in range(18):  # three are kept for superusers, of whom our user is none
            held.enter_context(client(server))
        with watching(postgresql, component(server), None, **access) as watched:
            lost = watched.until_lost()
            assert (lost.code, "max_connections" in lost.mend) == ("probe.no-answer", True)


def test_without_pg_stat_statements_and_over_a_restart_the_rest_is_there(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, credentials: dict[str, Any]
) -> None:
    with (
        started_postgres(tmp_path) as first,
        watching(postgresql, component(first), **credentials) as watched,
    ):
        watched.look()
        with client(first) as do:
            do("CREATE TABLE t AS SELECT generate_series(1, 1000) AS n")
        before = watched.until(lambda now: now["rows_inserted", ""] >= 0 and now["commits", ""] > 0)
        assert not [name for metric, name in before if metric.startswith("statement_")]
        os.kill(first.pid, signal.SIGINT)
        assert watched.until_lost().code == "probe.no-answer"
        with started_postgres(tmp_path_factory.mktemp("again"), port=first.port):
            after = watched.until(lambda _: watched.of_kind("restarted"))
            assert after["commits", ""] >= before["commits", ""]


def test_a_session_that_was_ended_by_an_administrator_comes_back(
    server: Daemon, credentials: dict[str, Any]
) -> None:
    with client(server) as do, watching(postgresql, component(server), **credentials) as watched:
        watched.look()
        do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'loadrig'")
        assert watched.look()["commits", ""] > 0
        assert watched.of_kind("restarted") == []


def test_what_is_not_known_of_a_component_is_asked_for() -> None:
    with pytest.raises(Unavailable) as raised:
        postgresql.attach(postgresql.Options(), Component("postgresql", "postgresql"), Place())
    assert "at: HOST:5432" in raised.value.mend


def test_checkpoints_of_each_version_become_the_same_metrics() -> None:
    old: list[_postgresql_views.Row] = [
        {"checkpoints_timed": 3, "checkpoints_req": 1, "checkpoint_write_time": 1500.0, "buffers_alloc": 9}
    ]
    new: list[_postgresql_views.Row] = [
        {"buffers_alloc": 9},
        {"num_timed": 3, "num_requested": 1, "write_time": 1500.0, "stats_reset": "x"},
    ]
    before = _postgresql_views.totals(old, _postgresql_views.CHECKPOINTS, Counters())
    after = _postgresql_views.totals(new, _postgresql_views.CHECKPOINTS, Counters())
    assert before == after
    assert before["checkpoint_write_s", ""] == 1.5
    assert "pg_stat_checkpointer" in _postgresql_views.checkpoint_sqls(170004)[-1]
    assert len(_postgresql_views.checkpoint_sqls(120020)) == 1
    assert "query_start" in _postgresql_views.locks_sql(130000)


IO_COLUMNS = (
    "type", "object", "reads", "read_time", "writes", "write_time", "extends", "extend_time", "hits",
    "evictions", "fsyncs", "fsync_time",
)  # fmt: skip
# Answers of PostgreSQL 18.6 with track_io_timing to the question IO. Before 18 there are no rows of "wal".
IO_ROWS = (
    ("client backend", "relation", 429, 166.988, 0, 0.0, 13, 1.036, 5683, 0, 0, 0.0),
    ("client backend", "temp relation", 2, 0.012, 4, 0.02, 1, 0.001, 9, 0, None, None),
    ("client backend", "wal", 0, 0.0, 276, 0.0, None, None, None, None, 0, 0.0),
    ("checkpointer", "relation", None, None, 1799, 53.388, None, None, None, None, 3, 2.5),
    ("walsender", "relation", 0, 0.0, 0, 0.0, 0, 0.0, 0, 0, 0, 0.0),
)


def test_the_files_of_each_kind_of_process_are_counted_over_a_restart() -> None:
    rows = [dict(zip(IO_COLUMNS, row, strict=True)) for row in IO_ROWS]
    files = _postgresql_views.Files()
    counts = files.add(rows)
    assert counts["io_reads", "client backend"] == 431
    assert counts["io_read_s", "client backend"] == pytest.approx(0.167)
    assert counts["io_writes", "client backend wal"] == 276
    assert ("io_extends", "client backend wal") not in counts, "what does not apply is not zero"
    assert counts["io_write_s", "checkpointer"] == pytest.approx(0.053388)
    assert counts["io_sync_s", "checkpointer"] == pytest.approx(0.0025)
    assert not [subject for _, subject in counts if "walsender" in subject], "it has done nothing"
    files.begin_anew()
    assert files.add(rows)["io_reads", "client backend"] == 862
    assert counts.keys() <= {(metric, subject) for metric in postgresql.METRICS for _, subject in counts}


def test_kinds_of_processes_beyond_the_limit_are_one() -> None:
    rows = [dict(zip(IO_COLUMNS, (f"kind {n}", *IO_ROWS[0][1:]), strict=True)) for n in range(20)]
    counts = _postgresql_views.Files().add(rows)
    assert counts["io_reads", "others"] == (20 - _postgresql_views.MOST_IO) * 429


def test_locks_of_old_versions_are_asked_in_a_way_that_this_one_understands_too(server: Daemon) -> None:
    with client(server) as do:
        assert do(_postgresql_views.locks_sql(120000)) == [[0, None]]
