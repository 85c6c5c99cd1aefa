"""Questions to name servers under way, as sockets that are connected to port 53."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from loadrig.probes import name_lookups

HEAD = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref"
    " pointer drops\n"
)
REST = "00000000:00000000 00:00000000 00000000     0        0 31337 2 0000000000000000 0\n"


def test_sockets_are_counted_by_name_server() -> None:
    four = HEAD + (
        f"  12: 0100007F:C350 0100007F:0035 01 {REST}"
        f"  13: 0100007F:C351 0100007F:0035 01 {REST}"
        f"  14: 0A00000A:C352 08080808:0035 01 {REST}"
        f"  15: 0100007F:C353 0100007F:1F90 01 {REST}"
        f"  16: 00000000:0035 00000000:0000 07 {REST}"
    )
    six = HEAD + f"  17: {'0' * 24}01000000:C354 {'0' * 24}01000000:0035 01 {REST}"
    assert name_lookups.parse_udp([four, six]) == {"127.0.0.1:53": 2, "8.8.8.8:53": 1, "[::1]:53": 1}


@pytest.mark.parametrize("text", ["", HEAD, HEAD + "  12: 0100007F\n", HEAD + "\n\n"])
def test_what_is_cut_off_counts_nothing(text: str) -> None:
    assert name_lookups.parse_udp([text]) == {}


def test_questions_of_this_machine_are_seen_while_they_wait_and_gone_when_they_do_not() -> None:
    watch = name_lookups.NameLookupsWatch()
    with ExitStack() as asking:
        for _ in range(3):
            question = asking.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            question.connect(("127.77.0.53", 53))
        seen = {sample.subject: sample.value for sample in watch.sample(0)}
    assert seen["127.77.0.53:53"] == 3
    assert {sample.subject: sample.value for sample in watch.sample(1)}["127.77.0.53:53"] == 0


def test_the_tables_of_another_root_are_read(tmp_path: Path) -> None:
    net = tmp_path / "proc/net"
    net.mkdir(parents=True)
    (net / "udp").write_text(HEAD + f"  12: 0100007F:C350 0100007F:0035 01 {REST}")
    (sample,) = name_lookups.NameLookupsWatch(tmp_path).sample(0)
    assert (sample.metric, sample.subject, sample.value) == ("waiting", "127.0.0.1:53", 1)
