"""Parts of the stacks: a folder for each program with its settings, databases with rows, limits.

Every program starts in a folder of its own, where it finds its settings: nothing on its command line or in
its environment speaks of what is wrong with it.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis
from tests.servers import mariadb, postgres
from tests.servers import redis as redis_server
from tests.servers._daemon import Daemon, free_port, listens, running
from tests.servers.quota import quota

from bench.zoo.setup import GO_PROGRAMS
from loadrig.base import cgroups

ORDERS = 20_000
VALUES = 1_000
"""Values in redis, of 200 bytes each."""

Dials = Mapping[str, Any]


@dataclass
class Site:
    """State of a stack that is being started: where its files are, and its processes by their role.

    port: where the load goes. prefix: words before the command of the server, for its limits.
    """

    folder: Path
    port: int = 0
    pids: dict[str, int] = field(default_factory=dict)
    prefix: Sequence[str] = ()

    def place(self, role: str, settings: Mapping[str, Any]) -> Path:
        """Make the folder of a program, with its settings as JSON."""
        folder = self.folder / role
        folder.mkdir()
        folder.chmod(0o777)  # for servers of other users, too
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        return folder

    def log(self, role: str) -> Path:
        """Path of what a program prints."""
        return self.folder / f"{role}.log"


@contextlib.contextmanager
def program(
    site: Site,
    role: str,
    argv: Sequence[str],
    folder: Path,
    port: int,
    environment: Mapping[str, str] | None = None,
) -> Iterator[int]:
    """Run a program in its folder until the block ends, from when it listens on its port; gives its pid."""
    words = [*site.prefix, *argv] if role == "server" else list(argv)
    up = running(words, site.log(role), lambda: listens(port), folder=folder, environment=environment)
    with up as process:
        site.pids[role] = process.pid
        yield process.pid


@contextlib.contextmanager
def postgresql(site: Site, dials: Dials) -> Iterator[Daemon]:
    """Start a PostgreSQL with orders, found by `id`, and by `code` with an index or without."""
    sql = (
        "CREATE TABLE orders (id int PRIMARY KEY, code int, name text, price float);"
        "INSERT INTO orders SELECT n, n, 'lamp ' || n, n * 1.37"
        f" FROM generate_series(1, {dials['orders']}) n;"
        "CREATE TABLE stock (id int PRIMARY KEY, n int); INSERT INTO stock VALUES (1, 0);"
        "CREATE TABLE visits (id bigserial PRIMARY KEY, item int);"
    )
    if dials["indexed"]:
        sql += "CREATE INDEX orders_code ON orders (code);"
    options = {
        "max_parallel_workers_per_gather": 0, "max_connections": 200,
        "fsync": "on" if dials["durable"] else "off",
    }  # fmt: skip
    words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
    with (
        disk(dials["database_writes"]) as group,
        postgres.started_postgres(site.folder, *words, sql=sql + "ANALYZE orders") as database,
    ):
        if group is not None:
            # Those who connect from now on are its children.
            (group / "cgroup.procs").write_text(str(database.pid), encoding="ascii")
        site.pids["postgresql"] = database.pid
        with held(database.pid, dials["database_quota"]):
            yield database


def dsn(database: Daemon) -> str:
    """Address of a PostgreSQL as its drivers take it."""
    return f"postgres://{database.user}:{database.password}@127.0.0.1:{database.port}/shop?sslmode=disable"


@contextlib.contextmanager
def maria(site: Site, dials: Dials) -> Iterator[Daemon]:
    """Start a MariaDB with the same tables."""
    sql = "\n".join((
        "USE shop;",
        "CREATE TABLE orders (id INT PRIMARY KEY, code INT, name VARCHAR(40), price DOUBLE);",
        "INSERT INTO orders SELECT seq, seq, CONCAT('lamp ', seq), seq * 1.37"
        f" FROM seq_1_to_{dials['orders']};",
        "CREATE INDEX orders_code ON orders (code);" if dials["indexed"] else "",
        "CREATE TABLE stock (id INT PRIMARY KEY, n INT);", "INSERT INTO stock VALUES (1, 0);",
        "CREATE TABLE visits (id BIGINT AUTO_INCREMENT PRIMARY KEY, item INT);",
    ))  # fmt: skip
    options = [f"--innodb-flush-log-at-trx-commit={1 if dials['durable'] else 0}", "--max-connections=300"]
    with mariadb.started_mariadb(site.folder, *options, sql=sql) as database:
        site.pids["mariadb"] = database.pid
        with held(database.pid, dials["database_quota"]):
            yield database


@contextlib.contextmanager
def cache(site: Site, dials: Dials) -> Iterator[Daemon]:
    """Start a redis with its values, and a list that can be sorted."""
    with redis_server.started_redis(site.folder) as server:
        site.pids["redis"] = server.pid
        client = redis.Redis(port=server.port)
        with client.pipeline(transaction=False) as commands:
            for n in range(VALUES):
                commands.set(f"item:{n}", "v" * 200)
            if dials["feed"]:
                commands.rpush("feed", *range(dials["feed"]))
            commands.execute()
        client.close()
        yield server


@contextlib.contextmanager
def quotes(site: Site, dials: Dials) -> Iterator[int]:
    """Start the service of quotes, by dials that begin with "quotes_"; gives its port, or 0 without one."""
    if not dials["quotes"]:
        yield 0
        return
    names = ("delay_ms", "slots", "tail_share", "tail_ms", "fails_share")
    port = free_port()
    folder = site.place("quotes", {"port": port, **{name: dials[f"quotes_{name}"] for name in names}})
    with program(site, "quotes", [str(GO_PROGRAMS / "quotes")], folder, port):
        yield port


@contextlib.contextmanager
def names(site: Site, wait_ms: float) -> Iterator[None]:
    """Start a name server on port 53 that takes a while; the namespace of the case asks no other."""
    if not wait_ms:
        yield
        return
    folder = site.place("names", {"wait_ms": wait_ms})
    argv = [sys.executable, str(Path(__file__).with_name("apps") / "names.py")]
    hint = folder / "resolv.conf"
    hint.write_text("nameserver 127.0.0.1\noptions timeout:5\n", encoding="ascii")
    # Seen in the case's own mount namespace alone.
    subprocess.run(["mount", "--bind", str(hint), "/etc/resolv.conf"], check=True)
    try:
        with running(argv, site.log("names"), lambda: (folder / "ready").exists(), folder=folder) as process:
            site.pids["names"] = process.pid
            yield
    finally:
        subprocess.run(["umount", "/etc/resolv.conf"], check=True)


@contextlib.contextmanager
def held(pid: int, cores: float | None) -> Iterator[None]:
    """Hold a process at so many cores; None leaves it alone."""
    if cores is None:
        yield
        return
    with quota(pid, cores):
        yield


@contextlib.contextmanager
def limited(controller: str, file: str, value: object) -> Iterator[Path | None]:
    """Make a control group with a limit, until the block ends; None where no limit is wanted."""
    if value is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="shop-", dir=cgroups.of(os.getpid())[controller]))
    try:
        (folder / file).write_text(str(value), encoding="ascii")
        yield folder
    finally:
        end = time.monotonic() + 10
        while not cgroups.remove(folder) and time.monotonic() < end:
            time.sleep(0.02)


def within(group: Path | None) -> list[str]:
    """Words to put before a command so that it starts in a control group."""
    return ["/bin/sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"] if group else []


def tasks(most: int | None) -> AbstractContextManager[Path | None]:
    """Limit processes and threads."""
    return limited("pids", "pids.max", most)


def disk(writes: int | None) -> AbstractContextManager[Path | None]:
    """Limit how often a second something is written to the disk of the files of cases."""
    device = os.stat(tempfile.gettempdir()).st_dev
    limit = None if writes is None else f"{os.major(device)}:{os.minor(device)} {writes}"
    return limited("blkio", "blkio.throttle.write_iops_device", limit)


@contextlib.contextmanager
def batch(site: Site, share: float) -> Iterator[None]:
    """Run another program of the same cores that is busy for a share of the time."""
    if not share:
        yield
        return
    folder = site.place("batch", {"share": share})
    argv = [sys.executable, "-I", "-S", str(Path(__file__).with_name("apps") / "invoices.py")]
    with running(argv, site.log("batch"), lambda: True, folder=folder) as process:
        site.pids["batch"] = process.pid
        yield


@contextlib.contextmanager
def idle_crowd(port: int, many: int = 300) -> Iterator[None]:
    """Keep many connections open that ask nothing."""
    with contextlib.ExitStack() as stack:
        for _ in range(many):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
        yield


@contextlib.contextmanager
def slow_clients(port: int, many: int) -> Iterator[None]:
    """Keep some clients that send their request a byte at a time."""
    argv = [sys.executable, "-I", "-S", str(Path(__file__).with_name("apps") / "visitors.py"), str(port)]
    crowd = subprocess.Popen([*argv, str(many)], stdin=subprocess.DEVNULL, preexec_fn=_on_the_generators_core)
    try:
        time.sleep(0.5)
        yield
    finally:
        crowd.send_signal(signal.SIGKILL)
        crowd.wait()


def _on_the_generators_core() -> None:
    os.sched_setaffinity(0, {0})
