"""A real mariadbd, with tables of its own."""

import contextlib
import os
import pwd
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers._daemon import Daemon, free_port, program, running

USER, PASSWORD = "shop", "shop-pass-4711"

_MEND = "apt-get install --no-install-recommends mariadb-server"
# A small log and no waiting for the disk: a fresh set of tables takes 3 s and 22 MB instead of 114.
_SMALL = (
    "--innodb-log-file-size=4M",
    "--innodb-flush-log-at-trx-commit=0",
    "--skip-innodb-doublewrite",
    "--innodb-flush-method=nosync",
)


@contextlib.contextmanager
def started_mariadb(folder: Path, *options: str, sql: str = "", port: int | None = None) -> Iterator[Daemon]:
    """Yield a mariadbd with the database and the user `shop`, who may do everything, from 127.0.0.1 too.

    options: more of the command line ("--performance-schema=ON", "--slow-query-log=1"). sql: done at
    the start, a statement a line. Takes 4 s: start one for a whole module of tests.
    """
    daemon = program("mariadbd", _MEND)
    install = program("mariadb-install-db", _MEND)
    where, data, log = port or free_port(), folder / "mariadb", folder / "mariadb.log"
    unix, first = folder / "m.sock", folder / "mariadb-first.sql"
    # A server that starts removes temporary tables of its last life: in /tmp those of other servers, too.
    scratch = folder / "mariadb-tmp"
    scratch.mkdir(exist_ok=True)
    common = ["--no-defaults", f"--user={user_name()}", f"--datadir={data}", f"--tmpdir={scratch}", *_SMALL]
    if not data.exists():
        _install([install, *common, "--skip-test-db"])
    lines = ["CREATE DATABASE IF NOT EXISTS shop;"]
    for host in ("127.0.0.1", "localhost"):
        lines.append(f"CREATE OR REPLACE USER '{USER}'@'{host}' IDENTIFIED BY '{PASSWORD}';")
        lines.append(f"GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'{host}' WITH GRANT OPTION;")
    first.write_text("\n".join([*lines, sql, ""]))
    argv = [daemon, *common, f"--socket={unix}", f"--port={where}", "--bind-address=127.0.0.1"]
    argv += [f"--init-file={first}", *options]

    def is_up() -> bool:
        # The line comes after the statements of the first file are done and it listens.
        return "ready for connections" in log.read_text(errors="replace")

    with running(argv, log, is_up, folder=folder) as process:
        yield Daemon(process, where, folder, log, unix, USER, PASSWORD)


def user_name() -> str:
    """Name of the user that runs the tests, as whom the server runs."""
    return pwd.getpwuid(os.getuid()).pw_name


def _install(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        pytest.fail(f"mariadb-install-db failed:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
