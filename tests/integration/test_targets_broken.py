"""Servers that do not come up: what, where, how to mend it; and nothing of them is left."""

import errno
import os
import signal
import socket
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import processes
from loadrig.base.errors import PlanError, TargetError
from loadrig.base.units import Seconds
from loadrig.target import _ready, command
from loadrig.target._ready import Ready
from loadrig.target._server import Stop, free_port
from tests.integration.started import (
    base,
    nothing_left,
    problem_of,
    start_server,
)
from tests.wording import shape

__all__ = ["base", "nothing_left"]  # fixtures

pytestmark = pytest.mark.integration


def test_a_port_in_use_names_who_has_it_and_nothing_is_started(base: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(TargetError) as raised:
            start_server(base, address=command.ListenPlace(port))
    problem = problem_of(raised)
    assert problem.code == "target.port-in-use"
    assert f"pid {os.getpid()}" in problem.what
    assert processes.command_line(os.getpid())[:40] in problem.what
    assert not (base / "run").exists()


def test_a_port_that_is_taken_while_the_server_starts_is_said_too(base: Path) -> None:
    code = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_server(s.getsockname())"
    options = command.Options(
        (sys.executable, "-c", code), address=command.ListenPlace(free_port("127.0.0.1"))
    )
    with pytest.raises(TargetError) as raised:
        command.start(options, {}, base / "run", base)
    assert problem_of(raised).code == "target.port-in-use"


def test_a_server_that_exits_at_start_shows_its_status_and_its_last_lines(base: Path) -> None:
    code = "import sys; print('reading the settings'); sys.exit('no such database')"
    with pytest.raises(TargetError) as raised:
        command.start(command.Options((sys.executable, "-c", code, "{port}")), {}, base / "run", base)
    problem = problem_of(raised)
    assert problem.code == "target.exited"
    assert "with status 1" in problem.what
    assert problem.detail[-1] == "no such database"
    assert "reading the settings" in problem.detail


def test_a_server_that_is_killed_at_start_says_by_which_signal(base: Path) -> None:
    code = "import os; os.kill(os.getpid(), 9)"
    with pytest.raises(TargetError) as raised:
        command.start(command.Options((sys.executable, "-c", code, "{port}")), {}, base / "run", base)
    assert "by SIGKILL" in problem_of(raised).what
    assert "printed nothing" in problem_of(raised).why


def test_a_server_that_never_becomes_ready_is_stopped_and_it_says_what_was_waited_for(
    base: Path, snapshot: SnapshotAssertion
) -> None:
    code = "import time; print('thinking', flush=True); time.sleep(60)"
    options = command.Options((sys.executable, "-c", code, "{port}"), ready=Ready(within=Seconds(4)))
    with pytest.raises(TargetError) as raised:
        command.start(options, {}, base / "run", base)
    problem = problem_of(raised)
    assert problem.code == "target.never-ready"
    assert "after 4 s" in problem.what
    assert os.strerror(errno.ECONNREFUSED) in problem.why
    assert shape(problem.why) == snapshot
    assert problem.detail == ("thinking",)


def test_a_server_that_listens_elsewhere_is_told_from_one_that_does_not_listen(base: Path) -> None:
    other = free_port("127.0.0.1")
    options = command.Options(
        (sys.executable, "server.py", str(other)),
        address=command.ListenPlace(free_port("127.0.0.1")),
        ready=Ready(within=Seconds(5)),
    )
    with pytest.raises(TargetError) as raised:
        command.start(options, {}, base / "run", base)
    assert f"127.0.0.1:{other}" in problem_of(raised).why


def test_a_health_check_with_another_status_is_not_ready(base: Path) -> None:
    with pytest.raises(TargetError) as raised:
        start_server(base, ready=Ready(http="/down", status=(200,), within=Seconds(5)))
    assert "503" in problem_of(raised).why


def test_an_answer_that_is_not_http_is_not_ready(base: Path) -> None:
    code = (
        "import socket, sys\n"
        "s = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
        "while True: c, _ = s.accept(); c.recv(999); c.sendall(b'220 mail ready\\r\\n'); c.close()\n"
    )
    options = command.Options(
        (sys.executable, "-c", code, "{port}"), ready=Ready(http="/", within=Seconds(5))
    )
    with pytest.raises(TargetError) as raised:
        command.start(options, {}, base / "run", base)
    assert "220 mail ready" in problem_of(raised).why


def test_a_program_that_is_not_there_says_where_it_was_looked_for(base: Path) -> None:
    options = command.Options(("no-such-program --port {port}",), env={"PATH": "/nowhere"})
    with pytest.raises(TargetError) as raised:
        command.start(options, {}, base / "run", base)
    problem = problem_of(raised)
    assert problem.code == "target.not-found"
    assert "'no-such-program'" in problem.what
    assert "PATH=/nowhere" in problem.why


def test_a_file_that_may_not_be_executed_is_not_found_either(base: Path) -> None:
    (base / "script").write_text("#!/bin/sh\n")
    with pytest.raises(TargetError) as raised:
        command.start(command.Options(("./script {port}",)), {}, base / "run", base)
    assert "Permission denied" in problem_of(raised).what


def test_a_folder_that_is_not_there_is_said(base: Path) -> None:
    with pytest.raises(TargetError) as raised:
        start_server(base, chdir="elsewhere")
    assert problem_of(raised).code == "target.no-folder"


def test_a_core_that_does_not_exist_is_refused_with_those_that_do(base: Path) -> None:
    with pytest.raises(PlanError) as raised:
        start_server(base, cpus=(100_000,))
    problem = problem_of(raised)
    assert problem.code == "target.no-such-cpu"
    assert ", ".join(map(str, sorted(os.sched_getaffinity(0)))) in problem.why


def test_an_interrupt_while_a_server_starts_stops_it(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_ready, "wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        start_server(base)


def test_an_interrupt_while_a_server_is_stopped_kills_it_and_goes_on_up(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = start_server(base, stop=Stop(grace=Seconds(30)))
    sent: list[int] = []

    def interrupted(pid: int, number: int) -> None:
        sent.append(number)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "killpg", interrupted)
        with pytest.raises(KeyboardInterrupt):
            running.stop()
    assert sent == [signal.SIGTERM]
    assert running.stop().how == "killed"
