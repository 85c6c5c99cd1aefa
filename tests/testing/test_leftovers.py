"""The look for leftovers finds each kind of thing, and nothing where nothing is."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.rigs import leased, taken_by

from loadrig.base import cgroups, leases, processes
from loadrig.testing.leftovers import nothing_left_behind

pytestmark = pytest.mark.integration

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture(autouse=True)
def own_leases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def finds(work: Callable[[], object]) -> str:
    """Return what the look says after this work."""
    with pytest.raises(AssertionError) as failed, nothing_left_behind(grace_s=0.2):
        work()
    return str(failed.value)


def test_nothing_is_found_after_clean_work() -> None:
    with nothing_left_behind():
        subprocess.run([sys.executable, "-c", "print()"], check=True, stdout=subprocess.DEVNULL)
        thread = threading.Thread(target=lambda: None)
        thread.start()
        with socket.create_server(("127.0.0.1", 0)):
            pass
        thread.join()


def test_what_is_about_to_end_is_waited_for() -> None:
    with nothing_left_behind():
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"])
    assert child.wait(60) == 0


def test_a_child_is_found() -> None:
    with subprocess.Popen(SLEEPER) as child:
        child.kill()
        children: list[subprocess.Popen[bytes]] = []
        message = finds(lambda: children.append(subprocess.Popen(SLEEPER)))
        children[0].kill()
        children[0].wait()
    assert f"process {children[0].pid}" in message
    assert "time.sleep(60)" in message


def test_an_orphan_is_found_though_its_parent_is_dead() -> None:
    orphan = f"subprocess.Popen({SLEEPER!r}, start_new_session=True, stdout=subprocess.DEVNULL)"
    code = f"import subprocess; print({orphan}.pid)"
    pids: list[int] = []

    def work() -> None:
        parent = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
        pids.append(int(parent.stdout))

    message = finds(work)
    os.kill(pids[0], signal.SIGKILL)
    os.waitpid(pids[0], 0)
    assert f"process {pids[0]}" in message


def test_a_thread_is_found() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="forgotten", args=(60,))
    message = finds(thread.start)
    stop.set()
    thread.join()
    assert "thread forgotten" in message


def test_a_listening_socket_is_found_with_its_port() -> None:
    held: list[socket.socket] = []
    message = finds(lambda: held.append(socket.create_server(("127.0.0.1", 0))))
    port = held[0].getsockname()[1]
    held[0].close()
    assert f"port {port}" in message


def test_named_ports_must_be_free_whoever_holds_them() -> None:
    with socket.create_server(("127.0.0.1", 0)) as before:
        port = before.getsockname()[1]
    held: list[socket.socket] = []
    with pytest.raises(AssertionError, match=f"port {port}"), nothing_left_behind(ports=(port,), grace_s=0.2):
        held.append(socket.create_server(("127.0.0.1", port)))
    held[0].close()
    with nothing_left_behind(ports=(port,), grace_s=0.2), socket.create_server(("127.0.0.1", 0)):
        pass


def test_a_lease_is_found() -> None:
    own_leases: list[leases.Lease] = []
    message = finds(lambda: own_leases.append(leased("process", marker="m", pid=1, start=1, command="x")))
    assert str(own_leases[0].path) in message
    own_leases[0].end()


def test_leases_of_a_living_stranger_are_not_ours() -> None:
    parent, start = os.getppid(), processes.start_of(os.getppid())
    with nothing_left_behind(grace_s=0.2), taken_by(rig_pid=parent, rig_start=start):
        leased("process", marker="m", pid=1, start=1, command="x")


def test_a_control_group_of_the_rig_is_found() -> None:
    own = cgroups.of()
    folder = next((own[name] for name in ("cpuacct", "2") if name in own), None)
    if folder is None or not os.access(folder, os.W_OK):
        pytest.skip("no control group can be made here")
    group = folder / leases.group_name(leases.new_name())
    try:
        message = finds(group.mkdir)
    finally:
        cgroups.remove(group)
    assert f"cgroup {group}" in message


def test_an_error_in_the_block_is_what_is_raised() -> None:
    threads: list[threading.Thread] = []
    stop = threading.Event()

    def work() -> None:
        threads.append(threading.Thread(target=stop.wait, args=(60,)))
        threads[0].start()
        raise KeyError("the real reason")

    with pytest.raises(KeyError, match="the real reason"), nothing_left_behind():
        work()
    stop.set()
    threads[0].join()


def test_children_from_before_are_left_to_who_started_them() -> None:
    child = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    with nothing_left_behind():
        time.sleep(0.5)
    assert child.wait(60) == 7
