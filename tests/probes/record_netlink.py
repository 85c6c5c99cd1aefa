"""Record what the kernel answers to the requests of `loadrig-probes`, for the tests of its parser.

    unshare --net sh -c 'ip link set lo up && python -m tests.probes.record_netlink FOLDER'

Makes the sockets that crates/loadrig-probes/tests/wire.rs expects in a network namespace of its own, and
writes the answers below FOLDER: all.bin (both families, with tcp_info), ipv4.bin, ipv6.bin, unix.bin. With
`stages` behind FOLDER those that tests/stages.rs expects: stages.bin (both families, with tcp_info, without
TIME_WAIT) and unix_streams.bin.
"""

import os
import socket
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

NETLINK_SOCK_DIAG = 4
TCPDIAG_GETSOCK, SOCK_DIAG_BY_FAMILY = 18, 20
NLM_F_REQUEST_DUMP = 0x301
NLMSG_DONE = 3
ALL_STATES = 0x1FFE
INET_DIAG_INFO = 1 << 1
UNIX_LISTEN, UNIX_SHOW = 1 << 10, 0x1 | 0x10
NOT_TIME_WAIT = ALL_STATES & ~(1 << 6)
UNIX_STREAMS, UNIX_SHOW_PEERS = 1 << 10 | 1 << 1, 0x1 | 0x4 | 0x8 | 0x10

REQUESTS = {
    "all": (TCPDIAG_GETSOCK, struct.pack("=BBBB48xII", 0, 0, 0, INET_DIAG_INFO, ALL_STATES, 0)),
    "ipv4": (SOCK_DIAG_BY_FAMILY, struct.pack("=BBBBI48x", socket.AF_INET, 6, 0, 0, ALL_STATES)),
    "ipv6": (SOCK_DIAG_BY_FAMILY, struct.pack("=BBBBI48x", socket.AF_INET6, 6, 0, 0, ALL_STATES)),
    "unix": (SOCK_DIAG_BY_FAMILY, struct.pack("=BBHIII8x", socket.AF_UNIX, 0, 0, UNIX_LISTEN, 0, UNIX_SHOW)),
}  # fmt: skip

STAGES = {
    "stages": (TCPDIAG_GETSOCK, struct.pack("=BBBB48xII", 0, 0, 0, INET_DIAG_INFO, NOT_TIME_WAIT, 0)),
    "unix_streams": (
        SOCK_DIAG_BY_FAMILY,
        struct.pack("=BBHIII8x", socket.AF_UNIX, 0, 0, UNIX_STREAMS, 0, UNIX_SHOW_PEERS),
    ),
}


def sockets() -> list[socket.socket]:
    """Listeners and connections in the states of interest. They live as long as they are referred to."""
    held = []

    def listener(family: int, address: object, backlog: int) -> socket.socket:
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)  # type: ignore[arg-type]
        listening.listen(backlog)
        held.append(listening)
        return listening

    def connect(family: int, address: object) -> socket.socket:
        connection = socket.socket(family)
        connection.connect(address)  # type: ignore[arg-type]
        held.append(connection)
        return connection

    ipv4 = listener(socket.AF_INET, ("127.0.0.1", 18000), 5)
    for server_first in (True, False):
        client = connect(socket.AF_INET, ("127.0.0.1", 18000))
        server, _ = ipv4.accept()
        for end in (server, client) if server_first else (client, server):
            end.close()
    for _ in range(3):
        connect(socket.AF_INET, ("127.0.0.1", 18000))
    dual = listener(socket.AF_INET6, ("::", 18001), 7)
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        client = connect(family, (address, 18001))
        held.append(dual.accept()[0])
    client.sendall(b"12345")  # the server's end of ::1 does not read them
    listener(socket.AF_UNIX, "app.sock", 9)
    connect(socket.AF_UNIX, "app.sock")
    Path("app.sock").unlink()
    listener(socket.AF_UNIX, "\0loadrig", 3)
    return held


def staged() -> list[socket.socket]:
    """Return one connection in each stage, to a port of its own."""
    held: list[socket.socket] = []

    def pair(port: int, *, is_accepted: bool = True) -> tuple[socket.socket, socket.socket]:
        listener = socket.create_server(("127.0.0.1", port))
        client = socket.create_connection(("127.0.0.1", port))
        server = listener.accept()[0] if is_accepted else listener
        held.extend((listener, client, server))
        return client, server

    pair(18000, is_accepted=False)[0].sendall(b"request")
    pair(18001)[0].sendall(b"request")
    client, server = pair(18002)
    client.sendall(b"request")
    server.recv(100)
    client, server = pair(18003)
    client.sendall(b"request")
    server.recv(100)
    server.setblocking(False)
    with suppress(BlockingIOError):
        while True:
            server.send(b"x" * 65536)  # the client never reads
    client, server = pair(18004)
    client.sendall(b"request")
    server.recv(100)
    server.sendall(b"answer")
    client.recv(100)
    pair(18005)
    client, server = pair(18006)
    client.sendall(b"request")
    client.shutdown(socket.SHUT_WR)
    pair(18007)[1].close()
    unix = socket.socket(socket.AF_UNIX)
    unix.bind("app.sock")
    unix.listen(9)
    clients = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    for client in clients:
        client.connect("app.sock")
    held += [unix, *clients, unix.accept()[0], unix.accept()[0]]
    clients[0].sendall(b"request")
    Path("app.sock").unlink()
    time.sleep(1.0)  # until delayed acknowledgements have come
    return held


def answer(kind: int, request: bytes) -> bytes:
    """Return all datagrams that answer a request, one behind the other."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as netlink:
        netlink.send(struct.pack("=IHHII", 16 + len(request), kind, NLM_F_REQUEST_DUMP, 1, 0) + request)
        content = b""
        while True:
            datagram = netlink.recv(1 << 16)
            content += datagram
            if struct.unpack_from("=H", datagram, 4)[0] == NLMSG_DONE:
                return content


def main(folder: str, what: str = "") -> None:
    """Write the answers."""
    os.chdir(folder)  # the path of a Unix socket is recorded as it was given
    held, requests = (staged(), STAGES) if what == "stages" else (sockets(), REQUESTS)
    for name, (kind, request) in requests.items():
        Path(f"{name}.bin").write_bytes(answer(kind, request))
    for opened in held:
        opened.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
