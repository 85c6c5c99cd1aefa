import ipaddress
import os
import socket
import struct
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from loadrig.base.sockets import (
    decode_address,
    holders,
    listeners,
    listeners_at,
    own_addresses,
    parse_connections,
    parse_own_addresses,
    parse_unix_listeners,
)


def as_kernel(packed: bytes) -> str:
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words)


@given(st.ip_addresses(v=4))
def test_ipv4_addresses_are_read_as_the_kernel_writes_them(address: ipaddress.IPv4Address) -> None:
    assert decode_address(as_kernel(address.packed)) == str(address)


@given(st.ip_addresses(v=6))
def test_ipv6_addresses_are_read_as_the_kernel_writes_them(address: ipaddress.IPv6Address) -> None:
    assume(not address.ipv4_mapped)
    assert ipaddress.ip_address(decode_address(as_kernel(address.packed))) == address


def test_ipv4_inside_ipv6_is_ipv4() -> None:
    assert decode_address("0000000000000000FFFF00000100007F") == "127.0.0.1"


def test_a_listening_socket_is_found_with_its_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        listening = listeners_at("127.0.0.1", port)
        assert [(listener.address, listener.port, listener.uid) for listener in listening] == [
            ("127.0.0.1", port, os.getuid())
        ]
        assert holders([listening[0].inode]) == {os.getpid(): {listening[0].inode}}
    assert listeners_at("127.0.0.1", port) == []


def test_a_wildcard_listener_answers_for_every_address_of_the_machine() -> None:
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        assert [listener.address for listener in listeners_at("127.0.0.1", port)] == ["0.0.0.0"]
        assert [listener.address for listener in listeners_at("", port)] == ["0.0.0.0"]


def test_unix_listeners_are_told_from_connections(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen()
        client.connect(path)
        listening = parse_unix_listeners(Path("/proc/net/unix").read_text())
        assert [listener.address for listener in listening].count(path) == 1


HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
LISTENS = (
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1\n"
)
WAITS = "   1: 0100007F:1F90 0100007F:C000 06 00000000:00000000 03:00000000 00000000     0        0 0 3\n"


def test_listening_sockets_are_found_without_reading_the_thousands_behind_them(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    # The kernel lists those that listen first; what comes after the first other one is not read.
    (tmp_path / "net" / "tcp").write_text(HEAD + LISTENS + 1_000 * WAITS + "not read\n", encoding="ascii")
    (tmp_path / "net" / "tcp6").write_text(HEAD, encoding="ascii")
    assert [(listener.address, listener.port) for listener in listeners(tmp_path)] == [("127.0.0.1", 8080)]


def test_both_ends_of_a_connection_are_told_and_listeners_are_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client, server.accept()[0]:
            here = client.getsockname()[1]
            rows = parse_connections(Path("/proc/net/tcp").read_text())
            ends = [row for row in rows if port in (row.port, row.remote_port)]
            assert {(end.port, end.remote_port) for end in ends} == {(port, here), (here, port)}
            assert {end.address for end in ends} == {"127.0.0.1"}
            (ours,) = (end for end in ends if end.port == here)
            assert ours.inode == os.fstat(client.fileno()).st_ino


RECORDED_FIB_TRIE = """\
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 172.17.0.0/16 2 0 2
        +-- 172.17.0.0/30 2 0 2
           |-- 172.17.0.0
              /16 link UNICAST
           |-- 172.17.0.2
              /32 host LOCAL
        |-- 172.17.255.255
           /32 link BROADCAST
     +-- 127.0.0.0/8 2 0 2
        +-- 127.0.0.0/31 1 0 0
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
"""


def test_own_addresses_are_told_from_networks_and_broadcasts() -> None:
    assert parse_own_addresses(RECORDED_FIB_TRIE) == {"172.17.0.2", "127.0.0.1"}
    assert "127.0.0.1" in own_addresses()
