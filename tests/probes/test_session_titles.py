"""Sessions of a PostgreSQL by the titles of its processes: parsed, and of a real server."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pg8000.native
import pytest

from loadrig.probes import Lost, session_titles
from tests.probes.watching import component_of, watching
from tests.servers._daemon import Daemon
from tests.servers.postgres import PASSWORD, USER, started_postgres

SHOP = "postgres: shop shop 127.0.0.1(45678) "


@pytest.mark.parametrize(
    ("title", "state", "command"),
    [
        (f"{SHOP}UPDATE waiting", "waiting", "UPDATE"),
        (f"{SHOP}SELECT", "working", "SELECT"),
        (f"{SHOP}CREATE INDEX", "working", "CREATE INDEX"),
        (f"{SHOP}COMMIT", "committing", "COMMIT"),
        (f"{SHOP}idle", "idle", ""),
        (f"{SHOP}authentication", "idle", ""),
        (f"{SHOP}idle in transaction", "idle in transaction", ""),
        (f"{SHOP}idle in transaction (aborted)", "idle in transaction", ""),
        ("postgres: 15/main: a b [local] BIND\0\0\0", "working", "BIND"),
        ("postgres: a b fe80::1%eth0(5) INSERT", "working", "INSERT"),
        ("postgres: a b db.example(5) INSERT", "working", "INSERT"),
    ],
)
def test_a_title_says_what_its_session_does(title: str, state: str, command: str) -> None:
    states, commands, silent = session_titles.parse_titles([title])
    assert (dict(states), dict(commands), silent) == ({state: 1}, {command: 1} if command else {}, 0)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "postgres",
        "postgres: checkpointer ",
        "postgres: 15/main: walwriter ",
        "postgres: autovacuum worker shop",
        "postgres: logical replication launcher ",
        "/usr/lib/postgresql/15/bin/postgres -D data",
    ],
)
def test_other_processes_are_no_sessions(title: str) -> None:
    assert session_titles.parse_titles([title]) == ({}, {}, 0)


def staged(root: Path, *titles: str) -> session_titles.SessionTitlesWatch:
    """Return a watch of process 1, whose children have these titles."""
    for pid, title in enumerate(("postgres", *titles), 1):
        (root / f"proc/{pid}").mkdir(parents=True)
        (root / f"proc/{pid}/cmdline").write_text(title)
    (root / "proc/1/task/1").mkdir(parents=True)
    (root / "proc/1/task/1/children").write_text(" ".join(str(2 + n) for n in range(len(titles))))
    return session_titles.SessionTitlesWatch(1, root)


def test_a_state_that_no_session_is_in_counts_zero(tmp_path: Path) -> None:
    look = staged(tmp_path, f"{SHOP}UPDATE waiting", f"{SHOP}UPDATE", f"{SHOP}idle").look()
    assert look is not None
    assert {state: look.counts["sessions", state] for state in session_titles.STATES} == {
        "working": 1, "waiting": 1, "committing": 0, "idle in transaction": 0, "idle": 1,
    }  # fmt: skip
    assert look.counts["commands", "UPDATE"] == 2


def test_titles_that_stand_still_are_told_once_and_count_nothing(tmp_path: Path) -> None:
    watch = staged(tmp_path, SHOP.rstrip(), SHOP.rstrip())
    assert watch.look() is None
    watch.sample(0)
    watch.sample(1)
    watch.detach()
    assert [event.kind for event in watch.events()] == ["note"]


def test_a_server_that_has_ended_is_lost(tmp_path: Path) -> None:
    watch = session_titles.SessionTitlesWatch(1, tmp_path)
    with pytest.raises(Lost):
        watch.sample(0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    sql = "CREATE TABLE items AS SELECT n AS id, 5 AS stock FROM generate_series(1, 3) AS n;"
    with started_postgres(tmp_path_factory.mktemp("titles"), sql=sql) as running:
        yield running


def session(server: Daemon) -> pg8000.native.Connection:
    return pg8000.native.Connection(
        USER, host="127.0.0.1", port=server.port, password=PASSWORD, database="shop", timeout=60
    )


LOOKED_S = 0.3
"""Pause between two readings in seconds, in which a look falls."""


@pytest.mark.integration
def test_a_session_that_waits_for_anothers_row_is_seen_without_a_password(
    server: Daemon,
) -> None:
    with (
        watching(session_titles, component_of("postgresql", server.port, server.process.pid)) as watched,
        closing(session(server)) as holder,
        closing(session(server)) as waiter,
    ):
        holder.run("BEGIN")
        holder.run("UPDATE items SET stock = stock - 1 WHERE id = 1")
        thread = threading.Thread(target=waiter.run, args=("UPDATE items SET stock = 9 WHERE id = 1",))
        thread.start()
        watched.every_s = LOOKED_S
        reading = watched.until(lambda reading: reading["sessions", "waiting"] == 1)
        assert reading["sessions", "idle in transaction"] == 1
        assert reading["commands", "UPDATE"] == 1
        holder.run("COMMIT")
        thread.join()
        watched.until(
            lambda reading: reading["sessions", "waiting"] == 0 and reading["sessions", "idle"] == 2
        )
