"""Sockets and processes from Rust, as Python sees them."""

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from loadrig import _native
from loadrig.base import processes
from tests.probes.namespaces import program

LISTEN = "import socket; listener = socket.create_server(('127.0.0.1', 700), backlog=5)"


def test_connections_name_both_ends_and_the_inode_of_each() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as client,
        listener.accept()[0] as server,
    ):
        connection_by_ends = {connection[:4]: connection for connection in _native.Sockets().connections()}
        for end in (client, server):
            *_, inode, uid = connection_by_ends[(*end.getsockname(), *end.getpeername())]
            assert os.readlink(f"/proc/self/fd/{end.fileno()}") == f"socket:[{inode}]"
            assert uid == os.getuid()


def test_a_listener_is_told_without_connections_and_by_whom_it_is_held() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
        with socket.create_connection((host, port)), listener.accept()[0]:
            listeners = [listener for listener in _native.Sockets().listeners() if listener[1] == port]
        inode = os.stat(listener.fileno()).st_ino
        assert listeners == [(host, port, inode, os.getuid())]
        for pids in (None, [os.getpid()]):
            assert _native.socket_holders({inode, 1}, pids, "/proc") == {os.getpid(): {inode}}
        assert _native.socket_holders({inode}, [1], "/proc") == {}


def test_the_table_of_processes_has_the_fields_of_a_stat_line_in_their_order() -> None:
    own = processes.stat(os.getpid())
    assert own is not None
    row = processes.table()[os.getpid()]
    assert replace(row, user=own.user, system=own.system, rss_pages=own.rss_pages, state="R") == own


def test_another_namespace_shows_its_own_listeners_and_settings_and_ours_do_not_show() -> None:
    with program(LISTEN) as pid, socket.create_server(("127.0.0.1", 0)) as ours:
        there = _native.Sockets(f"/proc/{pid}/ns/net")
        [listener] = there.look().listeners
        assert (listener.address, listener.port, listener.queue, listener.backlog) == ("127.0.0.1", 700, 0, 5)
        assert listener.uid == 0
        here = _native.Sockets()
        assert ours.getsockname()[1] in {listener.port for listener in here.look().listeners}
        assert here.settings(["ipv4/ip_local_port_range", "ipv4/no_such"])[1] is None
        assert there.settings(["ipv4/tcp_tw_reuse"])[0] in ("0\n", "1\n", "2\n")


def test_this_thread_stays_in_its_namespace_when_another_is_looked_at() -> None:
    before = os.readlink("/proc/thread-self/ns/net")
    with program(LISTEN) as pid:
        _native.Sockets(f"/proc/{pid}/ns/net").look()
    assert os.readlink("/proc/thread-self/ns/net") == before


def test_a_path_that_is_no_namespace_is_an_error_of_the_system() -> None:
    with pytest.raises(FileNotFoundError):
        _native.Sockets("/proc/self/ns/nowhere")
    with pytest.raises(OSError, match="Invalid argument"):
        _native.Sockets("/proc/self/ns/uts")


def test_a_process_is_read_with_its_stat_line_and_one_that_is_gone_is_left_out() -> None:
    [facts] = _native.read_processes([os.getpid(), 2**22 + 1], 10_000, True, "/proc")
    assert facts.pid == os.getpid()
    assert facts.parent == os.getppid()
    assert facts.memory_bytes is not None
    assert facts.memory_bytes[1] <= facts.memory_bytes[0]
    assert facts.threads is not None
    assert len(facts.threads) == facts.thread_count
    assert os.getpid() in _native.process_tree(os.getppid(), [], "/proc")


def test_a_process_file_system_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        _native.read_processes([1], 1, False, tmp_path / "proc")
    with pytest.raises(FileNotFoundError):
        _native.process_tree(1, [], tmp_path / "proc")
