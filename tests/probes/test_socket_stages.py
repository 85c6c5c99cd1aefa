"""The probe beside servers of which every connection's stage is known: what it says, and that it adds up."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.conftest import Deadline
from tests.probes.puppets import Puppet
from tests.probes.staged import ACCEPT, ANSWER, REQUEST, SERVER, StagesProbe, connected, probing


@pytest.fixture
def server() -> Iterator[Puppet]:
    with Puppet() as puppet:
        yield puppet


def test_two_workers_and_ten_clients_are_two_in_hand_and_eight_before_that(server: Puppet) -> None:
    port = int(server.do(SERVER))
    with ExitStack() as stack, probing(server.pid) as probe:
        for client in connected(stack, port, 10):
            client.sendall(REQUEST)
        for _ in range(5):
            server.do(ACCEPT)
        server.do("for one in held[:2]: one.recv(1000)")
        assert probe.stages(f"in:{port}") == pytest.approx({"not_accepted": 5, "unread": 3, "in_hand": 2})
        # A look between a connection and what it was to say may have seen it silent.
        assert probe.look()[f"in:{port}"].get("silent", 0.0) == 0.0


def test_connections_that_wait_without_a_request_are_told(server: Puppet) -> None:
    port = int(server.do(SERVER))
    with ExitStack() as stack, probing(server.pid) as probe:
        connected(stack, port, 3)[0].sendall(REQUEST)
        means = probe.look()[f"in:{port}"]
        assert (means["not_accepted"], means["silent"]) == pytest.approx((3, 2))


def test_a_dependency_is_awaited_and_its_answer_read_late(server: Puppet) -> None:
    port = int(server.do(SERVER))
    with socket.create_server(("127.0.0.1", 0)) as dependency, ExitStack() as stack:
        far = dependency.getsockname()[1]
        probe = stack.enter_context(probing(server.pid))
        connected(stack, port)[0].sendall(REQUEST)
        server.do(f"{ACCEPT}\nheld[0].recv(1000)")
        server.do(f"own = socket.create_connection(('127.0.0.1', {far}))\nown.sendall(b'query')")
        near = stack.enter_context(dependency.accept()[0])
        near.recv(100)
        assert probe.stages(f"in:{port}") == pytest.approx({"in_hand": 1})
        assert probe.stages(f"out:127.0.0.1:{far}") == pytest.approx({"awaiting": 1})
        assert probe.peers() == {("127.0.0.1", far)}
        near.sendall(b"rows")
        assert probe.stages(f"out:127.0.0.1:{far}") == pytest.approx({"answer_unread": 1})
        server.do("own.recv(100)")
        assert probe.stages(f"out:127.0.0.1:{far}") == pytest.approx({"idle": 1})
        assert f"in:{far}" not in probe.look(), "the dependency is not this program"


def test_messages_to_a_dependency_are_counted(server: Puppet) -> None:
    with socket.create_server(("127.0.0.1", 0)) as dependency, ExitStack() as stack:
        far = dependency.getsockname()[1]
        probe = stack.enter_context(probing(server.pid))
        server.do(f"own = socket.create_connection(('127.0.0.1', {far}))")
        near = stack.enter_context(dependency.accept()[0])
        # A connection counts from the second look at it on.
        assert "segments" not in probe.look()[f"out:127.0.0.1:{far}"]
        for _ in range(5):
            server.do("own.sendall(b'query')")
            near.recv(100)
            near.sendall(b"rows")
            server.do("own.recv(100)")
        assert probe.look()[f"out:127.0.0.1:{far}"]["segments"] == 5


def test_an_answer_that_its_client_does_not_read_is_being_sent_and_the_client_is_to_blame(
    server: Puppet,
) -> None:
    port = int(server.do(SERVER))
    with ExitStack() as stack, probing(server.pid) as probe:
        connected(stack, port)[0].sendall(REQUEST)
        server.do(f"{ACCEPT}\nheld[0].recv(1000)\nheld[0].setblocking(False)")
        server.do("try:\n while True: held[0].send(bytes(65536))\nexcept BlockingIOError: pass")
        assert probe.stages(f"in:{port}") == pytest.approx({"sending": 1})
        first = probe.look()[f"in:{port}"]
        time.sleep(0.3)
        then = probe.look()[f"in:{port}"]
        assert then["client_limited_s"] > first.get("client_limited_s", 0.0)
        assert then["client_limited_s"] <= then["busy_s"]


HEAD_AND_BODY = """
def serve(one):
    while one.recv(1000):
        one.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\n")
        one.sendall(b"body")
        count.append(1)
def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
count = []
threading.Thread(target=accept, daemon=True).start()
"""


@contextmanager
def clients(port: int, count: int, answer_bytes: int) -> Iterator[None]:
    """Clients in a closed loop, each on a connection of its own."""
    is_over = threading.Event()

    def ask() -> None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as client:
            client.settimeout(10)
            while not is_over.is_set():
                client.sendall(REQUEST)
                missing = answer_bytes
                while missing > 0:
                    received = len(client.recv(missing))
                    if not received:
                        return
                    missing -= received

    threads = [threading.Thread(target=ask) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def test_head_and_body_written_apart_wait_for_a_delayed_acknowledgement(
    server: Puppet, deadline: Deadline
) -> None:
    port = int(server.do(SERVER))
    server.do(HEAD_AND_BODY)
    with probing(server.pid) as probe, clients(port, 4, 42):
        # The kernel acknowledges the first segments of a connection at once.
        deadline.wait_for(lambda: int(server.do("answer = len(count)")) > 4 * 20, "a hundred requests")
        means = whole(probe, deadline, f"in:{port}")
        assert means["sockets"] == pytest.approx(4)
        # The kernel holds its acknowledgement back for 40 ms; without that it would be nearly nothing.
        assert means["sending"] > 1.0, means


def whole(probe: StagesProbe, deadline: Deadline, group: str, seconds: float = 1.0) -> dict[str, float]:
    """Means over a longer time, with some dozens of looks."""
    probe.look()
    while True:
        time.sleep(seconds)
        means = probe.sample()
        if means[""]["looks"] >= 20:
            return means[group]
        assert deadline.left_s, "nobody looks often enough"


WORKERS = """
def work():
    while True:
        with listener.accept()[0] as one:
            one.recv(1000)
            time.sleep(0.03)
            one.sendall(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
            one.recv(1000)
for _ in range(2): threading.Thread(target=work, daemon=True).start()
"""


def test_a_live_server_with_two_workers_has_two_in_hand_and_its_other_clients_wait(
    server: Puppet, deadline: Deadline
) -> None:
    port = int(server.do(SERVER))
    server.do(WORKERS)
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(REQUEST)
                client.recv(1000)

    threads = [threading.Thread(target=ask) for _ in range(10)]
    with probing(server.pid) as probe:
        for thread in threads:
            thread.start()
        try:
            means = whole(probe, deadline, f"in:{port}")
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
    assert 5 < means["not_accepted"] < 9.5, means
    assert 1 < means["in_hand"] < 2.5, means
    # What is closed stays for a moment, and clients are between two connections for another.
    assert 8 < means["sockets"] < 13, means


def test_kept_connections_without_a_request_are_idle(server: Puppet, deadline: Deadline) -> None:
    port = int(server.do(SERVER))
    with ExitStack() as stack, probing(server.pid) as probe:
        for client in connected(stack, port, 4)[:3]:  # nothing was ever asked on the fourth
            client.sendall(REQUEST)
        server.do(f"for _ in range(4): {ACCEPT}")
        server.do(f"for one in held[:3]: one.recv(1000); one.sendall({ANSWER!r})")
        assert sum(probe.look()[f"in:{port}"].get(kind, 0) for kind in ("idle", "unacknowledged")) == 4
        acknowledged = pytest.approx({"idle": 4})
        deadline.wait_for(lambda: probe.stages(f"in:{port}") == acknowledged, "delayed acknowledgements")


def test_what_many_exchanges_in_a_moment_leave_open_is_split_and_told(server: Puppet) -> None:
    port = int(server.do(SERVER))
    with ExitStack() as stack:
        client = connected(stack, port)[0]
        server.do(ACCEPT)
        for _ in range(5):
            client.sendall(REQUEST)
            server.do(f"held[0].recv(1000); held[0].sendall({ANSWER!r})")
            client.recv(1000)
        probe = stack.enter_context(probing(server.pid))
        means = probe.look()[f"in:{port}"]
        tied = means.get("tied", 0.0)
        assert means.get("in_hand", 0.0) == pytest.approx(tied / 2)
        at_rest = means.get("idle", 0.0) + means.get("unacknowledged", 0.0)
        assert at_rest == pytest.approx(1 - tied / 2)


def test_a_client_that_gave_up_is_told(server: Puppet) -> None:
    port = int(server.do(SERVER))
    with ExitStack() as stack, probing(server.pid) as probe:
        for client in connected(stack, port, 2):
            client.sendall(REQUEST)
            client.close()
        server.do(f"{ACCEPT}\nheld[0].recv(1000)")
        assert probe.stages(f"in:{port}") == pytest.approx({"abandoned": 2})


def test_a_unix_socket_tells_what_its_queues_tell(server: Puppet, tmp_path: Path) -> None:
    path = str(tmp_path / "app.sock")
    server.do(
        f"listener = socket.socket(socket.AF_UNIX); listener.bind({path!r}); listener.listen(9); held = []"
    )
    with ExitStack() as stack, probing(server.pid) as probe:
        near = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(3)]
        for client in near:
            client.connect(path)
        assert probe.stages(f"in:{path}") == pytest.approx({"not_accepted": 3})
        near[0].sendall(REQUEST)
        server.do(f"for _ in range(3): {ACCEPT}")
        assert probe.stages(f"in:{path}") == pytest.approx({"unread": 1, "unclear": 2})
        server.do("held[0].recv(1000)")
        assert probe.stages(f"in:{path}") == pytest.approx({"unclear": 3})
        server.do("held[0].sendall(b'answer')")
        assert probe.stages(f"in:{path}") == pytest.approx({"sending": 1, "unclear": 2})


def test_a_dependency_at_a_unix_socket_is_awaited(server: Puppet, tmp_path: Path) -> None:
    path = str(tmp_path / "db.sock")
    with socket.socket(socket.AF_UNIX) as dependency, probing(server.pid) as probe:
        dependency.bind(path)
        dependency.listen(9)
        server.do(f"own = socket.socket(socket.AF_UNIX); own.connect({path!r})")
        assert probe.stages(f"out:{path}") == pytest.approx({"connecting": 1})
        with dependency.accept()[0] as near:
            server.do("own.sendall(b'query')")
            assert probe.stages(f"out:{path}") == pytest.approx({"awaiting": 1})
            near.recv(100)
            near.sendall(b"rows")
            assert probe.stages(f"out:{path}") == pytest.approx({"answer_unread": 1})
