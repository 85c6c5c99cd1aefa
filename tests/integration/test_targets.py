"""Real servers started and stopped by the target `command`; after each test nothing is left."""

import os
import signal
import sys
from pathlib import Path

import pytest

from loadrig.base import cgroups, processes, sockets
from loadrig.base.units import Seconds
from loadrig.target import command
from loadrig.target._knobs import FreeKnob
from loadrig.target._ready import Ready
from loadrig.target._server import Stop
from tests.integration.started import (
    SERVER,
    STUBBORN,
    base,
    get,
    nothing_left,
    start_server,
    wait_until,
)

__all__ = ["base", "nothing_left"]  # fixtures

pytestmark = pytest.mark.integration


def test_a_command_runs_apart_from_the_rig_and_leaves_nothing(base: Path) -> None:
    extra = os.open(base, os.O_RDONLY)
    os.set_inheritable(extra, True)
    try:
        with start_server(base) as running:
            facts = get(running.target.address)
            assert facts["pid"] == running.target.pid == facts["session"]
            assert facts["cwd"] == str(base)
            descriptors = facts["fds"]
            assert isinstance(descriptors, dict)
            assert descriptors["0"] == "/dev/null"
            assert descriptors["1"] == descriptors["2"] == str(base / "run/target.log")
            assert str(base) not in descriptors.values()
            assert running.alive()
            assert running.target.ready_ns >= running.target.started_ns > 0
            report = running.stop()
            assert (report.how, report.killed, report.left) == ("asked", (), ())
            assert not running.alive()
            assert running.stop() == report
    finally:
        os.close(extra)
    assert sockets.listeners_at("127.0.0.1", running.target.address.port) == []


def test_a_server_is_held_on_its_cores(base: Path) -> None:
    core = max(os.sched_getaffinity(0))
    options = command.Options((sys.executable, "server.py", "{port}"))
    with command.start(options, {}, base / "run", base, cpus=(core,)) as running:
        assert get(running.target.address)["cpus"] == [core]
        assert running.target.cpus == (core,)


def test_cores_of_the_options_go_before_those_of_the_trial(base: Path) -> None:
    first, last = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0))
    options = command.Options((sys.executable, "server.py", "{port}"), cpus=(first,))
    with command.start(options, {}, base / "run", base, cpus=(last,)) as running:
        assert get(running.target.address)["cpus"] == [first]


def test_a_setting_reaches_a_command_by_flag_and_by_variable(base: Path) -> None:
    knobs = {"workers": FreeKnob("--workers {}"), "knob": FreeKnob(env="KNOB")}
    options = command.Options((f"{sys.executable} server.py {{port}}",), knob_flags=knobs)
    with command.start(options, {"workers": 3, "knob": "{port}"}, base / "run", base) as running:
        port = running.target.address.port
        facts = get(running.target.address)
        assert facts["argv"] == [str(port), "--workers", "3"]
        assert facts["knob"] == str(port)


def test_what_a_server_starts_ends_with_it_even_behind_a_shell(base: Path) -> None:
    script = f"sleep 60 & {sys.executable} server.py {{port}} & wait"
    options = command.Options(("sh", "-c", script), ready=Ready(within=Seconds(60)))
    with command.start(options, {}, base / "run", base) as running:
        assert running.target.pid is not None
        assert len(processes.tree(running.target.pid, processes.table())) == 3
        assert running.stop().left == ()


def test_a_child_that_has_left_its_session_and_parent_is_found_and_ended(base: Path) -> None:
    daemon = (
        "import os, time, sys\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(60)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "os.execv(sys.executable, [sys.executable, 'server.py', sys.argv[1]])\n"
    )
    options = command.Options((sys.executable, "-c", daemon, "{port}"), stop=Stop(grace=Seconds(0.3)))
    with command.start(options, {}, base / "run", base) as running:
        report = running.stop()
    assert report.how == "killed"
    assert len(report.killed) == 1
    assert report.left == ()


def test_a_server_that_does_not_leave_when_asked_is_killed_and_reported(base: Path) -> None:
    options = command.Options((sys.executable, "-c", STUBBORN, "{port}"), stop=Stop(grace=Seconds(0.2)))
    with command.start(options, {}, base / "run", base) as running:
        report = running.stop()
    assert report.how == "killed"
    assert report.status == -signal.SIGKILL
    assert len(report.killed) == 1
    assert report.left == ()


def test_another_stop_signal_is_the_one_that_is_sent(base: Path) -> None:
    with start_server(base, stop=Stop(signal="INT")) as running:
        report = running.stop()
    assert report.how == "asked"
    assert "KeyboardInterrupt" in "\n".join(running.last_lines(30))


def test_a_server_that_dies_is_not_alive_and_its_last_lines_are_kept(base: Path) -> None:
    with start_server(base) as running:
        assert running.target.pid is not None
        os.kill(running.target.pid, signal.SIGKILL)
        wait_until(lambda: not running.alive())
        assert any("GET /" in line for line in running.last_lines(5)) or running.last_lines(5) == []
        report = running.stop()
    assert report.how == "had_exited"
    assert report.status == -signal.SIGKILL


@pytest.mark.parametrize(
    "ready", [Ready(http="/health"), Ready(http="/down", status=(503,)), Ready(log="up and well")]
)
def test_each_kind_of_ready_check_passes_when_it_should(base: Path, ready: Ready) -> None:
    (base / "server.py").write_text(
        SERVER.replace("http.server.Thr", "print('up and well', flush=True)\nhttp.server.Thr")
    )
    with start_server(base, ready=ready) as running:
        assert running.alive()


def test_a_command_may_listen_on_a_unix_socket(base: Path) -> None:
    code = (
        "import socket, sys\n"
        "s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()\n"
        "while True:\n"
        "    c, _ = s.accept(); c.recv(999); c.sendall(b'HTTP/1.1 204 No Content\\r\\n\\r\\n'); c.close()\n"
    )
    options = command.Options(
        (sys.executable, "-c", code, "{socket}"),
        address=command.ListenPlace(unix="s.sock"),
        ready=Ready(http="/"),
    )
    with command.start(options, {}, base / "run", base) as running:
        assert running.target.address.unix == str(base / "s.sock")
    assert not (base / "s.sock").exists()


def test_a_group_of_its_own_counts_the_server_where_one_can_be_made(base: Path) -> None:
    with start_server(base) as running:
        group = running.target.cgroup
        if group is None:
            assert any("cgroup" in note for note in running.notes)
            pytest.skip(f"no cgroup can be made here: {running.notes}")
        assert cgroups.members(group) == [running.target.pid]
    assert not group.exists()
