import ipaddress
import os
import socket
import struct
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from loadrig.base.sockets import decode_address, holders, listeners, listeners_at, parse_unix_listeners


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
        found = listeners_at("127.0.0.1", port)
        assert [(one.address, one.port, one.uid) for one in found] == [("127.0.0.1", port, os.getuid())]
        assert holders([found[0].inode]) == {os.getpid(): {found[0].inode}}
    assert listeners_at("127.0.0.1", port) == []


def test_a_wildcard_listener_answers_for_every_address_of_the_machine() -> None:
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        assert [one.address for one in listeners_at("127.0.0.1", port)] == ["0.0.0.0"]
        assert [one.address for one in listeners_at("", port)] == ["0.0.0.0"]


def test_unix_listeners_are_told_from_connections(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen()
        client.connect(path)
        found = parse_unix_listeners(Path("/proc/net/unix").read_text())
        assert [one.address for one in found].count(path) == 1


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
    assert [(one.address, one.port) for one in listeners(tmp_path)] == [("127.0.0.1", 8080)]
