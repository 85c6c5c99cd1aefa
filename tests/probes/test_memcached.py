"""The probe of memcached against a real one: its figures, bursts, a full house, a login, restarts."""

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from loadrig.base.component import Component
from loadrig.probes import Unavailable, memcached
from loadrig.probes._databases.memcached_stats import levels, parse
from loadrig.probes._databases.peaks import Peaks
from loadrig.probes._session import Place
from tests.probes.watching import component_of, watching
from tests.servers.memcached import started_memcached

pytestmark = pytest.mark.integration


class MemcachedClient:
    """Speaks memcached's protocol of text."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._answers = self.socket.makefile("rb")

    def store(self, key: str, size: int) -> bytes:
        self.socket.sendall(f"set {key} 0 0 {size}\r\n".encode() + b"x" * size + b"\r\n")
        return self._answers.readline()

    def fetch(self, key: str) -> bool:
        """Return whether it was there."""
        self.socket.sendall(f"get {key}\r\n".encode())
        is_there = self._answers.readline() != b"END\r\n"
        if is_there:
            self._answers.readline()
            self._answers.readline()
        return is_there

    def close(self) -> None:
        self._answers.close()
        self.socket.close()


@contextlib.contextmanager
def client(port: int) -> Iterator[MemcachedClient]:
    with contextlib.closing(MemcachedClient(port)) as client:
        yield client


def test_hits_misses_and_connections_follow_what_is_done(tmp_path: Path) -> None:
    with (
        started_memcached(tmp_path, "-c", "50") as server,
        client(server.port) as shop,
        watching(memcached, component_of("memcached", server.port)) as watched,
    ):
        first = watched.look()
        assert shop.store("user:1", 100) == b"STORED\r\n"
        assert [shop.fetch("user:1") for _ in range(3)] == [True] * 3
        assert not shop.fetch("nobody")
        last = watched.until(lambda now: now["misses", ""] == first["misses", ""] + 1)
        assert last["hits", ""] == first["hits", ""] + 3
        assert last["sets", ""] == first["sets", ""] + 1
        assert (last["items", ""], last["evictions", ""]) == (1, 0)
        assert 100 < last["items_bytes", ""] < last["memory_limit_bytes", ""] == 8 << 20
        assert last["connections_open", ""] == 1, "ours is left out"
        assert last["connections_share", ""] == pytest.approx(1 / 50)
        assert watched.until(lambda now: now["mean_connections_open", ""] == 1 and now["looks", ""] >= 1)


def test_evictions_are_counted_and_their_burst_is_seen(tmp_path: Path) -> None:
    with (
        started_memcached(tmp_path) as server,
        client(server.port) as shop,
        watching(memcached, component_of("memcached", server.port)) as watched,
    ):
        watched.look()
        for n in range(200):  # 20 MB into 8
            shop.store(f"page:{n}", 100_000)
        full = watched.until(lambda now: now["evictions", ""] > 50)
        assert full["evictions_unfetched", ""] == full["evictions", ""]
        assert full["memory_share", ""] > 0.5
        assert not shop.fetch("page:0")
        watched.until(
            lambda _: any(
                sample.metric == "evictions_peak_per_s" and sample.value > 0 for sample in watched.samples
            )
        )
        peaks = [sample.value for sample in watched.samples if sample.metric == "evictions_peak_per_s"]
        assert max(peaks) <= 200 / 0.1, "no rate is taken over less than a tenth of a second"


def test_a_memcached_without_room_for_a_client_says_so(tmp_path: Path) -> None:
    with (
        started_memcached(tmp_path, "-c", "30", "-t", "1") as server,
        contextlib.ExitStack() as held,
        watching(memcached, component_of("memcached", server.port)) as watched,
    ):
        watched.look()
        for _ in range(40):
            held.enter_context(client(server.port))
        # Of 30 places 40 clients want one; a reading may have begun before the last of them had come.
        watched.until(
            lambda now: (
                now["listen_disabled", ""] + now["rejected_connections", ""] > 0
                and now["connections_share", ""] > 0.4
            )
        )


def test_counters_go_on_after_a_kill_and_a_restart(tmp_path: Path) -> None:
    with (
        started_memcached(tmp_path) as server,
        client(server.port) as shop,
        watching(memcached, component_of("memcached", server.port)) as watched,
    ):
        watched.look()
        for n in range(40):
            shop.store(f"k{n}", 10)
        before = watched.until(lambda now: now["sets", ""] == 40)
        os.kill(server.pid, signal.SIGKILL)
        lost = watched.until_lost()
        assert lost.code == "probe.no-answer"
        assert str(server.port) in lost.reason
        with started_memcached(tmp_path, port=server.port) as again, client(again.port) as new:
            after = watched.until(lambda _: watched.of_kind("restarted"))
            assert after["connections", ""] >= before["connections", ""]
            new.store("k", 10)
            assert watched.until(lambda now: now["sets", ""] == 41)["items", ""] == 1


def test_a_memcached_that_stands_still_is_a_gap(tmp_path: Path) -> None:
    with (
        started_memcached(tmp_path) as server,
        watching(memcached, component_of("memcached", server.port)) as watched,
    ):
        watched.look()
        os.kill(server.pid, signal.SIGSTOP)
        try:
            assert watched.until_lost().code == "probe.no-answer"
        finally:
            os.kill(server.pid, signal.SIGCONT)
        assert watched.look()["threads", ""] > 0
        assert watched.of_kind("restarted") == []


def test_it_is_asked_over_a_unix_socket(tmp_path: Path) -> None:
    with started_memcached(tmp_path, unix=True) as server:
        bare = replace(component_of("memcached", server.port), address=None)
        with watching(memcached, bare, at=str(server.unix)) as watched:
            assert watched.look()["memory_limit_bytes", ""] == 8 << 20


def test_one_that_asks_for_a_login_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "logins").write_text("shop:secret-4711\n")
    with (
        started_memcached(tmp_path, "-Y", str(tmp_path / "logins")) as server,
        watching(memcached, component_of("memcached", server.port)) as watched,
    ):
        lost = [watched.until_lost() for _ in range(3)]
        assert {loss.code for loss in lost} == {"probe.refused"}
        assert "-Y" in lost[0].mend


def test_what_is_no_memcached_is_said_to_be_none() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        watching(memcached, component_of("memcached", listener.getsockname()[1])) as watched,
    ):
        watched.session.sample(0)
        connection, _ = listener.accept()
        with connection:
            connection.recv(1024)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            assert watched.until_lost().code == "probe.not-that"


def test_what_is_not_known_of_a_component_is_asked_for() -> None:
    with pytest.raises(Unavailable) as raised:
        memcached.attach(memcached.Options(), Component("memcached", "memcached"), Place())
    assert "at: HOST:11211" in raised.value.mend


def test_old_versions_lack_figures_and_nothing_else() -> None:
    stats = parse("STAT pid 7\r\nSTAT version 1.4.5\r\nSTAT curr_connections 10\r\nSTAT bytes 5\r\nEND\r\n")
    assert stats["version"] == "1.4.5"
    assert levels({"curr_connections": 10.0, "bytes": 5.0}) == {("connections_open", ""): 9.0}


def test_a_peak_is_the_highest_rate_of_stretches_that_are_long_enough() -> None:
    peaks = Peaks({"evictions": "evictions_peak_per_s"})
    second = 1_000_000_000
    for t_s, count in ((0.0, 100), (0.001, 200), (0.2, 300), (1.2, 400), (1.4, 5), (1.6, 6)):
        peaks.add(int(t_s * second), {"evictions": float(count)})
    assert peaks.take() == {("evictions_peak_per_s", ""): pytest.approx(1000)}
    assert peaks.take() == {}
