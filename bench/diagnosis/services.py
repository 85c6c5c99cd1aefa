"""Services that the applications need: databases with their rows, rates, an nginx, control groups.

Real servers, by the starters of the tests: they run on free ports of this network namespace, keep their
data in a temporary folder and end with the block.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import redis
from tests.servers import mariadb, nginx, postgres
from tests.servers import redis as redis_server
from tests.servers._announced import announced
from tests.servers._daemon import Daemon, free_port, listens, running

from bench.costs import Failed
from bench.programs import need
from loadrig.base import cgroups

STACKS = Path(__file__).with_name("stacks")
VALUES = 1_000
"""Values in the cache, of 200 bytes each."""
PERIOD_US = 100_000
_FRONT = """\
{user}daemon off; worker_processes 1; pid {home}/nginx.pid; error_log stderr;
events {{ worker_connections 4096; }}
http {{
  client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
  uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
  log_format timed '{timed}'; access_log {home}/access.log timed;
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    location = /nginx_status {{ stub_status; }}
    location / {{ proxy_pass http://127.0.0.1:{upstream}; }}
  }}
}}
"""


@contextlib.contextmanager
def cache(folder: Path, feed: int) -> Iterator[Daemon]:
    """Yield a redis with its values. feed: length of the list that slow commands sort."""
    with redis_server.started_redis(folder) as server:
        client = redis.Redis(port=server.port)
        with client.pipeline(transaction=False) as many:
            for n in range(VALUES):
                many.set(f"item:{n}", "v" * 200)
            for start in range(0, feed, 1_000):
                many.rpush("feed", *range(start, min(feed, start + 1_000)))
            many.execute()
        client.close()
        yield server


@contextlib.contextmanager
def postgresql(folder: Path, items: int) -> Iterator[Daemon]:
    """Yield a PostgreSQL with so many items, found by `id`, and not so fast by `code`."""
    sql = (
        "CREATE TABLE items (id int PRIMARY KEY, code int, name text, price float);"
        f"INSERT INTO items SELECT n, n, 'lamp ' || n, n * 1.37 FROM generate_series(1, {items}) n;"
        "CREATE TABLE counters (id int PRIMARY KEY, n int); INSERT INTO counters VALUES (1, 0);"
        "ANALYZE items; CREATE EXTENSION pg_stat_statements"
    )
    # A parallel plan would use other cores than its backend's. Statements are counted, as in MariaDB.
    options = ("max_parallel_workers_per_gather=0", "shared_preload_libraries=pg_stat_statements")
    words = [word for option in options for word in ("-c", option)]
    with postgres.started_postgres(folder, *words, sql=sql) as server:
        yield server


@contextlib.contextmanager
def maria(folder: Path, items: int) -> Iterator[Daemon]:
    """Yield a MariaDB with the same tables."""
    sql = "\n".join((
        "USE shop;",
        "CREATE TABLE items (id INT PRIMARY KEY, code INT, name VARCHAR(40), price DOUBLE);",
        f"INSERT INTO items SELECT seq, seq, CONCAT('lamp ', seq), seq * 1.37 FROM seq_1_to_{items};",
        "CREATE TABLE counters (id INT PRIMARY KEY, n INT);", "INSERT INTO counters VALUES (1, 0);",
    ))  # fmt: skip
    with mariadb.started_mariadb(folder, "--performance-schema=ON", sql=sql) as server:
        yield server


def postgresql_index(database: Daemon) -> dict[str, list[str]]:
    """Commands that give `code` an index, and that take it away, by the words of the knob."""
    ask = [
        need("psql", "postgresql-client"), "-h", str(database.folder), "-p", str(database.port),
        "-U", database.user, "-d", "shop", "-q", "-c",
    ]  # fmt: skip
    create, drop = "CREATE INDEX IF NOT EXISTS items_code ON items (code)", "DROP INDEX IF EXISTS items_code"
    return {"code": [*ask, create], "none": [*ask, drop]}


def maria_index(database: Daemon) -> dict[str, list[str]]:
    """Return the same for MariaDB."""
    ask = [
        need("mariadb", "mariadb-client"), "--no-defaults", f"--socket={database.unix}",
        f"--user={database.user}", f"--password={database.password}", "shop", "-e",
    ]  # fmt: skip
    create, drop = "CREATE INDEX IF NOT EXISTS items_code ON items (code)", "DROP INDEX IF EXISTS items_code"
    return {"code": [*ask, create], "none": [*ask, f"{drop} ON items"]}


@contextlib.contextmanager
def rates(folder: Path, wait_s: float) -> Iterator[tuple[int, int]]:
    """Yield the service of exchange rates: its port and pid."""
    home = folder / "rates"
    home.mkdir()
    settings = home / "rates.json"
    settings.write_text(json.dumps({"wait_s": wait_s, "port": 0}), encoding="utf-8")
    argv = [sys.executable, str(STACKS / "rates.py"), str(settings)]
    with announced(argv, home, "cpython", "") as server:
        yield server.port, server.pid


@contextlib.contextmanager
def front(folder: Path, upstream: int) -> Iterator[Daemon]:
    """Yield an nginx that hands everything on, over a new connection each time, as it does by default."""
    port = free_port()
    argv = front_argv(folder, port, upstream)
    home = folder / "front"
    with running(argv, home / "nginx.log", lambda: listens(port), folder=home) as process:
        yield Daemon(process, port, home, home / "nginx.log")


def front_argv(folder: Path, port: int, upstream: int) -> list[str]:
    """Return the command of such an nginx, its configuration written. folder: it gets one in it."""
    home = folder / "front"
    home.mkdir()
    config = home / "nginx.conf"
    config.write_text(
        _FRONT.format(
            user="user root; " if os.getuid() == 0 else "",
            timed=nginx.TIMED,
            home=home,
            port=port,
            upstream=upstream,
        ),
        encoding="utf-8",
    )
    return [need("nginx", "nginx"), "-c", str(config), "-p", str(home), "-e", "stderr"]


@contextlib.contextmanager
def group(cores: float | None, memory_mb: int | None) -> Iterator[list[str]]:
    """Words to put before a command so that it starts within these limits; none where there is no limit.

    Raises Failed where control groups may not be made.
    """
    wanted = {"cpu": cores, "memory": memory_mb}
    folders: list[Path] = []
    try:
        for controller in (name for name, limit in wanted.items() if limit is not None):
            place = cgroups.of(os.getpid()).get(controller)
            if place is None:
                raise Failed(f"the controller {controller} of control groups (v1) is not there")
            folder = place / f"store-{os.getpid()}"
            folder.mkdir()
            folders.append(folder)
            if cores is not None and controller == "cpu":
                (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
                (folder / "cpu.cfs_quota_us").write_text(str(int(cores * PERIOD_US)))
            if memory_mb is not None and controller == "memory":
                (folder / "memory.limit_in_bytes").write_text(str(memory_mb << 20))
        enter = "".join(f"echo $$ > {folder}/cgroup.procs && " for folder in folders)
        yield ["/bin/sh", "-c", f'{enter}exec "$@"', "sh"] if folders else []
    except OSError as refused:
        raise Failed(f"a control group may not be made here: {refused}") from refused
    finally:
        end = time.monotonic() + 10
        while not all(cgroups.remove(folder) for folder in folders) and time.monotonic() < end:
            time.sleep(0.02)


def account(database: Daemon) -> dict[str, Any]:
    """Return how a program gets into a database, as pg8000 names it."""
    return {
        "host": "127.0.0.1", "port": database.port, "user": database.user,
        "password": database.password, "database": "shop",
    }  # fmt: skip
