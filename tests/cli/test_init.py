"""`loadrig init`: a first plan that `loadrig check` takes, and a question only where somebody can answer."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from loadrig.cli.__main__ import main
from loadrig.discovery import listening
from loadrig.discovery.listening import Listening
from loadrig.plan.arrivals import Users
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from tests.servers._daemon import Daemon, free_port, listens, running
from tests.wording import codes

pytestmark = pytest.mark.integration

DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("init")
    port, log = free_port(), folder / "log"
    argv = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)]
    with running(argv, log, lambda: listens(port), folder=folder) as process:
        yield Daemon(process, port, folder, log)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def plan_at(path: Path) -> Plan:
    return read(path.read_text(encoding="utf-8"), str(path))


def test_the_plan_of_a_named_server_is_one_that_check_takes(
    server: Daemon, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f":{server.port}", "--users", "50", "--goal", "p95 < 500ms", "-o", "shop.yaml"]
    assert main(["init", *words]) == Exit.FINE
    assert capsys.readouterr().out == "shop.yaml\n"
    plan = plan_at(tmp_path / "shop.yaml")
    assert plan.name == "shop"
    assert plan.target.options.url == f"http://127.0.0.1:{server.port}"
    assert [request.path for request in plan.workload.requests] == ["/"]
    assert len(plan.goals) == 1
    assert main(["check", "shop.yaml"]) == Exit.FINE


def test_the_path_of_a_url_is_the_first_request(server: Daemon, tmp_path: Path) -> None:
    assert main(["init", f"http://127.0.0.1:{server.port}/cart?x=1"]) == Exit.FINE
    plan = plan_at(tmp_path / "loadrig.yaml")
    assert [request.path for request in plan.workload.requests] == ["/cart?x=1"]


def test_a_server_elsewhere_needs_leave_and_is_not_looked_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = "http://staging.example/cart"
    assert main(["init", url]) == Exit.PLAN_WRONG
    assert codes(capsys.readouterr().err) == ["plan.host-not-allowed"]
    assert not list(tmp_path.iterdir())
    assert main(["init", url, "--allow", "staging.example"]) == Exit.FINE
    assert "staging.example" in plan_at(tmp_path / "loadrig.yaml").allow


def test_a_file_that_is_there_is_left_as_it_is(
    server: Daemon, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loadrig.yaml").write_text("mine\n")
    assert main(["init", f":{server.port}"]) == Exit.PLAN_WRONG
    assert codes(capsys.readouterr().err) == ["init.in-the-way"]
    assert (tmp_path / "loadrig.yaml").read_text() == "mine\n"


def test_a_wrong_flag_writes_no_plan(
    server: Daemon, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", f":{server.port}", "--goal", "p95 < soon"]) == Exit.PLAN_WRONG
    assert codes(capsys.readouterr().err)
    assert main(["init", f":{server.port}", "-o", "nowhere/shop.yaml"]) == Exit.PLAN_WRONG
    assert codes(capsys.readouterr().err) == ["init.not-written"]
    assert not list(tmp_path.iterdir())


def test_what_listens_here_is_seen_with_its_kind(server: Daemon) -> None:
    (listener,) = (each for each in listening.listening_servers().servers if each.pid == server.pid)
    assert listener.kind == "http.server"
    assert listening.url(listener) == f"http://127.0.0.1:{server.port}/"


@pytest.mark.parametrize(("count", "code"), [(0, "init.nothing-listens"), (2, "init.several")])
def test_without_a_terminal_nothing_is_guessed(
    count: int, code: str, server: Daemon, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (listener,) = (each for each in listening.listening_servers().servers if each.pid == server.pid)
    monkeypatch.setattr(listening, "listening_servers", lambda: Listening((listener,) * count, 1))
    assert main(["init", "--yes"]) == Exit.PLAN_WRONG
    assert codes(capsys.readouterr().err) == [code]


def test_the_only_server_that_listens_is_taken(
    server: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (listener,) = (each for each in listening.listening_servers().servers if each.pid == server.pid)
    monkeypatch.setattr(listening, "listening_servers", lambda: Listening((listener,), 0))
    assert main(["init", "--yes"]) == Exit.FINE
    assert plan_at(tmp_path / "loadrig.yaml").target.options.url == f"http://127.0.0.1:{server.port}"


def test_on_a_terminal_it_asks_and_takes_what_is_typed(server: Daemon, tmp_path: Path) -> None:
    person, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "loadrig.cli", "init"],
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    os.close(terminal)
    # Servers of other tests come and go: the number of ours is the one that is shown.
    shown = ""
    while (line := re.search(rf"(\d+)\W[^\n]*:{server.port}\b", shown)) is None:
        shown += os.read(person, 1 << 16).decode()
    answers = ["0", line[1], "cart?x=1", "many", "7", "soon", "p95 < 1s"]
    os.write(person, "".join(f"{answer}\n" for answer in answers).encode())
    _, refusal = process.communicate(timeout=DEADLINE_S)
    shown += os.read(person, 1 << 16).decode()
    os.close(person)
    assert process.returncode == Exit.FINE, refusal
    # What a plan cannot say is asked again at once, with a word on how to say it.
    assert refusal.decode().count("How many users at once?") == 2
    assert refusal.decode().count("A goal, such as") == 2
    assert shown.count("soon") == 2  # as it was typed, and in what is said of it
    plan = plan_at(tmp_path / "loadrig.yaml")
    assert [request.path for request in plan.workload.requests] == ["/cart?x=1"]
    assert len(plan.goals) == 1
    users = plan.workload.arrivals
    assert isinstance(users, Users)
    assert users.count == 7
