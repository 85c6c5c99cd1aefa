"""The starters give a server that answers, and leave nothing of it behind."""

import os
import subprocess
from pathlib import Path

import pytest

from loadrig.base import processes
from loadrig.testing.leftovers import nothing_left_behind
from tests.servers._daemon import Daemon, listens, program
from tests.servers.mariadb import started_mariadb
from tests.servers.postgres import started_postgres
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration


def is_up(server: Daemon) -> bool:
    return processes.start_of(server.pid) is not None and listens(server.port)


def test_a_redis_answers_and_is_gone_afterwards(tmp_path: Path) -> None:
    with nothing_left_behind():
        with started_redis(tmp_path, "--maxmemory", "64mb", password="let-me-in", unix=True) as redis:
            assert is_up(redis)
            assert redis.unix is not None
            assert redis.unix.is_socket()
        assert not is_up(redis)


def test_a_mariadb_lets_its_user_in_and_is_gone_afterwards(tmp_path: Path) -> None:
    with nothing_left_behind():
        with started_mariadb(tmp_path, sql="CREATE TABLE shop.fresh (n INT);") as mariadb:
            assert is_up(mariadb)
            client = program("mariadb", "apt-get install mariadb-client")
            output = subprocess.run(
                [
                    client,
                    "--no-defaults",
                    "-h127.0.0.1",
                    f"-P{mariadb.port}",
                    "-ushop",
                    "-eSHOW TABLES",
                    "shop",
                ],
                env={**os.environ, "MYSQL_PWD": mariadb.password},
                capture_output=True,
                text=True,
                check=True,
            )
            assert "fresh" in output.stdout
        assert not is_up(mariadb)


def test_a_postgres_lets_its_user_in_and_is_gone_afterwards(tmp_path: Path) -> None:
    with nothing_left_behind():
        with started_postgres(tmp_path, sql="CREATE TABLE fresh (n INT)") as postgres:
            assert is_up(postgres)
            psql = program("psql", "apt-get install postgresql")
            output = subprocess.run(
                [
                    psql,
                    "-h127.0.0.1",
                    f"-p{postgres.port}",
                    "-Ushop",
                    "-tcSELECT count(*) FROM fresh",
                    "shop",
                ],
                env={**os.environ, "PGPASSWORD": postgres.password},
                capture_output=True,
                text=True,
                check=True,
            )
            assert output.stdout.strip() == "0"
        assert not is_up(postgres)
        assert not postgres.folder.exists()
