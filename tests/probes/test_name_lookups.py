"""Questions to name servers under way, as sockets that are connected to port 53."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from loadrig.base.component import Component
from loadrig.probes import name_lookups

HEAD = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref"
    " pointer drops\n"
)


def rest(inode: int) -> str:
    return f"00000000:00000000 00:00000000 00000000     0        0 {inode} 2 0000000000000000 0\n"


def test_sockets_are_counted_by_name_server() -> None:
    four = HEAD + (
        f"  12: 0100007F:C350 0100007F:0035 01 {rest(1)}"
        f"  13: 0100007F:C351 0100007F:0035 01 {rest(2)}"
        f"  14: 0A00000A:C352 08080808:0035 01 {rest(3)}"
        f"  15: 0100007F:C353 0100007F:1F90 01 {rest(4)}"
        f"  16: 00000000:0035 00000000:0000 07 {rest(5)}"
    )
    six = HEAD + f"  17: {'0' * 24}01000000:C354 {'0' * 24}01000000:0035 01 {rest(6)}"
    assert name_lookups.parse_udp([four, six]) == {
        1: "127.0.0.1:53", 2: "127.0.0.1:53", 3: "8.8.8.8:53", 4: "127.0.0.1:8080", 6: "[::1]:53",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", HEAD, HEAD + "  12: 0100007F\n", HEAD + "\n\n"])
def test_what_is_cut_off_counts_nothing(text: str) -> None:
    assert name_lookups.parse_udp([text]) == {}


def test_questions_of_this_machine_are_seen_while_they_wait_and_gone_when_they_do_not() -> None:
    watch = name_lookups.NameLookupsWatch()
    with ExitStack() as asking:
        for _ in range(3):
            question = asking.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            question.connect(("127.77.0.53", 53))
        counts = {sample.subject: sample.value for sample in watch.sample(0)}
    assert counts["127.77.0.53:53"] == 3
    assert {sample.subject: sample.value for sample in watch.sample(1)}["127.77.0.53:53"] == 0


def test_questions_to_other_ports_are_those_that_were_just_asked() -> None:
    """A socket that stays is one for figures or log lines, of which nobody waits for an answer."""
    watch = name_lookups.NameLookupsWatch()
    with ExitStack() as asking:

        def ask() -> None:
            socket_ = asking.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            socket_.connect(("127.77.0.54", 8125))

        def count(t_ns: int) -> float:
            counts = {sample.subject: sample.value for sample in watch.sample(t_ns)}
            return counts.get("127.77.0.54:8125", 0.0)

        ask()
        assert count(0) == 0
        ask()
        ask()
        assert count(1) == 2
        assert count(2) == 0


def test_what_others_ask_for_is_not_counted() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as of_stranger, asking("127.78.0.53") as pid:
        of_stranger.connect(("127.79.0.53", 53))
        components = (Component("server", "program", pid=pid),)
        (sample,) = name_lookups.NameLookupsWatch(components=lambda: components).sample(0)
    assert (sample.subject, sample.value) == ("127.78.0.53:53", 1)


@contextmanager
def asking(address: str) -> Iterator[int]:
    """Let a program have a question to a name server under way; yield its pid."""
    code = (
        "import socket, sys\n"
        f"s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(({address!r}, 53))\n"
        "print('asks', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "asks\n"
        yield program.pid


def test_the_tables_of_another_root_are_read(tmp_path: Path) -> None:
    net = tmp_path / "proc/net"
    net.mkdir(parents=True)
    (net / "udp").write_text(HEAD + f"  12: 0100007F:C350 0100007F:0035 01 {rest(1)}")
    (sample,) = name_lookups.NameLookupsWatch(tmp_path).sample(0)
    assert (sample.metric, sample.subject, sample.value) == ("waiting", "127.0.0.1:53", 1)
