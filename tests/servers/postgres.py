"""A real PostgreSQL server, with a cluster of its own."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers._daemon import Daemon, free_port, program, running

USER, PASSWORD = "shop", "shop-pass-4711"

_MEND = "apt-get install postgresql"
_FAST = ("-c", "fsync=off", "-c", "full_page_writes=off")


@contextlib.contextmanager
def started_postgres(folder: Path, *options: str, sql: str = "", port: int | None = None) -> Iterator[Daemon]:
    """Yield a PostgreSQL with the database and the superuser `shop`, who gives a password over TCP.

    options: more of the command line ("-c", "shared_preload_libraries=pg_stat_statements"). sql: done in
    the database shop at the start. Takes 2 s: start one for a whole module of tests.
    """
    binaries = [str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    server, initdb, psql = (program(name, _MEND, *binaries) for name in ("postgres", "initdb", "psql"))
    where, log = port or free_port(), folder / "postgres.log"
    with _cluster_folder() as (home, become):
        secret = home / "password"
        secret.write_text(PASSWORD + "\n")
        data = home / "data"
        create_cluster = [
            initdb,
            "-D",
            str(data),
            "-U",
            USER,
            "--pwfile",
            str(secret),
            "--no-sync",
            "--locale=C",
        ]
        _do([*become, *create_cluster, "-E", "UTF8", "--auth-local=trust", "--auth-host=scram-sha-256"])
        argv = [*become, server, "-D", str(data), "-p", str(where), "-c", "listen_addresses=127.0.0.1"]
        argv += ["-c", f"unix_socket_directories={home}", *_FAST, *options]

        def is_up() -> bool:
            return "ready to accept connections" in log.read_text(errors="replace")

        # SIGINT is its fast way out: it does not wait until its clients have left.
        with running(argv, log, is_up, folder=home, stop_by=signal.SIGINT) as process:
            ask = [psql, "-h", str(home), "-p", str(where), "-U", USER, "-v", "ON_ERROR_STOP=1", "-q"]
            _do([*ask, "-d", "postgres", "-c", "CREATE DATABASE shop"])
            if sql:
                _do([*ask, "-d", "shop", "-c", sql])
            unix = home / f".s.PGSQL.{where}"
            yield Daemon(process, where, home, log, unix, USER, PASSWORD)


@contextlib.contextmanager
def _cluster_folder() -> Iterator[tuple[Path, list[str]]]:
    """Yield a folder for the cluster, and what turns a command into one of the user whom it belongs to.

    PostgreSQL refuses to be root, and the folders that pytest makes for root are closed to others.
    """
    home, become = Path(tempfile.mkdtemp(prefix="pytest-postgres-")), list[str]()
    try:
        if os.getuid() == 0:
            try:
                entry = pwd.getpwnam("postgres")
            except KeyError:
                pytest.skip(f"there is no user postgres, and PostgreSQL refuses to be root: {_MEND}")
            setpriv = program("setpriv", "apt-get install util-linux")
            # It becomes the server by exec: the pid stays.
            become = [setpriv, f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
            os.chown(home, entry.pw_uid, entry.pw_gid)
        yield home, become
    finally:
        shutil.rmtree(home)


def _do(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, cwd="/")
    if done.returncode:
        pytest.fail(f"{' '.join(argv[:6])} … failed:\n{done.stdout[-500:]}{done.stderr[-1500:]}")
