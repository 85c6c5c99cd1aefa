"""Owners of sockets: several processes, other namespaces, no rights, too many groups; and what it costs."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.probes import Lost, Place, Unavailable, socket_stages
from tests.conftest import Deadline
from tests.probes.namespaces import BECOME_NOBODY
from tests.probes.puppets import Puppet
from tests.probes.staged import ACCEPT, REQUEST, SERVER, StagesProbe, connected, probing


@pytest.fixture
def server() -> Iterator[Puppet]:
    with Puppet() as puppet:
        yield puppet


def test_a_socket_of_several_processes_is_counted_once_and_so_are_listeners_that_share_a_port(
    server: Puppet,
) -> None:
    port = int(server.do(SERVER))
    # One pipe for all: its end is told to them when their master is gone, too.
    server.do(
        "readable, writable = os.pipe(); workers = []\n"
        "for _ in range(3):\n"
        " pid = os.fork()\n"
        " if not pid:\n"
        "  os.close(writable); os.read(readable, 1); os._exit(0)\n"
        " workers.append(pid)\n"
    )
    server.do(
        "shared = []\n"
        "for _ in range(2):\n"
        " one = socket.socket(); one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
        " one.bind(('127.0.0.1', shared[0].getsockname()[1] if shared else 0)); one.listen(9)\n"
        " shared.append(one)\n"
    )
    other = int(server.do("answer = shared[0].getsockname()[1]"))
    with ExitStack() as stack, probing(server.pid) as probe:
        connected(stack, port, 3)
        for client in connected(stack, other, 8):
            client.sendall(REQUEST)
        means = probe.look()
        assert (means[f"in:{port}"]["sockets"], means[f"in:{other}"]["not_accepted"]) == pytest.approx((3, 8))
        server.do("os.close(writable)\nfor pid in workers: os.waitpid(pid, 0)")


def test_workers_that_come_and_go_in_milliseconds_leave_the_sums_right(
    server: Puppet, deadline: Deadline
) -> None:
    port = int(server.do(SERVER))
    server.do(
        "def serve():\n"
        " while True:\n"
        "  one = listener.accept()[0]\n"
        "  if not os.fork():\n"
        "   one.recv(1000); one.sendall(b'x' * 27); os._exit(0)\n"
        "  one.close(); os.waitpid(-1, 0)\n"
        "threading.Thread(target=serve, daemon=True).start()\n"
    )
    with probing(server.pid) as probe:
        with socket.create_connection(("127.0.0.1", port)):
            assert probe.stages(f"in:{port}") == pytest.approx({"idle": 1})
        for _ in range(200):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(REQUEST)
                assert client.recv(1000)
        probe.look()
        deadline.wait_for(lambda: probe.look()[f"in:{port}"]["sockets"] == 0, "the last connection's end")


def test_many_clients_of_this_machine_are_not_read_each_time_and_the_servers_own_calls_are_not_missed(
    server: Puppet, deadline: Deadline
) -> None:
    port = int(server.do(SERVER))
    with ExitStack() as stack, probing(server.pid) as probe:
        connected(stack, port, 60)
        for _ in range(3):
            assert probe.look()[f"in:{port}"]["not_accepted"] == pytest.approx(60)
        server.do(f"own = socket.create_connection(('127.0.0.1', {port})); own.sendall(b'x')")
        own = f"out:127.0.0.1:{port}"
        deadline.wait_for(lambda: probe.look().get(own, {}).get("awaiting") == 1, "its call to itself")
        assert probe.look()[own]["awaiting"] == pytest.approx(1)
        assert probe.look()[f"in:{port}"]["not_accepted"] == pytest.approx(61)


def test_destinations_and_ports_beyond_the_allowed_number_are_others(server: Puppet) -> None:
    with ExitStack() as stack, probing(server.pid, destinations=2, ports=1) as probe:
        far = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(4)]
        server.do("own = []")
        for client in far:
            address = client.getsockname()
            server.do(f"own.append(socket.create_connection({address}))")
        ports = [int(server.do(SERVER.replace("listener", f"listener{n}"))) for n in range(3)]
        for port in ports:
            connected(stack, port)
        means = probe.look()
        outgoing = {group for group in means if group.startswith("out:")}
        assert len(outgoing) == 3
        assert means["out:others"]["sockets"] == pytest.approx(2)
        assert means["in:others"]["sockets"] == pytest.approx(2)


@pytest.mark.skipif(os.geteuid() != 0, reason="a network namespace can only be made by root")
@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_a_program_in_a_network_namespace_of_its_own_is_seen_there() -> None:
    with Puppet("unshare", "--net") as server:
        server.do("import subprocess; subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)")
        port = int(server.do(SERVER))
        with probing(server.pid) as probe:
            server.do(f"client = socket.create_connection(('127.0.0.1', {port})); client.sendall(b'x')")
            means = probe.look()
            assert means[f"in:{port}"]["not_accepted"] == pytest.approx(1)
            assert means[f"out:127.0.0.1:{port}"]["awaiting"] == pytest.approx(1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_who_may_not_read_a_programs_descriptors_sees_its_known_port_and_is_told(server: Puppet) -> None:
    port = int(server.do(SERVER))
    root = Path(__file__).parents[2]
    watch = (
        "from tests.probes.staged import StagesProbe\n"
        f"probe = StagesProbe({server.pid}, {port})\n"
        f"unread = probe.look()['in:{port}'].get('unread')\n"
        "print(unread, [one.facts['code'] for one in probe.session.events()])\n"
        "probe.session.detach()\n"
    )
    with ExitStack() as stack:
        connected(stack, port)[0].sendall(REQUEST)
        server.do(ACCEPT)
        # Imported as root: another user may not be able to read the checkout.
        source = f"import tests.probes.staged\n{BECOME_NOBODY}\n{watch}"
        ran = subprocess.run(
            [sys.executable, "-c", source], cwd=root, capture_output=True, text=True, timeout=60, check=False
        )
    assert ran.stdout == "1.0 ['probe.no-right']\n", ran.stderr


def test_a_process_that_ends_is_a_gap_and_one_that_never_was_is_said(deadline: Deadline) -> None:
    with Puppet() as server, probing(server.pid) as probe:
        probe.look()
        pid = server.pid
        server.end()

        def is_lost() -> bool:
            try:
                probe.sample()
            except Lost as lost:
                return lost.code == "probe.no-process"
            return False

        deadline.wait_for(is_lost, "the gap")
    with pytest.raises(Unavailable) as missing:
        StagesProbe(pid)
    assert missing.value.code == "probe.no-process"


def test_sessions_of_several_components_share_one_thread_which_ends_with_the_last(server: Puppet) -> None:
    def threads() -> int:
        names = (Path(f"/proc/self/task/{thread}/comm") for thread in os.listdir("/proc/self/task"))
        return sum(_text(name).startswith("loadrig-stages") for name in names)

    before = threads()
    with Puppet() as other, probing(server.pid) as first:
        with probing(other.pid) as second:
            assert first.look()[""]["looks"] > 0
            assert second.look()[""]["looks"] > 0
            assert threads() == before + 1
        assert threads() == before + 1
        assert first.look()[""]["looks"] > 0
    assert threads() == before


def test_a_program_that_is_watched_again_and_a_part_of_it_that_is_watched_apart_have_their_sockets(
    server: Puppet,
) -> None:
    port = int(server.do(SERVER))
    with Puppet() as other, ExitStack() as stack, probing(other.pid):
        connected(stack, port)
        for _ in range(2):
            with probing(server.pid) as probe:
                assert probe.stages(f"in:{port}") == pytest.approx({"not_accepted": 1})
        whole = stack.enter_context(probing(server.pid))
        assert whole.look()[f"in:{port}"]["sockets"] == pytest.approx(1)
        # A child that has the only hold of a connection, and is then found to be a component of its own.
        child = int(
            server.do(
                f"{ACCEPT}\nreadable, writable = os.pipe(); answer = os.fork()\n"
                "if not answer: os.close(writable); os.read(readable, 1); os._exit(0)\n"
            )
        )
        server.do("held.clear(); far = listener; listener = None; far.close()")
        assert whole.look()[f"in:{port}"]["sockets"] == pytest.approx(1)
        with probing(child) as apart:
            assert apart.look()[f"in:{port}"]["sockets"] == pytest.approx(1)
            assert whole.look()[f"in:{port}"]["sockets"] == pytest.approx(0)
        server.do(f"os.close(writable); os.waitpid({child}, 0)")


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def test_looks_become_fewer_where_they_would_cost_more_than_they_may() -> None:
    def looks(cpu_share: float) -> float:
        options = socket_stages.Options(looks_per_s=1000.0, cpu_share=cpu_share)
        component = Component("server", "program", pid=os.getpid(), start=processes.start_of(os.getpid()))
        session = socket_stages.attach(options, component, Place())
        time.sleep(1.0)
        total = sum(sample.value for sample in session.sample(0) if sample.metric == "looks")
        session.detach()
        return total

    assert looks(0.001) < looks(0.5)


def test_what_it_cost_is_counted(server: Puppet) -> None:
    with probing(server.pid) as probe:
        probe.look()
        first = probe.session.cpu_s  # type: ignore[attr-defined]
        probe.look()
        assert 0 < first < probe.session.cpu_s  # type: ignore[attr-defined]
