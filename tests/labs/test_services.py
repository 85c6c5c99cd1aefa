"""Services of a lab come up with their data, on their ports, in their groups, and leave nothing."""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pg8000.native
import pymysql
import pytest

from loadrig.base import cgroups, sockets
from loadrig.base.errors import TargetError
from loadrig.labs import needs, quota
from loadrig.labs.format import Lab, read_lab
from loadrig.labs.session import LabSession
from tests.labs.made import LAB, lab_folder

pytestmark = pytest.mark.integration

SCHEMA = """\
CREATE TABLE stock (item INT PRIMARY KEY, amount INT);
-- two statements, and a comment between them
INSERT INTO stock VALUES (1, 10), (2, 20);
"""


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Yield a cache for the tests of this module: MariaDB's tables are made once for all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def lab(folder: Path, services: str, files: dict[str, str] | None = None) -> Lab:
    text = LAB + f"needs: {{cores: 1}}\nservices:\n  {services}\n"
    planned_lab = read_lab(lab_folder(folder, {"lab.yaml": text, **(files or {})})).for_plan("plan")
    lacking = needs.missing(planned_lab)
    if lacking:
        pytest.skip(f"not installed or not permitted: {[*lacking.programs, *lacking.why]}")
    return planned_lab


def silent(sentence: str) -> None:
    """Take no message: what takes a while is of no interest here."""


def test_a_redis_answers_on_its_port_and_is_gone_after_it(tmp_path: Path, free_port: int) -> None:
    with LabSession(lab(tmp_path, f"redis: {{port: {free_port}}}"), silent) as session:
        with socket.create_connection(("127.0.0.1", free_port), timeout=60) as connection:
            connection.sendall(b"PING\r\n")
            assert connection.recv(64) == b"+PONG\r\n"
        assert session.running["redis"].alive()
    assert not sockets.listeners_at("127.0.0.1", free_port)


def test_a_mariadb_has_its_user_and_its_tables(tmp_path: Path, free_port: int) -> None:
    written = f"mariadb: {{port: {free_port}, init: schema.sql, options: [--max-connections=17]}}"
    with (
        LabSession(lab(tmp_path, written, {"schema.sql": SCHEMA}), silent),
        pymysql.connect(
            host="127.0.0.1", port=free_port, user="shop", password="shop", database="shop"
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT SUM(amount), @@max_connections FROM stock")
        assert cursor.fetchone() == (30, 17)


def test_a_postgresql_has_its_user_and_its_tables(tmp_path: Path, free_port: int) -> None:
    written = f"postgresql: {{port: {free_port}, init: schema.sql}}"
    with (
        LabSession(lab(tmp_path, written, {"schema.sql": SCHEMA}), silent),
        contextlib.closing(
            pg8000.native.Connection("shop", "127.0.0.1", "shop", free_port, "shop")
        ) as connection,
    ):
        assert connection.run("SELECT SUM(amount) FROM stock") == [[30]]


def test_sql_that_fails_is_told_and_the_service_stopped(tmp_path: Path, free_port: int) -> None:
    planned_lab = lab(
        tmp_path, f"mariadb: {{port: {free_port}, init: bad.sql}}", {"bad.sql": "SELECT 1; SELEKT 2;"}
    )
    with pytest.raises(TargetError, match=r"bad\.sql .*mariadb") as caught:
        LabSession(planned_lab, silent).__enter__()
    assert caught.value.problems[0].code == "lab.init-failed"
    assert not sockets.listeners_at("127.0.0.1", free_port)


def test_a_command_is_told_its_port_and_waited_for(tmp_path: Path, free_port: int) -> None:
    run = 'run: "${python} server.py ${port:other}"'
    written = f"other: {{kind: command, port: {free_port}, ready: /, {run}}}"
    with LabSession(lab(tmp_path, written), silent) as session:
        assert sockets.listeners_at("127.0.0.1", free_port)
        assert session.running["other"].target.pid is not None


def test_a_port_that_is_taken_is_named_with_who_has_it_before_anything_starts(
    tmp_path: Path, free_port: int
) -> None:
    planned_lab = lab(tmp_path, f"redis: {{port: {free_port}}}")
    with socket.create_server(("127.0.0.1", free_port)), pytest.raises(TargetError) as caught:
        LabSession(planned_lab, silent).__enter__()
    (problem,) = caught.value.problems
    assert problem.code == "lab.port-in-use"
    assert f"pid {os.getpid()}" in problem.what


def test_a_service_with_a_quota_is_held_in_a_group_that_goes_with_it(tmp_path: Path, free_port: int) -> None:
    planned_lab = lab(tmp_path, f"redis: {{port: {free_port}, cpu: 0.25}}")
    with contextlib.ExitStack() as stack:
        try:
            session = stack.enter_context(LabSession(planned_lab, silent))
        except TargetError as error:
            if error.problems[0].code != "lab.quota":
                raise
            pytest.skip(f"no group may be made here: {error.problems[0].why}")
        pid = session.running["redis"].target.pid
        assert pid is not None
        assert cgroups.limits(pid)["quota_cores"] == 0.25
        groups = cgroups.of(pid)
        folder = groups.get("cpu") or groups["2"]
    assert not folder.exists()


def test_a_quota_is_written_as_each_version_wants_it(tmp_path: Path) -> None:
    quota.limit(tmp_path, 1, 25_000)
    quota.limit(tmp_path, 2, 25_000)
    assert (tmp_path / "cpu.cfs_quota_us").read_text() == "25000"
    assert (tmp_path / "cpu.cfs_period_us").read_text() == "100000"
    assert (tmp_path / "cpu.max").read_text() == "25000 100000"


def test_where_no_group_can_be_made_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "of", lambda: {"cpu": tmp_path / "read-only" / "nowhere"})
    with pytest.raises(TargetError, match=r"0\.5 cores") as caught:
        quota.make(0.5)
    assert caught.value.problems[0].code == "lab.quota"
