"""The proxy as the rig has it: in front of a real redis, told, asked, killed."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from loadrig.base import leases, processes, sockets
from loadrig.base.errors import VoidError
from loadrig.base.unavailable import Unavailable
from loadrig.interventions._proxy import PROGRAM, Proxy, numeric
from tests.conftest import Deadline
from tests.rigs import plain_facts
from tests.servers._daemon import Daemon
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration

DELAY_S = 0.005
PATIENCE_S = 20.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Daemon]:
    with started_redis(tmp_path) as server:
        yield server


@pytest.fixture
def proxy(server: Daemon, tmp_path: Path) -> Iterator[Proxy]:
    with Proxy("127.0.0.1", server.port, tmp_path / "proxy.log") as proxy:
        yield proxy


@contextmanager
def client_of(port: int) -> "Iterator[redis.Redis]":
    client = redis.Redis(
        port=port, socket_timeout=PATIENCE_S, single_connection_client=True, retry=Retry(NoBackoff(), 0)
    )
    with closing(client):
        client.ping()  # what a client says of itself on a new connection has been said
        yield client


def took_s(client: "redis.Redis") -> float:
    began = time.monotonic()
    client.ping()
    return time.monotonic() - began


def own_leases() -> list[leases.Lease]:
    return [lease for lease in leases.listed() if lease.rig_pid == os.getpid() and lease.kind == "process"]


def test_each_round_trip_takes_the_delay_until_it_is_taken_away(proxy: Proxy) -> None:
    with client_of(proxy.port) as client:
        before = proxy.counters()
        since_ns = proxy.set(delay_s=DELAY_S)
        assert abs(since_ns - time.monotonic_ns()) < 60e9, "it has our clock"
        assert min(took_s(client) for _ in range(10)) >= DELAY_S
        proxy.set()
        client.ping()
        after = proxy.counters()
        assert after.round_trips - before.round_trips == 11
        assert after.delayed - before.delayed == 10
        assert after.delayed_ns >= 10 * DELAY_S * 1e9
        assert (after.accepted, after.open, after.refused, after.lost) == (1, 1, 0, 0)
        assert after.bytes_to > before.bytes_to
        assert after.bytes_from > before.bytes_from
        assert after.t_ns > before.t_ns


def test_questions_that_are_sent_at_once_are_one_round_trip(proxy: Proxy) -> None:
    proxy.set(delay_s=DELAY_S)
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE_S) as client:
        began = time.monotonic()
        client.sendall(b"PING\r\n" * 10)
        answer = b""
        while len(answer) < 70:
            answer += client.recv(100)
        assert time.monotonic() - began >= DELAY_S
    assert answer == b"+PONG\r\n" * 10
    counters = proxy.counters()
    assert (counters.round_trips, counters.delayed) == (1, 1)


def test_a_lost_chunk_waits_as_for_a_retransmission(proxy: Proxy) -> None:
    with client_of(proxy.port) as client:
        proxy.set(loss=1.0)
        assert took_s(client) >= 0.4, "lost on the way there, and on the way back"
    assert proxy.counters().lost == 2


def test_what_is_beyond_the_limit_waits_for_its_turn(proxy: Proxy) -> None:
    proxy.set(connections=1)
    with (
        client_of(proxy.port) as first,
        socket.create_connection(("127.0.0.1", proxy.port), timeout=0.1) as second,
    ):
        second.sendall(b"PING\r\n")
        with pytest.raises(TimeoutError):
            second.recv(64)
        assert proxy.counters().accepted == 1
        first.close()
        second.settimeout(PATIENCE_S)
        assert second.recv(64) == b"+PONG\r\n"
    assert proxy.counters().accepted == 2


def test_bytes_pass_no_faster_than_the_line(proxy: Proxy) -> None:
    with client_of(proxy.port) as client:
        proxy.set(bytes_per_s=1e6)
        began = time.monotonic()
        client.set("page", b"x" * 200_000)
        assert time.monotonic() - began >= 0.19


def test_settings_without_a_meaning_are_refused_and_change_nothing(proxy: Proxy) -> None:
    proxy.set(delay_s=DELAY_S)
    meaningless: list[dict[str, Any]] = [{"delay_s": -1.0}, {"loss": 2.0}, {"connections": 0}]
    for wrong in meaningless:
        with pytest.raises(ValueError, match=next(iter(wrong))):
            proxy.set(**wrong)
    with client_of(proxy.port) as client:
        assert took_s(client) >= DELAY_S


def test_several_threads_may_ask(proxy: Proxy) -> None:
    instants: list[int] = []

    def ask() -> None:
        for _ in range(200):
            proxy.set(delay_s=0.0)
            instants.append(proxy.counters().t_ns)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(set(instants)) == 800


def test_it_is_leased_while_it_lasts_and_gone_afterwards(server: Daemon, tmp_path: Path) -> None:
    with Proxy("127.0.0.1", server.port, tmp_path / "proxy.log") as proxy:
        (lease,) = own_leases()
        assert plain_facts(lease)["pid"] == proxy.pid
        assert str(lease) == f"process {proxy.pid}: proxy to 127.0.0.1:{server.port}"
        assert leases.started_by(plain_facts(lease)["marker"], None, None).keys() == {proxy.pid}, (
            "by its environment"
        )
        assert sockets.listeners_at("127.0.0.1", proxy.port) != []
    assert own_leases() == []
    assert processes.start_of(proxy.pid) is None
    assert sockets.listeners_at("127.0.0.1", proxy.port) == []
    proxy.close()


def test_one_that_has_died_is_said(proxy: Proxy, deadline: Deadline) -> None:
    os.kill(proxy.pid, signal.SIGKILL)
    deadline.wait_for(lambda: processes.start_of(proxy.pid) is None or _is_dead(proxy.pid), "its death")
    with pytest.raises(VoidError) as caught:
        proxy.set(delay_s=DELAY_S)
    (problem,) = caught.value.problems
    assert problem.code == "prove.proxy-broken"
    assert "proxy.log" in problem.mend


def test_one_that_cannot_begin_leaves_nothing(tmp_path: Path) -> None:
    for host, log in [("127.0.0.1", tmp_path / "no" / "folder"), ("redis..store", tmp_path / "log")]:
        with pytest.raises(Unavailable) as caught, Proxy(host, 6379, log):
            pass
        assert caught.value.code == "prove.no-proxy"
    assert own_leases() == []


RIG = """
import sys, time
from pathlib import Path
from loadrig.interventions._proxy import Proxy
with Proxy("127.0.0.1", int(sys.argv[1]), Path(sys.argv[2])) as proxy:
    proxy.set(delay_s=0.001)
    print(proxy.pid, proxy.port, flush=True)
    time.sleep(60)
"""


@contextmanager
def a_rig(port: int, log: Path) -> Iterator[tuple["subprocess.Popen[str]", int, int]]:
    """Yield a rig of its own that has a proxy, with the proxy's pid and port."""
    argv = [sys.executable, "-c", textwrap.dedent(RIG), str(port), str(log)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as rig:
        try:
            assert rig.stdout is not None
            pid, own = map(int, rig.stdout.readline().split())
            yield rig, pid, own
        finally:
            rig.kill()


def test_a_killed_rig_takes_its_proxy_with_it(server: Daemon, tmp_path: Path, deadline: Deadline) -> None:
    with a_rig(server.port, tmp_path / "proxy.log") as (rig, pid, port):
        with client_of(port) as client:
            client.ping()
            rig.kill()
            rig.wait(deadline.left_s)
            deadline.wait_for(lambda: not sockets.listeners_at("127.0.0.1", port), "the proxy's end")
            with pytest.raises(redis.ConnectionError):
                client.ping()
        deadline.wait_for(lambda: _is_dead(pid), "the proxy's end")
    (stale_lease,) = [lease for lease in leases.stale() if lease.rig_pid == rig.pid]
    assert f"process {pid}: proxy to" in str(stale_lease)
    assert leases.undo(stale_lease).left == ()
    assert leases.undo(stale_lease).done == (), "it had ended by itself"


def test_one_that_outlives_its_rig_is_found_and_ended(
    server: Daemon, tmp_path: Path, deadline: Deadline
) -> None:
    with a_rig(server.port, tmp_path / "proxy.log") as (rig, pid, port):
        os.kill(pid, signal.SIGSTOP)  # it does not hear that its rig is gone
        rig.kill()
        rig.wait(deadline.left_s)
    assert not _is_dead(pid)
    (stale_lease,) = [lease for lease in leases.stale() if lease.rig_pid == rig.pid]
    undone = leases.undo(stale_lease, grace_s=0.3)
    assert (len(undone.done), undone.left) == (1, ())
    deadline.wait_for(lambda: _is_dead(pid), "its end")
    deadline.wait_for(lambda: not sockets.listeners_at("127.0.0.1", port), "its port")


def _is_dead(pid: int) -> bool:
    stat = processes.stat(pid)
    return stat is None or stat.state in "ZX"


def test_its_process_imports_the_native_module_and_nothing_else() -> None:
    *interpreter, program = PROGRAM
    # An empty standard input ends it at once: then what it has imported is all that it ever does.
    code = (
        "import sys\nbefore = set(sys.modules)\n"
        f"file = open({program!r}, encoding='utf-8')\n"
        f"names = {{'__name__': '__main__', '__file__': {program!r}}}\n"
        "try:\n    exec(file.read(), names)\nfinally:\n    print(*set(sys.modules) - before, file=sys.stderr)"
    )
    done = subprocess.run(
        [*interpreter, "-c", code], input=b"", capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert set(done.stderr.decode().split()) == {"loadrig", "loadrig._native"}


def test_a_dependency_that_listens_everywhere_or_by_name_has_a_number(server: Daemon) -> None:
    assert numeric("0.0.0.0", 1) == numeric("*", 1) == numeric("", 1) == "127.0.0.1"
    assert numeric("::", 1) == numeric("[::1]", 1) == "::1"
    assert numeric("10.1.2.3", 1) == "10.1.2.3"
    assert numeric("localhost", server.port) == "127.0.0.1", "where somebody listens"
    with pytest.raises(Unavailable, match=r"redis\.\.store"):
        numeric("redis..store", 6379)


def test_in_front_of_an_address_of_ipv6_it_has_one_too(tmp_path: Path) -> None:
    try:
        listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError as error:
        pytest.skip(f"this machine has no ::1: {error}")
    port = listener.getsockname()[1]
    with listener, Proxy("::1", port, tmp_path / "proxy.log") as proxy:
        assert proxy.host == "::1"
        with socket.create_connection(("::1", proxy.port), timeout=PATIENCE_S) as client:
            listener.settimeout(PATIENCE_S)
            server, _ = listener.accept()
            with server:
                client.sendall(b"hello")
                assert server.recv(5) == b"hello"
