"""The probe on real sockets: roles, who closed first, queues, namespaces, and a kernel that refuses."""

import json
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import THIS_HOST, Component
from loadrig.base.running import Address
from loadrig.base.series import Event, Sample
from loadrig.probes import Place, tcp_sockets
from loadrig.probes._tcp import space as _tcp_space
from tests.conftest import Deadline
from tests.probes.namespaces import BECOME_NOBODY, program

Told = dict[str, float]
SECOND = 10**9
LATER = 10**12
"""So late that the next look is due, however long the last one took."""


def by_series(samples: list[Sample]) -> Told:
    values = {f"{sample.metric} {sample.subject}": sample.value for sample in samples}
    assert len(values) == len(samples), "two samples of one series at one instant"
    return values


class SocketsProbe:
    """The probe of this host, looking whenever it is asked."""

    def __init__(self, *components: Component, most: int = 100_000) -> None:
        self.components = list(components)
        options = tcp_sockets.Options(destinations=most, ports=most)
        place = Place(components=lambda: (THIS_HOST, *self.components))
        self.session = tcp_sockets.attach(options, THIS_HOST, place)
        self._t_ns = 0

    def look(self) -> Told:
        self._t_ns += LATER
        return by_series(self.session.sample(self._t_ns))

    def notes(self) -> list[Event]:
        return self.session.events()


@pytest.fixture
def listener() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0), backlog=7)


def port_of(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port


def connect(listener: socket.socket) -> tuple[socket.socket, socket.socket]:
    """Return the client's and the server's end of a new connection."""
    client = socket.create_connection(listener.getsockname())
    return client, listener.accept()[0]


def test_a_short_connection_is_opened_in_both_roles_and_closed_first_by_one(listener: socket.socket) -> None:
    probe, port = SocketsProbe(), port_of(listener)
    near, far = f"in:{port}", f"out:127.0.0.1:{port}"
    with listener:
        assert f"opened {near}" not in probe.look()
        for server_first in (True, True, True, False, False):
            client, server = connect(listener)
            for end in (server, client) if server_first else (client, server):
                end.close()
        values = probe.look()
        assert (values[f"opened {near}"], values[f"opened {far}"]) == (5, 5)
        assert (values[f"closed_first {near}"], values[f"closed_first {far}"]) == (3, 2)
        assert (values[f"time_wait {near}"], values[f"time_wait {far}"]) == (3, 2)
        again = probe.look()
        assert (again[f"opened {near}"], again[f"closed_first {near}"]) == (5, 3)
    probe.session.detach()


def test_a_kept_connection_is_opened_once_and_zero_when_it_is_gone(listener: socket.socket) -> None:
    probe, role = SocketsProbe(), f"in:{port_of(listener)}"
    with listener:
        probe.look()
        client, server = connect(listener)
        for _ in range(3):
            values = probe.look()
            assert (values[f"established {role}"], values[f"opened {role}"]) == (1, 1)
        client.close()
        server.close()
        assert probe.look()[f"established {role}"] == 0
    probe.session.detach()


def test_the_accept_queue_is_told_with_its_backlog_and_nobody_asks_for_a_quiet_listener(
    listener: socket.socket,
) -> None:
    probe, role = SocketsProbe(), f"in:{port_of(listener)}"
    with listener:
        assert f"accept_queue {role}" not in probe.look()
        waiting = [socket.create_connection(listener.getsockname()) for _ in range(3)]
        values = probe.look()
        assert (values[f"accept_queue {role}"], values[f"backlog {role}"]) == (3, 7)
        for client in waiting:
            listener.accept()[0].close()
            client.close()
        assert probe.look()[f"accept_queue {role}"] == 0
    probe.session.detach()


def test_a_full_accept_queue_is_counted_as_overflows(listener: socket.socket, deadline: Deadline) -> None:
    probe = SocketsProbe()
    with listener:
        before = probe.look()["listen_overflows "]
        clients = []
        for _ in range(12):
            clients.append(socket.socket())
            clients[-1].setblocking(False)
            clients[-1].connect_ex(listener.getsockname())
        deadline.wait_for(lambda: probe.look()["listen_overflows "] > before, "an overflow")
        role = f"in:{port_of(listener)}"
        values = probe.look()
        assert values[f"accept_queue {role}"] > values[f"backlog {role}"]  # the kernel lets one more wait
        for client in clients:
            client.close()
    probe.session.detach()


def test_an_answer_in_two_parts_that_waits_for_an_acknowledgement_is_counted(
    listener: socket.socket, deadline: Deadline
) -> None:
    """Nagle's algorithm holds the second part until the first is acknowledged, which the client delays."""
    probe = SocketsProbe()
    with listener, socket.create_connection(listener.getsockname()) as client, listener.accept()[0] as served:
        before = probe.look()["delayed_acks "]

        def is_counted() -> bool:
            client.sendall(b"?")
            assert served.recv(1) == b"?"
            served.send(b"head")
            served.send(b"body")
            answer = b""
            while len(answer) < 8:
                answer += client.recv(8)
            return probe.look()["delayed_acks "] > before

        deadline.wait_for(is_counted, "a delayed acknowledgement")
    probe.session.detach()


def test_bytes_that_nobody_reads_stand_in_the_receive_queue(listener: socket.socket) -> None:
    probe, port = SocketsProbe(), port_of(listener)
    with listener:
        client, server = connect(listener)
        assert f"receive_queue_bytes in:{port}" not in probe.look()
        client.sendall(b"x" * 1000)
        assert probe.look()[f"receive_queue_bytes in:{port}"] == 1000
        assert server.recv(1000)
        values = probe.look()
        assert values[f"receive_queue_bytes in:{port}"] == 0
        assert (
            0 < values[f"rtt_median_s out:127.0.0.1:{port}"] <= values[f"rtt_max_s out:127.0.0.1:{port}"] < 1
        )
        client.close()
        server.close()
    probe.session.detach()


def ask(client: socket.socket) -> None:
    client.sendall(b"PING\r\n")
    assert client.recv(100) == b"+PONG\r\n"


def test_redis_without_a_pool_costs_a_connection_a_request_and_with_one_none(
    free_port: int, tmp_path: Path, deadline: Deadline
) -> None:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server")
    command = [program, "--port", str(free_port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    probe, role, requests = SocketsProbe(), f"out:127.0.0.1:{free_port}", 40
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as redis_server:
        try:
            deadline.wait_for(lambda: listens(free_port), "redis")
            before = probe.look()[f"opened {role}"]
            for _ in range(requests):
                with socket.create_connection(("127.0.0.1", free_port)) as client:
                    ask(client)
            values = probe.look()
            assert values[f"opened {role}"] - before == values[f"opened in:{free_port}"] - before == requests
            assert values[f"time_wait {role}"] >= requests
            assert f"time_wait in:{free_port}" not in values
            with socket.create_connection(("127.0.0.1", free_port)) as client:
                for _ in range(requests):
                    ask(client)
                assert probe.look()[f"opened {role}"] - values[f"opened {role}"] == 1
        finally:
            redis_server.terminate()
    probe.session.detach()


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def test_a_unix_listener_is_named_by_its_path(tmp_path: Path) -> None:
    probe, path = SocketsProbe(), str(tmp_path / "app.sock")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen(4)
        assert f"accept_queue in:{path}" not in probe.look()
        client.connect(path)
        values = probe.look()
        assert (values[f"accept_queue in:{path}"], values[f"backlog in:{path}"]) == (1, 4)
    probe.session.detach()


def test_ipv6_and_ipv4_within_it_are_told_by_their_addresses() -> None:
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        port, probe = server.getsockname()[1], SocketsProbe()
        held = [socket.create_connection((address, port)) for address in ("127.0.0.1", "::1")]
        held += [server.accept()[0] for _ in range(2)]
        values = probe.look()
        assert values[f"established in:{port}"] == 2
        assert values[f"established out:127.0.0.1:{port}"] == values[f"established out:[::1]:{port}"] == 1
        for end in held:
            end.close()
    probe.session.detach()


def test_a_look_that_took_long_is_followed_by_samples_without_one(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tcp_space, "LOOK_SHARE", 1e-9)
    watch = tcp_sockets.TcpSocketsWatch(tcp_sockets.Options())
    with listener:
        assert "sockets " in by_series(watch.sample(0))
        after = by_series(watch.sample(SECOND))
        assert "sockets " not in after
        assert "active_opens " in after
    watch.detach()


TIME_WAITS = """
import socket
open("/proc/sys/net/ipv4/ip_local_port_range", "w").write("30000 30099")
listener = socket.create_server(("127.0.0.1", 700))
for _ in range(COUNT):
    client = socket.create_connection(("127.0.0.1", 700))
    server, _ = listener.accept()
    client.close()
    server.close()
"""


def redis(pid: int) -> Component:
    return Component("redis", "redis", pid=pid)


def test_a_program_in_another_network_namespace_has_series_of_its_own() -> None:
    with program(TIME_WAITS.replace("COUNT", "50")) as pid:
        probe = SocketsProbe(redis(pid))
        values = probe.look()
        assert values["time_wait out:127.0.0.1:700@redis"] == 50
        assert values["port_range @redis"] == 100
        assert values["port_range_share out:127.0.0.1:700@redis"] == 0.5
        assert values["time_wait_all @redis"] == 50
        assert values["active_opens @redis"] == 50
        assert "time_wait out:127.0.0.1:700" not in values
        assert values["active_opens "] != 50
        assert probe.notes() == []
        probe.session.detach()


def test_a_namespace_that_vanishes_ends_its_series_and_a_new_one_counts_on() -> None:
    probe = SocketsProbe()
    with program(TIME_WAITS.replace("COUNT", "5")) as pid:
        probe.components = [redis(pid)]
        assert probe.look()["active_opens @redis"] == 5
    assert not [name for name in probe.look() if name.endswith("@redis")]
    with program(TIME_WAITS.replace("COUNT", "3")) as pid:
        probe.components = [redis(pid)]
        assert probe.look()["active_opens @redis"] == 8
        assert probe.look()["active_opens @redis"] == 8
    probe.session.detach()


IMPORTS = """
import heapq, json, sys  # heapq: collections wants it later, when it may not be read any more
from loadrig.base.component import THIS_HOST, Component
from loadrig.probes import Place, tcp_sockets
"""
WATCHED = """
components = [THIS_HOST] + [Component("redis", "redis", pid=int(pid)) for pid in sys.argv[1:]]
# Other tests may serve many ports meanwhile.
all_ports = tcp_sockets.Options(destinations=10_000, ports=10_000)
session = tcp_sockets.attach(all_ports, THIS_HOST, Place(components=lambda: tuple(components)))
samples = session.sample(0) + session.sample(10**12)
events = [[event.text, event.facts["code"], event.facts["mend"]] for event in session.events()]
print(json.dumps([[f"{one.metric} {one.subject}" for one in samples], events]))
"""


def watched(before: str, *pids: int) -> tuple[list[str], list[list[str]]]:
    """Return what the probe tells in a process of its own, after `before`: names of series, and notes."""
    source = IMPORTS + before + WATCHED
    done = subprocess.run(
        [sys.executable, "-c", source, *map(str, pids)], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    names, events = json.loads(done.stdout)
    return names, events


# Lets the kernel refuse socket(AF_NETLINK …) as some containers do. Source: seccomp(2), and the numbers of
# <linux/filter.h>: load the number of the call, compare, load its first argument, compare, return.
REFUSING = """
import ctypes, platform, struct
number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
steps = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, 16), (0x06, 0, 0, 0x50001),
         (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()
"""


def test_where_netlink_is_refused_the_text_is_read_and_a_note_says_so_once(listener: socket.socket) -> None:
    role = f"in:{port_of(listener)}"
    with listener:
        client, server = connect(listener)
        names, events = watched(REFUSING)
        client.close()
        server.close()
    assert f"established {role}" in names
    assert f"accept_queue {role}" in names
    assert f"opened {role}" not in names
    [[text, code, mend]] = events
    assert "Operation not permitted" in text
    assert code == "probe.no-right"
    assert mend


def test_without_the_right_to_enter_a_namespace_its_text_is_read_and_a_note_names_the_right(
    snapshot: SnapshotAssertion,
) -> None:
    source = (
        "import socket; listener = socket.create_server(('127.0.0.1', 7000))\n"
        "client = socket.create_connection(('127.0.0.1', 7000))\n"
    )
    with program(source + BECOME_NOBODY) as pid:
        names, events = watched(BECOME_NOBODY, pid)
    assert "accept_queue in:7000@redis" in names
    assert "active_opens @redis" in names
    [[text, code, mend]] = events
    assert code == "probe.no-right"
    assert "CAP_SYS_ADMIN" in text
    assert mend == snapshot


def test_of_many_ports_and_destinations_few_have_series_and_what_is_watched_is_one_of_them() -> None:
    with ExitStack() as held:
        listeners = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(12)]
        watched = port_of(listeners[-1])
        probe = SocketsProbe(Component("server", "program", address=Address("127.0.0.1", watched)), most=3)
        for listener in listeners:
            for end in connect(listener):
                held.enter_context(end)
            values = probe.look()
        near, far = (
            {series.rpartition(" ")[2] for series in values if f" {kind}" in series}
            for kind in ("in:", "out:")
        )
        assert {f"in:{watched}", "in:others"} < near
        assert {f"out:127.0.0.1:{watched}", "out:others"} < far
        assert max(len(near), len(far)) <= 3 + 2  # those told apart, the watched one, the others
        assert values[f"established out:127.0.0.1:{watched}"] == 1
        assert (values[f"established in:{watched}"], values[f"accept_queue in:{watched}"]) == (1, 0)
        assert "accept_queue in:others" not in values
        assert sum(values.get(f"established {role}", 0) for role in near) >= len(listeners)
        probe.session.detach()
